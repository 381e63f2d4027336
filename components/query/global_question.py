"""Whether a question is about all documents together, and not about something in them. Pure functions."""

from __future__ import annotations

import regex

from components.query.names import names_in

_ALL = (
    r"(?:documents?|files?|collection|corpus|library|archive|reports?|material|papers|sources|texts|knowledge\s+base|index|everything"
    r"|all\s+of\s+(?:this|it|them))"
)
_THEMES = (
    r"(?:themes?|topics?|subjects?|subject\s+matters?|issues\s+covered|areas\s+covered|main\s+(?:points|ideas)"
    r"|key\s+(?:points|ideas|messages|takeaways|findings))"
)
_OF_ALL = rf"(?!\s+(?:of|in|for|on|about|at|with|to)\s+(?!(?:all\s+)?(?:this|these|those|the|our)?\s*(?:of\s+)?(?:\w+\s+)?{_ALL}\b))"
"""Not followed by something that is not all documents: the main topics of the exam."""
_GLOBAL = regex.compile(
    rf"""(?ix)
      \b(?:main|major|central|key|overall|recurring|common|principal|important|different|broad|general)\s+{_THEMES}\b{_OF_ALL}
    | \b(?:what|which)\s+{_THEMES}\s+(?:are|do|does|is)\s+(?:there|covered|(?:these|the|this|all|our)\s+{_ALL})\b
    | \bwhat\s+(?:is|are)\s+(?:the\s+)?{_THEMES}\b{_OF_ALL}
    | \bwhat\s+(?:is|are)\s+(?:this|these|the|all|our)\s+(?:the\s+)?{_ALL}\s+(?:mainly\s+|mostly\s+|generally\s+)?about\b
    | \bwhat\s+do(?:es)?\s+(?:this|these|the|all|our)\s+(?:the\s+)?{_ALL}\s+(?:cover|deal\s+with|talk\s+about|contain|discuss)\b
    | \b(?:summar(?:y|i[sz]e)|overview|outline|gist)\b(?:\s+\w+){{0,4}}\s+(?:of\s+)?(?:all\s+)?(?:this|these|the|our|all)\s+(?:\w+\s+)?{_ALL}\b
    | \bsummari[sz]e\s+(?:everything|all)\b
    | (?:मुख्य|प्रमुख)\s+(?:विषय|मुद्दे|बातें)
    """
)


def is_global(question: str) -> bool:
    """Whether it asks for themes, a summary or an overview of the documents, and names nothing in them.

    >>> is_global("What are the main themes of these documents?"), is_global("What is the main theme of the Lake Report?")
    (True, False)
    >>> is_global("Who heads the Lake Office?")
    False
    """
    return _GLOBAL.search(question) is not None and not names_in(question)

"""Sends simple questions one way and hard ones another."""

from __future__ import annotations

from typing import Any

import regex
from haystack import component

_ASKING = r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|does|do|did|can|may|must|should)"
_SIGNS: tuple[tuple[str, regex.Pattern[str]], ...] = (
    ("two questions", regex.compile(rf"(?i)(?:\?\s+\S.*\?|[,;]?\s+(?:and|or|but)\s+(?:if so,?\s+)?{_ASKING}\s+\w+)")),
    (
        "comparison",
        regex.compile(
            r"(?i)\b(?:compar(?:e|ed|ison)|differ(?:s|ed|ent|ence|ences)?|both|same|neither|either|versus|vs\.?|unlike|in common|"
            r"(?:more|less|fewer|older|younger|longer|shorter|larger|bigger|smaller|higher|lower|earlier|later|better|cheaper|first)\b.*\b(?:than|or))\b"
        ),
    ),
    (
        "through something else",
        regex.compile(r"(?i)\b\p{L}+\s+(?:that|which|who|whose|where|in which|of which|to whom)\s+(?!(?:is|are|was|were)\b\s*\?)\p{L}+"),
    ),
    (
        "through something else",
        regex.compile(
            r"(?i)\b(?:of|by|in|for|to|from)\s+(?:the|a|an|its|his|her|their)\s+(?:\p{L}+\s+){1,4}(?:of|by|in|for|from)\s+(?:the|a|an)\s+\p{L}+"
        ),
    ),
    (
        "a change",
        regex.compile(r"(?i)\b(?:chang(?:e|ed|es)|replac(?:e|ed|es)|since|used to|previously|old|former|before)\b.*\b(?:now|new|today|to|from|by)\b"),
    ),
    ("a list of all", regex.compile(r"(?i)\b(?:all|each|every|list|summar(?:y|ise|ize)|overview|main|themes?)\b")),
)
LONG_WORDS = 22
"""Words from which a question tells a case rather than asks for a fact."""


def signs_of_difficulty(question: str) -> list[str]:
    """What in its words says that one retrieval may not do; empty for a simple question.

    >>> signs_of_difficulty("What is the notice period?")
    []
    >>> signs_of_difficulty("Who wrote the book that inspired the film, and when did it appear?")
    ['two questions', 'through something else']
    """
    found = [name for name, sign in _SIGNS if sign.search(question[:2000])]
    if len(regex.findall(r"[\p{L}\p{N}]+", question)) >= LONG_WORDS:
        found.append("long")
    return list(dict.fromkeys(found))


@component
class DifficultyRouter:
    """Gives the question out as `simple` or as `hard`, by signs in its words that can be read in `signs_of_difficulty`.

    Several questions in one, comparisons, things named only through other things, changes, lists of all, and long cases are hard: one retrieval
    seldom finds all that they need (the kinds of Yang et al. 2018, HotpotQA, and of Jeong et al. 2024, Adaptive-RAG, whose classifier is a
    trained model). Haystack's ConditionalRouter takes a condition but has no rule for this; its other routers ask a model. The signs are those
    of English: a question in another language is simple unless it is long.

    >>> DifficultyRouter().run("What is the notice period?")
    {'simple': 'What is the notice period?', 'note': 'simple'}
    """

    def __init__(self, hard_from: int = 1) -> None:
        """Create the router.

        :param hard_from: signs from which a question is hard, 1 to 6.
        :raises ValueError: out of range.
        """
        if isinstance(hard_from, bool) or not isinstance(hard_from, int) or not 1 <= hard_from <= 6:
            raise ValueError(f"DifficultyRouter.hard_from={hard_from!r}: accepted is a whole number from 1 to 6")
        self.hard_from = hard_from

    @component.output_types(simple=str, hard=str, note=str)
    def run(self, question: str) -> dict[str, Any]:
        """Route.

        :param question: self-contained.
        :returns: `simple` or `hard`, never both: the question; `note`: the signs.
        """
        signs = signs_of_difficulty(question)
        if len(signs) >= self.hard_from:
            return {"hard": question, "note": f"hard: {', '.join(signs)}"}
        return {"simple": question, "note": "simple" if not signs else f"simple, though: {', '.join(signs)}"}

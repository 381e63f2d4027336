"""Whether a chat model's rewriting of a question may be used. Pure functions."""

from __future__ import annotations

import re

from components.builders.injection import instruction_ranges
from components.generators.reply_reading import reply_lines, reply_object
from components.query.noun_phrases import words_of

_LABEL = re.compile(r"^(?:(?:rewritten|standalone|self-contained|final|new)\s+)?(?:question|query)\s*:\s*", re.IGNORECASE)
_NUMBER = re.compile(r"(?:[^\W\d]+-)?\w*\d[\w./-]*")
LEAST_KEPT = 0.5
"""Share of the question's own words that must be in the rewriting, and of the rewriting's that question or conversation must have said."""


def checked_rewrite(reply: str, question: str, said: str, longest: int) -> tuple[str, str]:
    """The rewritten question of a reply; empty where it may not be used, and then why.

    :param question: as asked.
    :param said: the conversation before it.
    :param longest: characters accepted.

    >>> checked_rewrite("Question: How long is the notice period in France?", "and in France?", "How long is the notice period in Spain?", 300)
    ('How long is the notice period in France?', '')
    >>> checked_rewrite("What does section 14 say?", "and section 15?", "What does section 14 say?", 300)
    ('', 'it lost 15')
    """
    found = reply_object(reply)
    lines = [v for v in found.values() if isinstance(v, str)] if found else reply_lines(reply, at_most=3, longest=max(longest, len(reply)))
    if len(lines) != 1:
        return "", "it is not one line"
    text = " ".join(_LABEL.sub("", lines[0]).strip().strip('"“”').split())
    if not text:
        return "", "it is empty"
    if len(text) > longest:
        return "", f"it has {len(text)} characters; {longest} are accepted"
    if lost := [n for n in numbers(question) if n not in numbers(text)]:
        return "", f"it lost {', '.join(lost)}"
    if new := [n for n in numbers(text) if n not in numbers(f"{question} {said}")]:
        return "", f"it added {', '.join(new)}, which nobody said"
    if instruction_ranges(text) and not instruction_ranges(question):
        return "", "it is an instruction to a model"
    own, given, before = content(question), content(text), content(said)
    if own and len(own & given) < LEAST_KEPT * len(own):
        return "", "it is another question"
    if given and len(given & (own | before)) < LEAST_KEPT * len(given):
        return "", "it says what nobody said"
    return text, ""


def numbers(text: str) -> list[str]:
    """What carries a digit, in lower case: numbers, section numbers, codes.

    >>> numbers("Is ISO-9001 due by 2024-01-31?")
    ['iso-9001', '2024-01-31']
    """
    return [found.rstrip("./-").casefold() for found in _NUMBER.findall(text)]


def content(text: str) -> set[str]:
    """The words of a text that carry its meaning, cut to their first five letters, so that forms of a word are one.

    >>> sorted(content("How does it compare to Asian offices?"))
    ['asian', 'compa', 'offic']
    """
    return {w.low[:5] for w in words_of(text) if w.kind in {"noun", "verb"}}

"""Reads a chat model's reply on whether a question can be answered, and what to look up next. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from components.generators.reply_reading import reply_lines, reply_object
from components.joiners.fusion_evidence import terms_of

LONGEST = 300
"""Characters of a next question; what is longer is a model that talks."""
_ANSWERABLE = regex.compile(r"(?i)^\W*(?:answerable|yes|none|nothing|no (?:further|more)\b[^?]*)\W*$")
_LABEL = regex.compile(r"(?i)^\W*(?:(?:the )?(?:next|follow-?up|new)?\s*(?:search )?(?:question|query|look ?up)\s*(?:is)?\s*[:—-]+)\s*")


def read_reply(text: str, question: str, asked: Sequence[str], language: str | None = "en") -> tuple[bool, str | None]:
    """Whether the model finds the question answerable, or else the next question; (False, None) where the reply says neither.

    :param asked: what was asked already: a question that says nothing new is no next question.

    >>> read_reply("Answerable.", "Who heads it?", []), read_reply("Next question: Who heads the Lake Office?", "Who heads it?", [])
    ((True, None), (False, 'Who heads the Lake Office?'))
    >>> read_reply('{"answerable": false, "question": "Who heads the Lake Office?"}', "Who heads it?", ["who heads the lake office"])
    (False, None)
    """
    known = [terms_of(one, language) for one in (question, *asked)]
    lines: list[str] = []
    if (found := reply_object(text)) is not None:
        if found.get("answerable") is True:
            return True, None
        lines = [value for value in (found.get("question"), found.get("query"), found.get("next")) if isinstance(value, str)]
    for line in lines or reply_lines(text, at_most=3, longest=LONGEST):
        if _ANSWERABLE.match(line):
            return True, None
        query = _LABEL.sub("", line).strip(" \"'“”`*")
        terms = terms_of(query, language)
        if terms and len(query) <= LONGEST and not query.startswith(("{", "[", "<")) and terms not in known:
            return False, query
    return False, None

"""Questions that stand in the documents themselves, as in a FAQ: which sentences answer them. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import regex

from components.generators.extraction.kinds import kind_of
from components.generators.extraction.parts import Part

if TYPE_CHECKING:
    from components.generators.extraction.units import Unit

_QUESTION = regex.compile(r"[^\"“«„]*[?？؟][\s)\]*_]*|\s*[\"“«„][^\"”»]*[?？؟][\s)\]*_\"”»]*")
"""A question as a whole; not a statement that ends with a question in quotation marks."""
_ANSWERS = regex.compile(r"\s*(?:a|answer)\s*[:：]\s*(?=\S)", regex.I)
"""Mark of an answer behind a question marked with "Q:"."""
_ASKS = regex.compile(r"\s*(?:\(?\p{L}?\p{Nd}{0,3}[.):]\s*)?(?:q|question)?\s*\p{Nd}{0,3}\s*[:：.)]\s*(?=\S)", regex.I)
"""Mark of a question, or its number in a list."""


def is_question(text: str) -> bool:
    """Whether a sentence asks something: it says nothing, so it answers nothing.

    >>> [is_question(t) for t in ("May I bring a dog?", "Q: May I (with a lead)?", 'The guard calls "Who goes there?"', "Dogs are welcome.")]
    [True, True, False, False]
    """
    return bool(_QUESTION.fullmatch(text))


def tell_answers(units: Sequence[Unit]) -> None:
    """Give each unit the question of the document that it answers, and take the mark "A:" off it.

    A question that begins its paragraph is answered by all that follows up to the next question or heading, one inside a paragraph by the
    rest of that paragraph.
    """
    open_question: Unit | None = None
    for unit in units:
        if unit.asks:
            open_question = unit
        elif open_question is not None:
            if (unit.is_label and unit.shape == "sentence") or (unit.block != open_question.block and not begins_paragraph(open_question)):
                open_question = None
                continue
            unit.question = open_question
            if unit.shape == "sentence" and units[unit.index - 1] is open_question and (mark := _ANSWERS.match(unit.text)):
                unit.start += mark.end()


def begins_paragraph(question: Unit) -> bool:
    """Whether nothing but other questions and their answers stands before a question in its paragraph."""
    before = question.source.unit(question.index - 1)
    return before is None or before.block != question.block or before.asks or before.question is not None


def answer_of(unit: Unit, at_most: int) -> tuple[int, int] | None:
    """The paragraph that answers a question with the unit in it: half-open range in the passage.

    :param at_most: characters; None is returned for a longer paragraph, and where the question stands inside one.
    """
    if unit.question is None or not begins_paragraph(unit.question):
        return None
    together = [u for u in unit.source.units if u.question is unit.question and u.block == unit.block]
    start, end = together[0].start, together[-1].end
    between = all(not unit.source.text[a.end : b.start].strip() for a, b in pairwise(together))
    return (start, end) if between and end - start <= at_most else None


def of_another_question(unit: Unit, other: Unit) -> bool:
    """Whether two units of one passage answer different questions of it."""
    return unit.source is other.source and unit.question is not other.question


def asked_by(part: Part, unit: Unit) -> Part:
    """The part without the measure or the thing counted, where the document's own question of the same kind has said it.

    "Two per person." answers "How many towels are there?" under that question, and would not by itself.
    """
    if unit.question is None or kind_of(_ASKS.sub("", unit.question.text, count=1)) != part.kind:
        return part
    return replace(part, counted="", attribute="", event="", lasting=frozenset())

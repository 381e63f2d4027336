"""Whether a passage defines what a question asks about, or only names it."""

from __future__ import annotations

import regex

from components.generators.extraction import constants as c
from components.generators.extraction.kinds import Kind
from components.generators.extraction.parts import Part
from components.generators.extraction.terms import in_bag
from components.generators.extraction.units import Shape, Source, Unit
from components.generators.extraction.words import FUNCTION_WORDS, words

_DEFINITION = (
    r"(?:means?\b|is\s+(?:an?|the|any|when|where|said)\b|are\b|refers?\s+to|is\s+defined|is\s+called|denotes?|includes?\b|stands?\s+for"
    r"|shall\s+mean|[-–—:]\s)"
)
_DEFINED_AS = regex.compile(
    r"\b(?:constitutes?|(?:is|are)\s+(?:called|known\s+as|termed|said\s+to\s+\w+)|commits?)\s+(?:[\p{L}\"“'’-]+\s+){0,3}[\"“']?$", regex.I
)
"""What stands before a thing that a sentence defines at its end: "... shall constitute theft", "... is said to commit theft"."""
_LATER_CLAUSE = regex.compile(r"\s*\((?:[2-9]|\p{Nd}{2,}|[b-z]|i[iv]|vi*)\)")


def defines(part: Part, unit: Unit) -> bool:
    """Whether a unit reads as a definition of what a question asks: its heaviest word stands early and "means", "is a", "refers to" follows."""
    heavy = max(part.terms, key=lambda t: (not t.is_name, t.weight), default=None)
    if heavy is None:
        return False
    if any(word.stem == heavy.stem and _DEFINED_AS.search(unit.text[: word.start]) for word in words(unit.text)):
        return True
    for word in words(unit.text)[:12]:
        if word.stem == heavy.stem:
            return bool(regex.match(rf".{{0,60}}?{_DEFINITION}", unit.text[word.end :], regex.I | regex.S))
    return heavy.stem in unit.source.heading_bag.stems and unit.index == 0 and not _LATER_CLAUSE.match(unit.text)


def is_titled(part: Part, source: Source) -> bool:
    """Whether a passage's nearest heading names what is asked about and nothing else: "Theft", not "Petty theft"."""
    title = {w.stem for w in words(_IN_BRACKETS.sub(" ", source.label)) if w.number is None and w.text.casefold() not in FUNCTION_WORDS}
    return bool(title) and title <= {t.stem for t in part.terms}


_IN_BRACKETS = regex.compile(r"\([^()]*\)|^\s*(?:sections?|articles?|rules?|clauses?|chapters?)\s+[\p{N}.]+\s*:?", regex.I)


def says_no_more_than_a_name(part: Part, unit: Unit) -> bool:
    """Whether a record's fields only name what is asked about: where a definition is wanted, or where they hold no word of the question
    beyond the record's title and headings while the same passage has sentences."""
    if unit.shape != Shape.FIELD:
        return False
    if part.kind == Kind.DEFINE:
        return True
    source = unit.source
    if not any(u.shape != Shape.FIELD and not u.is_label for u in source.units):
        return False
    return all(in_bag(t, source.heading_bag) >= c.FOUND for t in part.terms if in_bag(t, unit.bag) >= c.FOUND)

"""What a question names that must be found word for word: numbers of provisions and whose they are, codes, quoted phrases, amounts."""

from __future__ import annotations

import regex

from components.generators.extraction.kinds import TIME_UNITS
from components.generators.extraction.words import NUMBER_WORD as _NUMBER_WORD
from components.generators.extraction.words import codes, compact, is_acronym, number_of, words

_ONE_OR_MORE = TIME_UNITS.replace("s|", "s?|") + "?"
REFERENCE_WORDS = (
    r"(?:sections?|secs?|articles?|arts?|rules?|clauses?|paragraphs?|paras?|regulations?|chapters?|parts?|items?|orders?|schedules?|ss?|§+)"
)
_REFERENCE = regex.compile(
    rf"\b{REFERENCE_WORDS}\.?\s*(?:no\.?\s*|number\s+)?(\p{{Nd}}+(?:\.\p{{Nd}}+)*\p{{L}}?)\b|§+\s*(\p{{Nd}}+(?:\.\p{{Nd}}+)*\p{{L}}?)", regex.I
)
_QUALIFIED = regex.compile(r"\b([A-Z][A-Za-z]{1,10})\s+(?:section\s+|s\.\s*|article\s+|rule\s+)?(\d+[A-Za-z]?)\b")
_OF_ACT = regex.compile(r"\b\d+[A-Za-z]?(?:\(\w+\))*\s*(?:,|of|in|under|from)?\s+(?:the\s+)?([A-Z]{2,8})\b")
_NO_CODE = regex.compile(r"\d+(?:st|nd|rd|th|s|am|pm|h)|(?:\p{L}+)?(?:section|article|rule|clause)\d+\p{L}?")
"""Ordinals, clock times and references are no product codes."""
_QUOTED = regex.compile(r"[\"“«]([^\"”»]{2,80})[\"”»]")
_QUANTITY = regex.compile(
    rf"\b([\p{{Nd}}][\p{{Nd}}.,]*|(?!one\b){_NUMBER_WORD})[\s-]*(?:\p{{L}}+\s+)?(?:{_ONE_OR_MORE}|year[- ]olds?|nights?|people|persons?"
    r"|guests?|adults?|children|km|kilomet(?:er|re)s?|met(?:er|re)s?|cm|mm|miles?|feet|kg|kilo(?:gram)?s?|grams?|g|tons?|tonnes?|lit(?:er|re)s?|ml|euros?|dollars?"
    r"|pounds?|rupees?|francs?|crowns?|percent|per\s+cent|degrees?|gb|mb|kb|eur|usd|inr)\b|[€$£₹]\s*([\p{Nd}][\p{Nd}.,]*)",
    regex.I,
)


def reference_spans(text: str) -> list[tuple[int, int]]:
    """Half-open ranges of references: "section" before its number says nothing more than the number."""
    return [match.span() for match in _REFERENCE.finditer(text)]


def references_in(text: str) -> tuple[set[str], set[str]]:
    """Numbers of provisions, as written, and the acronyms that say whose they are.

    >>> references_in("Is section 303 of the BNS like IPC 379?") == ({"303", "379"}, {"BNS", "IPC"})
    True
    """
    references = {next(g for g in m.groups() if g) for m in _REFERENCE.finditer(text)}
    qualifiers = {m.group(1) for m in _OF_ACT.finditer(text)}
    for match in _QUALIFIED.finditer(text):
        if is_acronym(match.group(1)):
            qualifiers.add(match.group(1))
            references.add(match.group(2))
    return references, qualifiers


def codes_in(text: str) -> set[str]:
    """Product codes, compact; ordinals, clock times and references are none.

    >>> codes_in("Has the XR-17B the 2nd slot of section 4?")
    {'xr17b'}
    """
    own = {c for c in codes(text) if any(ch.isalpha() for ch in c)}
    written = {compact(w) for w in text.replace("?", " ").replace(",", " ").split()}
    return {c for c in own & written if not _NO_CODE.fullmatch(c)}


def quoted_in(text: str) -> tuple[str, ...]:
    """Phrases in quotation marks, with single spaces."""
    return tuple(" ".join(q.split()) for q in _QUOTED.findall(text))


def quantities_in(text: str) -> set[str]:
    """Numbers of amounts ("a flight of six hours")."""
    return {number for m in _QUANTITY.finditer(text) if (number := number_of(m.group(1) or m.group(2))) is not None}


def numbers_in(text: str) -> set[str]:
    """All numbers, in one spelling."""
    return {w.number for w in words(text) if w.number is not None}

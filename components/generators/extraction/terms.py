"""The content words of a question, each with how much of the subject it carries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import regex

from components.generators.extraction import constants as c
from components.generators.extraction.words import FUNCTION_WORDS, LIGHT_WORDS, Bag, compact, groups_of, is_acronym, stem, words

LIGHT = 0.25
"""Factor on the weight of a word that questions are made with (`tell`, `kind`)."""
FLOOR = 0.3
"""Least weight of a content word: also a word that is common in general English ("film") can be what a question turns on."""
BACKGROUND = 0.5
"""Factor on a term that only stands in a sentence before the question ("I lost my card. ...") or was carried over from an earlier part."""
SKIP = frozenset(stem(w) for w in FUNCTION_WORDS | LIGHT_WORDS)
"""Stems that name no subject."""
LIGHT_STEMS = frozenset(stem(w) for w in LIGHT_WORDS)


@dataclass(frozen=True)
class Term:
    """A content word of a question. `weight` 0 to 1: how much of the subject it carries."""

    text: str
    stem: str
    weight: float
    number: str | None = None
    is_name: bool = False
    place: tuple[int, int] | None = None
    """Half-open range in the part's `read_as`."""
    class_of: tuple[str, str] | None = None
    """Stem and number of the class that stands before it ("severity 2 ticket")."""
    is_lacked: bool = False
    """Whether the question is about what is without it ("without a warrant")."""


def _names(text: str) -> set[int]:
    """Start offsets of words written as names: capitals inside the sentence, or acronyms. None where most words have capitals."""
    found = words(text)
    content = [w for w in found if w.text.casefold() not in FUNCTION_WORDS and w.text[0].isalpha()]
    capital = [w for w in content if w.text[0].isupper()]
    if len(content) > 3 and len(capital) >= 0.8 * len(content):
        return {w.start for w in capital if any(char.isdigit() for char in w.text)}
    starts = {m.end() for m in regex.finditer(r"^\s*[\"“(]*|[.?!:]\s+[\"“(]*", text)}
    return {w.start for w in capital if (w.start not in starts or (is_acronym(w.text) and len(capital) < len(content)))}


def terms_of(text: str, rarity: Callable[[str], float], factor: float = 1.0) -> tuple[Term, ...]:
    """The content words of a text, each stem once, with weights from their rarity in general English (0 to 1)."""
    names = _names(text)
    found: dict[str, Term] = {}
    for word in words(text):
        low = word.text.casefold().replace("’", "'")
        if low in FUNCTION_WORDS or (len(low) == 1 and low.isalpha() and low.isascii() and not word.text.isupper()):
            continue
        is_name = word.start in names
        weight = max(rarity(low), FLOOR) if word.number is None else 1.0
        if word.stem in LIGHT_STEMS and not is_name:
            weight = rarity(low) * LIGHT
        term = Term(word.text, word.stem, weight * factor, word.number, is_name, (word.start, word.end))
        if word.stem not in found or found[word.stem].weight < term.weight:
            found[word.stem] = term
    return tuple(found.values())


def in_bag(term: Term, bag: Bag) -> float:
    """How well a bag of words holds a term, 0 to 1."""
    if term.number is not None:
        return 1.0 if term.number in bag.numbers else 0.0
    if term.stem in bag.stems or compact(term.text) in bag.codes:
        return 1.0
    if is_acronym(term.text) and any(run.endswith(term.text.casefold()) for run in bag.initials):
        return 1.0  # the end of a run, whose first word may be capitalised for beginning the sentence
    if term.is_name:
        return 0.0
    if groups_of(term.stem) & bag.groups:
        return c.SYNONYM
    if len(term.stem) >= c.PREFIX_LETTERS:
        head = term.stem[: c.PREFIX_LETTERS]
        if any(s.startswith(head) and abs(len(s) - len(term.stem)) <= 3 for s in bag.stems):
            return c.PREFIX
    return 0.0

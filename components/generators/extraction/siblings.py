"""Another kind of the same thing: the north gate where the south gate is asked for, sick leave where it is annual leave.

The vectors of siblings are as close as those of synonyms, so that likeness cannot tell them apart: a word that tells kinds apart must stand there.
"""

from __future__ import annotations

from collections.abc import Sequence

from components.generators.extraction.conditions import HIGHEST, LOWEST, akin
from components.generators.extraction.terms import SKIP
from components.generators.extraction.words import FUNCTION_WORDS, Word, groups_of, stem, words

_OPENERS = (
    "the a an my our your their his her its this that these those of for in on at to with from by per as and or is are was were do does did what "
    "which much many"
)
_GENERAL = (
    "new current full total whole entire normal regular standard usual exact actual official specific certain other same own following next last "
    "previous general basic main only correct real good best different additional extra special particular required necessary"
)
_BEFORE = frozenset(_OPENERS.split())
"""What may stand before a noun with its modifier."""
_AUXILIARY = frozenset(("do", "does", "did", "can", "could", "may", "might", "must", "will", "would", "should", "shall"))
_ORDINALS = frozenset(("first", "second", "third", "fourth", "fifth", "sixth"))
_ANY = frozenset(stem(word) for word in _GENERAL.split())
"""Modifiers that rarely tell one kind from another."""


def another_kind(question: str, text: str, headings: Sequence[str] = ()) -> str:
    """The word of a question in whose place a text, or the heading above it, has another; empty where there is none.

    >>> another_kind("When is the south gate locked?", "The north gate is locked at 22:00.")
    'south'
    >>> another_kind("How much annual leave is there?", "Each worker has ten days in a calendar year.", ["Leave", "Sick leave"])
    'annual'
    >>> another_kind("When is the south gate locked?", "Both gates are locked at 22:00."), another_kind("the late fee", "A late fee of 2 euros")
    ('', '')
    """
    asked = words(question)
    said = {word.stem for word in asked}
    text_words, heading = words(text), words(headings[-1]) if headings else []
    stems = {word.stem for line in headings for word in words(line)} | {word.stem for word in text_words}
    for place in range(1, len(asked)):
        kind, thing = asked[place - 1], asked[place]
        if not _names_kind(question, asked, place) or any(akin(kind.stem, one) for one in stems):
            continue
        rival = heading[-2].stem if len(heading) > 1 and heading[-1].stem == thing.stem else ""
        if rival and rival not in SKIP | said and not groups_of(kind.stem) & groups_of(rival):
            return kind.text
        if groups_of(kind.stem) and any(groups_of(kind.stem) & groups_of(one) for one in stems):
            continue
        rivals = _kinds_of(thing.stem, text, text_words)
        if rivals and all(one and one not in said for one in rivals):
            return kind.text
    return ""


def _tells(word: Word) -> bool:
    """Whether a word can tell one kind of a thing from another."""
    return word.text.casefold() in _ORDINALS or (word.number is None and word.stem not in SKIP | HIGHEST | LOWEST | _ANY)


def _names_kind(question: str, asked: Sequence[Word], place: int) -> bool:
    """Whether the word before a place tells which kind of the thing at the place is meant."""
    kind, thing = asked[place - 1], asked[place]
    if question[kind.end : thing.start].strip() or not _tells(kind) or thing.number is not None or thing.stem in SKIP:
        return False
    if place >= 2 and asked[place - 2].text.casefold() not in _BEFORE:
        return False
    before = {word.text.casefold() for word in asked[: place - 1]}
    follows = place + 1 < len(asked) and asked[place + 1].text.casefold() not in FUNCTION_WORDS
    return follows or not before & _AUXILIARY  # "does a ticket cost": the last word is a verb


def _kinds_of(thing: str, text: str, found: Sequence[Word]) -> list[str]:
    """The stem of what stands before each mention of a thing as its kind; empty text for a mention without."""
    kinds = []
    for i, word in enumerate(found):
        if word.stem != thing:
            continue
        before = found[i - 1] if i and not text[found[i - 1].end : word.start].strip() else None
        first = found[i - 2] if i >= 2 and before and not text[found[i - 2].end : before.start].strip() else None
        is_kind = before is not None and _tells(before) and (first is None or first.text.casefold() in FUNCTION_WORDS)
        kinds.append(before.stem if before and is_kind else "")
    return kinds

"""Words of a question that its form has said already, classes by number, and what is asked to be absent. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import regex

from components.generators.extraction.kinds import TIME_UNITS, Kind
from components.generators.extraction.terms import LIGHT, Term
from components.generators.extraction.words import FUNCTION_WORDS, NUMBER_WORD, stem, words
from components.query.question_words import is_person
from components.rankers.identifiers import asks_for_correspondence

_LASTING = frozenset(stem(w) for w in ("last", "longer", "run", "period", "duration", "continue", "persist", "endure", "stretch"))
"""Verbs and adjectives that say no more than "how long" does."""
_GOES_ON = regex.compile(r"\b(?:can|may|could|might|will|would|does|do|did)\s.*?\b(\p{L}+)\s+on\s*[?.!]*$", regex.I)
"""A verb with "on" at the end of "how long": it goes on, whichever verb it is."""
_PLACES = regex.compile(
    r"\b(?:which|what)\s+(?:\w+\s+)?(sections?|rules?|polic(?:y|ies)|articles?|clauses?|chapters?|provisions?|laws?|regulations?)\b", regex.I
)
"""Parts of documents: each passage is in one, and need not say so."""
_IS_ABOUT = frozenset(stem(w) for w in ("deal", "cover", "govern", "concern", "regulate", "contain", "treat"))
_RELATION = regex.compile(r"(?:replac|correspond|equivalent|counterpart|bec[ao]me|renumber|formerly|previously|supersed|mapp?)\w*", regex.I)
_CLASS = regex.compile(
    rf"\b(?:an?|the|any|each|every|for|of|on|with|in|my|our|your)\s+(\p{{Ll}}[\p{{Ll}}-]{{2,}})\s+(\d{{1,3}}|{NUMBER_WORD})\s+"
    rf"(?!(?:{TIME_UNITS.replace('s|', 's?|')}?|percent|or|and|to|of|in)\b)(\p{{Ll}}[\p{{L}}-]+)",
    regex.I,
)
_WITHOUT = regex.compile(r"\bwithout\s+(?:(?:an?|any|the|his|her|its|their|your|my|our)\s+)?((?:[\p{L}-]+\s*){1,3})", regex.I)


def classes_in(text: str) -> dict[str, tuple[str, str]]:
    """Stems of what is divided into numbered classes, each with the class asked for.

    >>> classes_in("How fast do you reply to a severity 2 ticket?"), classes_in("May I bring 2 guests?")
    ({'ticket': ('sever', '2')}, {})
    """
    found = {}
    for match in _CLASS.finditer(text):
        named, number, thing = match.groups()
        if named.casefold() not in FUNCTION_WORDS and thing.casefold() not in FUNCTION_WORDS and (n := words(number)[0].number):
            found[stem(thing)] = (stem(named), n)
    return found


def lacked_in(text: str) -> frozenset[str]:
    """Stems of what something is without.

    >>> sorted(lacked_in("When is a person arrested without a warrant released?"))
    ['warrant']
    """
    found = set()
    for match in _WITHOUT.finditer(text):
        for word in words(match.group(1)):
            if word.text.casefold() in FUNCTION_WORDS or (found and word.text.casefold().endswith(("ed", "ing"))):
                break
            found.add(word.stem)
    return frozenset(found)


_NOT_DONE = regex.compile(r"\b(?:if|when|unless|until)\b[^,;?]*?(?:\b(?:not|never)|n['’]t)\s+(?:be\s+|been\s+|have\s+)?(\p{L}+)", regex.I)


def denied_in(text: str) -> frozenset[str]:
    """Stems of what a condition says is not done.

    >>> denied_in("What happens if I do not pay?"), denied_in("Why is it not paid?")
    (frozenset({'pay'}), frozenset())
    """
    return frozenset(stem(m.group(1)) for m in _NOT_DONE.finditer(text) if m.group(1).casefold() not in FUNCTION_WORDS)


_ROLE = regex.compile(r"\bas\s+(?:an?\s+|the\s+)?((?:[\p{L}-]+\s+){0,2}[\p{L}-]+)", regex.I)


def role_in(text: str) -> frozenset[str]:
    """Stems of the person as whom somebody is meant.

    >>> sorted(role_in("What do I pay as an ordinary visitor?")), role_in("What do I pay as soon as I come?")
    (['ordinari', 'visitor'], frozenset())
    """
    for match in _ROLE.finditer(text):
        found = []
        for word in words(match.group(1)):
            if word.text.casefold() in FUNCTION_WORDS:
                break
            found.append(word)
            if is_person(word.text):
                return frozenset(w.stem for w in found)
    return frozenset()


def lasting_in(text: str) -> frozenset[str]:
    """Stems of the words by which something is said to last.

    >>> sorted(lasting_in("How long can the strike drag on?") & {"drag"}), "last" in lasting_in("How long does it last?")
    (['drag'], True)
    """
    return frozenset(w.stem for w in words(text) if w.stem in _LASTING) | {stem(m.group(1)) for m in _GOES_ON.finditer(text)}


def framed(text: str, kind: Kind, terms: Sequence[Term]) -> tuple[Term, ...]:
    """The terms of a question, lighter where its form says the same, with their classes and with what is asked to be absent."""
    light: set[str] = set()
    if kind == Kind.HOW_LONG:
        light |= lasting_in(text)
    if places := {stem(m.group(1)) for m in _PLACES.finditer(text)}:
        light |= places | _IS_ABOUT
    if asks_for_correspondence(text):
        light |= {w.stem for w in words(text) if _RELATION.fullmatch(w.text)}
    classes, lacked = classes_in(text), lacked_in(text)
    return tuple(
        replace(
            term,
            weight=term.weight * LIGHT if term.stem in light and not term.is_name and term.number is None else term.weight,
            class_of=classes.get(term.stem),
            is_lacked=term.stem in lacked,
        )
        for term in terms
    )

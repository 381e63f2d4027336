"""Numbered clauses inside a passage ("5.1 The Tenant shall ..."): where no heading bears the number that is asked for. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import regex

from components.generators.extraction import constants as c
from components.generators.extraction.named import REFERENCE_WORDS, references_in
from components.generators.extraction.parts import Part, part_of
from components.generators.extraction.terms import Term, in_bag
from components.generators.extraction.units import Shape, Source, Unit
from components.generators.extraction.words import Bag

MOST = 8
"""Sentences quoted of a clause."""
MOST_CHARS = 900
"""Characters after which no further sentence is begun."""

_NUMBER = regex.compile(
    rf"\s*[\[(]?(?:(?i:{REFERENCE_WORDS})\.?\s+)?(\p{{Nd}}{{1,3}}(?:\.\p{{Nd}}{{1,3}})*\p{{Ll}}?)"
    r"(?:[.):—–-]+|(?=\s))(?:\s+(?=[\p{Lu}\p{Lo}\"“(])|\s*$)"
)
_SECTION = regex.compile(r"\b(?:sections?|secs?|chapters?|parts?|schedules?|ss?|§+)\.?\s*\p{Nd}|§", regex.I)
"""What has a title or clauses of its own; a step of a list with the same number is none."""
_OF = regex.compile(
    rf"\b{REFERENCE_WORDS}\.?\s*(?:no\.?\s*|number\s+)?\p{{Nd}}[\p{{Nd}}.]*\p{{L}}?\s*,?\s+(?:of|in|under|from)\s+((?:[\p{{L}}\p{{N}}'’-]+\s*){{1,6}}?)"
    r"(?=\s*(?:$|[?.!,;]|\b(?:say|state|provide|deal|cover|regulate|govern|concern|mean|require|contain|read|set|lay|about)s?\b))",
    regex.I,
)


def document_in(text: str) -> str:
    """The words for the document whose clause is asked for.

    >>> document_in("What does clause 2.1 of the service agreement say?"), document_in("What is due under clause 2.1?")
    ('the service agreement', '')
    """
    found = _OF.search(" ".join(text.split()))
    return found.group(1).strip() if found else ""


def asks_clause(part: Part) -> bool:
    """Whether a numbered clause itself is asked for, and nothing in it but the document that it is in."""
    if not part.references or part.asks_provision:
        return part.asks_provision
    rest = regex.sub(rf"\s*,?\s*\b(?:of|in|under|from)\s+{regex.escape(document_in(part.text) or '-')}", "", part.text)
    return rest != part.text and part_of(rest, lambda _: 0.5).asks_provision


def number_at(text: str) -> str:
    """The number that a clause or its title begins with, as written; empty without one.

    >>> [number_at(t) for t in ("5.1 The Tenant pays.", "2. Payment", "Section 3. Keys are lent.", "30 days are granted.", "5.10. Works")]
    ['5.1', '2', '3', '', '5.10']
    """
    found = _NUMBER.match(text)
    return found.group(1) if found else ""


def begins(text: str, number: str) -> bool:
    """Whether a clause begins with a text, also behind the title of what it stands in, where the line break between them is lost.

    >>> begins("5.1 The Tenant pays.", "5.1"), begins("5. Subletting 5.1 The Tenant pays.", "5.1"), begins("5. Rent is due under 5.1 of it.", "5.1")
    (True, True, False)
    """
    own = number_at(text)
    if own == number or not own or not number.startswith(f"{own}."):
        return own == number
    return regex.match(rf"[^.!?]*?[.)]?\s[^.!?\p{{Nd}}]{{2,60}}\s{regex.escape(number)}[.)]?\s+[\p{{Lu}}\p{{Lo}}]", text) is not None


def clause(part: Part, sources: Sequence[Source], holds: Callable[[Source], Bag]) -> list[Unit]:
    """The sentences of the clause asked for, from the one that bears its number up to the next number that is not below it; empty without one.

    :param holds: words of all passages of a source's document: a document that the question names must have the name in them.
    """
    wanted, _ = references_in(part.text)
    of = Bag.of(document_in(part.text)).stems
    named = [t for t in part.terms if t.stem in of and t.number is None]
    named += [Term(q, q.casefold(), 1.0, is_name=True) for q in part.qualifiers]
    titled = bool(_SECTION.search(part.text))
    found: list[tuple[tuple[bool, float, int], list[Unit]]] = []
    for source in sources:
        if not all(in_bag(t, holds(source)) >= c.FOUND for t in named):
            continue
        for number in sorted(wanted):
            units = _below(source, number)
            if units and not (titled and _is_step(units, number)):
                found.append(((not source.in_force, -_in_title(named, source), source.rank), units))
    return min(found, key=lambda one: one[0])[1] if found else []


def _in_title(named: Sequence[Term], source: Source) -> float:
    return sum(in_bag(t, source.heading_bag) for t in named)


def _below(source: Source, number: str) -> list[Unit]:
    """The units of a clause in a passage."""
    first = next((u for u in source.units if u.shape in {Shape.SENTENCE, Shape.ITEM} and begins(u.text, number)), None)
    if first is None:
        return []
    units = [first]
    for unit in source.units[first.index + 1 :]:
        other = number_at(unit.text) if unit.shape in {Shape.SENTENCE, Shape.ITEM} else ""
        ends = other != "" and not other.startswith(f"{number}.") and not unit.text.lstrip().startswith("(")
        if ends or (unit.is_label and unit.shape == Shape.SENTENCE) or len(units) == MOST or sum(len(u.text) for u in units) >= MOST_CHARS:
            break
        units.append(unit)
    return units


def _is_step(units: Sequence[Unit], number: str) -> bool:
    """Whether a number without a point begins a whole sentence with nothing numbered below it, as a step of a list does."""
    first = units[0].text.strip()
    below = any(number_at(u.text).startswith(f"{number}.") for u in units[1:])
    return "." not in number and not below and first[-1:] in ".;!" and first[:1].isdigit()

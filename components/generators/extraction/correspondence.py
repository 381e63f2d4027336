"""What a row of a table points to: the rows of the same thing, and the provision that it names."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from components.generators.extraction.extent import opening_of
from components.generators.extraction.kinds import Kind
from components.generators.extraction.matching import own_numbers
from components.generators.extraction.parts import Part
from components.generators.extraction.units import Shape, Source, Unit
from components.generators.extraction.words import FUNCTION_WORDS, compact, number_of, words
from components.rankers.identifiers import asks_for_correspondence, called, names_of

_POINTER = regex.compile(
    r"(?m)^(?P<name>[\p{L}\p{M}][\p{L}\p{M}\p{N}]*)[ _](?P<kind>section|sec|article|art|rule|clause|ref|no|number|code)\s*:\s*(?P<value>\S+)$"
)
_BRACKET = regex.compile(r"\(.*$")
MOST = 3
"""Further passages that a row leads to, at most."""


def pointers(text: str) -> list[tuple[str, str]]:
    """The fields of a record that name a numbered thing of a document: whose, and its number without what stands in brackets.

    >>> pointers("ipc_ref: 420\\nbns_ref: 318(4)\\nbns_title: Cheating")
    [('ipc', '420'), ('bns', '318')]
    """
    return [(m["name"], _BRACKET.sub("", m["value"])) for m in _POINTER.finditer(text)]


_OWNED = regex.compile(r"\b([A-Z]{2,8})\s+(\d+[A-Za-z]?)")


def lend_names(sources: Sequence[Source]) -> None:
    """Give a passage the name of the law that a row of another document tells for it: by its number and its title, both.

    "BNS 115, Voluntarily causing hurt" names the section 115 with that heading in a document that does not repeat whose sections it describes.
    """
    for row in sources:
        titled = subject(row.label)
        for name, number in _OWNED.findall(row.text) if row.record_id and titled else ():
            for source in sources:
                if source.source_id != row.source_id and _number(number) in own_numbers(source) and titled <= subject(source.label):
                    source.lend(name)


def subject(text: str) -> frozenset[str]:
    """Stems of the content words of a heading."""
    return frozenset(w.stem for w in words(text) if w.number is None and w.text.casefold() not in FUNCTION_WORDS)


def with_what_is_pointed_to(part: Part, units: Sequence[Unit], sources: Sequence[Source]) -> list[Unit]:
    """The units, and behind them what they lead to where the question asks what became of something or what it was before: other rows of the same
    thing, and the opening of each provision that a row names and the evidence holds. Where a definition is asked for and only a row was found, the
    provision that it names instead. Otherwise the units as they are.

    A row alone says where to look; a reader who acts on it needs the provision itself. What is pointed to is only taken from the document that
    the field names: `bns_ref: 302` is no section 302 of another act.
    """
    rows = [unit for unit in units if unit.shape == Shape.FIELD]
    if rows and rows == list(units) and part.kind == Kind.DEFINE:
        return _provisions(pointers(rows[0].source.text), sources) or list(units)
    if not rows or not asks_for_correspondence(part.text):
        return list(units)
    asked = part.references | part.numbers
    found, known = list(units), {unit.source for unit in units}
    shared = {(name, value) for row in rows for name, value in pointers(row.source.text) if _number(value) in asked}
    for source in sources:
        if source not in known and shared & set(pointers(source.text)) and len(known) < MOST + len(units):
            fields = [unit for unit in source.units if unit.shape == Shape.FIELD]
            found += fields[:1]
            known.add(source)
            rows += fields[:1]
    wanted = {pair for row in rows for pair in pointers(row.source.text)} - shared
    return [*found, *_provisions(sorted(wanted), [source for source in sources if source not in known])]


def _provisions(wanted: Sequence[tuple[str, str]], sources: Sequence[Source]) -> list[Unit]:
    """The opening of each provision that is named and that the passages hold."""
    found: list[Unit] = []
    for name, value in wanted:
        named = [s for s in sources if _number(value) in own_numbers(s) and called(name, _names(s)) and not pointers(s.text)]
        found += opening_of(named)
    return found


def _number(value: str) -> str:
    return number_of(value) or compact(value)


def _names(source: Source) -> frozenset[str]:
    return names_of(" ; ".join((source.title, *source.headings, source.record_id)))

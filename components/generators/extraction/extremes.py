"""Questions that compare the rows of one table: the highest fee, the cheapest item, which courses cost more than 130 euros. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import regex

from components.generators.extraction import constants as c
from components.generators.extraction.candidates import Choice
from components.generators.extraction.conditions import superlative_of
from components.generators.extraction.fitting import counts
from components.generators.extraction.kinds import Kind
from components.generators.extraction.listing import asks_for_all, cell_of
from components.generators.extraction.parts import Part
from components.generators.extraction.ranges import amount
from components.generators.extraction.terms import FLOOR, Term, in_bag
from components.generators.extraction.units import Shape, Source, Unit
from components.generators.extraction.words import Bag, stem, words

SURELY_WHOLE = 400
"""Characters of a passage that ends with a table up to which the table was not cut: a cut passage is near the size of a chunk, or half of it."""

_SUPERLATIVES: dict[str, tuple[int, str]] = {
    **dict.fromkeys(("highest", "largest", "greatest", "biggest", "maximum", "max"), (1, "")),
    **dict.fromkeys(("lowest", "smallest", "minimum", "min"), (-1, "")),
    **dict.fromkeys(("dearest", "costliest", "priciest"), (1, "money")),
    "cheapest": (-1, "money"),
    "longest": (1, "length"),
    "shortest": (-1, "length"),
    "heaviest": (1, "mass"),
    "lightest": (-1, "mass"),
}
_MOST = regex.compile(r"\b(?P<way>most|least)\s+(?:expensive|costly|pricey)\b|\bcosts?\s+(?:the\s+)?(?P<way>most|least)\b", regex.I)
_NUMBER = r"[€$£₹¥]?\s*(?P<n>\d[\d.,   ]*\d|\d)\s*(?P<unit>[€$£₹¥]|\p{L}+)?"
_OVER = regex.compile(rf"(?:\b(?:more|longer|higher|heavier)\s+than|\b(?:over|above|exceed\w*))\s+{_NUMBER}", regex.I)
_UNDER = regex.compile(rf"(?:\b(?:less|fewer|cheaper|shorter|lower|lighter)\s+than|\b(?:under|below))\s+{_NUMBER}", regex.I)
_CELL = regex.compile(r"[^\d\p{L}]*(?:[\p{Lu}]{3}\s*)?(?P<n>\d[\d.,   ]*)\s*(?P<unit>[€$£₹¥%]|\p{L}+)?(?:\s*(?:/|an?\b|per\b|each\b).*)?[.\s]*")
_FREE = regex.compile(r"(?:free|free of charge|no charge|gratis)", regex.I)
_MONEY = regex.compile(r"[€$£₹¥]|(?:euros?|eur|dollars?|usd|pounds?|gbp|rupees?|inr|rs|francs?|chf|crowns?|yen|cents?)", regex.I)
_MONEY_NAME = frozenset(stem(w) for w in ("price", "cost", "fee", "rate", "charge", "fare", "rent", "salary", "eur", "euro", "usd", "dollar", "€"))
_DAYS = {"minute": 1 / 1440, "min": 1 / 1440, "hour": 1 / 24, "day": 1.0, "night": 1.0, "week": 7.0, "month": 30.4, "year": 365.25}
_METRES = {"mm": 0.001, "cm": 0.01, "m": 1.0, "metre": 1.0, "meter": 1.0, "km": 1000.0, "kilometre": 1000.0, "kilometer": 1000.0, "mile": 1609.0}
_GRAMS = {"g": 1.0, "gram": 1.0, "kg": 1000.0, "kilogram": 1000.0, "t": 1e6, "ton": 1e6, "tonne": 1e6}
_SCALES = (("days", _DAYS), ("metres", _METRES), ("grams", _GRAMS))
_OF_LENGTH = ("days", "metres")
_SAID = frozenset(
    stem(w)
    for w in ("most", "least", "expensive", "costly", "pricey", "cost", "costs", "price", "last", "take", "more", "less", "than", "long", "amount")
)
_SHAPE = frozenset(stem(w) for w in ("list", "table", "item", "row", "entry", "option", "overview", "catalogue", "catalog"))
"""Words for a table and what stands in it, which it need not say itself."""


@dataclass(frozen=True)
class Wish:
    """What of a column is wanted.

    :param way: 1 the most, or what is over `bound`; -1 the least, or under it.
    :param measure: `money`, `length` (also of time), `mass`; empty: any.
    :param said: stems of the question's words for this.
    """

    way: int
    measure: str = ""
    bound: float | None = None
    scale: str = ""
    said: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    """Stems of the superlative itself."""


@dataclass
class Table:
    """A header and its rows in one passage."""

    header: Unit
    rows: list[Unit] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The columns."""
        return [cell.strip() for cell in self.header.text.strip().strip("|").split("|")]


def wish_of(part: Part) -> Wish | None:
    """The comparison that a question makes, None where it makes none.

    >>> from components.generators.extraction.parts import parts_of
    >>> ask = lambda text: wish_of(parts_of(text, lambda word: 0.5)[0])
    >>> ask("Which item is the most expensive?").measure, ask("Which courses cost over 130 euros?").bound, ask("What does it cost?")
    ('money', 130.0, None)
    """
    if match := _MOST.search(part.text):
        way = match.group("way").casefold()
        return Wish(1 if way == "most" else -1, "money", said=_SAID, words=frozenset({stem(way)}))
    for word in words(part.text):
        if found := _SUPERLATIVES.get(word.text.casefold()):
            return Wish(*found, said=frozenset({word.stem}), words=frozenset({word.stem}))
    for way, pattern in ((1, _OVER), (-1, _UNDER)) if asks_for_all(part.text) and part.kind not in {Kind.YES_NO, Kind.HOW_MANY} else ():
        match = pattern.search(part.text)
        value = _measured(match.group("n"), match.group("unit") or match.group()) if match else None
        if match and value and value[1]:
            return Wish(way, "", value[0], value[1], _SAID | {w.stem for w in words(match.group())})
    return None


def _measured(number: str, unit: str) -> tuple[float, str] | None:
    """A number with what it measures: `money`, `days`, `metres`, `grams`, in one unit each; an empty text where it is a bare number."""
    value = amount(number)
    if value is None:
        return None
    if _MONEY.search(unit) and (_MONEY.fullmatch(unit) or not unit.isalpha()):
        return value, "money"
    plain = unit.casefold()
    for scale, factors in _SCALES:
        factor = factors.get(plain) or factors.get(plain.removesuffix("s"))
        if factor:
            return value * factor, scale
    return (value, "") if not plain else (value, plain)


def value_of(cell: str) -> tuple[float, str] | None:
    """The one amount that a cell holds and what it measures; None where it holds none, or a range.

    >>> value_of("12.50 €"), value_of("6 weeks"), value_of("free"), value_of("S to XL"), value_of("5 to 7 days")
    ((12.5, 'money'), (42.0, 'days'), (0.0, 'money'), None, None)
    """
    text = " ".join(cell.replace("*", "").split())
    if _FREE.fullmatch(text):
        return 0.0, "money"
    match = _CELL.fullmatch(text)
    if match is None:
        return None
    before = text[: match.start("n")].strip()
    return _measured(match.group("n"), match.group("unit") or before)


def tables_of(sources: Sequence[Source]) -> Iterator[Table]:
    """The tables of the passages in force that have a header and two rows or more."""
    for source in sources:
        found: dict[int, Table] = {}
        for unit in source.units:
            if unit.shape == Shape.ROW and unit.lead is not None and source.in_force:
                found.setdefault(unit.block, Table(unit.lead)).rows.append(unit)
        yield from (t for t in found.values() if len(t.rows) > 1 and not any(value_of(name) for name in t.names))


def is_whole(table: Table, sources: Sequence[Source]) -> bool | None:
    """Whether all rows of a table are in its passage; None where this cannot be told."""
    source, last = table.header.source, table.rows[-1]
    beside = [s for s in sources if s is not source and s.source_id == source.source_id and s.headings == source.headings]
    if source.text[last.end :].strip(" |\n"):
        return True
    if any(s.units and s.units[0].shape == Shape.ROW for s in beside):
        return False
    return True if len(source.text) <= SURELY_WHOLE else None


def column_for(wish: Wish, terms: Sequence[Term], table: Table) -> tuple[int, list[float | None]] | None:
    """The column that is compared and its values; None where none fits, or several do and none is named."""
    fitting: dict[int, list[float | None]] = {}
    for i in range(1, len(table.names)):
        values = [value_of(cell_of(row.text, i) or "") for row in table.rows]
        scales = {value[1] for value in values if value}
        if (
            sum(value is not None for value in values) < 2
            or len(scales) != 1
            or any(v is None and cell_of(r.text, i) for v, r in zip(values, table.rows, strict=True))
        ):
            continue
        scale = scales.pop()
        name = Bag.of(table.names[i])
        if scale == "" and name.stems & _MONEY_NAME:
            scale = "money"
        wanted = {"money": ("money",), "length": _OF_LENGTH, "mass": ("grams",)}.get(wish.measure, (wish.scale,) if wish.scale else None)
        if wanted is None or scale in wanted:
            fitting[i] = [value[0] if value else None for value in values]
    named = [i for i in fitting if any(in_bag(t, Bag.of(table.names[i])) >= c.FOUND for t in terms)]
    chosen = named if named else list(fitting)
    return (chosen[0], fitting[chosen[0]]) if len(chosen) == 1 else None


def compared_rows(part: Part, wish: Wish, sources: Sequence[Source]) -> tuple[list[Unit], bool] | None:
    """The rows of the one table that a comparing question is about which have what it asks for, and whether there may be more of them.

    :returns: None where no table is about what the question names; no rows where the table, the column or the end of the
        table cannot be told.
    """
    terms = [t for t in part.terms if t.weight >= FLOOR and t.stem not in wish.said and t.number not in part.quantities]
    if not wish.measure and not wish.scale and any(t.stem in _MONEY_NAME for t in terms):
        wish = replace(wish, measure="money")
    found: list[tuple[int, Table, int, list[float | None], list[Unit]]] = []
    unclear = False
    for table in tables_of(sources):
        around = table.header.bag_of_text | table.header.source.heading_bag
        of_rows = [t for t in terms if in_bag(t, around) < c.FOUND and t.stem not in _SHAPE | _MONEY_NAME]
        rows = [r for r in table.rows if all(in_bag(t, r.bag_of_text) >= c.FOUND for t in of_rows)]
        if not rows or (of_rows and len(of_rows) == len(terms)):
            continue
        column = column_for(wish, terms, table)
        if column is None:
            unclear = unclear or wish.measure != "" or bool(wish.scale)
            continue
        found.append((sum(in_bag(t, around) >= c.FOUND for t in terms), table, *column, rows))
    most = max((one[0] for one in found), default=0)
    found = [one for one in found if one[0] == most]
    if len(found) != 1:
        return ([], False) if found or unclear else None
    _, table, _, values, rows = found[0]
    whole = is_whole(table, sources)
    if whole is False and wish.bound is None:
        return [], False
    known = {id(row): value for row, value in zip(table.rows, values, strict=True) if value is not None}
    of_these = [row for row in rows if id(row) in known]
    if wish.bound is not None:
        chosen = [row for row in of_these if (known[id(row)] - wish.bound) * wish.way > 0]
    else:
        best = max((known[id(row)] * wish.way for row in of_these), default=0.0)
        chosen = [row for row in of_these if known[id(row)] * wish.way == best]
    return chosen, whole is not True


def counts_rows(part: Part, units: Sequence[Unit]) -> bool:
    """Whether "how many items are in the list" would be answered with rows that are themselves what is counted, and say no count."""
    if part.kind != Kind.HOW_MANY or not part.counted or not units:
        return False
    if not all(u.shape == Shape.FIELD or (u.shape == Shape.ROW and u.lead is not None) for u in units):
        return False
    head = units[0].source.text.partition(":")[0] if units[0].lead is None else cell_of(units[0].lead.text, 0) or ""
    first = Bag.of(head)
    is_counted = part.counted in first.stems or any(t.stem in _SHAPE for t in part.terms)
    return is_counted and not any(counts(part.counted, unit.text) for unit in units)


def compared(part: Part, whole: Choice, sources: Sequence[Source]) -> Choice | None:
    """The answer to a question that compares or counts the rows of a table, or its refusal; None where what was found by words stands.

    :param whole: what was found by words.
    """
    declined = Choice(part, missing=[])
    of_cells = whole.answered and all(u.shape in {Shape.ROW, Shape.FIELD} for u in whole.units)
    if counts_rows(part, whole.units):
        return declined
    wish = wish_of(part)
    if wish is None:
        return None
    found = compared_rows(part, wish, sources)
    if found is not None and found[0]:
        rows, more = found
        bare = replace(part, terms=tuple(t for t in part.terms if t.stem not in wish.said))
        return Choice(bare, rows[: c.MAX_LISTED], 1.0, more=more or len(rows) > c.MAX_LISTED, worked_out=True)
    told = any(superlative_of(s, u.full_text) or s in u.bag.stems for s in wish.words for u in whole.units)
    if found is not None:
        return declined if of_cells or not whole.answered else None
    return declined if of_cells and not told and wish.bound is None else None

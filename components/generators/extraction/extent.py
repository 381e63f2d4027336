"""How much is quoted: one item or its whole list, the main sentences of a provision."""

from __future__ import annotations

from collections.abc import Sequence

from components.generators.extraction import constants as c
from components.generators.extraction.kinds import Kind
from components.generators.extraction.matching import own_numbers
from components.generators.extraction.parts import Part
from components.generators.extraction.terms import FLOOR, in_bag
from components.generators.extraction.units import Shape, Source, Unit, is_bare_item, label_of
from components.generators.extraction.words import Bag
from components.rankers.identifiers import without_rows

MAIN_SENTENCES = 3
"""Sentences quoted of a provision that is asked for as a whole."""
MAIN_CHARS = 600
"""Characters after which no further sentence is begun."""


def listed(lead: Unit) -> list[Unit]:
    """The items that a unit introduces."""
    return [u for u in lead.source.units[lead.index + 1 :] if u.lead is lead]


def whole_or_items(part: Part, unit: Unit) -> list[Unit]:
    """The items that the question is about where it is about some of a list; the introduction, with which the whole list is quoted, where
    it is about the list; any other unit as it is.

    An item is asked about when it holds a content word of the question that the introduction does not hold.
    """
    if is_bare_item(unit) and part.kind == Kind.OTHER and not any(in_bag(t, unit.bag_of_text) >= c.FOUND for t in part.terms if t.weight >= FLOOR):
        return [u for u in unit.source.units if u.block == unit.block and is_bare_item(u)]  # the heading is what is asked about
    lead = unit.lead if unit.shape == Shape.ITEM else unit if unit.introduces else None
    if lead is None:
        return [unit]
    items = listed(lead)
    own = lead.bag_of_text | lead.source.heading_bag
    lacking = [t for t in part.terms if t.weight >= FLOOR and in_bag(t, own) < c.FOUND]
    asked = [item for item in items if any(in_bag(t, item.bag_of_text) >= c.FOUND for t in lacking)]
    if unit.shape == Shape.ITEM:
        alone = unit in asked or len(items) < 2 or not any(in_bag(t, own) >= c.FOUND for t in part.terms if t.weight >= FLOOR)
        return [unit] if alone else [lead]
    return [unit] if not asked or len(asked) == len(items) or part.kind in {Kind.HOW, Kind.YES_NO} else asked


def provision(part: Part, sources: Sequence[Source], refused: Sequence[Source]) -> list[Unit]:
    """The heading line and the main sentences of the provision asked for: its first ones, each with its exception; empty where it is not there.

    :param refused: passages that cannot be it, for instance because they are of another act.
    """
    fitting = [s for s in sources if s not in refused and part.references & own_numbers(s) and any(_is_prose(u) for u in s.units)]
    if not fitting:
        return []
    best = min(fitting, key=lambda s: (not s.in_force, not part.references & _named(s), s.rank))
    of_it = [s for s in fitting if s.source_id == best.source_id and s.headings == best.headings and s.in_force == best.in_force]
    first = min(of_it, key=lambda s: s.char_start)
    chosen: list[Unit] = []
    for unit in first.units:
        if not _is_prose(unit) or (unit.shape == Shape.ITEM and unit.lead in chosen):
            continue
        if len(chosen) == MAIN_SENTENCES or sum(len(u.text) for u in chosen) >= MAIN_CHARS:
            break
        chosen.append(unit)
    label = label_of(chosen[0])
    return [label, *chosen] if label else chosen


def opening_of(sources: Sequence[Source]) -> list[Unit]:
    """The first sentence of the passage that begins a provision, of the passages of it that are there; empty where none holds a sentence."""
    for source in sorted(sources, key=lambda s: (not s.in_force, s.char_start, s.rank)):
        if first := next((unit for unit in source.units if _is_prose(unit)), None):
            return [first]
    return []


def _is_prose(unit: Unit) -> bool:
    return not unit.is_label and not unit.asks and unit.shape != Shape.FIELD


def _named(source: Source) -> frozenset[str]:
    """Numbers of the nearest heading and of the record: those above may name a chapter."""
    bag = Bag.of(without_rows(source.label), without_rows(source.record_id))
    return frozenset(bag.numbers | bag.codes)

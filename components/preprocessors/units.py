"""The smallest parts that chunks are packed from: sentences, list items, rows and lines, each with the kind of cut before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from components.blocks import Block
from components.preprocessors.context_header import is_rule
from components.preprocessors.long_units import Count, key_of, split_long
from components.preprocessors.packing import Bound
from components.preprocessors.provisos import begins_proviso, introduces_list
from components.preprocessors.sentences import begins_item, split_sentences

_BY_LINE = ("list", "table", "code")


@dataclass(frozen=True, slots=True)
class Unit:
    """`text[start:end]`, without white space at its ends."""

    start: int
    end: int
    block: int
    """Index of its block in the document."""
    bound: Bound
    key: int
    size: int = 0
    header_row: str = ""
    """In the rows of a table behind its first one: that first row."""


def units_of(text: str, blocks: Sequence[Block], language: str | None = None) -> list[Unit]:
    """The units of all blocks in order. Every character that is not white space lies in one."""
    units: list[Unit] = []
    previous_kind = ""
    for index, block in enumerate(blocks):
        kind = block["kind"]
        start, end = block["start"], block["end"]
        spans = (
            split_sentences(text[start:end], language=language, lines=True)
            if kind in _BY_LINE
            else split_sentences(text[start:end], language=language)
        )
        if kind in ("table", "code"):
            spans = _lines(text[start:end])
        elif kind in ("title", "heading") and spans:
            spans = [(spans[0][0], spans[-1][1])]
        header_row = ""
        for number, (left, right) in enumerate(spans):
            content = text[start + left : start + right]
            before = text[units[-1].start : units[-1].end] if units else ""
            bound = Bound.BLOCK
            if number:
                bound = Bound.LINE if "\n" in text[units[-1].end : start + left] else Bound.SENTENCE
            heading_before = previous_kind in ("title", "heading") and not number and kind not in ("title", "heading")
            belongs_to_list = kind in _BY_LINE if not number else begins_item(content)
            head_of_table = kind == "table" and (number == 1 or (number == 2 and is_rule(before)))
            if before and (
                heading_before
                or head_of_table
                or (bound >= Bound.LINE and kind not in _BY_LINE and _is_label(text, units[-1]))
                or (introduces_list(before) and (belongs_to_list or begins_item(content)))
                or (kind not in ("table", "code", "title", "heading") and begins_proviso(content))
            ):
                bound = Bound.GLUED
            units.append(Unit(start + left, start + right, index, bound, key_of(content), header_row=header_row if kind == "table" else ""))
            if not number:
                header_row = content
        previous_kind = kind
    return units


def fit_units(text: str, units: Sequence[Unit], limit: Callable[[Unit], int], count: Count) -> list[Unit]:
    """Cut units that are larger than their limit, and loosen glue between two that do not fit together."""
    fitted: list[Unit] = []
    for unit in units:
        most = limit(unit)
        if unit.size <= most:
            parts = [unit]
        else:
            pieces = split_long(text, unit.start, unit.end, most, count)
            parts = [
                replace(unit, start=start, end=end, size=size, key=key_of(text[start:end]), bound=Bound.SENTENCE if number else unit.bound)
                for number, (start, end, size) in enumerate(pieces)
            ]
        first = parts[0]
        if first.bound is Bound.GLUED and fitted and fitted[-1].size + first.size > limit(fitted[-1]):
            parts[0] = replace(first, bound=_bound_between(text, fitted[-1], first))
        fitted.extend(parts)
    return fitted


def _is_label(text: str, unit: Unit) -> bool:
    """Whether a unit is a line such as "Illustrations." that names what follows."""
    content = text[unit.start : unit.end]
    return unit.bound >= Bound.LINE and content[-1] in ".:" and len(content.split()) <= 3 and not begins_item(content)


def _bound_between(text: str, left: Unit, right: Unit) -> Bound:
    if left.block != right.block:
        return Bound.BLOCK
    return Bound.LINE if "\n" in text[left.end : right.start] else Bound.SENTENCE


def _lines(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    position = 0
    for line in text.split("\n"):
        if stripped := line.strip():
            left = position + len(line) - len(line.lstrip())
            spans.append((left, left + len(stripped)))
        position += len(line) + 1
    return spans

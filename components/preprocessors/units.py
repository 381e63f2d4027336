"""The smallest parts that chunks are packed from: sentences, list items, rows and lines, each with the kind of cut before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from components.blocks import Block, BlockKind
from components.preprocessors.context_header import cells_of, is_rule, names_columns
from components.preprocessors.long_units import Count, key_of, split_long
from components.preprocessors.packing import Bound
from components.preprocessors.provisos import begins_proviso, introduces_list
from components.preprocessors.sentences import begins_item, split_sentences

_BY_LINE = ("list", "table", "code")
_HEADINGS = ("title", "heading")


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
    """In the rows of a table that has names of columns, except for that row: that row."""


def units_of(text: str, blocks: Sequence[Block], language: str | None = None) -> list[Unit]:
    """The units of all blocks in order. Every character that is not white space lies in one."""
    units: list[Unit] = []
    columns = ""
    for index, block in enumerate(blocks):
        spans = _spans(text, block, language)
        kind = block["kind"]
        above = blocks[index - 1]["kind"] if index else None
        head = text[slice(*spans[0])] if kind == "table" and spans else ""
        named = block["header_rows"] > 0 if kind == "table" and "header_rows" in block else names_columns(head)
        if named:
            columns = head
        elif not (kind == "table" == above and columns and len(cells_of(head)) == len(cells_of(columns))):
            columns = ""  # otherwise a table that goes on, as on the next page
        for number, (start, end) in enumerate(spans):
            content = text[start:end]
            last = units[-1] if units else None
            bound = Bound.BLOCK
            if last and number:
                bound = Bound.LINE if "\n" in text[last.end : start] else Bound.SENTENCE
            if last and (
                _belongs_to(text, last, content, kind, number, bound, above)
                or (not number and _is_captioned(blocks, index))
                or (named and (number == 1 or (number == 2 and is_rule(text[last.start : last.end]))))
            ):
                bound = Bound.GLUED
            units.append(Unit(start, end, index, bound, key_of(content), header_row="" if named and not number else columns))
    return units


def _spans(text: str, block: Block, language: str | None) -> list[tuple[int, int]]:
    """The sentences, items, rows or lines of a block; a heading is one."""
    start, end = block["start"], block["end"]
    content = text[start:end]
    if block["kind"] in ("table", "code"):
        return line_spans(text, start, end)
    spans = split_sentences(content, language=language, lines=block["kind"] == "list")
    if block["kind"] in _HEADINGS and spans:
        spans = [(spans[0][0], spans[-1][1])]
    return [(start + left, start + right) for left, right in spans]


def _belongs_to(text: str, last: Unit, content: str, kind: BlockKind, number: int, bound: Bound, above: BlockKind | None) -> bool:
    """Whether a unit should not be parted from the one before it."""
    before = text[last.start : last.end]
    if kind in _HEADINGS:
        return False
    if not number and above in _HEADINGS:
        return True
    if introduces_list(before) and (begins_item(content) or (not number and kind in _BY_LINE)):
        return True
    if kind in ("table", "code"):
        return False
    return begins_proviso(content) or (kind != "list" and bound >= Bound.LINE and _is_label(before, last.bound))


def _is_captioned(blocks: Sequence[Block], index: int) -> bool:
    """Whether a block and the one before it are a caption and its table: the one below it, or the one above where none is below."""
    kind, above = blocks[index]["kind"], blocks[index - 1]["kind"] if index else None
    below = blocks[index + 1]["kind"] if index + 1 < len(blocks) else None
    return (above == "caption" and kind in _BY_LINE) or (kind == "caption" and above in _BY_LINE and below not in _BY_LINE)


def _is_label(content: str, bound: Bound) -> bool:
    """Whether a unit is a line such as "Illustrations." that names what follows."""
    return bound >= Bound.LINE and content[-1] in ".:" and len(content.split()) <= 3 and not begins_item(content)


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


def _bound_between(text: str, left: Unit, right: Unit) -> Bound:
    if left.block != right.block:
        return Bound.BLOCK
    return Bound.LINE if "\n" in text[left.end : right.start] else Bound.SENTENCE


def line_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The lines of `text[start:end]` that are not blank, without white space at their ends."""
    spans: list[tuple[int, int]] = []
    position = start
    for line in text[start:end].split("\n"):
        if stripped := line.strip():
            left = position + len(line) - len(line.lstrip())
            spans.append((left, left + len(stripped)))
        position += len(line) + 1
    return spans

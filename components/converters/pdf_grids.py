"""Tables by their ruling lines: rules to grids, grids to cells, words to cells by containment. Pure geometry."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from components.converters.pdf_levels import level_groups, level_tables
from components.converters.pdf_lines import Line, rows, segments
from components.converters.pdf_rules import Rule
from components.converters.pdf_table_rows import RuledTable, accepted, area_texts, cell_text, finer, hides_rows, split_rows
from components.converters.pdf_words import Page, Word

_TOUCH = 4.0  # points between rules that still meet
_MOST_SLOTS = 10_000
_MOST_PAIRS = 250_000  # of horizontal and vertical rules; with more, the page holds a drawing
_MOST_LINES = 60  # in a cell; with more, the rules lay out a page
_REPEATED = 80  # characters; a shorter text of a cell over several rows is given in each of them


@dataclass(slots=True)
class _Cell:
    columns: set[int] = field(default_factory=set)
    rows: set[int] = field(default_factory=set)
    words: list[Word] = field(default_factory=list)


def take_tables(page: Page, known: Counter[str]) -> list[RuledTable]:
    """Take the ruled tables out of a page: closed or open grids first, then sets of level rules with columns between.

    :param page: its words are changed in place.
    :param known: words of the document, for those cut at line ends.
    :returns: tables from top to bottom.
    """
    horizontal = [rule for rule in page.rules if rule.horizontal]
    vertical = [rule for rule in page.rules if not rule.horizontal]
    if len(horizontal) < 2 or len(horizontal) * len(vertical) > _MOST_PAIRS:
        return []
    found: list[RuledTable] = []

    def keep(table: RuledTable | None) -> None:
        if table is not None:
            taken = {id(w) for w in table.words}
            page.words = [w for w in page.words if id(w) not in taken]
            found.append(table)

    for levels, uprights in _components(horizontal, vertical):
        keep(_grid_table(page, levels, uprights, known))
    free = [rule for rule in horizontal if not any(t.top - _TOUCH <= rule.at <= t.bottom + _TOUCH and _overlap(t, rule) for t in found)]
    for group in level_groups(free, page.words):
        for table in level_tables(page, group, known):
            keep(table)
    return sorted(found, key=lambda table: table.top)


def _overlap(table: RuledTable, rule: Rule) -> bool:
    return rule.start < table.x1 and rule.end > table.x0


def _components(horizontal: list[Rule], vertical: list[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Rules that meet, directly or over others."""
    rules = [*horizontal, *vertical]
    parent = _Union(len(rules))
    for h, level in enumerate(horizontal):
        for v, upright in enumerate(vertical, start=len(horizontal)):
            meets = level.start - _TOUCH <= upright.at <= level.end + _TOUCH and upright.start - _TOUCH <= level.at <= upright.end + _TOUCH
            if meets:
                parent.join(h, v)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = defaultdict(lambda: ([], []))
    for index, rule in enumerate(rules):
        groups[parent.root(index)][not rule.horizontal].append(rule)
    return [group for group in groups.values() if len(group[0]) >= 2 and group[1]]


class _Union:
    """Sets that are joined pair by pair."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def root(self, index: int) -> int:
        while self._parent[index] != index:
            self._parent[index] = index = self._parent[self._parent[index]]
        return index

    def join(self, one: int, two: int) -> None:
        self._parent[self.root(two)] = self.root(one)


def _edges(rules: Sequence[Rule], ends: Sequence[float]) -> list[float]:
    """Places of rules, those that nearly agree once, and the outer ends of the rules across where they reach beyond."""
    places: list[list[float]] = []
    for at in sorted(rule.at for rule in rules):
        if places and at - places[-1][-1] <= _TOUCH:
            places[-1].append(at)
        else:
            places.append([at])
    out = [sum(group) / len(group) for group in places]
    if min(ends) < out[0] - 2 * _TOUCH:
        out.insert(0, min(ends))
    if max(ends) > out[-1] + 2 * _TOUCH:
        out.append(max(ends))
    return out


def _divider(rules: Sequence[Rule]) -> Callable[[float, float, float], bool]:
    """A test whether a rule stands at a place and covers most of a stretch."""

    def divided(at: float, start: float, end: float) -> bool:
        covered = sum(max(0.0, min(r.end, end) - max(r.start, start)) for r in rules if abs(r.at - at) <= _TOUCH)
        return covered >= 0.6 * (end - start)

    return divided


def _grid_table(page: Page, levels: list[Rule], uprights: list[Rule], known: Counter[str]) -> RuledTable | None:
    framed = (
        max(r.end for r in levels) - max(r.at for r in uprights) < 2 * _TOUCH
        and min(r.at for r in uprights) - min(r.start for r in levels) < 2 * _TOUCH
    )
    xs = _edges(uprights, [end for rule in levels for end in (rule.start, rule.end)])
    ys = _edges(levels, [end for rule in uprights for end in (rule.start, rule.end)])
    width, height = len(xs) - 1, len(ys) - 1
    if width < 2 or height < 1 or width * height > _MOST_SLOTS:
        return None
    inside = [w for w in page.words if xs[0] <= (w.x0 + w.x1) / 2 <= xs[-1] and ys[0] <= (w.top + w.bottom) / 2 <= ys[-1]]
    if len(inside) < 4:
        return None
    grid = _cells(xs, ys, levels, uprights)
    across = 0
    for word in inside:
        column = min(bisect_right(xs, (word.x0 + word.x1) / 2) - 1, width - 1)
        cell = grid[min(bisect_right(ys, (word.top + word.bottom) / 2) - 1, height - 1)][column]
        cell.words.append(word)
        across += word.x0 < xs[min(cell.columns)] - _TOUCH or word.x1 > xs[max(cell.columns) + 1] + _TOUCH
    if across > 1 and across > 0.05 * len(inside):
        return None
    lines = [_own_lines(row, number, page.number) for number, row in enumerate(grid)]
    areas = list(pairwise(xs))
    loose = [band for band in lines if len(split_rows(band, areas)) >= 3]
    if loose:
        areas = finer(areas, [line for band in loose for line in band])
    table: list[list[str]] = []
    for number, band in enumerate(lines):
        parts = split_rows(band, areas) if loose else []
        if parts and (len(parts) > 1 or len(areas) > width):
            table += [area_texts([item for line in part for item in line], areas, known) for part in parts]
        elif not framed and hides_rows(band, areas):
            return None  # rows that the rules do not give
        else:
            table.append(_row_texts(grid[number], number, known))
    cells = list({id(cell): cell for row in grid for cell in row}.values())
    filled = sum(bool(cell.words) for cell in cells)
    if filled < 0.3 * len(cells) or max(len(rows(segments(cell.words))) for cell in cells) > _MOST_LINES:
        return None
    return accepted(table, inside, (xs[0], xs[-1], ys[0], ys[-1]), page.number, framed)


def _cells(xs: list[float], ys: list[float], levels: list[Rule], uprights: list[Rule]) -> list[list[_Cell]]:
    """The cell of each slot, by row and column; slots without a rule between belong to one cell."""
    width, height = len(xs) - 1, len(ys) - 1
    beside, below = _divider(uprights), _divider(levels)
    sets = _Union(width * height)
    for row in range(height):
        for column in range(width):
            here = row * width + column
            if column + 1 < width and not beside(xs[column + 1], ys[row], ys[row + 1]):
                sets.join(here, here + 1)
            if row + 1 < height and not below(ys[row + 1], xs[column], xs[column + 1]):
                sets.join(here, here + width)
    made: dict[int, _Cell] = defaultdict(_Cell)
    grid: list[list[_Cell]] = []
    for row in range(height):
        grid.append([made[sets.root(row * width + column)] for column in range(width)])
        for column, cell in enumerate(grid[-1]):
            cell.columns.add(column)
            cell.rows.add(row)
    return grid


def _own_lines(row: list[_Cell], number: int, page: int) -> list[list[Line]]:
    """Lines of a row; none if one of its cells reaches into another row or column."""
    if any(cell.rows != {number} or len(cell.columns) > 1 for cell in row):
        return []
    return rows(segments([w for cell in row for w in cell.words], page))


def _row_texts(row: list[_Cell], number: int, known: Counter[str]) -> list[str]:
    """Texts of a ruled row; a cell over several columns stands in the first of them."""
    out: list[str] = []
    for column, cell in enumerate(row):
        text = cell_text(cell.words, known) if column == min(cell.columns) else ""
        out.append(text if number == min(cell.rows) or len(text) <= _REPEATED else "")
    return out

"""Tables by their ruling lines: rules to grids, grids to cells, words to cells by containment. Pure geometry."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from components.converters.pdf_lines import Line, merge_rows, rows, segments
from components.converters.pdf_paragraphs import column_areas, join_lines, piece_count
from components.converters.pdf_rules import Rule
from components.converters.pdf_words import Page, Word

_TOUCH = 4.0  # points between rules that still meet
_MOST_SLOTS = 10_000
_MOST_PAIRS = 250_000  # of horizontal and vertical rules; with more, the page holds a drawing
_MOST_LINES = 60  # in a cell; with more, the rules lay out a page
_REPEATED = 80  # characters; a shorter text of a cell over several rows is given in each of them


Area = tuple[float, float]  # left and right edge of a column


@dataclass(slots=True)
class RuledTable:
    """A table: its rows of cell texts, its words, and its box in points."""

    rows: list[list[str]]
    words: list[Word]
    x0: float
    x1: float
    top: float
    bottom: float
    page: int


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
    for group in _level_groups(free):
        for table in _level_tables(page, group, known):
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
    loose = [band for band in lines if len(_split(band, areas)) >= 3]
    if loose:
        areas = _finer(areas, [line for band in loose for line in band])
    table: list[list[str]] = []
    for number, band in enumerate(lines):
        parts = _split(band, areas) if loose else []
        if parts and (len(parts) > 1 or len(areas) > width):
            table += [_texts([item for line in part for item in line], areas, known) for part in parts]
        elif not framed and _hides_rows(band, areas):
            return None  # rows that the rules do not give
        else:
            table.append(_row_texts(grid[number], number, known))
    cells = list({id(cell): cell for row in grid for cell in row}.values())
    filled = sum(bool(cell.words) for cell in cells)
    if filled < 0.3 * len(cells) or max(len(rows(segments(cell.words))) for cell in cells) > _MOST_LINES:
        return None
    return _accepted(table, inside, (xs[0], xs[-1], ys[0], ys[-1]), page.number, framed)


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


def _finer(areas: list[Area], lines: list[list[Line]]) -> list[Area]:
    """Columns cut where all lines leave a gap as wide as the type size."""
    out: list[Area] = []
    for left, right in areas:
        words = sorted((w for line in lines for item in line for w in item.words if left <= (w.x0 + w.x1) / 2 < right), key=lambda w: w.x0)
        edge, reach = left, words[0].x1 if words else right
        for word in words:
            if word.x0 - reach >= word.size:
                out.append((edge, (reach + word.x0) / 2))
                edge = (reach + word.x0) / 2
            reach = max(reach, word.x1)
        out.append((edge, right))
    return out


def _row_texts(row: list[_Cell], number: int, known: Counter[str]) -> list[str]:
    """Texts of a ruled row; a cell over several columns stands in the first of them."""
    out: list[str] = []
    for column, cell in enumerate(row):
        text = _cell_text(cell.words, known) if column == min(cell.columns) else ""
        out.append(text if number == min(cell.rows) or len(text) <= _REPEATED else "")
    return out


def _cell_text(words: list[Word], known: Counter[str]) -> str:
    return join_lines([line.text for line in merge_rows(segments(words), 0)], known) if words else ""


def _by_area(line: Sequence[Line], areas: Sequence[Area]) -> list[list[Word]]:
    cells: list[list[Word]] = [[] for _ in areas]
    for word in (w for item in line for w in item.words):
        place = (word.x0 + word.x1) / 2
        cells[max((n for n, (left, _) in enumerate(areas) if left <= place), default=0)].append(word)
    return cells


def _texts(line: Sequence[Line], areas: Sequence[Area], known: Counter[str]) -> list[str]:
    return [_cell_text(cell, known) for cell in _by_area(line, areas)]


def _split(lines: list[list[Line]], areas: Sequence[Area]) -> list[list[list[Line]]]:
    """Lines between two rules by rows; all in one if they do not tell.

    A row begins with a line that has a first cell and another, of which one does not go on with what is above it. Lines between
    must go on with all that is above them, as they do not where cells are set in the middle of their rows.
    """
    groups: list[list[list[Line]]] = []
    above: list[list[Word]] = [[] for _ in areas]
    for line in lines:
        cells = _by_area(line, areas)
        free = any(_breaks(one, two, right) for one, two, (_, right) in zip(above, cells, areas, strict=True) if one and two)
        if not groups or (free and cells[0] and sum(map(bool, cells)) >= 2):
            groups.append([line])
        elif free:
            return [lines]
        else:
            groups[-1].append(line)
        above = [two or one for one, two in zip(above, cells, strict=True)]
    return groups


def _breaks(before: list[Word], after: list[Word], right: float) -> bool:
    """Whether a break between two lines of a cell was meant: the first word below would have fitted, or both are numbers."""
    last, first = max(before, key=lambda w: w.x1), min(after, key=lambda w: w.x0)
    fits = last.x1 + 0.25 * last.size + (first.x1 - first.x0) <= right - 0.2 * last.size
    return fits or not any(c.isalpha() for w in (*before, *after) for c in w.text)


def _hides_rows(lines: list[list[Line]], areas: Sequence[Area]) -> bool:
    """Whether lines look like rows, or hold more columns than the rules show."""
    cells = [_by_area(line, areas) for line in lines]
    narrow = sum(piece_count(line) > sum(map(bool, row)) for line, row in zip(lines, cells, strict=True))
    return (len(lines) >= 2 and narrow >= 0.6 * len(lines)) or (len(lines) >= 3 and _breaks_freely(cells, areas))


def _breaks_freely(cells: list[list[list[Word]]], areas: Sequence[Area]) -> bool:
    """Whether most breaks between lines were meant, each in some cell."""
    breaks: dict[tuple[int, int], bool] = {}
    for column, (_, right) in enumerate(areas):
        filled = [(number, row[column]) for number, row in enumerate(cells) if row[column]]
        for (one, before), (two, after) in pairwise(filled):
            breaks[one, two] = breaks.get((one, two), False) or _breaks(before, after, right)
    return bool(breaks) and sum(breaks.values()) >= 0.75 * len(breaks)


def _accepted(table: list[list[str]], words: list[Word], box: tuple[float, float, float, float], page: int, framed: bool) -> RuledTable | None:
    """The table without empty rows and columns, if it has at least two of both and text side by side, in a frame in a third of its rows."""
    table = [row for row in table if any(row)]
    columns = [n for n in range(len(table[0]) if table else 0) if any(row[n] for row in table)]
    table = [[row[n] for n in columns] for row in table]
    full = sum(sum(map(bool, row)) >= 2 for row in table)
    if len(columns) < 2 or len(table) < 2 or full < (1 if framed else 2) or full * (3 if framed else 2) < len(table):
        return None
    return RuledTable(table, words, *box, page)


# ---- tables with level rules only
def _level_groups(levels: list[Rule]) -> list[list[Rule]]:
    """Level rules with the same ends, at least two, from top to bottom."""
    groups: list[list[Rule]] = []
    for rule in sorted(levels, key=lambda item: item.at):
        for group in groups:
            if abs(group[0].start - rule.start) <= 4 and abs(group[0].end - rule.end) <= 4:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return [group for group in groups if len(group) >= 2]


def _level_tables(page: Page, group: list[Rule], known: Counter[str]) -> list[RuledTable]:
    """Tables between level rules: neighbouring bands whose lines are pieces in columns.

    What stands close above the first rule in the same columns is the header, and close below the last one the last row.
    """
    left, right = group[0].start - _TOUCH, group[0].end + _TOUCH
    inside = [w for w in page.words if left <= w.x0 and w.x1 <= right]
    edges = [float("-inf"), *(rule.at for rule in group), float("inf")]
    bands = [rows(segments([w for w in inside if top <= (w.top + w.bottom) / 2 < bottom], page.number)) for top, bottom in pairwise(edges)]
    bands = [_nearest(bands[0][::-1])[::-1], *bands[1:-1], _nearest(bands[-1])]
    out: list[RuledTable] = []
    run: list[int] = []
    for number in range(1, len(bands)):
        if number < len(bands) - 1 and (not bands[number] or _tabular(bands[number])):
            run.append(number)
            continue
        table = _level_table(page, group, bands, [n for n in run if bands[n]], known)
        if table is not None:
            out.append(table)
        run = []
    return out


def _nearest(lines: list[list[Line]]) -> list[list[Line]]:
    """Of lines from a rule outwards, those set close in columns, or else the first."""
    count = min(1, len(lines))
    while count < min(4, len(lines)) and abs(lines[count][0].bottom - lines[count - 1][0].bottom) < 1.5 * lines[count][0].size:
        count += 1
    return lines[:count] if _tabular(lines[:count]) else lines[:1]


def _tabular(band: list[list[Line]]) -> bool:
    """Whether lines are pieces in columns: most lines are, or a gap runs down through all of them."""
    if sum(piece_count(row) >= 2 for row in band) >= 0.6 * len(band):
        return True
    words = [w for row in band for item in row for w in item.words]
    return len(_finer([(min(w.x0 for w in words), max(w.x1 for w in words) + 1)], band)) >= 2


def _level_table(page: Page, group: list[Rule], bands: list[list[list[Line]]], run: list[int], known: Counter[str]) -> RuledTable | None:
    if not run:
        return None
    used = [bands[n] for n in run]
    first, last = run[0], run[-1]
    height = max((row[0].bottom - row[0].top for band in used for row in band), default=10.0)
    if first == 1 and bands[0] and _tabular(bands[0]) and group[0].at - bands[0][-1][0].bottom < height:
        used.insert(0, bands[0])
    if last == len(bands) - 2 and bands[-1] and _tabular(bands[-1]) and bands[-1][0][0].top - group[-1].at < height:
        used.append(bands[-1])
    lines = [row for band in used for row in band]
    lefts = [left for left, _ in column_areas(lines)]
    areas = list(pairwise([*lefts, group[0].end]))
    if len(lines) < 3 or len(areas) < 2 or len(used) < 2:
        return None
    table: list[list[str]] = []
    for band in used:
        parts = _split(band, areas)
        if len(parts) == 1 and (len(band) > 8 or _hides_rows(band, areas)):
            return None  # columns of text between two rules, or rows that the rules do not give
        table += [_texts([item for line in part for item in line], areas, known) for part in parts]
    words = [w for row in lines for item in row for w in item.words]
    box = (min(w.x0 for w in words), max(w.x1 for w in words), min(w.top for w in words), max(w.bottom for w in words))
    return _accepted(table, words, box, page.number, False)

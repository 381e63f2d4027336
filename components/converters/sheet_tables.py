"""Tables on a sheet: told apart by empty rows and columns, with the rows above them as captions and the rows that name their columns as one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from components.converters.outcome import Parts

Cells = dict[tuple[int, int], str]
"""Text by (row, column), filled cells only."""
_NUMBER = re.compile(r"[(+\-−–]?\s*[^\w\s]{0,3}\s*\d[\d.,'\s]*(?:%|[^\w\s]|[A-Za-z]{1,3})?\s*\)?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}(?::\d{2})?)?|\d{1,4}:\d{2}(?::\d{2})?")
_NOTHING = re.compile(r"[—–\-.·*]+|n/?a|TRUE|FALSE", re.IGNORECASE)
_MAX_HEADER_ROWS = 4
_LONG = 120  # characters; a header's name is shorter
_NOTE = re.compile(r"\([a-z0-9]{1,3}\)|[*†‡¹²³]|[a-z0-9]\)|(?:notes?|source|remark|legend)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Area:
    """A block of filled cells: its filled rows and columns, in order."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]


def is_datum(text: str) -> bool:
    """Whether a cell holds a number, a date or a mark for nothing, and so does not name a column. A bare year may be a name.

    >>> [is_datum(text) for text in ("(1,234)", "€ 5.00", "12%", "—", "2023", "Q1 2024", "Sales")]
    [True, True, True, True, False, False, False]
    """
    if re.fullmatch(r"(?:19|20)\d\d", text):
        return False
    return bool(_NUMBER.fullmatch(text) or _DATE.fullmatch(text) or _NOTHING.fullmatch(text))


def spread_merged(cells: Cells, merged: list[tuple[tuple[int, int], tuple[int, int]]]) -> Cells:
    """Write the text of cells merged over several rows into each of their rows, so that a row is whole without the one above it."""
    spread = dict(cells)
    for (top, left), (bottom, right) in merged:
        text = cells.get((top, left))
        if text and bottom > top and right == left and bottom - top < 10_000:
            for row in range(top + 1, bottom + 1):
                spread.setdefault((row, left), text)
    return spread


def sheet_parts(cells: Cells, merged: list[tuple[tuple[int, int], tuple[int, int]]] | None = None) -> Parts:
    """The contents of a sheet as blocks: tables, the captions above them, and text beside them.

    Cells are parted at empty columns, then at empty rows, again and again. What only looks parted is joined: an empty column that makes room
    between figures of the same rows, and an empty row between the names of columns and their values, or between groups of rows.

    :param cells: the filled cells.
    :param merged: ranges of merged cells, ends included.

    >>> sheet_parts({(0, 0): "Leave", (2, 0): "Grade", (2, 1): "Days", (3, 0): "A", (3, 1): "20"})
    [('Leave', {'kind': 'paragraph'}), ('Grade | Days\\nA | 20', {'kind': 'table', 'header_rows': 1})]
    """
    if not cells:
        return []
    wide = {(top, left): right for (top, left), (bottom, right) in merged or [] if right > left and bottom == top}
    cells = spread_merged(cells, merged or [])
    parts: Parts = []
    for area in _areas(cells):
        parts += _area_parts(cells, area, wide)
    return parts


def _areas(cells: Cells) -> list[Area]:
    by_row: dict[int, list[int]] = {}
    for row, column in cells:
        by_row.setdefault(row, []).append(column)
    return _cut(by_row, cells)


def _cut(by_row: dict[int, list[int]], cells: Cells) -> list[Area]:
    """Areas of the given cells, columns first, then rows."""
    groups = _beside(by_row, cells)
    areas: list[Area] = []
    for group in groups:
        bands = list(_bands(group))
        if len(bands) == 1:
            areas.append(_area(group))
            continue
        joined: list[dict[int, list[int]]] = []
        for band in bands:
            if joined and _goes_on(joined[-1], band, cells):
                joined[-1] = {**joined[-1], **band}
            else:
                joined.append(band)
        for band in joined:
            areas += [_area(part) for part in _beside(band, cells)] if len(joined) > 1 or len(groups) > 1 else [_area(band)]
    return sorted(areas, key=lambda area: (area.rows[0], area.columns[0]))


def _area(by_row: dict[int, list[int]]) -> Area:
    return Area(tuple(sorted(by_row)), tuple(sorted({column for columns in by_row.values() for column in columns})))


def _bands(by_row: dict[int, list[int]]) -> Iterator[dict[int, list[int]]]:
    """Runs of rows without an empty one between them."""
    band: dict[int, list[int]] = {}
    for row in sorted(by_row):
        if band and row - 1 not in band:
            yield band
            band = {}
        band[row] = by_row[row]
    yield band


def _beside(by_row: dict[int, list[int]], cells: Cells) -> list[dict[int, list[int]]]:
    """Groups of columns without an empty one between them; a group of figures that lacks names of its own belongs to the one on its left."""
    columns = sorted({column for row in by_row.values() for column in row})
    runs: list[list[int]] = []
    for column in columns:
        if runs and runs[-1][-1] == column - 1:
            runs[-1].append(column)
        else:
            runs.append([column])
    groups = [
        (run, {row: kept for row, kept in ((r, [c for c in cs if run[0] <= c <= run[-1]]) for r, cs in by_row.items()) if kept}) for run in runs
    ]
    joined: list[tuple[list[int], dict[int, list[int]]]] = []
    for run, group in groups:
        if joined and run[0] - joined[-1][0][-1] == 2 and _lacks_names(joined[-1][1], run, group, cells):
            left_run, left = joined[-1]
            joined[-1] = ([*left_run, *run], {row: left.get(row, []) + group.get(row, []) for row in {*left, *group}})
        else:
            joined.append((run, group))
    return [group for _, group in joined]


def _lacks_names(left: dict[int, list[int]], run: list[int], group: dict[int, list[int]], cells: Cells) -> bool:
    """Whether the rows of a group are those of the one on its left, and its first column holds figures."""
    if len(set(group) & set(left)) < 0.8 * len(group):
        return False
    first = [cells[row, run[0]] for row in group if (row, run[0]) in cells]
    data = sum(is_datum(text) for text in first)
    return 2 * data >= len(first) and data >= 1


def _goes_on(above: dict[int, list[int]], below: dict[int, list[int]], cells: Cells) -> bool:
    """Whether the rows behind an empty one belong to the table above it."""
    if min(below) - max(above) > 2:
        return False
    upper, lower = _area(above), _area(below)
    if len(upper.columns) < 2 or len(lower.columns) < 2 or not set(lower.columns) <= set(upper.columns):
        return False
    first = [cells[lower.rows[0], column] for column in lower.columns if (lower.rows[0], column) in cells]
    return len(first) > 1 and any(map(is_datum, first[1:]))


def _area_parts(cells: Cells, area: Area, wide: dict[tuple[int, int], int]) -> Parts:
    rows = [[cells.get((row, column), "") for column in area.columns] for row in area.rows]
    if len(area.columns) == 1:
        texts = [row[0] for row in rows]
        if len(texts) > 1 and all(len(text) <= _LONG for text in texts) and sum(map(is_datum, texts)) * 2 >= len(texts) - 1:
            return [("\n".join(texts), {"kind": "table", "header_rows": 0 if is_datum(texts[0]) else 1})]
        return [(text, {"kind": "paragraph"}) for text in texts]
    filled = [sum(map(bool, row)) for row in rows]
    above = next((number for number, count in enumerate(filled) if count > 1), len(rows))
    below = len(rows)
    while below > above + 1 and filled[below - 1] == 1 and _is_note(rows[below - 1][0]):
        below -= 1
    parts: Parts = [(" ".join(filter(None, row)), {"kind": "paragraph"}) for row in rows[:above]]
    if above < below:
        parts += _table_parts(rows[above:below], area.rows[above:below], area.columns, wide)
    parts += [(" ".join(filter(None, row)), {"kind": "paragraph"}) for row in rows[below:]]
    if above and above < below and len(parts[above - 1][0]) <= _LONG:
        parts[above - 1] = (parts[above - 1][0], {"kind": "caption"})
    return parts


def _table_parts(rows: list[list[str]], numbers: tuple[int, ...], columns: tuple[int, ...], wide: dict[tuple[int, int], int]) -> Parts:
    count = header_rows(rows)
    body = rows[count:]
    header = [list(row) for row in rows[:count]]
    kept = [n for n in range(len(columns)) if not body or any(row[n] for row in body)]
    caption = [row[n] for row in header for n in range(len(columns)) if n not in kept and row[n]] if len(kept) > 1 else []
    if not caption:
        kept = kept if len(kept) > 1 else list(range(len(columns)))
    groups = _column_groups([columns[n] for n in kept])
    for level, row in enumerate(header[:-1]):
        labels = [n for n in kept[1:] if row[n]]
        if len(labels) == 1 and (numbers[level], columns[labels[0]]) not in wide:  # it stands above the whole table
            row[kept[0]], row[labels[0]] = ", ".join(filter(None, (row[kept[0]], row[labels[0]]))), ""
            continue
        _spread_labels(row, kept, groups, lambda n, r=level: _reach(wide, numbers[r], columns, n))
    lines = [" | ".join(row[n] for n in kept) for row in body]
    if count:
        lines.insert(0, " | ".join(stacked([row[n] for row in header]) for n in kept))
    parts: Parts = [("; ".join(caption), {"kind": "caption"})] if caption else []
    return [*parts, ("\n".join(lines), {"kind": "table", "header_rows": min(count, 1)})]


def _is_note(text: str) -> bool:
    """Whether a line below a table explains it rather than being a row with one filled cell."""
    return bool(text) and (len(text) > 40 or _NOTE.match(text) is not None)


def stacked(names: list[str]) -> str:
    """Names above each other as one, each once."""
    return " ".join(dict.fromkeys(name for name in names if name))


def header_rows(rows: list[list[str]]) -> int:
    """How many rows at the top name the columns: rows without data, above a row that has some; one where no row has any.

    Several only where the upper ones name groups and so are less filled than the last: else they are rows of words.
    """
    if len(rows) < 2:
        return 0
    filled = [sum(map(bool, row)) for row in rows[: _MAX_HEADER_ROWS + 1]]
    for count, row in enumerate(rows[: _MAX_HEADER_ROWS + 1]):
        if any(is_datum(text) for text in row[1:] if text) or (row[0] and is_datum(row[0])):
            return count if all(upper < filled[count - 1] for upper in filled[: max(0, count - 1)]) else 1
    short = all(len(text) <= _LONG for text in rows[0])
    return 1 if short and sum(map(bool, rows[0])) >= max(2, max(sum(map(bool, row)) for row in rows) - 1) else 0


def _column_groups(columns: list[int]) -> list[list[int]]:
    """Positions of columns that stand together, parted at empty ones."""
    groups: list[list[int]] = []
    for position, column in enumerate(columns):
        if groups and columns[position - 1] == column - 1:
            groups[-1].append(position)
        else:
            groups.append([position])
    return groups


def _reach(wide: dict[tuple[int, int], int], row: int, columns: tuple[int, ...], position: int) -> int:
    """The last position that a merged cell covers."""
    right = wide.get((row, columns[position]), columns[position])
    return max(n for n in range(position, len(columns)) if columns[n] <= right)


def _spread_labels(row: list[str], kept: list[int], groups: list[list[int]], reach: Callable[[int], int]) -> None:
    """Give a label above several columns to each: those it is merged over, else those that stand together with it alone."""
    for position in range(len(row)):
        if row[position]:
            for n in range(position + 1, reach(position) + 1):
                row[n] = row[n] or row[position]
    if len(groups) < 2:
        return
    for group in groups:
        labels = {row[kept[n]] for n in group if row[kept[n]] and kept[n] > 0}
        if len(labels) == 1:
            for n in group:
                if kept[n] > 0:
                    row[kept[n]] = row[kept[n]] or next(iter(labels))

"""Rows of a table from the words between its rules, and the table that they make. Pure geometry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from components.converters.pdf_lines import Line, merge_rows, segments
from components.converters.pdf_paragraphs import join_lines, piece_count
from components.converters.pdf_words import Word

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


def cell_text(words: list[Word], known: Counter[str]) -> str:
    """The text of a cell, its lines joined."""
    return join_lines([line.text for line in merge_rows(segments(words), 0)], known) if words else ""


def by_area(line: Sequence[Line], areas: Sequence[Area]) -> list[list[Word]]:
    """Words of a line by the column that their middle stands in."""
    cells: list[list[Word]] = [[] for _ in areas]
    for word in (w for item in line for w in item.words):
        place = (word.x0 + word.x1) / 2
        cells[max((n for n, (left, _) in enumerate(areas) if left <= place), default=0)].append(word)
    return cells


def area_texts(line: Sequence[Line], areas: Sequence[Area], known: Counter[str]) -> list[str]:
    """The text in each column; a row of several lines is given as the pieces of all."""
    return [cell_text(cell, known) for cell in by_area(line, areas)]


def finer(areas: list[Area], lines: list[list[Line]]) -> list[Area]:
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


def split_rows(lines: list[list[Line]], areas: Sequence[Area]) -> list[list[list[Line]]]:
    """Lines between two rules by rows; all in one if they do not tell.

    A row begins with a line that has a first cell and another, of which one does not go on with what is above it. Lines between
    must go on with all that is above them, as they do not where cells are set in the middle of their rows.
    """
    label = _label_beside(lines, areas)
    if label is not None:
        return [[line] if line is label else [line, label[:1]] for line in lines if line is not label or len(label) > 1]
    groups: list[list[list[Line]]] = []
    above: list[list[Word]] = [[] for _ in areas]
    for line in lines:
        cells = by_area(line, areas)
        free = any(_breaks(one, two, right) for one, two, (_, right) in zip(above, cells, areas, strict=True) if one and two)
        if not groups or (free and cells[0] and sum(map(bool, cells)) >= 2):
            groups.append([line])
        elif free:
            return [lines]
        else:
            groups[-1].append(line)
        above = [two or one for one, two in zip(above, cells, strict=True)]
    return groups


def _label_beside(lines: list[list[Line]], areas: Sequence[Area]) -> list[Line] | None:
    """The line whose first cell stands in the middle beside several rows and belongs to each: no other line has a first cell."""
    cells = [by_area(line, areas) for line in lines]
    first = [number for number, row in enumerate(cells) if row[0]]
    if len(first) != 1 or len(lines) < 3 or len(areas) < 3:
        return None
    label = first[0]
    rest = [row[1:] for number, row in enumerate(cells) if number != label or any(row[1:])]
    middle = (lines[0][0].top + lines[-1][0].bottom) / 2
    centred = abs((lines[label][0].top + lines[label][0].bottom) / 2 - middle) < 0.75 * lines[label][0].size
    full = all(sum(map(bool, row)) >= 2 for row in rest)
    return lines[label] if label and centred and full and _breaks_freely(rest, areas[1:]) else None


def _breaks(before: list[Word], after: list[Word], right: float) -> bool:
    """Whether a break between two lines of a cell was meant: the first word below would have fitted, or both are numbers."""
    last, first = max(before, key=lambda w: w.x1), min(after, key=lambda w: w.x0)
    fits = last.x1 + 0.25 * last.size + (first.x1 - first.x0) <= right - 0.2 * last.size
    return fits or not any(c.isalpha() for w in (*before, *after) for c in w.text)


def hides_rows(lines: list[list[Line]], areas: Sequence[Area]) -> bool:
    """Whether lines look like rows, or hold more columns than the rules show."""
    cells = [by_area(line, areas) for line in lines]
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


def accepted(table: list[list[str]], words: list[Word], box: tuple[float, float, float, float], page: int, framed: bool) -> RuledTable | None:
    """The table without empty rows and columns, if it has at least two of both and text side by side, in a frame in a third of its rows."""
    table = [row for row in table if any(row)]
    columns = [n for n in range(len(table[0]) if table else 0) if any(row[n] for row in table)]
    table = [[row[n] for n in columns] for row in table]
    full = sum(sum(map(bool, row)) >= 2 for row in table)
    if len(columns) < 2 or len(table) < 2 or full < (1 if framed else 2) or full * (3 if framed else 2) < len(table):
        return None
    return RuledTable(table, words, *box, page)

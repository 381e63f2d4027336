"""Tables with level rules only: bands between rules of one length, with columns told by gaps. Pure geometry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from components.converters.pdf_lines import Line, rows, segments
from components.converters.pdf_paragraphs import column_areas, piece_count
from components.converters.pdf_rules import Rule
from components.converters.pdf_table_rows import RuledTable, accepted, area_texts, finer, hides_rows, split_rows
from components.converters.pdf_words import Page, Word

_TOUCH = 4.0  # points that text may stand out beyond a rule


def level_groups(levels: list[Rule], words: Sequence[Word]) -> list[list[Rule]]:
    """Level rules with the same ends, at least two, from top to bottom; those under words are none."""
    groups: list[list[Rule]] = []
    for rule in sorted(levels, key=lambda item: item.at):
        if _underlines(rule, words):
            continue
        for group in groups:
            if abs(group[0].start - rule.start) <= 4 and abs(group[0].end - rule.end) <= 4:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return [group for group in groups if len(group) >= 2]


def level_tables(page: Page, group: list[Rule], known: Counter[str]) -> list[RuledTable]:
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
    return len(finer([(min(w.x0 for w in words), max(w.x1 for w in words) + 1)], band)) >= 2


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
        parts = split_rows(band, areas)
        if len(parts) == 1 and (len(band) > 8 or hides_rows(band, areas)):
            return None  # columns of text between two rules, or rows that the rules do not give
        table += [area_texts([item for line in part for item in line], areas, known) for part in parts]
    words = [w for row in lines for item in row for w in item.words]
    box = (min(w.x0 for w in words), max(w.x1 for w in words), min(w.top for w in words), max(w.bottom for w in words))
    return accepted(table, words, box, page.number, False)


def _underlines(rule: Rule, words: Sequence[Word]) -> bool:
    """Whether a rule is a line under words: it begins and ends with them, at their feet."""
    above = [w for w in words if w.top + 0.6 * (w.bottom - w.top) < rule.at < w.bottom + 0.1 * w.size and w.x1 > rule.start and w.x0 < rule.end]
    return bool(above) and abs(min(w.x0 for w in above) - rule.start) <= 3 and abs(max(w.x1 for w in above) - rule.end) <= 3

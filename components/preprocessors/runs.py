"""Chunks as runs of units: which units a chunk holds, and which of them it repeats from the chunk before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from components.preprocessors.packing import Bound, pack
from components.preprocessors.units import Unit

Limit = Callable[[Unit], int]
"""Tokens that the units of a chunk may have together, if its own ones begin with this unit."""
Range = tuple[int, int]
_ANCHOR = 4


class Piece(NamedTuple):
    """A chunk as a cut gives it: `text[start:end]`.

    :param own: first character that is not repeated from the chunk before.
    :param header_row: the row that names the columns of its first row, if that is a row of a table.
    :param window: the range that is shown where the chunk is found.
    """

    start: int
    end: int
    own: int
    header_row: str = ""
    window: Range | None = None


Cut = Callable[[Sequence[Unit], Limit], list[Piece]]
"""Chunks whose own ranges hold all units of a section; none holds more than its limit."""


def packed(overlap: int = 0) -> Cut:
    """Chunks filled up to the limit, cut where the text beside the cut says (`packing.py`).

    :param overlap: units repeated from before a chunk, as far as they fit.
    """

    def cut(units: Sequence[Unit], limit: Limit) -> list[Piece]:
        return pieces(units, packed_runs(units, limit), limit, overlap)

    return cut


def packed_runs(units: Sequence[Unit], limit: Limit) -> list[Range]:
    """`pack` on units."""
    return pack([u.size for u in units], [u.bound for u in units], [u.key for u in units], lambda start: limit(units[start]))


def pieces(units: Sequence[Unit], runs: Sequence[Range], limit: Limit, overlap: int = 0) -> list[Piece]:
    """Runs of units as chunks, each beginning `overlap` units earlier, or fewer where they do not fit.

    No chunk repeats the one before whole or begins with a unit that is glued to the one before. Rows below a header row are not lapped:
    their own header goes before them.
    """
    found: list[Piece] = []
    previous = -1
    for first, last in runs:
        begin = first
        if overlap and not units[first].header_row:
            room = limit(units[first]) - sum(unit.size for unit in units[first:last])
            begin = _lapped(units, first, previous + 1, overlap, room)
        previous = begin
        found.append(Piece(units[begin].start, units[last - 1].end, units[first].start, units[begin].header_row))
    return found


def _lapped(units: Sequence[Unit], first: int, least: int, overlap: int, room: int) -> int:
    """Where a run begins that repeats units: the nearest place at or beyond the asked one that parts nothing glued, else the one behind it."""
    found = first
    for begin in range(first - 1, least - 1, -1):
        room -= units[begin].size
        if room < 0 or first - found >= overlap:
            break
        if units[begin].bound is not Bound.GLUED:
            found = begin
    return found


def numbered_runs(units: Sequence[Unit], limit: Limit, number: int, overlap: int = 0, counts: Callable[[Unit], bool] = lambda _: True) -> list[Range]:
    """Runs of `number` units, or fewer where they do not fit; a glued unit stays with the one before, even beyond the number.

    Runs behind the first leave room for `overlap` units that are repeated before them, except for rows of a table. Counting begins anew at a
    quarter of the blocks, chosen by their text, so that an insertion moves only the chunks down to the next of these.

    :param counts: whether a unit is one of the number.
    """
    runs: list[Range] = []
    start = 0
    while start < len(units):
        full = limit(units[start])
        wanted = number - (overlap if start and not units[start].header_row else 0)
        end, size, count = start, 0, 0
        loose = None  # the last place where a cut parts nothing that is glued
        while end < len(units):
            unit = units[end]
            if end > start and unit.bound is not Bound.GLUED:
                if count >= wanted or (count and unit.bound is Bound.BLOCK and unit.key % _ANCHOR == 0):
                    break
                loose = end
            if end > start and size + unit.size > full:
                end = loose or end
                break
            size += unit.size
            count += counts(unit)
            end += 1
        runs.append((start, end))
        start = end
    return runs


def block_runs(units: Sequence[Unit], limit: Limit, least: int) -> list[Range]:
    """A block a run; blocks of fewer than `least` tokens are joined to what follows, and one that does not fit is packed by itself."""
    starts = [0, *(i for i, unit in enumerate(units) if i and unit.bound is Bound.BLOCK), len(units)]
    runs: list[Range] = []
    pending: Range | None = None

    def size(run: Range) -> int:
        return sum(unit.size for unit in units[slice(*run)])

    for group in pairwise(starts):
        if pending and size((pending[0], group[1])) <= limit(units[pending[0]]):
            pending = (pending[0], group[1])
        else:
            runs.extend([pending] if pending else [])
            pending = group
        if size(pending) > limit(units[pending[0]]):
            runs.extend((first + pending[0], last + pending[0]) for first, last in packed_runs(units[slice(*pending)], limit))
            pending = None
        elif size(pending) >= least:
            runs.append(pending)
            pending = None
    if pending and runs and size((runs[-1][0], pending[1])) <= limit(units[runs[-1][0]]):
        pending = (runs.pop()[0], pending[1])
    return [*runs, pending] if pending else runs

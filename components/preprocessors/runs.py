"""Chunks as runs of units: which units a chunk holds, and which of them it repeats from the chunk before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from components.preprocessors.packing import pack
from components.preprocessors.units import Unit

Limit = Callable[[Unit], int]
"""Tokens that the units of a chunk may have together, if its own ones begin with this unit."""


class Run(NamedTuple):
    """Units `begin` to `last` (exclusive); those before `first` are repeated from the chunk before."""

    begin: int
    first: int
    last: int


Cut = Callable[[Sequence[Unit], Limit], list[Run]]
"""Runs whose own units tile the units of a section; none holds more than its limit."""


def packed(overlap: int = 0) -> Cut:
    """Runs filled up to the limit, cut where the text beside the cut says (`packing.py`).

    :param overlap: units repeated from before a run, as far as they fit.
    """

    def cut(units: Sequence[Unit], limit: Limit) -> list[Run]:
        runs = pack([u.size for u in units], [u.bound for u in units], [u.key for u in units], lambda start: limit(units[start]))
        return overlapped(runs, units, overlap, limit)

    return cut


def overlapped(runs: Sequence[tuple[int, int]], units: Sequence[Unit], overlap: int, limit: Limit) -> list[Run]:
    """Let each run begin up to `overlap` units earlier, as far as they fit and the run before is not repeated whole.

    Rows below a header row are not lapped: their own header goes before them.
    """
    lapped: list[Run] = []
    for first, last in runs:
        begin = first
        room = limit(units[first]) - sum(unit.size for unit in units[first:last]) if overlap else 0
        least = lapped[-1].begin + 1 if lapped else first
        while begin > least and first - begin < overlap and units[begin - 1].size <= room and not units[first].header_row:
            begin -= 1
            room -= units[begin].size
        lapped.append(Run(begin, first, last))
    return lapped

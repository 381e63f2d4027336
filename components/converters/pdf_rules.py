"""Ruling lines of a PDF page: straight horizontal and vertical strokes, thin bars, and the edges of boxes and shaded cells."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

_MOST_SEGMENTS = 20_000  # a page; what is drawn with more is a picture
_THIN = 3.0  # points; a filled bar no wider is a line
_SHORT = 4.0  # points; shorter strokes rule nothing
_ALIGNED = 1.5  # points; rules this near each other are one
_GAP = 4.0  # points; a rule may be broken by this much

Box = tuple[float, float, float, float]
_Path = list[tuple[float, float, bool]]  # points, and whether a straight stroke leads to each


@dataclass(slots=True)
class Rule:
    """A straight line. `at` is its height, or of a vertical one its distance from the left, `start` and `end` are its ends, in points."""

    horizontal: bool
    at: float
    start: float
    end: float


def read_rules(raw: Any, page: Any) -> Iterator[Box]:
    """Boxes without height or width, in the coordinates of the page, one for each stroke.

    Drawings that are put in whole (form objects) are figures and are left out, and so is what is white or transparent.
    """
    left, bottom, right, top = page.get_bbox()
    budget = _MOST_SEGMENTS
    bounds = [ctypes.c_float() for _ in range(4)]
    for position in range(raw.FPDFPage_CountObjects(page)):
        item = raw.FPDFPage_GetObject(page, position)
        if raw.FPDFPageObj_GetType(item) != raw.FPDF_PAGEOBJ_PATH or not raw.FPDFPageObj_GetBounds(item, *bounds):
            continue
        width, height = bounds[2].value - bounds[0].value, bounds[3].value - bounds[1].value
        if max(width, height) < _SHORT or (width > 0.95 * (right - left) and height > 0.95 * (top - bottom)):
            continue
        budget -= raw.FPDFPath_CountSegments(item)
        if budget < 0:
            return
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        raw.FPDFPath_GetDrawMode(item, fill, stroke)
        stroked = bool(stroke.value) and _visible(raw.FPDFPageObj_GetStrokeColor, item)
        filled = bool(fill.value) and _visible(raw.FPDFPageObj_GetFillColor, item)
        if stroked or filled:
            for path in _paths(raw, item):
                yield from _strokes(path) if stroked else ()
                yield from _bars(path) if filled and not stroked else ()


def _visible(read: Any, item: Any) -> bool:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not read(item, red, green, blue, alpha):
        return True
    return alpha.value > 0 and min(red.value, green.value, blue.value) < 250


def _paths(raw: Any, item: Any) -> Iterator[_Path]:
    matrix = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(item, matrix):
        return
    x, y = ctypes.c_float(), ctypes.c_float()
    path: _Path = []
    for index in range(raw.FPDFPath_CountSegments(item)):
        segment = raw.FPDFPath_GetPathSegment(item, index)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO and path:
            yield path
            path = []
        px, py = x.value * matrix.a + y.value * matrix.c + matrix.e, x.value * matrix.b + y.value * matrix.d + matrix.f
        path.append((px, py, kind == raw.FPDF_SEGMENT_LINETO))
        if raw.FPDFPathSegment_GetClose(segment):
            path.append((path[0][0], path[0][1], True))
    if path:
        yield path


def _strokes(path: _Path) -> Iterator[Box]:
    for (x0, y0, _), (x1, y1, straight) in pairwise(path):
        if straight and min(abs(x1 - x0), abs(y1 - y0)) < 0.5 and max(abs(x1 - x0), abs(y1 - y0)) > 1:
            yield min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _bars(path: _Path) -> Iterator[Box]:
    """The line that a thin filled bar is, or the edges of a shaded box; nothing of other shapes."""
    left, right = min(p[0] for p in path), max(p[0] for p in path)
    bottom, top = min(p[1] for p in path), max(p[1] for p in path)
    box = all(min(abs(x - left), abs(x - right)) < 0.5 and min(abs(y - bottom), abs(y - top)) < 0.5 for x, y, _ in path)
    if not 4 <= len(path) <= 6 or not box or not all(straight for *_, straight in path[1:]):
        return
    if top - bottom <= _THIN:
        yield left, (top + bottom) / 2, right, (top + bottom) / 2
    elif right - left <= _THIN:
        yield (left + right) / 2, bottom, (left + right) / 2, top
    else:
        yield from ((left, bottom, right, bottom), (left, top, right, top), (left, bottom, left, top), (right, bottom, right, top))


def join_rules(boxes: Iterable[Box]) -> list[Rule]:
    """Rules from strokes: those on one line that touch, overlap, or leave a gap of at most four points are one.

    >>> join_rules([(0, 5, 10, 5), (12, 5.5, 20, 5.5)])
    [Rule(horizontal=True, at=5.25, start=0, end=20)]
    """
    out: list[Rule] = []
    for horizontal in (True, False):
        found = [(y0, x0, x1) if horizontal else (x0, y0, y1) for x0, y0, x1, y1 in boxes if (x1 - x0 >= y1 - y0) is horizontal]
        level: list[tuple[float, float, float]] = []
        for item in [*sorted(found), (float("inf"), 0.0, 0.0)]:
            if level and item[0] - level[-1][0] > _ALIGNED:
                out += [rule for rule in _joined(level, horizontal) if rule.end - rule.start >= _SHORT]
                level = []
            level.append(item)
    return out


def _joined(level: list[tuple[float, float, float]], horizontal: bool) -> Iterator[Rule]:
    at = sum(item[0] for item in level) / len(level)
    current: Rule | None = None
    for _, start, end in sorted(level, key=lambda item: item[1]):
        if current is not None and start <= current.end + _GAP:
            current.end = max(current.end, end)
            continue
        if current is not None:
            yield current
        current = Rule(horizontal, at, start, end)
    if current is not None:
        yield current

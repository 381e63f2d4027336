"""Lines of a PDF page, its body frame, and the order in which its parts are read. Pure geometry, no PDF library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from components.converters.pdf_words import Page, Word

SMALL = 0.93  # of the body size; smaller type is a note, not body
MIN_COLUMN_LINES = 4


@dataclass(slots=True)
class Line:
    """Words of one line, or of one cell of it, from left to right."""

    words: list[Word]
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    page: int = 0

    @property
    def text(self) -> str:
        """The words, with a space where there is room for one."""
        out: list[str] = []
        for before, word in zip([None, *self.words], self.words, strict=False):
            touching = before is not None and before.run != word.run and word.x0 - before.x1 < 0.12 * max(before.size, word.size)
            out.append(word.text if before is None or touching else f" {word.text}")
        return "".join(out)

    @property
    def bold(self) -> bool:
        """Whether all of its letters are bold."""
        return all(w.bold for w in self.words if any(c.isalpha() for c in w.text)) and any(w.bold for w in self.words)

    @property
    def italic(self) -> bool:
        """Whether all of its letters are italic."""
        return all(w.italic for w in self.words if any(c.isalpha() for c in w.text)) and any(w.italic for w in self.words)


@dataclass(frozen=True, slots=True)
class Frame:
    """The column of body text on a page, both edges in points."""

    left: float
    right: float

    @property
    def width(self) -> float:
        """Its width in points."""
        return self.right - self.left


def make_line(words: list[Word], page: int = 0) -> Line:
    """A line of words; its size is the one of most letters, of a line in capitals the largest (small capitals)."""
    words = sorted(words, key=lambda w: w.x0)
    letters = "".join(w.text for w in words if any(c.isalpha() for c in w.text))
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[round(word.size * 2) / 2] += len(word.text)
    size = max(sizes) if letters and letters.upper() == letters else sizes.most_common(1)[0][0]
    return Line(words, words[0].x0, max(w.x1 for w in words), min(w.top for w in words), max(w.bottom for w in words), size, page)


def segments(words: Iterable[Word], page: int = 0) -> list[Line]:
    """Pieces of lines: words that follow each other in the file without a wide gap."""
    runs: dict[int, list[Word]] = {}
    for word in words:
        runs.setdefault(word.run, []).append(word)
    return [make_line(run, page) for run in runs.values()]


def rows(lines: Iterable[Line]) -> list[list[Line]]:
    """Lines on the same base line together, from top to bottom, each from left to right."""
    out: list[list[Line]] = []
    for line in sorted(lines, key=lambda item: (item.bottom, item.x0)):
        if out and abs(line.bottom - out[-1][-1].bottom) <= 0.4 * min(line.size, out[-1][-1].size):
            out[-1].append(line)
        else:
            out.append([line])
    return [sorted(row, key=lambda item: item.x0) for row in out]


def merge_rows(lines: Iterable[Line], page: int) -> list[Line]:
    """One line for each base line."""
    return [make_line([w for line in row for w in line.words], page) for row in rows(lines)]


def body_size(pages: Sequence[Page]) -> float:
    """The type size of most letters, in points, to the half; 10 where there is none."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for word in page.words:
            sizes[round(word.size * 2) / 2] += len(word.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def find_frames(pages: Sequence[Page], body: float) -> list[Frame | None]:
    """The body frame of each page: the outermost edges that several body lines share.

    Numbers standing alone and smaller type do not count. A page with too few body lines gets the median frame of the others;
    None where most of a page is set in another size, so that nothing is known about it.
    """
    found: list[Frame | None] = []
    for page in pages:
        large = [w for w in page.words if w.size >= SMALL * body and not w.text.strip(".()").isdigit()]
        if sum(len(w.text) for w in large) * 2 < sum(len(w.text) for w in page.words):
            found.append(None)
            continue
        lines = merge_rows(segments(large), page.number)
        need = max(3, round(0.06 * len(lines)))
        left = _shared_edge(sorted(line.x0 for line in lines), need)
        right = _shared_edge(sorted(-line.x1 for line in lines), need)
        ends = sorted(-line.x1 for line in lines)
        if right is not None and sum(end < right - 3.0 for end in ends) > max(need, 0.2 * len(ends)):
            right = ends[need - 1]  # set ragged: lines share no right edge
        found.append(Frame(left, -right) if left is not None and right is not None and left < -right else Frame(0, 0))
    known = [frame for frame in found if frame is not None and frame.width > 0]
    usual = Frame(median(f.left for f in known), median(f.right for f in known)) if known else None
    return [usual if frame is not None and frame.width <= 0 else frame for frame in found]


def _shared_edge(values: list[float], need: int, tolerance: float = 3.0) -> float | None:
    """The first of the sorted values that `need` values lie within `tolerance` above."""
    end = 0
    for start, value in enumerate(values):
        while end < len(values) and values[end] <= value + tolerance:
            end += 1
        if end - start >= need:
            return value
    return None


def leading(pages: Sequence[list[Line]], size: float) -> float:
    """The usual distance between two base lines of this type size, in points."""
    steps: Counter[float] = Counter()
    for lines in pages:
        for one, two in pairwise(lines):
            step = two.bottom - one.bottom
            if abs(one.size - size) < 0.6 and abs(two.size - size) < 0.6 and 0.8 * size < step < 3 * size:
                steps[round(step * 2) / 2] += 1
    return steps.most_common(1)[0][0] if steps else 1.2 * size


def reading_order(lines: list[Line]) -> list[list[Line]]:
    """Cut a page into columns and bring them into reading order.

    A gutter is a place that many lines start behind and few cross, with lines on both sides that fill their column (cells of a
    table do not). What crosses the gutter parts the page into bands; in each band the left column is read before the right one.
    Columns are cut again, so three work too.

    :param lines: segments of one page or column.
    :returns: columns in order, each with its segments from top to bottom.
    """
    gutter = _gutter(lines)
    if gutter is None:
        return [sorted(lines, key=lambda item: (item.bottom, item.x0))] if lines else []
    out: list[list[Line]] = []
    left: list[Line] = []
    right: list[Line] = []
    across: list[Line] = []

    def flush_columns() -> None:
        for side in (left, right):
            out.extend(reading_order(list(side)))
            side.clear()

    for row in rows(lines):
        crossing = any(item.x0 < gutter - item.size and item.x1 > gutter + 2 for item in row)  # a hanging quotation mark does not cross
        if across and not crossing and len(row) == 1 and row[0].x0 < gutter - row[0].size:  # the short last line of a wide paragraph
            crossing = row[0].bottom - across[-1].bottom < 1.5 * row[0].size and abs(row[0].size - across[-1].size) < 0.5
        if crossing:
            flush_columns()
            across.extend(row)
            continue
        if across:
            out.append(list(across))
            across.clear()
        for item in row:
            (left if item.x0 < gutter - item.size else right).append(item)
    if across:
        out.append(across)
    flush_columns()
    return out


def _gutter(lines: list[Line]) -> float | None:
    """The left edge of a right column, or None."""
    if len(lines) < 2 * MIN_COLUMN_LINES:
        return None
    left_edge, right_edge = min(item.x0 for item in lines), max(item.x1 for item in lines)
    width = right_edge - left_edge
    best: tuple[int, float] | None = None
    starts = Counter(round(item.x0 / 2) * 2 for item in lines)
    for start, count in starts.items():
        if count < MIN_COLUMN_LINES or not left_edge + 0.2 * width < start < left_edge + 0.8 * width:
            continue
        edge = start - 2.0
        left = [item for item in lines if item.x1 <= edge]
        right = [item for item in lines if item.x0 >= edge - item.size and item.x1 > edge]
        cross = len(lines) - len(left) - len(right)
        if min(len(left), len(right)) < MIN_COLUMN_LINES or cross > 0.5 * len(lines):
            continue
        filled = median(item.x1 - item.x0 for item in left) >= 0.55 * (edge - left_edge)
        filled = filled and median(item.x1 - item.x0 for item in right) >= 0.55 * (right_edge - edge)
        score = len(left) + len(right) - cross
        if filled and (best is None or score > best[0]):
            best = (score, edge)
    return best[1] if best else None

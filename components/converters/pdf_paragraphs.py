"""Lines to paragraphs and tables, and the text of a paragraph without the cuts of its lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from components.converters.pdf_lines import Frame, Line, make_line, rows
from components.converters.pdf_marks import is_mark, item_mark
from components.converters.pdf_words import Word

ENUMERATOR = re.compile(
    r"(?:[•▪●◦‣■–*-]\s|\d{1,3}(?:\.\d{1,3}){1,4}\.?\s+[^\W\d]|\(?(?:\d{1,4}|[A-Za-z]|[ivxlc]{1,6}|[IVXLC]{1,6})[.)](?:\s|$)|\([\dA-Za-z]{1,4}\))"
)
LABEL = re.compile(
    r"(?:the\s+)?(?:\w+\s+)?(chapter|part|title|book|division|schedule|annex(?:ure)?|appendix|form|article)\b[\s.:-]*(?:no\.?\s*)?[\divxlcA-Z]{0,6}\.?",
    re.IGNORECASE,
)
CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|table|tab\.|chart|plate|exhibit|box|listing|algorithm|scheme|abbildung|abb\.|tabelle|tableau)"
    r"\s*(?:\d{1,3}|[A-Z]|[IVX]{1,5})(?:[.-]\d{1,3})*[a-z]?\s*[.:–—|-]\s*\S",
    re.IGNORECASE,
)
ROW_GAP = 1.2  # of the usual step between base lines in a table; a wider one begins a row
_SENTENCE_END = (".", ":", ";", "?", "!", "—", "–", "”", ".)", "।")


def is_capitals(text: str) -> bool:
    """Whether a text has at least three letters and nearly all of them are capitals (small capitals count)."""
    letters = [c for c in text if c.isalpha()]
    return len(letters) >= 3 and sum(c.isupper() for c in letters) >= 0.85 * len(letters)


@dataclass(slots=True)
class Para:
    """A paragraph, or a table (then `rows` holds its text)."""

    lines: list[Line]
    page: int
    frame: Frame
    rows: list[str] = field(default_factory=list)
    kind: str = "paragraph"
    level: int = 0
    text: str = ""

    @property
    def top(self) -> float:
        """Upper edge of its first line."""
        return self.lines[0].top

    @property
    def size(self) -> float:
        """Type size of most of its lines."""
        return median(line.size for line in self.lines)

    @property
    def centred(self) -> bool:
        """Whether every line has the same room on both sides, and room enough."""
        return all(is_centred(line, self.frame) for line in self.lines)


def is_centred(line: Line, frame: Frame) -> bool:
    """Whether a line stands in the middle of the frame, with at least two type sizes of room on each side; of a line in capitals less is asked."""
    before, after = line.x0 - frame.left, frame.right - line.x1
    if is_capitals(line.text):
        return min(before, after) > 0.5 * line.size and abs(before - after) <= max(2 * line.size, 0.3 * (before + after))
    return min(before, after) > 2 * line.size and abs(before - after) <= max(1.5 * line.size, 0.12 * (before + after))


def column_frame(lines: Sequence[Line]) -> Frame:
    """Left and right edge of a column of lines."""
    return Frame(min(line.x0 for line in lines), max(line.x1 for line in lines))


def paragraphs(lines: Sequence[Line], frame: Frame, pitch: float, body: float) -> list[Para]:
    """Join the lines of a column to paragraphs.

    A paragraph begins at a wider gap, another type size or weight, an indent, or an enumerator or capital after a line that ended early.

    :param pitch: usual distance between base lines of body type, in points.
    """
    out: list[Para] = []
    for line in lines:
        if out and not _begins(out[-1], line, frame, pitch, body):
            out[-1].lines.append(line)
        else:
            out.append(Para([line], line.page, frame))
    return out


def _begins(para: Para, line: Line, frame: Frame, pitch: float, body: float) -> bool:
    last = para.lines[-1]
    step = line.bottom - last.bottom
    usual = pitch * max(line.size, last.size) / body
    if line.size >= 1.15 * body and abs(line.size - last.size) < 0.3 and not fits(last, line, frame):
        usual = max(usual, 1.5 * line.size)  # a heading that was broken for want of room may be set wider than the text
    capitals = is_capitals(line.text) and is_capitals(last.text)
    if (abs(line.size - last.size) > 0.1 * body and not capitals) or step > 1.28 * usual or step < -usual:
        return True
    if line.bold != last.bold and (line.bold or len(para.lines) < 3):
        return True
    if _is_bullet(line) or _is_next_item(para, line):
        return True
    centred, was_centred = is_centred(line, frame), is_centred(last, frame)
    if centred and was_centred:
        return line.italic != last.italic or is_capitals(line.text) != is_capitals(last.text)
    if centred != was_centred and len(para.lines) == 1 and last.x1 < frame.right - 0.08 * frame.width and not ENUMERATOR.match(last.text):
        return True
    ended = last.text.rstrip().endswith(_SENTENCE_END)
    short = last.x1 < frame.right - 0.12 * frame.width
    starts = bool(ENUMERATOR.match(line.text))
    indent = line.x0 - last.x0
    if (starts or CAPTION.match(line.text)) and (ended or short):
        return True
    if indent > 0.9 * line.size and not (len(para.lines) == 1 and ENUMERATOR.match(last.text)):
        return len(para.lines) > 1 or ended or short
    if indent < -0.9 * line.size and len(para.lines) > 1:
        return True
    return short and ended and line.text[:1].isupper()


def fits(last: Line, line: Line, frame: Frame) -> bool:
    """Whether the first word of a line would have fitted behind the line before it, so that the break was meant."""
    first = line.words[0]
    return last.x1 + 0.25 * last.size + (first.x1 - first.x0) <= frame.right


def _is_bullet(line: Line) -> bool:
    mark = item_mark(line.text)
    return mark is not None and not mark.readings and mark.text not in ("-", "–", "*")


def _is_next_item(para: Para, line: Line) -> bool:
    """Whether a line begins with the mark after the one of the paragraph, straight below it."""
    one, two = item_mark(para.lines[0].text), item_mark(line.text)
    return one is not None and two is not None and two.follows(one) and abs(line.x0 - para.lines[0].x0) <= 0.5 * line.size


def find_tables(lines: list[Line], pitch: float) -> list[list[Line] | Para]:
    """Take tables out of a column: neighbouring rows with several cells under each other.

    :param lines: segments of a column.
    :param pitch: usual distance between base lines, in points.
    :returns: in order, lists of lines that are text, and tables.
    """
    grid = rows(lines)
    many = [piece_count(row) for row in grid]
    out: list[list[Line] | Para] = []
    text: list[Line] = []
    position = 0
    while position < len(grid):
        end = _table_end(grid, many, position, pitch) if many[position] >= 2 else position
        if end > position:
            if text:
                out.append(text)
                text = []
            out.append(_table(grid[position:end]))
            position = end
        else:
            text.append(make_line([w for item in grid[position] for w in item.words], grid[position][0].page))
            position += 1
    if text:
        out.append(text)
    return out


def piece_count(row: list[Line]) -> int:
    """How many cells a row has: pieces with a clear gap between; the mark of a list is none."""
    if len(row) > 1 and is_mark(row[0].text):
        row = row[1:]
    return 1 + sum(two.x0 - one.x1 > 1.0 * min(one.size, two.size) for one, two in pairwise(row))


def _table_end(grid: list[list[Line]], many: list[int], start: int, pitch: float) -> int:
    """Index after the last row of a table that begins here; `start` where none does."""
    edges: list[float] = []
    end, full, widest = start, 0, 0
    for position in range(start, len(grid)):
        row = grid[position]
        gap = row[0].bottom - grid[position - 1][0].bottom if position > start else 0.0
        aligned = all(any(abs(item.x0 - edge) <= 4 for edge in edges) for item in row)
        if gap > 4 * pitch or (many[position] < 2 and not (aligned and row[0].x1 - row[0].x0 < 0.5 * _span(grid[start:position]))):
            break
        if many[position] >= 2:
            full += 1
            widest = max(widest, many[position])
            end = position + 1
        elif aligned:
            end = position + 1
        edges += [item.x0 for item in row]
    enough = full >= 3 if widest >= 3 else full >= 4
    return end if enough and full * 3 >= end - start else start


def _span(grid: list[list[Line]]) -> float:
    return max(item.x1 for row in grid for item in row) - min(item.x0 for row in grid for item in row)


def _table(grid: list[list[Line]]) -> Para:
    columns = column_areas(grid)
    steps = [two[0].bottom - one[0].bottom for one, two in pairwise(grid)]
    least = sorted(steps)[len(steps) // 5] if steps else 0.0
    wraps = bool(steps) and max(steps) > ROW_GAP * least  # rows are parted by room, so lines without it belong together
    table: list[list[list[Word]]] = []
    for position, row in enumerate(grid):
        cells: list[list[Word]] = [[] for _ in columns]
        for word in (w for item in row for w in item.words):
            cells[_column(word, columns)].append(word)
        new = position == 0 or (steps[position - 1] > ROW_GAP * least if wraps else bool(cells[0]))
        if new and table and not wraps and cells[0] and not any(cells[1:]):  # a first cell alone may be the rest of the one above
            above = [w for w in table[-1][0] if w.bottom < cells[0][0].top + cells[0][0].size / 2]
            last = max(above, key=lambda w: (w.bottom, w.x1), default=None)
            room = columns[0][1] if columns[0][1] < columns[1][0] else columns[1][0]
            new = last is None or last.x1 + 0.25 * last.size + (cells[0][0].x1 - cells[0][0].x0) <= room
        if new:
            table.append(cells)
        else:
            for kept, more in zip(table[-1], cells, strict=True):
                kept.extend(more)
    lines = [make_line([w for item in row for w in item.words], grid[0][0].page) for row in grid]
    texts = [" | ".join(" ".join(w.text for w in cell) for cell in cells) for cells in table]
    return Para(lines, grid[0][0].page, column_frame(lines), texts, "table")


def column_areas(grid: list[list[Line]]) -> list[tuple[float, float]]:
    """Left and right edge of each column: starts that several rows share, or else areas that cells overlap in."""
    starts: list[list[float]] = []
    for x in sorted(item.x0 for row in grid for item in row):
        if starts and x - starts[-1][-1] <= 5:
            starts[-1].append(x)
        else:
            starts.append([x])
    shared = [min(group) for group in starts if len(group) >= max(2, 0.15 * len(grid))]
    areas: list[list[float]] = []
    for item in sorted((i for row in grid if piece_count(row) >= 2 for i in row), key=lambda i: i.x0):
        if areas and item.x0 <= areas[-1][1] + 1:
            areas[-1][1] = max(areas[-1][1], item.x1)
        else:
            areas.append([item.x0, item.x1])
    widest = max(piece_count(row) for row in grid)
    if len(areas) >= widest or len(shared) < 2:
        return [(a[0], a[1]) for a in areas]
    return list(zip(shared, [*shared[1:], float("inf")], strict=True))


def _column(word: Word, columns: list[tuple[float, float]]) -> int:
    """Index of the column that a word stands in: the last that begins before it."""
    return max((n for n, (left, _) in enumerate(columns) if left <= word.x0 + 3), default=0)


# ---- text
_CUT = re.compile(r"([A-Za-zÀ-ÖØ-öø-ÿ]+)[-‐]$")
_NEXT = re.compile(r"([a-zà-öø-ÿ]+)")


def vocabulary(words: Iterable[Word]) -> Counter[str]:
    """How often each word, and each hyphenated one, is written."""
    return Counter(word.text.strip(".,;:()“”\"'—").lower() for word in words)


def join_lines(texts: Sequence[str], known: Counter[str]) -> str:
    """Join lines with spaces, and words that were cut at a line end.

    The hyphen goes, unless the document writes the same word with it elsewhere, as in `sub-section`, more often than without.

    >>> join_lines(["a move-", "ment of goods"], Counter())
    'a movement of goods'
    """
    out = ""
    for text in texts:
        cut, start = _CUT.search(out), _NEXT.match(text)
        if not out:
            out = text
        elif cut and start:
            whole = (cut.group(1) + start.group(1)).lower()
            hyphenated = f"{cut.group(1)}-{start.group(1)}".lower()
            out = (out if known[hyphenated] > known[whole] or len(cut.group(1)) == 1 else out[:-1]) + text
        elif out.endswith(("-", "‐")) and len(out) > 1 and out[-2].isalpha() and text[:1].isalnum():
            out += text  # a hyphen before a capital or a digit belongs to the word
        else:
            out += f" {text}"
    return re.sub(r"\s+", " ", out).strip()

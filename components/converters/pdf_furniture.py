"""What stands on a page but is not its text: line numbers, running heads and feet, page numbers; and marginal notes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from components.converters.pdf_lines import SMALL, Frame, Line, make_line, rows, segments
from components.converters.pdf_paragraphs import LABEL
from components.converters.pdf_words import Page, Word

_EDGE_ROWS = 3  # rows from the top and the bottom of a page that may be running heads or feet
_PAGE_NUMBER = re.compile(r"[-–—\s]*\(?(?:page\s+)?(\d{1,4}|[ivxlc]{1,8})(?:\s*(?:/|of)\s*\d{1,4})?\)?[-–—.\s]*", re.IGNORECASE)
_COUNTER = re.compile(r"^\d{1,4}(?=\s)|(?<=\s)\d{1,4}$|(?<=page )\d{1,4}(?: (?:of|/) \d{1,4})?", re.IGNORECASE)  # "12 Leave policy", "Page 3 of 9"
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(slots=True)
class Note:
    """A marginal note: small type beside the body."""

    lines: list[Line]
    page: int
    before: bool = True
    """Whether it stands to the left of the body."""

    @property
    def top(self) -> float:
        """Upper edge of its first line."""
        return self.lines[0].top


def drop_line_numbers(pages: Sequence[Page], frames: Sequence[Frame | None]) -> int:
    """Remove line numbers: numbers outside the body frame that climb by the same step down a page.

    A step of two or more counts from three numbers on one page; a step of one (every line numbered) only where at least two
    pages do so and the numbers are set at even distances, since a table may number its rows and a contract its clauses. Bold numbers are
    none. Once the step is known, lone numbers on short pages go as well.

    :param pages: their words are changed in place.
    :param frames: body frame of each page.
    :returns: how many numbers were removed.
    """
    candidates: list[list[Word]] = []
    steps: Counter[int] = Counter()
    for page, frame in zip(pages, frames, strict=True):
        outside = [] if frame is None else [w for w in _lone_words(page) if _may_number_lines(w) and _outside(w, frame)]
        candidates.append(sorted(outside, key=lambda w: w.top))
        values = [int(w.text) for w in candidates[-1]]
        differences = Counter(b - a for a, b in pairwise(values))
        if differences:
            step, count = differences.most_common(1)[0]
            if step >= 1 and count >= 2 and count >= 0.6 * (len(values) - 1) and (step > 1 or _evenly_set(candidates[-1])):
                steps[step] += 1
    if not steps:
        return 0
    step, support = steps.most_common(1)[0]
    if step == 1 and support < 2:
        return 0
    dropped = 0
    for page, found in zip(pages, candidates, strict=True):
        gone = {id(w) for w in found if int(w.text) % step == 0}
        dropped += len(gone)
        page.words = [w for w in page.words if id(w) not in gone]
    return dropped


def _may_number_lines(word: Word) -> bool:
    return word.text.isdigit() and len(word.text) <= 4 and not word.bold


def _evenly_set(words: Sequence[Word]) -> bool:
    """Whether most numbers stand at the same distance below the one before."""
    steps = sorted(two.top - one.top for one, two in pairwise(words))
    usual = steps[len(steps) // 2]
    return sum(abs(step - usual) <= 0.15 * usual for step in steps) >= 0.6 * len(steps)


def _lone_words(page: Page) -> list[Word]:
    """Words with no neighbour closer than half the type size: the "5" of "5 of 1908" is none."""
    out: list[Word] = []
    words = page.words
    for position, word in enumerate(words):
        near = False
        for other in (*words[max(0, position - 1) : position], *words[position + 1 : position + 2]):
            level = abs(other.bottom - word.bottom) < 0.5 * word.size
            near = near or (level and -0.1 < max(other.x0 - word.x1, word.x0 - other.x1) / word.size < 0.5)
        if not near:
            out.append(word)
    return out


def _outside(word: Word, frame: Frame) -> bool:
    return word.x1 <= frame.left + 1 or word.x0 >= frame.right - 1


def take_notes(page: Page, frame: Frame | None, body: float) -> list[Note]:
    """Take the marginal notes out of a page: smaller type wholly outside the body frame.

    :param page: its words are changed in place.
    :returns: notes from top to bottom; lines less than one and a half line heights apart on the same side are one note.
    """
    if frame is None:
        return []
    taken = [w for w in page.words if w.size < SMALL * body and _outside(w, frame)]
    if not taken:
        return []
    gone = {id(w) for w in taken}
    page.words = [w for w in page.words if id(w) not in gone]
    notes: list[Note] = []
    for side in (True, False):
        current: Note | None = None
        lines = [item for item in segments(taken, page.number) if (item.x1 <= frame.left + 1) is side]
        for row in rows(lines):
            line = make_line([w for item in row for w in item.words], page.number)
            if current is not None and line.bottom - current.lines[-1].bottom <= 1.5 * line.size:
                current.lines.append(line)
            else:
                current = Note([line], page.number, side)
                notes.append(current)
    return sorted(notes, key=lambda note: note.top)


def split_notes(notes: list[Note], tops: Sequence[float]) -> list[Note]:
    """Part notes that stand so close that they look like one, where a numbered paragraph begins beside a line of them.

    A line begins a note of its own if it stands level with the paragraph and the line before it ends a sentence.

    :param tops: upper edges of the first lines of numbered paragraphs on the page.
    """
    out: list[Note] = []
    for note in notes:
        current = Note([], note.page, note.before)
        for line in note.lines:
            level = any(abs(line.top - top) <= 0.45 * line.size for top in tops)
            if current.lines and level and current.lines[-1].text.rstrip().endswith((".", ";")):
                out.append(current)
                current = Note([], note.page, note.before)
            current.lines.append(line)
        out.append(current)
    return out


def furniture(pages: Sequence[tuple[Page, list[Line]]]) -> dict[int, str]:
    """Find running heads, feet and page numbers.

    A row near the upper or lower edge is furniture if the same row, but for a number at its start or end, stands at the same height
    on three pages (four of more than twenty, both of two) of which each is at most the next but one to another, so that odd and even
    pages may differ. It is furniture too if it is a page number: alone on its row, and as far ahead of the count of pages as on
    at least two other pages. A numbered label ("FORM No. 3") is none unless its number stays.

    Last, a short row alone in the lowest sixteenth of a page, two and a half lines or more below the text, is a foot.

    :param pages: each page with its segments.
    :returns: `id` of each such segment, with the kind, `header` or `footer`.
    """
    edges: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    numbers: dict[tuple[bool, int], set[int]] = defaultdict(set)
    found: list[tuple[int, str, list[Line], str, float]] = []
    for page, lines in pages:
        all_rows = rows(lines)
        middle = page.height / 2
        top = [row for row in all_rows[:_EDGE_ROWS] if row[0].top < middle]
        bottom = [row for row in all_rows[: -_EDGE_ROWS - 1 : -1] if row[0].top >= middle]  # from the edge inwards
        for kind, row in [*(("header", r) for r in top), *(("footer", r) for r in bottom)]:
            text = " ".join(item.text for item in row)
            pattern = (
                f"{text if LABEL.match(text) else _COUNTER.sub('#', text)} {round(row[0].size)}"  # a title is larger than the head that repeats it
            )
            found.append((page.number, kind, row, pattern, row[0].top))
            for height in _heights(row[0].top):
                edges[kind, pattern, height].add(page.number)
            value = _page_number(text)
            if value is not None and row in (all_rows[0], all_rows[-1]):
                roman = not any(c.isdigit() for c in text)
                numbers[roman, value - page.number].add(page.number)
    need = 2 if len(pages) == 2 else 3 if len(pages) <= 20 else 4
    marked: dict[int, str] = {}
    inner: set[tuple[int, str]] = set()  # edges of pages where a row that is none was met: what stands further in is none either
    for number, kind, row, pattern, top in found:
        text = " ".join(item.text for item in row)
        repeated = _keeps_on(edges[kind, pattern, round(top / 6)], number, need)
        value = _page_number(text)
        is_number = value is not None and len(numbers[not any(c.isdigit() for c in text), value - number]) >= min(need, 3)
        if (number, kind) not in inner and (is_number or (repeated and any(c.isalnum() for c in text))):
            marked.update({id(item): kind for item in row})
        else:
            inner.add((number, kind))
    for page, lines in pages:
        last = rows(lines)[-2:]
        if len(last) == 2 and last[1][0].top > page.height * 15 / 16 - 0.5 * last[1][0].size:
            short = last[1][-1].x1 - last[1][0].x0 < 0.4 * page.width
            if short and last[1][0].bottom - last[0][0].bottom >= 3 * last[1][0].size:
                marked.update({id(item): "footer" for item in last[1]})
    return marked


def _keeps_on(pages: set[int], page: int, need: int) -> bool:
    """Whether a page belongs to at least `need` pages that follow each other, every page or every second."""
    count = 1
    for step in (-1, 1):
        at = page
        while True:
            at = next((p for p in (at + step, at + 2 * step) if p in pages), 0)
            if not at:
                break
            count += 1
    return count >= need


def _heights(top: float) -> set[int]:
    """Buckets of six points that a height falls into, with its neighbours, so that a shift of a point does not part them."""
    middle = round(top / 6)
    return {middle - 1, middle, middle + 1}


def _page_number(text: str) -> int | None:
    match = _PAGE_NUMBER.fullmatch(text.strip())
    if not match:
        return None
    value = match.group(1).lower()
    if value.isdigit():
        return int(value)
    total = 0
    for one, two in zip(value, [*value[1:], ""], strict=True):
        total += -_ROMAN[one] if two and _ROMAN[two] > _ROMAN[one] else _ROMAN[one]
    return total

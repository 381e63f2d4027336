"""Words of a PDF with their places, read with pypdfium2 (PDFium; BSD and Apache licences)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from components.converters.pdf_rules import Rule, join_rules, read_rules
from components.converters.pdf_visibility import COVERED, UNDRAWN, Box, Style, Styles, is_text_layer, share

_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_CLEAN = {**_LIGATURES, 0x02: "-", 0xAD: "-", 0xFFFE: "-", 0xFFFF: "", 0xA0: " ", 0: ""}  # PDFium marks a hyphen at a line end by 2 or FFFE
_WORD_GAP = 0.28  # of the type size: a wider gap between two letters is a space
_RUN_GAP = 1.2  # of the type size: a wider one parts columns, or cells of a table


@dataclass(slots=True)
class Word:
    """A word. Coordinates are in points from the upper left corner, with the text upright.

    :param run: words with the same number follow each other on one line in the file's own order.
    """

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    bold: bool
    italic: bool
    run: int


@dataclass(slots=True)
class Page:
    """A page: number from 1, width and height in points with the text upright, and its words in the file's order."""

    number: int
    width: float
    height: float
    words: list[Word]
    rotated: str = ""
    """Text that runs in another direction than most of the page."""
    hidden: Counter[str] = field(default_factory=Counter)
    """Characters left out because nobody can see them, counted by reason."""
    has_image: bool = False
    """Whether pictures stand on it."""
    pictures: float = 0.0
    """The part of it that pictures cover, from 0 to 1."""
    drawn: bool = False
    """Whether lines or areas are drawn on it."""
    layer: bool = False
    """Whether its text is what was recognised on its picture before, by the program that made the file."""
    rules: list[Rule] = field(default_factory=list)
    """Ruling lines, in the same coordinates as the words."""


@dataclass(slots=True)
class _Char:
    text: str
    box: tuple[float, float, float, float]
    style: Style | None
    generated: bool = False


def read_page(page: Any, number: int) -> Page:
    """Read one page of pypdfium2.

    Text is set upright by the direction of most of its characters, whatever the page's own rotation says.

    :param page: a `pypdfium2.PdfPage`.
    :param number: its number, from 1.
    """
    from pypdfium2 import raw

    text_page = page.get_textpage()
    try:
        pictures, drawn = _pictures(raw, page)
        covered = share(page.get_bbox(), pictures)
        chars, hidden, layer = _chars(raw, page, text_page, covered)
    finally:
        text_page.close()
    left, bottom, right, top = page.get_bbox()
    angles = Counter(c.style.angle for c in chars if c.style and c.text.strip())
    angle = angles.most_common(1)[0][0] if angles else 0
    width, height = (right - left, top - bottom) if angle in (0, 180) else (top - bottom, right - left)

    def upright(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        x0, y0, x1, y1 = box[0] - left, box[1] - bottom, box[2] - left, box[3] - bottom
        if angle == 0:
            return x0, height - y1, x1, height - y0
        if angle == 180:
            return width - x1, y0, width - x0, y1
        if angle == 90:
            return y0, x0, y1, x1
        return width - y1, height - x1, width - y0, height - x0

    main: list[_Char] = []
    rotated: list[str] = []
    for char in chars:
        if char.style is None or char.style.angle == angle:
            char.box = upright(char.box)
            main.append(char)
        else:
            rotated.append(char.text)
    rules = join_rules([upright(box) for box in read_rules(raw, page)]) if main else []
    return Page(number, width, height, _words(main), "".join(rotated).strip(), hidden, bool(pictures), covered, drawn, layer, rules)


def _pictures(raw: Any, page: Any) -> tuple[list[Box], bool]:
    """Boxes of the pictures on a page, also of those in forms, and whether anything else is drawn but text."""
    boxes: list[Box] = []
    drawn = False
    for item in page.get_objects(max_depth=3):
        if item.type == raw.FPDF_PAGEOBJ_IMAGE:
            boxes.append(item.get_bounds())
        drawn = drawn or item.type in (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING)
    return boxes, drawn


def _chars(raw: Any, page: Any, text_page: Any, pictures: float) -> tuple[list[_Char], Counter[str], bool]:
    count = raw.FPDFText_CountChars(text_page)
    styles = Styles(raw, page, text_page)
    rect = raw.FS_RECTF()
    chars: list[_Char] = []
    unseen: list[tuple[int, str]] = []
    get_code, get_box = raw.FPDFText_GetUnicode, raw.FPDFText_GetLooseCharBox
    style: Style | None = None
    known = False
    height = 0.0
    for index in range(count):
        code = get_code(text_page, index)
        if code in (10, 13, 32):
            chars.append(_Char(chr(code), (0, 0, 0, 0), None, True))
            known = False
            continue
        get_box(text_page, index, rect)
        box = (rect.left, rect.bottom, rect.right, rect.top)
        if not known or abs(box[3] - box[1] - height) > 0.1:  # the type changes between words, or with the height of the letters
            style, known, height = styles.of(index), True, box[3] - box[1]
        text = _CLEAN.get(code, chr(code) if code < 0x110000 else "")
        why = styles.hidden(style, box) if style is not None and text.strip() else ""
        if why:
            unseen.append((len(chars), why))
        chars.append(_Char(text, box, style))
    hidden = Counter(why for _, why in unseen)
    seen = sum(not char.generated for char in chars) - len(unseen)
    layer = is_text_layer(hidden, seen, pictures)
    if layer:
        unseen = [(place, why) for place, why in unseen if why not in (UNDRAWN, COVERED)]
        hidden = Counter(why for _, why in unseen)
    gone = {place for place, _ in unseen}
    return [char for place, char in enumerate(chars) if place not in gone], hidden, layer


def _words(chars: list[_Char]) -> list[Word]:
    """Join characters to words, and number the runs of words that follow each other on a line."""
    words: list[Word] = []
    current: list[_Char] = []
    run = 0

    def close() -> None:
        text = "".join(c.text for c in current)
        if text.strip():
            boxes, styles = [c.box for c in current], [c.style for c in current if c.style]
            words.append(
                Word(
                    text.strip(),
                    min(b[0] for b in boxes),
                    max(b[2] for b in boxes),
                    min(b[1] for b in boxes),
                    max(b[3] for b in boxes),
                    max((s.size for s in styles), default=0.0) or boxes[0][3] - boxes[0][1],
                    2 * sum(s.bold for s in styles) > len(styles),
                    2 * sum(s.italic for s in styles) > len(styles),
                    run,
                )
            )
        current.clear()

    last: _Char | None = None
    for char in chars:
        if char.generated:
            close()
            if char.text != " ":
                run += 1
                last = None
            continue
        if last is not None:
            size = max(char.style.size if char.style else 0.0, last.style.size if last.style else 0.0) or 10.0
            gap = char.box[0] - last.box[2]
            if abs(char.box[3] - last.box[3]) > 0.5 * size or gap > _RUN_GAP * size or gap < -1.5 * size:
                close()
                run += 1
            elif gap > _WORD_GAP * size:
                close()
        current.append(char)
        last = char
    close()
    return words

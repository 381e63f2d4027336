"""Words of a PDF with their places, read with pypdfium2 (PDFium; BSD and Apache licences)."""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from components.converters.pdf_rules import Rule, join_rules, read_rules

_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_CLEAN = {**_LIGATURES, 0x02: "-", 0xAD: "-", 0xFFFE: "-", 0xFFFF: "", 0xA0: " ", 0: ""}  # PDFium marks a hyphen at a line end by 2 or FFFE
_WORD_GAP = 0.28  # of the type size: a wider gap between two letters is a space
_RUN_GAP = 1.2  # of the type size: a wider one parts columns, or cells of a table
_MIN_SIZE = 1.5  # points; smaller is not meant to be read


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
    hidden: int = 0
    """Characters left out because nobody can see them."""
    has_image: bool = False
    rules: list[Rule] = field(default_factory=list)
    """Ruling lines, in the same coordinates as the words."""


@dataclass(slots=True)
class _Style:
    size: float
    bold: bool
    italic: bool
    angle: int
    visible: bool


@dataclass(slots=True)
class _Char:
    text: str
    box: tuple[float, float, float, float]
    style: _Style | None
    generated: bool = False


@dataclass(slots=True)
class _Styles:
    """Looks up the style of a text object once; a page has far fewer of them than characters."""

    raw: Any
    page: Any
    text_page: Any
    known: dict[int, _Style] = field(default_factory=dict)
    covers: list[tuple[float, float, float, float]] | None = None

    def of(self, index: int, box: tuple[float, float, float, float]) -> _Style | None:
        handle = self.raw.FPDFText_GetTextObject(self.text_page, index)
        address = ctypes.cast(handle, ctypes.c_void_p).value
        if not address:
            return None
        if address not in self.known:
            self.known[address] = self._read(handle, index, box)
        return self.known[address]

    def _read(self, handle: Any, index: int, box: tuple[float, float, float, float]) -> _Style:
        raw = self.raw
        matrix = raw.FS_MATRIX()
        scale, angle = 1.0, 0
        if raw.FPDFText_GetMatrix(self.text_page, index, matrix):
            scale = math.hypot(matrix.c, matrix.d) or 1.0
            angle = round(math.degrees(math.atan2(matrix.b, matrix.a)) / 90) * 90 % 360
        size = raw.FPDFText_GetFontSize(self.text_page, index) * scale
        name, flags = ctypes.create_string_buffer(200), ctypes.c_int()
        raw.FPDFText_GetFontInfo(self.text_page, index, name, 200, ctypes.byref(flags))
        font = name.value.decode("utf-8", "replace").lower()
        weight = raw.FPDFText_GetFontWeight(self.text_page, index)
        bold = weight >= 600 or any(part in font for part in ("bold", "black", "heavy", "-bd", ",bd"))
        italic = bool(flags.value & 64) or "italic" in font or "oblique" in font
        return _Style(size, bold, italic, angle, size >= _MIN_SIZE and self._is_visible(handle, box))

    def _is_visible(self, handle: Any, box: tuple[float, float, float, float]) -> bool:
        """False for transparent text, and for white text with nothing drawn behind it."""
        red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
        if not self.raw.FPDFPageObj_GetFillColor(handle, red, green, blue, alpha):
            return True
        if alpha.value == 0:
            return False
        if min(red.value, green.value, blue.value) < 250 or self.raw.FPDFTextObj_GetTextRenderMode(handle) in (1, 2, 3):
            return True
        if self.covers is None:
            self.covers = list(_covers(self.raw, self.page))
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        return any(left <= x <= right and bottom <= y <= top for left, bottom, right, top in self.covers)


def _covers(raw: Any, page: Any) -> Iterator[tuple[float, float, float, float]]:
    """Boxes of filled areas, images and forms: what white text can stand on."""
    for position in range(raw.FPDFPage_CountObjects(page)):
        item = raw.FPDFPage_GetObject(page, position)
        kind = raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            continue
        if kind == raw.FPDF_PAGEOBJ_PATH:
            red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
            if raw.FPDFPageObj_GetFillColor(item, red, green, blue, alpha) and min(red.value, green.value, blue.value) >= 250:
                continue
        box = [ctypes.c_float() for _ in range(4)]
        if raw.FPDFPageObj_GetBounds(item, *box):
            left, bottom, right, top = (b.value for b in box)
            yield left, bottom, right, top


def read_page(page: Any, number: int) -> Page:
    """Read one page of pypdfium2.

    Text is set upright by the direction of most of its characters, whatever the page's own rotation says.

    :param page: a `pypdfium2.PdfPage`.
    :param number: its number, from 1.
    """
    from pypdfium2 import raw

    text_page = page.get_textpage()
    try:
        chars, hidden = _chars(raw, page, text_page)
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
    has_image = any(obj.type == raw.FPDF_PAGEOBJ_IMAGE for obj in page.get_objects(max_depth=2)) if not main else False
    rules = join_rules([upright(box) for box in read_rules(raw, page)]) if main else []
    return Page(number, width, height, _words(main), "".join(rotated).strip(), hidden, has_image, rules)


def _chars(raw: Any, page: Any, text_page: Any) -> tuple[list[_Char], int]:
    count = raw.FPDFText_CountChars(text_page)
    styles = _Styles(raw, page, text_page)
    rect = raw.FS_RECTF()
    chars: list[_Char] = []
    hidden = 0
    left, bottom, right, top = page.get_bbox()
    get_code, get_box = raw.FPDFText_GetUnicode, raw.FPDFText_GetLooseCharBox
    style: _Style | None = None
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
            style, known, height = styles.of(index, box), True, box[3] - box[1]
        off_page = box[2] < left or box[0] > right or box[3] < bottom or box[1] > top
        if style is not None and (off_page or not style.visible):
            hidden += 1
            continue
        chars.append(_Char(_CLEAN.get(code, chr(code) if code < 0x110000 else ""), box, style))
    return chars, hidden


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

"""The style of each character of a PDF page, and whether anybody can see it."""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Box = tuple[float, float, float, float]
"""Left, bottom, right, top, in points of the page's own coordinates."""

MIN_SIZE = 1.5  # points; smaller is not meant to be read
SAME_COLOUR = 10  # of 255; colours that differ by less in red, green and blue cannot be told apart
SCANNED = 0.5  # of a page: a picture of at least this may be a scan, and invisible text on it what was recognised there
_PAPER = (255, 255, 255)
_THIN = 3.0  # points; what is thinner is a rule and no ground for text
_MOST_AREAS = 3000  # a page of more is a drawing, and text on it is not judged by what lies under it

TINY, WHITE, TRANSPARENT, COVERED, UNDRAWN, OFF_PAGE = (
    "too small to read",
    "in the colour of its background",
    "transparent",
    "covered by something",
    "not drawn",
    "off the page",
)
"""Why a character cannot be seen, in words for a person."""


@dataclass(slots=True)
class Style:
    """How characters are set. `hidden` says why nobody can see them, or is empty; `drawn` is their place among the page's drawings."""

    size: float
    bold: bool
    italic: bool
    angle: int
    colour: tuple[int, int, int] | None
    hidden: str
    drawn: int
    above: list[_Area] = field(default_factory=list)
    """What is drawn over it and may cover it."""
    below: list[_Area] | None = None
    """What is drawn before it; None where nothing there, nor the paper, has its colour."""


@dataclass(slots=True)
class _Area:
    """A filled area, a picture, or a form, whose colour is not known."""

    box: Box
    colour: tuple[int, int, int] | None
    drawn: int
    solid: bool | None
    item: Any = None

    def holds(self, x: float, y: float) -> bool:
        return self.box[0] <= x <= self.box[2] and self.box[1] <= y <= self.box[3]


@dataclass(slots=True)
class Styles:
    """Styles of a page's characters. Each text object is looked up once; a page has far fewer of them than characters."""

    raw: Any
    page: Any
    text_page: Any
    known: dict[int, Style] = field(default_factory=dict)
    areas: list[_Area] = field(default_factory=list)
    order: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """List the page's drawings in the order in which they are drawn."""
        for position in range(self.raw.FPDFPage_CountObjects(self.page)):
            item = self.raw.FPDFPage_GetObject(self.page, position)
            if self.raw.FPDFPageObj_GetType(item) == self.raw.FPDF_PAGEOBJ_TEXT:
                self.order[_address(item)] = position
            else:
                self.areas += _area(self.raw, item, position)
        if len(self.areas) > _MOST_AREAS:
            self.areas = []

    def of(self, index: int) -> Style | None:
        """The style of a character; None where it belongs to no text object."""
        handle = self.raw.FPDFText_GetTextObject(self.text_page, index)
        address = _address(handle)
        if not address:
            return None
        if address not in self.known:
            self.known[address] = self._read(handle, address, index)
        return self.known[address]

    def hidden(self, style: Style, box: Box) -> str:
        """Why a character at a place cannot be seen, or an empty text."""
        if style.hidden:
            return style.hidden
        left, bottom, right, top = self.page.get_bbox()
        if box[2] < left or box[0] > right or box[3] < bottom or box[1] > top:
            return OFF_PAGE
        if not style.above and style.below is None:
            return ""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        if any(area.holds(x, y) and self._covers(area) for area in style.above):
            return COVERED
        if style.below is None or style.colour is None:
            return ""
        ground = next((area.colour for area in reversed(style.below) if area.holds(x, y)), _PAPER)
        return WHITE if ground is not None and _alike(style.colour, ground) else ""

    def _covers(self, area: _Area) -> bool:
        if area.solid is None:
            area.solid = _is_opaque(self.raw, self.page, area.item)
        return area.solid

    def _read(self, handle: Any, address: int, index: int) -> Style:
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
        mode = raw.FPDFTextObj_GetTextRenderMode(handle)
        colour, alpha = _colour(raw.FPDFPageObj_GetStrokeColor if mode in (1, 5) else raw.FPDFPageObj_GetFillColor, handle)
        if mode in (2, 6):  # filled and stroked: seen if either is
            colour = None
        hidden = TINY if size < MIN_SIZE else UNDRAWN if mode in (3, 7) else TRANSPARENT if alpha == 0 else ""
        drawn = self.order.get(address, 1 << 30)  # inside a form: nothing is known to be drawn over it
        above = [area for area in self.areas if area.drawn > drawn and area.solid is not False]
        below = [area for area in self.areas if area.drawn < drawn]
        doubtful = colour is not None and (_alike(colour, _PAPER) or any(area.colour is not None and _alike(colour, area.colour) for area in below))
        return Style(size, bold, italic, angle, colour, hidden, drawn, above, below if doubtful else None)


def share(box: Box, boxes: list[Box]) -> float:
    """The part of a page that boxes cover, from 0 to 1, overlaps counted twice."""
    left, bottom, right, top = box
    page = max((right - left) * (top - bottom), 1.0)
    parts = (max(0.0, min(b[2], right) - max(b[0], left)) * max(0.0, min(b[3], top) - max(b[1], bottom)) for b in boxes)
    return min(1.0, sum(parts) / page)


def is_text_layer(found: Counter[str], seen: int, pictures: float) -> bool:
    """Whether what is not drawn, or lies under a picture, is the text that was recognised on a scan, and so stays.

    It is where a picture covers half the page or more and most of the page's text is such.

    :param found: how many characters cannot be seen, by reason.
    :param seen: how many can.
    """
    layer = found[UNDRAWN] + found[COVERED]
    return pictures >= SCANNED and layer > 4 * seen


def _address(handle: Any) -> int:
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def _colour(read: Any, item: Any) -> tuple[tuple[int, int, int] | None, int]:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not read(item, red, green, blue, alpha):
        return None, 255
    return (red.value, green.value, blue.value), alpha.value


def _alike(one: tuple[int, int, int], two: tuple[int, int, int]) -> bool:
    return max(abs(a - b) for a, b in zip(one, two, strict=True)) < SAME_COLOUR


def _area(raw: Any, item: Any, position: int) -> Iterator[_Area]:
    kind = raw.FPDFPageObj_GetType(item)
    bounds = [ctypes.c_float() for _ in range(4)]
    if not raw.FPDFPageObj_GetBounds(item, *bounds):
        return
    box = bounds[0].value, bounds[1].value, bounds[2].value, bounds[3].value
    if min(box[2] - box[0], box[3] - box[1]) < _THIN:
        return
    clear = bool(raw.FPDFPageObj_HasTransparency(item))
    if kind == raw.FPDF_PAGEOBJ_PATH:
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        raw.FPDFPath_GetDrawMode(item, fill, stroke)
        colour, alpha = _colour(raw.FPDFPageObj_GetFillColor, item)
        if fill.value and alpha:
            box_like = 4 <= raw.FPDFPath_CountSegments(item) <= 6
            yield _Area(box, colour if alpha == 255 else None, position, alpha == 255 and box_like and not clear)
    elif kind == raw.FPDF_PAGEOBJ_IMAGE:
        yield _Area(box, None, position, False if clear else None, item)
    else:
        yield _Area(box, None, position, False)


def _is_opaque(raw: Any, page: Any, item: Any) -> bool:
    """Whether a picture hides all that lies under it; drawn, since a mask of its own shows only then."""
    bitmap = raw.FPDFImageObj_GetRenderedBitmap(page.pdf, page, item)
    if not bitmap:
        return False
    try:
        if raw.FPDFBitmap_GetFormat(bitmap) != raw.FPDFBitmap_BGRA:
            return True
        stride, height = raw.FPDFBitmap_GetStride(bitmap), raw.FPDFBitmap_GetHeight(bitmap)
        data = ctypes.string_at(raw.FPDFBitmap_GetBuffer(bitmap), stride * height)
        alphas = data[3::4]
        sample = alphas[:: max(1, len(alphas) // 10_000)]
        return bool(sample) and sum(alpha >= 250 for alpha in sample) > 0.9 * len(sample)
    finally:
        raw.FPDFBitmap_Destroy(bitmap)

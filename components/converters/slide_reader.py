"""PowerPoint files (pptx and its templates and shows) to blocks."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from components.converters.extracted import Extracted
from components.converters.office_package import package_notices
from components.converters.outcome import Parts, one_line
from components.converters.safe_xml import parse_xml
from components.converters.word_numbering import format_number
from components.converters.word_reader import own_title

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MAX_TITLE = 250  # characters; a longer text in the place of a title is none
_SAME_ROW = 200_000  # EMU, about half a centimetre
_AUTO_STYLES = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}


def read_slides(data: bytes) -> Extracted:
    """Read a presentation with `python-pptx`: a heading and a page for each slide, then its shapes from top to bottom, then its notes.

    `unstructured.partition.pptx`, which stands on the same library, makes a title of every short text box, and leaves out notes, charts,
    diagrams and the numbers of lists.

    Shapes that are hidden or lie outside the slide are left out and named; slides hidden in the show are read and named.
    """
    import pptx

    presentation = pptx.Presentation(io.BytesIO(data))
    notices = package_notices(data)
    size = (int(presentation.slide_width or 0), int(presentation.slide_height or 0))
    parts: Parts = []
    for number, slide in enumerate(presentation.slides, start=1):
        reader = _Slide(slide, number, size, titled=bool(parts))
        parts += reader.parts()
        if slide._element.get("show") in ("0", "false"):
            notices.append(f"slide {number} is hidden in the show and was read")
        if reader.unseen:
            notices.append(f"slide {number}: {reader.unseen} hidden shapes or shapes outside the slide were left out")
    first = next((text for text, fields in parts if fields["kind"] == "heading" and fields["page"] == 1), "")
    return Extracted(parts, own_title(presentation.core_properties.title) or first, None, notices)


class _Slide:
    def __init__(self, slide: Any, number: int, size: tuple[int, int], *, titled: bool) -> None:
        self._slide, self._number, self._size, self._titled = slide, number, size, titled
        self.unseen = 0

    def parts(self) -> Parts:
        title = self._slide.shapes.title
        heading = one_line(title.text_frame.text) if title is not None and title.has_text_frame else ""
        shown = self._shapes(self._slide.shapes, top=True)
        body = [part for shape in shown if title is None or shape.shape_id != title.shape_id for part in self._shape(shape)]
        if len(heading) > _MAX_TITLE:
            body, heading = [self._part(heading, "paragraph"), *body], ""
        body += self._notes()
        if not body and not heading:
            return []
        name = heading or (f"Slide {self._number}" if self._titled else "")  # else it would stand under the title of the slide before
        return [*([self._part(name, "heading", level=1)] if name else []), *body]

    def _part(self, text: str, kind: str, **fields: Any) -> tuple[str, dict[str, Any]]:
        return text, {"kind": kind, "page": self._number, **fields}

    def _shapes(self, shapes: Any, *, top: bool) -> Iterator[Any]:
        """Shapes from top to bottom and left to right; a group stands where it begins."""
        placed = []
        for order, shape in enumerate(shapes):
            properties = next(shape._element.iter("{*}cNvPr"), None)
            if properties is not None and properties.get("hidden") in ("1", "true"):
                self.unseen += 1
                continue
            x, y, width, height = (int(value or 0) for value in (shape.left, shape.top, shape.width, shape.height))
            if top and all(self._size) and width and (x >= self._size[0] or y >= self._size[1] or x + width <= 0 or y + height <= 0):
                self.unseen += 1
                continue
            placed.append((y, x, order, shape))
        for _, _, _, shape in _in_reading_order(placed):
            if hasattr(shape, "shapes"):
                yield from self._shapes(shape.shapes, top=False)
            else:
                yield shape

    def _shape(self, shape: Any) -> Parts:
        kind = str(shape.placeholder_format.type).partition(" ")[0] if shape.is_placeholder else ""
        if kind in ("SLIDE_NUMBER", "DATE"):
            return []
        if getattr(shape, "has_table", False):
            return self._table(shape.table)
        if getattr(shape, "has_chart", False):
            return self._chart(shape.chart)
        if shape.has_text_frame:
            if kind in ("FOOTER", "HEADER"):
                text = one_line(shape.text_frame.text)
                return [self._part(text, kind.lower())] if text else []
            return self._text(shape.text_frame, bulleted=kind in ("BODY", "OBJECT", "VERTICAL_BODY"))
        return self._diagram(shape)

    def _text(self, frame: Any, *, bulleted: bool) -> Parts:
        """Paragraphs of a text frame; those with bullets or numbers, and several in a body, are a list."""
        parts: Parts = []
        filled = [paragraph for paragraph in frame.paragraphs if _text_of(paragraph._p).strip()]
        counters: dict[int, int] = {}
        for paragraph in filled:
            text = one_line(_text_of(paragraph._p))
            mark = self._mark(paragraph, counters, default=bulleted and len(filled) > 1)
            if not mark:
                parts.append(self._part(text, "paragraph"))
                continue
            line = f"{'  ' * paragraph.level}{mark} {text}"
            if parts and parts[-1][1]["kind"] == "list":
                parts[-1] = (f"{parts[-1][0]}\n{line}", parts[-1][1])
            else:
                parts.append(self._part(line, "list"))
        return parts

    @staticmethod
    def _mark(paragraph: Any, counters: dict[int, int], *, default: bool) -> str:
        properties = paragraph._p.find(f"{_A}pPr")
        find = properties.find if properties is not None else lambda _: None
        level = paragraph.level
        for deeper in [other for other in counters if other > level]:
            del counters[deeper]
        numbered = find(f"{_A}buAutoNum")
        if numbered is not None:
            counters[level] = counters.get(level, int(numbered.get("startAt") or 1) - 1) + 1
            style = numbered.get("type") or "arabicPeriod"
            name = next((own for prefix, own in _AUTO_STYLES.items() if style.startswith(prefix)), "decimal")
            number = format_number(counters[level], name)
            return f"({number})" if style.endswith("ParenBoth") else f"{number})" if style.endswith("ParenR") else f"{number}."
        counters.pop(level, None)
        if find(f"{_A}buNone") is not None:
            return ""
        return "-" if default or find(f"{_A}buChar") is not None or find(f"{_A}buBlip") is not None else ""

    def _table(self, table: Any) -> Parts:
        rows: list[list[str]] = []
        for row in table.rows:
            cells = []
            for column, cell in enumerate(row.cells):
                text = one_line(_text_of(cell._tc)).replace(" | ", " / ")
                if cell.is_spanned and rows and cell._tc.get("vMerge") in ("1", "true"):
                    text = rows[-1][column]
                cells.append(text)
            rows.append(cells)
        rows = [row for row in rows if any(row)]
        if not rows:
            return []
        fields = {"header_rows": 1} if table.first_row and len(rows) > 1 else {}
        return [self._part("\n".join(" | ".join(row) for row in rows), "table", **fields)]

    def _chart(self, chart: Any) -> Parts:
        parts: Parts = []
        title = one_line(chart.chart_title.text_frame.text) if chart.has_title and chart.chart_title.has_text_frame else ""
        if title:
            parts.append(self._part(title, "caption"))
        for plot in chart.plots:
            series = list(plot.series)
            names = [" ".join(map(str, levels)) for levels in plot.categories.flattened_labels] or [""] * max(
                (len(s.values) for s in series), default=0
            )
            header = " | ".join(["", *(s.name or "" for s in series)]).strip()
            rows = [" | ".join([name, *(_value(s.values, at) for s in series)]) for at, name in enumerate(names)]
            if rows:
                parts.append(self._part("\n".join([header, *rows]), "table", header_rows=1))
        return parts

    def _diagram(self, shape: Any) -> Parts:
        """The words of a SmartArt diagram, which stand in a part of their own."""
        reference = next(shape._element.iter(f"{_DIAGRAM}relIds"), None)
        relation = reference.get(f"{_RELATION}dm") if reference is not None else None
        if not relation or relation not in self._slide.part.rels:
            return []
        root = parse_xml(self._slide.part.rels[relation].target_part.blob)
        lines = [one_line(_text_of(point)) for point in root.iter(f"{_DIAGRAM}t")]
        items = [f"- {line}" for line in lines if line]
        return [self._part("\n".join(items), "list")] if items else []

    def _notes(self) -> Parts:
        if not self._slide.has_notes_slide:
            return []
        frame = self._slide.notes_slide.notes_text_frame
        texts = [one_line(_text_of(paragraph._p)) for paragraph in frame.paragraphs] if frame is not None else []
        texts = [text for text in texts if text]
        return [self._part("\n".join(["Notes: " + texts[0], *texts[1:]]), "paragraph")] if texts else []


def _in_reading_order(placed: list[tuple[int, int, int, Any]]) -> list[tuple[int, int, int, Any]]:
    """From top to bottom; what begins at about the same height from left to right."""
    rows: list[list[tuple[int, int, int, Any]]] = []
    for item in sorted(placed, key=lambda item: item[:3]):
        if rows and item[0] - rows[-1][0][0] <= _SAME_ROW:
            rows[-1].append(item)
        else:
            rows.append([item])
    return [item for row in rows for item in sorted(row, key=lambda item: (item[1], item[0], item[2]))]


def _text_of(element: Any) -> str:
    """The text below an element, a line for each paragraph."""
    pieces: list[str] = []
    for child in element.iter(f"{_A}t", f"{_A}br", f"{_A}p"):
        pieces.append((child.text or "") if child.tag == f"{_A}t" else "\n")
    return "".join(pieces)


def _value(values: Any, at: int) -> str:
    value = values[at] if at < len(values) else None
    return "" if value is None else format(value, ".10g")

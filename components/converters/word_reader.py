"""Word files (docx and its templates) to blocks."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from components.converters.extracted import Extracted
from components.converters.office_package import package_notices
from components.converters.outcome import Parts, first_heading, one_line
from components.converters.safe_xml import parse_xml
from components.converters.word_cleaning import clean_part
from components.converters.word_numbering import Numbering, W

_M_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_HEADING_STYLE = re.compile(r"heading (\d)$", re.IGNORECASE)
_BULLETS = "•▪◦‣●■"
_MARKED = re.compile(r"\(?(?:\d+(?:\.\d+)*|[A-Za-z]|[ivxlc]{1,5})[.)]\s|[-•*–▪◦‣●■]\s?", re.IGNORECASE)


def read_word(data: bytes) -> Extracted:
    """Read a docx file with `python-docx`.

    `unstructured.partition.docx`, which stands on the same library, loses inserted revisions, content controls, text boxes, footnotes and the
    numbers of lists and headings, and shows hidden text.

    Numbers that Word writes by itself are written out; footnotes follow the block that refers to them; pages are counted at the breaks
    that Word has noted, where it has. Comments, deleted revisions and hidden text are left out and named.
    """
    import docx

    document = docx.Document(io.BytesIO(data))
    styles = {style.get(f"{W}styleId"): style for style in document.styles.element.iterchildren(f"{W}style")}
    found: Counter[str] = Counter()
    clean_part(document.element, styles, found)
    reader = _Reader(document, styles, found)
    parts = [*reader.furniture("header"), *reader.body(document.element.body), *reader.furniture("footer")]
    notices = package_notices(data)
    comments = reader.related("comments")
    found["comments"] = sum(1 for _ in comments.iter(f"{W}comment")) if comments is not None else 0
    notices += [f"{name} left out: {count}{_unit(name, count)}" for name, count in sorted(found.items()) if count]
    properties = document.core_properties
    language = re.match(r"[A-Za-z]{2,3}(?![A-Za-z])", properties.language or "")
    return Extracted(parts, first_heading(parts) or own_title(properties.title), language.group(0).lower() if language else None, notices)


def _unit(name: str, count: int) -> str:
    return "" if name in ("comments", "deleted revisions") else " word" if count == 1 else " words"


def own_title(title: str | None) -> str:
    """A title property, unless it is what a program puts there by itself."""
    words = one_line(title or "")
    return (
        ""
        if re.match(r"(?i)word document|untitled|document ?\d*$|microsoft (?:word|powerpoint)|(?:powerpoint )?presentation$|slide \d+$", words)
        else words
    )


class _Reader:
    def __init__(self, document: Any, styles: dict[str, Any], found: Counter[str]) -> None:
        self._document, self._styles, self._found = document, styles, found
        self._numbering = Numbering(self.related("numbering"), styles)
        self._names = {
            key: (style.find(f"{W}name").get(f"{W}val") or "") if style.find(f"{W}name") is not None else "" for key, style in styles.items()
        }
        self._notes: dict[str, dict[str, str]] = {}
        self._order: dict[tuple[str, str], str] = {}
        self._pending: list[tuple[str, str]] = []
        self._rendered = any(True for _ in document.element.iter(f"{W}lastRenderedPageBreak"))
        self._page = 1
        self._notes = {kind: self._read_notes(kind) for kind in ("footnote", "endnote")}
        self._paged = self._rendered or any(e.get(f"{W}type") == "page" for e in document.element.iter(f"{W}br"))

    def related(self, kind: str) -> Any | None:
        """The root of a related part, such as `comments`."""
        for relation in self._document.part.rels.values():
            if not relation.is_external and relation.reltype.endswith(f"/{kind}"):
                part = relation.target_part
                element = getattr(part, "_element", None)
                if element is not None:
                    return element
                return parse_xml(part.blob)
        return None

    def _read_notes(self, kind: str) -> dict[str, str]:
        root = self.related(f"{kind}s")
        if root is None:
            return {}
        clean_part(root, self._styles, self._found)
        kept = (note for note in root.iterchildren(f"{W}{kind}") if note.get(f"{W}type") in (None, "normal"))
        return {note.get(f"{W}id"): " ".join(filter(None, (one_line(self._text(p)) for p in note.iter(f"{W}p")))) for note in kept}

    def furniture(self, kind: str) -> Parts:
        """Headers or footers, each text once."""
        texts: dict[str, None] = {}
        for section in self._document.sections:
            for name in (kind, f"first_page_{kind}", f"even_page_{kind}"):
                part = getattr(section, name)
                if not part.is_linked_to_previous:
                    clean_part(part._element, self._styles, self._found)
                    lines = (one_line(self._text(p)) for p in part._element.iter(f"{W}p"))
                    texts.setdefault("\n".join(filter(None, lines)), None)
        return [(text, {"kind": kind}) for text in texts if text]

    def body(self, root: Any) -> Parts:
        """The blocks of a body, a cell or a text box."""
        parts: Parts = []
        for element in root.iterchildren(f"{W}p", f"{W}tbl"):
            waiting = len(self._pending)
            if element.tag == f"{W}tbl":
                self._put(parts, self._table(element), waiting)
                continue
            page, text = self._page_of(element), self._text(element)
            self._put(parts, self._paragraph(element, text, page), waiting)
            for box in element.iter(f"{W}txbxContent"):
                if next(box.iterancestors(f"{W}p"), None) is element or not any(a.tag == f"{W}txbxContent" for a in box.iterancestors()):
                    for part in self.body(box):
                        self._put(parts, part, len(self._pending))
        self._flush(parts)
        return parts

    def _put(self, parts: Parts, part: tuple[str, dict[str, Any]] | None, waiting: int = 0) -> None:
        """Add a block: an item goes to the list before it, whose notes wait until it ends.

        :param waiting: notes that were there before the block was read.
        """
        if part is None or not part[0].strip():
            return
        text, fields = part
        last = parts[-1] if parts else None
        if fields["kind"] == "list" and last and last[1]["kind"] == "list" and last[1].get("page") == fields.get("page"):
            parts[-1] = (f"{last[0]}\n{text}", last[1])
            return
        own, self._pending = self._pending[waiting:], self._pending[:waiting]
        self._flush(parts)
        parts.append((text, fields))
        self._pending = own
        if fields["kind"] != "list":
            self._flush(parts)

    def _flush(self, parts: Parts) -> None:
        parts += [(f"{mark} {text}", self._fields("footnote", None)) for mark, text in self._pending]
        self._pending = []

    def _fields(self, kind: str, page: int | None, **more: Any) -> dict[str, Any]:
        fields: dict[str, Any] = {"kind": kind, **more}
        if self._paged:
            fields["page"] = page or self._page
        return fields

    def _page_of(self, element: Any) -> int:
        """The page of the first character; breaks behind it count for what follows."""
        before = seen_text = False
        first = self._page
        for child in element.iter(f"{W}t", f"{W}lastRenderedPageBreak", f"{W}br", f"{W}pageBreakBefore"):
            if child.tag == f"{W}t":
                seen_text = seen_text or bool((child.text or "").strip())
            elif self._is_break(child):
                self._page += 1
                before = not seen_text
                first = self._page if before else first
        section = element.find(f"{W}pPr/{W}sectPr")
        if section is not None and not self._rendered and self._paged:
            kind = section.find(f"{W}type")
            self._page += kind is None or kind.get(f"{W}val") != "continuous"
        return first

    def _is_break(self, element: Any) -> bool:
        if self._rendered:
            return element.tag == f"{W}lastRenderedPageBreak"
        if element.tag == f"{W}pageBreakBefore":
            return self._paged and element.get(f"{W}val") not in ("0", "false")
        return element.tag == f"{W}br" and element.get(f"{W}type") == "page"

    def _text(self, paragraph: Any) -> str:
        """The visible text of a paragraph, without that of text boxes in it."""
        pieces: list[str] = []
        for element in _inline(paragraph):
            tag = element.tag
            if tag in (f"{W}t", _M_TEXT):
                pieces += [element.text or "", *(child.tail or "" for child in element)]  # a child is an entity that is not resolved
            elif tag == f"{W}tab" and element.getparent().tag == f"{W}r":
                pieces.append("\t")
            elif tag == f"{W}cr" or (tag == f"{W}br" and element.get(f"{W}type") not in ("page", "column")):
                pieces.append("\n")
            elif tag == f"{W}noBreakHyphen":
                pieces.append("-")
            elif tag in (f"{W}footnoteReference", f"{W}endnoteReference"):
                pieces.append(self._note(tag.removeprefix(W).removesuffix("Reference"), element.get(f"{W}id") or ""))
        return "".join(pieces)

    def _note(self, kind: str, number: str) -> str:
        text = self._notes.get(kind, {}).get(number)
        if not text:
            return ""
        mark = self._order.setdefault((kind, number), str(len(self._order) + 1).translate(_SUPERSCRIPT))
        if (mark, text) not in self._pending:
            self._pending.append((mark, text))
        return mark

    def _style(self, paragraph: Any) -> Iterator[str]:
        """The ids of the paragraph's style and of those it is based on."""
        own = paragraph.find(f"{W}pPr/{W}pStyle")
        key = own.get(f"{W}val") if own is not None else ""
        seen: set[str] = set()
        while key and key in self._styles and key not in seen:
            seen.add(key)
            yield key
            parent = self._styles[key].find(f"{W}basedOn")
            key = parent.get(f"{W}val") if parent is not None else ""

    def _paragraph(self, element: Any, text: str, page: int) -> tuple[str, dict[str, Any]] | None:
        numbered = self._numbering.label(element) if text.strip() else None
        if not text.strip():
            return None
        names = [self._names[key] for key in self._style(element)]
        first = names[0].lower() if names else ""
        level = self._heading_level(element, names)
        label, depth = numbered or ("", 0)
        if first == "title":
            return one_line(text), self._fields("title", page)
        if level:
            return one_line(f"{label if label != '-' else ''} {text}"), self._fields("heading", page, level=level)
        if first == "caption" or any("SEQ " in (field.text or "") for field in element.iter(f"{W}instrText")):
            return one_line(text), self._fields("caption", page)
        if numbered or first.startswith("list") or text.lstrip()[:1] in _BULLETS:
            mark = label if numbered else ("" if _MARKED.match(text) else "-")
            shown = f"{mark} {text.strip()}" if mark else text.strip()
            return "  " * depth + shown.replace("\n", " "), self._fields("list", page)
        code = first.startswith(("html preformatted", "code", "source code", "plain text"))
        return text.rstrip() if code else text.strip(), self._fields("code" if code else "paragraph", page)

    def _heading_level(self, element: Any, names: list[str]) -> int:
        for name in names:
            if match := _HEADING_STYLE.match(name):
                return min(int(match.group(1)), 6)
        outline = element.find(f"{W}pPr/{W}outlineLvl")
        for key in self._style(element):
            outline = outline if outline is not None else self._styles[key].find(f"{W}pPr/{W}outlineLvl")
        level = int(outline.get(f"{W}val") or 9) if outline is not None else 9
        return level + 1 if level < 6 and len(one_line(self._text(element))) <= 200 else 0

    def _table(self, element: Any) -> tuple[str, dict[str, Any]] | None:
        page = self._page
        rows: list[list[str]] = []
        headers = 0
        for number, row in enumerate(element.iterchildren(f"{W}tr")):
            if headers == number and row.find(f"{W}trPr/{W}tblHeader") is not None:
                headers += 1
            rows.append(self._row(row, rows[-1] if rows else []))
        rows = [row for row in rows if any(row)]
        width = max((len(row) for row in rows), default=0)
        if width <= 1:
            return "\n".join(row[0] for row in rows), self._fields("table" if len(rows) > 1 else "paragraph", page)
        rows = [row + [""] * (width - len(row)) for row in rows]
        more = {}
        if 0 < headers < len(rows):
            stacked = [" ".join(dict.fromkeys(filter(None, names))) for names in zip(*rows[:headers], strict=True)]
            rows, more = [stacked, *rows[headers:]], {"header_rows": 1}
        return "\n".join(" | ".join(row) for row in rows), self._fields("table", page, **more)

    def _row(self, row: Any, above: list[str]) -> list[str]:
        before = row.find(f"{W}trPr/{W}gridBefore")
        cells: list[str] = [""] * (int(before.get(f"{W}val") or 0) if before is not None else 0)
        for cell in row.iterchildren(f"{W}tc"):
            texts = []
            for block in cell.iter(f"{W}p"):
                self._page_of(block)
                if text := one_line(self._text(block)):
                    label = self._numbering.label(block)
                    texts.append(f"{label[0]} {text}" if label and label[0] else text)
            merge, span = cell.find(f"{W}tcPr/{W}vMerge"), cell.find(f"{W}tcPr/{W}gridSpan")
            text = " ".join(texts).replace(" | ", " / ")
            if merge is not None and merge.get(f"{W}val") != "restart" and not text and len(cells) < len(above):
                text = above[len(cells)]
            cells += [text, *[""] * (int(span.get(f"{W}val") or 1) - 1 if span is not None else 0)]
        return cells


def _inline(element: Any) -> Iterator[Any]:
    """Elements inside a paragraph in order, but for what stands in text boxes."""
    for child in element:
        if child.tag == f"{W}txbxContent" or not isinstance(child.tag, str):
            continue
        yield child
        yield from _inline(child)

"""HTML pages and Markdown to blocks."""

from __future__ import annotations

import re
from typing import Any

from components.converters.extracted import Extracted
from components.converters.html_cleaning import clean_html
from components.converters.outcome import Parts, UnreadableError, first_heading, one_line
from components.converters.table_rows import Cell, table_lines

_BLOCK_NAMES = """
    address article aside blockquote body center dd details div dl dt fieldset figure footer form header hr html legend li main ol option p
    section summary tbody td textarea tfoot th thead tr ul
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CODE = ("pre", "listing", "xmp", "plaintext")
_IGNORED = ("head", "title", "meta", "link", "colgroup", "audio", "video", "map")
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_MARKED = re.compile(r"(?:\(?\d+[.)]|\(?[A-Za-z]{1,4}[.)]|[-•*])\s")
_MARK = 3  # characters: a bullet, a number, a box
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)


def read_markdown(text: str) -> Extracted:
    """Read Markdown: CommonMark with tables, by `markdown-it-py`, and a title in its front matter."""
    from markdown_it import MarkdownIt

    title = ""
    front = _FRONT_MATTER.match(text)
    if front:
        text = text[front.end() :]
        named = re.search(r"(?m)^title:[ \t]*(.+)$", front.group(1))
        title = named.group(1).strip().strip("\"'") if named else ""
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    page = read_html(f"<html><body>{html}</body></html>")
    return Extracted(page.parts, first_heading(page.parts) or title, None, page.notices)


def read_html(text: str) -> Extracted:
    """Read a page with `lxml`.

    `unstructured.partition.html` loses captions of figures, `details`, the columns of merged cells, and the marks of items with paragraphs;
    `test_readers_lose_nothing.py` shows it. It also keeps hidden elements.

    :param text: the page, decoded.
    :raises UnreadableError: no visible words.
    """
    page = clean_html(text)
    walk = _Walk()
    walk.walk(page.root)
    walk.flush()
    if not walk.parts:
        raise UnreadableError("no text: the page holds no visible words")
    notices = [f"hidden text left out: {page.hidden_words} word{'s' * (page.hidden_words != 1)}"] if page.hidden_words else []
    return Extracted(walk.parts, first_heading(walk.parts) or page.title, page.language, notices)


class _Walk:
    """Goes through a tree once; inline text gathers until a block begins or ends."""

    def __init__(self) -> None:
        self.parts: Parts = []
        self._inline: list[str] = []
        self._depth = 0
        self._mark: str | None = None
        self._kind = "paragraph"

    def walk(self, element: Any) -> None:
        """Add what stands below an element."""
        self._inline.append(element.text or "")
        for child in element:
            if isinstance(child.tag, str):
                self._child(child, child.tag.rpartition("}")[2].lower())
            self._inline.append(child.tail or "")

    def flush(self) -> None:
        """Make a block of the gathered text."""
        text = one_line("".join(self._inline))
        self._inline = []
        if not text:
            return
        if not self._depth:
            self.parts.append((text, {"kind": self._kind}))
            return
        indent = "  " * (self._depth - 1)
        if self._mark is None:
            line = f"{indent}  {text}"
        else:
            line, self._mark = f"{indent}{'' if _MARKED.match(text) else self._mark}{text}", None
        if self.parts and self.parts[-1][1]["kind"] == "list":
            self.parts[-1] = (f"{self.parts[-1][0]}\n{line}", self.parts[-1][1])
        else:
            self.parts.append((line, {"kind": "list"}))

    def _child(self, child: Any, tag: str) -> None:
        if tag in _HEADINGS:
            self._whole(one_line(_text(child)), "heading", level=_HEADINGS[tag])
        elif tag in _CODE:
            self._whole(child.text_content().strip("\n"), "code")
        elif tag in ("figcaption", "caption"):
            self._whole(one_line(_text(child)), "caption")
        elif tag == "table":
            self.flush()
            self._table(child)
        elif tag in ("ul", "ol", "dl", "menu", "dir"):
            self._list(child, tag)
        elif tag == "br":
            double = child.getnext() is not None and child.getnext().tag == "br" and not (child.tail or "").strip()
            self._inline.append(" ")
            if double:
                self.flush()
        elif tag in ("sup", "sub"):
            self._inline.append(_raised(child, tag))
        elif tag in _BLOCKS or tag == "caption":
            self._block(child)
        elif tag not in _IGNORED:
            self.walk(child)

    def _block(self, element: Any) -> None:
        self.flush()
        kept = self._kind
        if element.get("role") in ("doc-endnotes", "doc-footnote", "doc-footnotes") or element.get("epub:type") in ("footnote", "footnotes"):
            self._kind = "footnote"
        self.walk(element)
        self.flush()
        self._kind = kept

    def _whole(self, text: str, kind: str, **fields: Any) -> None:
        self.flush()
        if text.strip():
            self.parts.append((text, {"kind": kind, **fields}))

    def _list(self, element: Any, tag: str) -> None:
        self.flush()
        if self._kind == "footnote":
            for number, item in enumerate(element, start=1):
                text = one_line(re.sub(r"[↩︎\ufe0e]+", "", _text(item)))
                self._whole(re.sub(r"^(\d+)\.\s", lambda m: m[1].translate(_SUPERSCRIPT) + " ", text) if text else str(number), "footnote")
            return
        self._depth += 1
        if tag == "dl":
            self._definitions(element)
        else:
            self._inline.append(element.text or "")
            for item in element:
                if not isinstance(item.tag, str):
                    continue
                if item.tag in ("ul", "ol"):  # a list in a list without an item of its own
                    self._list(item, item.tag)
                    continue
                self._mark = "- "
                self.walk(item)
                self.flush()
        self.flush()
        self._mark = None
        self._depth -= 1

    def _definitions(self, element: Any) -> None:
        """`term: definition` items."""
        self._mark = "- "
        for item in element.iter("dt", "dd"):
            if any(a.tag == "dl" and a is not element for a in item.iterancestors("dl")) and next(item.iterancestors("dl")) is not element:
                continue
            if item.tag == "dt":
                self.flush()
                self._mark = "- "
                self.walk(item)
            else:
                self._inline.append(": " if self._inline and "".join(self._inline).strip() else "")
                self.walk(item)
                self.flush()

    def _table(self, table: Any) -> None:
        rows = [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]
        cells = [[cell for cell in row if cell.tag in ("td", "th")] for row in rows]
        if _is_layout(table, cells):
            for caption in table.iterchildren("caption"):
                self._child(caption, "caption")
            for row in cells:
                texts = [text for text in (one_line(_text(cell)) for cell in row) if text]
                if not any(map(_has_blocks, row)) or (len(texts) > 1 and min(map(len, texts)) <= _MARK):  # a line of words, or a mark and its text
                    self._inline.append(" ".join(_text(cell) for cell in row))
                    self.flush()
                    continue
                for cell in row:
                    self._block(cell)
            return
        for caption in table.iterchildren("caption"):
            self._whole(one_line(_text(caption)), "caption")
        lines: list[list[Cell]] = [[(_text(c), _span(c, "colspan"), _span(c, "rowspan"), c.tag == "th") for c in row] for row in cells]
        headed = sum(1 for row in rows if row.getparent().tag == "thead")
        text, fields = table_lines(lines, headed)
        self._whole(text, "table", **fields)


def _is_layout(table: Any, cells: list[list[Any]]) -> bool:
    """Whether a table only places things on the page."""
    if table.get("role") in ("presentation", "none") or next(table.iterdescendants("table", *_HEADINGS), None) is not None:
        return True
    filled = [[cell for cell in row if cell.text_content().strip()] for row in cells]
    headed = any(cell.tag == "th" for row in cells for cell in row)
    if headed:
        return False
    return sum(map(bool, filled)) <= 1 or max(map(len, filled), default=0) <= 1


def _has_blocks(element: Any) -> bool:
    return any(
        isinstance(e.tag, str) and (e.tag in _BLOCKS or e.tag in _HEADINGS or e.tag in _CODE or e.tag == "table") for e in element.iterdescendants()
    )


def _span(cell: Any, name: str) -> int:
    value = cell.get(name) or "1"
    return max(1, int(value)) if re.fullmatch(r"\d{1,4}", value.strip()) else 1


def _raised(element: Any, tag: str) -> str:
    """Digits above or below the line as such; a reference in brackets, `[3]`, as a raised number."""
    text = one_line(element.text_content())
    number = re.fullmatch(r"\[?(\d{1,3})\]?", text)
    return number.group(1).translate(_SUPERSCRIPT if tag == "sup" else _SUBSCRIPT) if number else text


def _text(element: Any) -> str:
    """All text below an element; blocks are parted by a space."""
    pieces: list[str] = []

    def add(node: Any) -> None:
        pieces.append(node.text or "")
        for child in node:
            tag = child.tag if isinstance(child.tag, str) else ""
            if tag in ("sup", "sub"):
                pieces.append(_raised(child, tag))
            elif tag and tag not in _IGNORED:
                apart = tag in _BLOCKS or tag in ("br", "table")
                pieces.append(" " if apart else "")
                add(child)
                pieces.append(" " if apart else "")
            pieces.append(child.tail or "")

    add(element)
    return "".join(pieces)

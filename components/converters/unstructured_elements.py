"""Elements of `unstructured` as blocks."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import Any

from components.converters.outcome import Parts, one_line

_KINDS = {"CodeSnippet": "code", "Header": "header", "PageHeader": "header", "Footer": "footer", "PageFooter": "footer"}
_SKIPPED = {"PageBreak", "PageNumber", "Image"}


@functools.cache
def make_offline() -> None:
    """Let `unstructured` work without a network.

    Its tokenizer looks for the spaCy model `en_core_web_sm` and, where that is missing, downloads it from GitHub at first use.
    It needs it only to tell sentences from titles in text without markup, which is not how blocks are made here, so a blank English
    pipeline with spaCy's rule-based sentence splitter takes its place.
    """
    import spacy
    from unstructured.nlp import tokenize

    def blank() -> Any:
        pipeline = spacy.blank("en")
        pipeline.add_pipe("sentencizer")
        return pipeline

    tokenize._load_spacy_model = blank


def element_parts(elements: Iterable[Any], *, titles: frozenset[str] = frozenset(), headings: bool = True) -> Parts:
    """Turn elements into blocks.

    A `Title` with a depth (html h1..h6, docx Heading n) is a heading of level depth + 1; one without is only a short line of text
    and stays a paragraph. Neighbouring list items become one list. Tables become rows, `a | b`, from their HTML, because
    their plain text has lost the columns.

    :param elements: what a `partition_*` function returned.
    :param titles: texts that are the document's own title (docx style "Title").
    :param headings: False where the format has no headings, as in mail: every `Title` is a guess there.
    """
    parts: Parts = []
    for element in elements:
        category, text = element.category, element.text or ""
        depth = getattr(element.metadata, "category_depth", None)
        if category in _SKIPPED:
            continue
        if category == "ListItem":
            line = _list_line(text, depth)
            if parts and parts[-1][1]["kind"] == "list":
                parts[-1] = (f"{parts[-1][0]}\n{line}", parts[-1][1])
            else:
                parts.append((line, {"kind": "list"}))
        elif category == "Table":
            parts.append((table_text(getattr(element.metadata, "text_as_html", None) or "") or text, {"kind": "table"}))
        elif category == "Title" and headings and depth is not None:
            kind = {"kind": "title"} if one_line(text) in titles else {"kind": "heading", "level": min(int(depth) + 1, 6)}
            parts.append((one_line(text), kind))
        elif category in _KINDS:
            parts.append((text.strip("\n"), {"kind": _KINDS[category]}))
        else:
            parts.append((text.strip("\n").rstrip(), {"kind": "paragraph"}))
    return parts


def _list_line(text: str, depth: int | None) -> str:
    mark = "" if re.match(r"\s*(?:\(?\d+[.)]|\(?[A-Za-z]{1,4}[.)]|[-•*])\s", text) else "- "
    return f"{'  ' * max(0, (depth or 1) - 1)}{mark}{text.strip()}"


def table_text(html: str) -> str:
    """Rows of an HTML table, one a line, cells between ` | `; empty where there is no row.

    >>> table_text("<table><tr><th>Grade</th><th>Days</th></tr><tr><td>A</td><td>20</td></tr></table>")
    'Grade | Days\\nA | 20'
    """
    if "<tr" not in html:
        return ""
    import lxml.html

    rows = []
    for row in lxml.html.document_fromstring(html).iter("tr"):
        cells = [one_line(" ".join(cell.itertext())) for cell in row.iterchildren("td", "th")]
        if any(cells):
            rows.append(" | ".join(cells))
    return "\n".join(rows)

"""The structure of a converted document: its text and, beside it, which part is a heading, a paragraph, a table, a record.

A converter returns one `Document` a source. Its `content` is the text; `meta["blocks"]` lists `Block`s in order. Blocks do not
overlap; between two stands `SEPARATOR` and nothing else, so text can be cleaned block by block and joined again.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

SEPARATOR = "\n\n"

BlockKind = Literal["title", "heading", "paragraph", "list", "table", "code", "header", "footer", "caption", "footnote"]


class Block(TypedDict):
    """One element. `content[start:end]` of its document is its text."""

    kind: BlockKind
    start: int
    end: int
    level: NotRequired[int]
    """Depth of a heading, from 1."""
    page: NotRequired[int]
    """From 1, where the format has pages."""
    from_image: NotRequired[bool]
    """Whether it is the text of a picture in the document, read by OCR."""
    header_rows: NotRequired[int]
    """Of a table whose format says it: 1 if the first line names the columns, 0 if it does not."""


def join_blocks(parts: list[tuple[str, dict[str, Any]]]) -> tuple[str, list[Block]]:
    """Join (text, fields) pairs to the text of a document and its blocks; parts without visible text are left out.

    >>> join_blocks([("Leave", {"kind": "heading", "level": 1}), ("Twenty days.", {"kind": "paragraph"})])[0]
    'Leave\\n\\nTwenty days.'
    """
    texts: list[str] = []
    blocks: list[Block] = []
    position = 0
    for text, fields in parts:
        if not text.strip():
            continue
        if texts:
            position += len(SEPARATOR)
        blocks.append({**fields, "start": position, "end": position + len(text)})  # pyright: ignore[reportArgumentType]
        texts.append(text)
        position += len(text)
    return SEPARATOR.join(texts), blocks

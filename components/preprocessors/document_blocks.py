"""The blocks of a document, read from its meta and checked, or found at its blank lines."""

from __future__ import annotations

import re

from haystack import Document

from components.blocks import Block

KINDS = frozenset({"title", "heading", "paragraph", "list", "table", "code", "header", "footer", "caption", "footnote"})
_PARAGRAPH = re.compile(r"\S(?:.*\S)?(?:[^\S\n]*\n[^\S\n]*\S(?:.*\S)?)*")


def blocks_of(document: Document) -> list[Block]:
    """The blocks of a document in order; one paragraph between blank lines where `meta["blocks"]` is absent.

    :raises ValueError: blocks that overlap, leave the text, are out of order, have an unknown kind, or leave visible text outside.
    """
    text = document.content or ""
    blocks = document.meta.get("blocks")
    if blocks is None:
        return paragraphs(text)
    position = 0
    for number, block in enumerate(blocks):
        kind, start, end = block.get("kind"), block.get("start"), block.get("end")
        if kind not in KINDS:
            raise ValueError(f"block {number} has kind {kind!r}; accepted: {', '.join(sorted(KINDS))}")
        if not (isinstance(start, int) and isinstance(end, int) and position <= start <= end <= len(text)):
            raise ValueError(f"block {number} ({start}-{end}) is out of order or outside the text of {len(text)} characters")
        if text[position:start].strip():
            raise ValueError(f"there is text before block {number} that belongs to no block, at {position}-{start}")
        position = end
    if text[position:].strip():
        raise ValueError(f"there is text after the last block that belongs to no block, at {position}-{len(text)}")
    return [block for block in blocks if text[block["start"] : block["end"]].strip()]


def paragraphs(text: str) -> list[Block]:
    """Runs of lines between blank lines, as paragraph blocks.

    >>> paragraphs("One\\ntwo\\n\\nthree")
    [{'kind': 'paragraph', 'start': 0, 'end': 7}, {'kind': 'paragraph', 'start': 9, 'end': 14}]
    """
    return [{"kind": "paragraph", "start": match.start(), "end": match.end()} for match in _PARAGRAPH.finditer(text)]

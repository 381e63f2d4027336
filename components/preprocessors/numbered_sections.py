"""Makes headings of the numbers and titles that open the sections of statutes, contracts and standards."""

from __future__ import annotations

import logging
from dataclasses import replace

from haystack import Document, component

from components.blocks import Block
from components.preprocessors.document_blocks import blocks_of
from components.preprocessors.numbered_paragraphs import Opening, find_openings

logger = logging.getLogger(__name__)
_MAX_LEVEL = 6


@component
class NumberedSections:
    """Marks numbered section titles as headings where the format did not: in plain text, and in office files and pages without heading styles.

    Haystack's splitters know no numbering: "12. Fees.—(1) A fee is due" is cut wherever a window ends, and its number is lost to the chunks
    below. Only the blocks change; the text, and so every offset, stays.

    ```python
    from haystack import Document
    from components.preprocessors.numbered_sections import NumberedSections

    text = "\\n\\n".join(f"{n}. {name}. The fee of part {n} is due at once." for n, name in enumerate(["Entry", "Stay", "Exit"], 1))
    blocks = NumberedSections().run([Document(content=text)])["documents"][0].meta["blocks"]
    assert [text[b["start"] : b["end"]] for b in blocks if b["kind"] == "heading"] == ["1. Entry", "2. Stay", "3. Exit"]
    ```

    :param skip_mime_types: types whose converter marks numbered sections itself.
    """

    def __init__(self, skip_mime_types: list[str] | None = None) -> None:
        self.skip_mime_types = ["application/pdf"] if skip_mime_types is None else list(skip_mime_types)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Mark the headings of each document; records, and documents whose blocks are broken, pass unchanged.

        :param documents: text documents, with `meta["blocks"]` or without.
        """
        return {"documents": [self._marked(document) for document in documents]}

    def _marked(self, document: Document) -> Document:
        if not document.content or document.meta.get("mime_type") in self.skip_mime_types or document.meta.get("record_id"):
            return document
        try:
            blocks = blocks_of(document)
        except ValueError as error:
            logger.warning("%s was not searched for numbered sections: %s", document.meta.get("uri") or document.id, error)
            return document
        openings = find_openings(document.content, blocks)
        if not openings:
            return document
        return replace(document, meta={**document.meta, "blocks": with_headings(document.content, blocks, openings)})


def with_headings(text: str, blocks: list[Block], openings: list[Opening]) -> list[Block]:
    """The blocks with each opening cut off as a heading, a level below the heading that stands above it."""
    by_block = {opening.block: opening for opening in openings}
    result: list[Block] = []
    base = 0
    for index, block in enumerate(blocks):
        opening = by_block.get(index)
        if opening is None:
            if block["kind"] in ("title", "heading"):
                base = block.get("level") or (0 if block["kind"] == "title" else 1)
            result.append(block)
            continue
        result.append({**block, "kind": "heading", "level": min(_MAX_LEVEL, base + opening.level), "start": opening.start, "end": opening.end})
        if text[opening.end : block["end"]].strip():
            result.append({**block, "start": opening.end})
    return result

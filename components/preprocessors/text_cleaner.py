"""Cleans converted documents block by block."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from haystack import Document, component

from components.blocks import Block, join_blocks
from components.failure import Failure
from components.preprocessors.document_blocks import blocks_of
from components.preprocessors.text_cleaning import clean_text, removed_controls

logger = logging.getLogger(__name__)
_PAGE_FURNITURE = ("header", "footer")
NOTICES = "notices"
MISMATCH = "content_mismatch"


@component
class TextCleaner:
    """Normalises the text of converted documents and drops page headers and footers; offsets of the blocks stay right.

    What a reader should know of a document that is indexed all the same leaves its meta here and becomes a notice: what converters put into
    `meta["notices"]`, the router's `content_mismatch`, and what this cleaner removed that may mislead.

    Haystack's `DocumentCleaner` knows no blocks: it joins paragraphs, flattens tables and code, and leaves bidirectional controls and
    zero-width characters in the text.

    ```python
    from haystack import Document
    from components.preprocessors.text_cleaner import TextCleaner

    cleaned = TextCleaner().run([Document(content="Twenty  days\\u200b of leave.")])["documents"]
    assert cleaned[0].content == "Twenty days of leave."
    ```

    :param drop_page_furniture: leave out blocks of kind `header` and `footer`. They stay where a document has nothing else.
    """

    def __init__(self, drop_page_furniture: bool = True) -> None:
        self.drop_page_furniture = drop_page_furniture

    @component.output_types(documents=list[Document], notices=list[Failure])
    def run(self, documents: list[Document]) -> dict[str, list[Document] | list[Failure]]:
        """Clean each document; its id stays. A document whose blocks are broken passes unchanged: the splitter names it.

        :param documents: text documents, with `meta["blocks"]` or without; those without are cleaned as a whole.
        :returns: `documents`; `notices`, each once: `source` is the document's uri (of a file of records for what concerns the file),
            `reason` one line.
        """
        notices: dict[tuple[str, str], Failure] = {}
        cleaned = []
        for document in documents:
            meta, found = _noticed(document)
            for source, reason in found:
                notices[source, reason] = {"source": source, "reason": reason}
            cleaned.append(self._clean(replace(document, meta=meta)))
        return {"documents": cleaned, "notices": list(notices.values())}

    def _clean(self, document: Document) -> Document:
        if document.content is None:
            return document
        meta = dict(document.meta)
        if isinstance(meta.get("title"), str):
            meta["title"] = " ".join(clean_text(meta["title"], "title").split())
        if meta.get("blocks") is None:
            return replace(document, content=clean_text(document.content), meta=meta)
        try:
            blocks = blocks_of(document)
        except ValueError as error:
            logger.warning("%s was not cleaned: %s", meta.get("uri") or document.id, error)
            return document
        content, kept = self._join(document.content, blocks, drop=self.drop_page_furniture)
        if not kept:
            content, kept = self._join(document.content, blocks, drop=False)
        logger.debug("%s: %d characters and %d blocks removed", meta.get("uri"), len(document.content) - len(content), len(blocks) - len(kept))
        meta["blocks"] = kept
        return replace(document, content=content, meta=meta)

    @staticmethod
    def _join(text: str, blocks: list[Block], *, drop: bool) -> tuple[str, list[Block]]:
        return join_blocks(
            [
                (clean_text(text[block["start"] : block["end"]], block["kind"]), dict(block))
                for block in blocks
                if not (drop and block["kind"] in _PAGE_FURNITURE)
            ]
        )


def _noticed(document: Document) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The document's meta without its notices, and these with what they are about."""
    meta = dict(document.meta)
    name = str(meta.get("uri") or meta.get("file_name") or document.id)
    record = f"#{meta['record_id']}" if meta.get("record_id") else ""
    file = name.removesuffix(record) if record else name
    told = meta.pop(NOTICES, None) or []
    found = [(name, str(reason)) for reason in ([told] if isinstance(told, str) else told)]
    if mismatch := meta.pop(MISMATCH, None):
        found.insert(0, (file, str(mismatch)))
    found += [(name, line) for line in removed_controls(document.content or "")]
    return meta, found

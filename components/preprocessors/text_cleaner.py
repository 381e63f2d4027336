"""Cleans converted documents block by block."""

from __future__ import annotations

import logging
from dataclasses import replace

from haystack import Document, component

from components.blocks import Block, join_blocks
from components.preprocessors.document_blocks import blocks_of
from components.preprocessors.text_cleaning import clean_text

logger = logging.getLogger(__name__)
_PAGE_FURNITURE = ("header", "footer")


@component
class TextCleaner:
    """Normalises the text of converted documents and drops page headers and footers; offsets of the blocks stay right.

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

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Clean each document; its id stays. A document whose blocks are broken passes unchanged: the splitter names it.

        :param documents: text documents, with `meta["blocks"]` or without; those without are cleaned as a whole.
        """
        return {"documents": [self._clean(document) for document in documents]}

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

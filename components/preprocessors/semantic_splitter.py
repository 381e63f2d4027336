"""Splits documents where their subject changes."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from haystack import Document, component

from components.failure import Degradation, Failure
from components.preprocessors.chunk_layout import Layout, SectionChunks, lay_out
from components.preprocessors.packing import Bound
from components.preprocessors.paragraph_splitter import paragraphs
from components.preprocessors.runs import Cut, Limit, Piece, pieces
from components.preprocessors.semantic_breaks import distances, pair_texts, semantic_runs, threshold
from components.preprocessors.splitter import SourceText, Splitter
from components.preprocessors.units import Unit, units_of

logger = logging.getLogger(__name__)
STAGE = "splitter"
_FIXED = ("table", "code")


@component
class SemanticSplitter(Splitter):
    """Cuts each section of a document where the embeddings of neighbouring sentences are far apart.

    Haystack's `EmbeddingBasedDocumentSplitter` downloads a sentence model, measures characters, and cuts tables and provisos like any text. Here
    the sentences are this package's, chunks are bounded in tokens, tables and code are cut only where they do not fit, and a proviso
    stays with its rule.

    Every sentence is embedded with its neighbour before the index embeds the chunks, so indexing takes at least twice as long. Where the model fails,
    the document is cut into paragraphs, and `degraded` and the log say so.

    ```python
    from haystack import Document
    from components.preprocessors.semantic_splitter import SemanticSplitter

    out = SemanticSplitter().run([Document(content="Twenty days of leave a year. Ten days of leave when ill.")])
    assert len(out["documents"]) == 1 and out["degraded"] == []
    ```

    :param percentile: a place is a break if its distance is above this percentile of the document's distances; 1 to 99.
    :param min_tokens: tokens that a chunk has at least, as far as its section goes; 0 to `max_tokens`.
    :param max_tokens: tokens of a chunk, context header and special tokens included; 32 to 8192, and no more than the model reads.
    :param section_max_chars: characters of a section; a longer one becomes several. 500 to 1,000,000.
    :param batch_size: sentences embedded at once, from 1 to 4096.
    :param model: embeds and counts tokens: `packaged`, a folder or a hub name; None is the embedding model of the settings.
    :raises ValueError: a value outside these bounds.
    """

    def __init__(
        self,
        percentile: int = 90,
        min_tokens: int = 48,
        max_tokens: int = 240,
        section_max_chars: int = 12000,
        batch_size: int = 32,
        model: str | None = None,
    ) -> None:
        Splitter.__init__(self, max_tokens, section_max_chars, model)
        self.percentile = self.checked("percentile", percentile, 1, 99)
        self.min_tokens = self.checked("min_tokens", min_tokens, 0, max_tokens)
        self.batch_size = self.checked("batch_size", batch_size, 1, 4096)
        self._degraded: list[Degradation] = []

    @component.output_types(documents=list[Document], sections=list[Document], failed=list[Failure], degraded=list[Degradation])
    def run(self, documents: list[Document]) -> dict[str, list[Any]]:
        """Split documents; one that cannot be split is named in `failed` and the rest go on.

        :param documents: text documents, with `meta["blocks"]` or without.
        :returns: as every splitter, and `degraded`: documents that were cut into paragraphs because the model failed.
        """
        self._degraded = []
        return {**Splitter.run(self, documents), "degraded": self._degraded}

    def lay_out(self, source: SourceText) -> list[SectionChunks]:
        """Sections at headings, chunks between breaks."""
        layout = Layout(self.max_tokens - self.counter.overhead, self.section_max_chars, self._cut(source), language=source.language)
        return lay_out(source.text, source.blocks, source.title, layout, self.counter.count)

    def _cut(self, source: SourceText) -> Cut:
        from components.embedders.embedding_model import EmbeddingError, embedding_model

        units = [unit for unit in units_of(source.text, source.blocks, source.language) if source.blocks[unit.block]["kind"] not in _FIXED]
        texts = pair_texts([source.text[unit.start : unit.end] for unit in units])
        try:
            gaps = distances(embedding_model(self.model).encode_passages(texts, self.batch_size)) if len(texts) > 2 else []
        except EmbeddingError as error:
            name = str(source.meta.get("uri") or source.meta.get("file_name") or source.meta["source_id"])
            reason = f"{name} was cut into paragraphs, because its sentences could not be embedded: {' '.join(str(error).split())}"
            logger.warning(reason)
            self._degraded.append({"stage": STAGE, "reason": reason})
            return paragraphs(self.min_tokens)
        gap_before = dict(zip((unit.start for unit in units[1:]), gaps, strict=True))
        least_gap = threshold(gaps, self.percentile)

        def cut(units: Sequence[Unit], limit: Limit) -> list[Piece]:
            may_break = [unit.bound is not Bound.GLUED for unit in units]
            # a row or line of code is no place for a break, the beginning of its block may be one
            known = [gap_before.get(unit.start, 0.0) for unit in units]
            most = min(limit(unit) for unit in units)
            return pieces(units, semantic_runs([u.size for u in units], known, may_break, least_gap, most, self.min_tokens), limit)

        return cut

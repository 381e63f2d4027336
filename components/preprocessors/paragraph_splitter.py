"""Splits documents into their paragraphs."""

from __future__ import annotations

from collections.abc import Sequence

from haystack import component

from components.preprocessors.chunk_layout import Layout, SectionChunks, lay_out
from components.preprocessors.runs import Cut, Limit, Piece, block_runs, pieces
from components.preprocessors.splitter import SourceText, Splitter
from components.preprocessors.units import Unit


@component
class ParagraphSplitter(Splitter):
    """Cuts each section of a document into its paragraphs, lists, tables and blocks of code, each a chunk.

    Haystack's `DocumentSplitter(split_by="passage")` knows only blank lines and no limit in tokens; its headings are chunks of their own.

    A heading belongs to the paragraph below it, a proviso to the one before, a list to its introduction. Paragraphs of fewer than
    `min_tokens` are joined to what follows in their section; one that does not fit `max_tokens` is cut at sentences, a table at rows.

    ```python
    from haystack import Document
    from components.preprocessors.paragraph_splitter import ParagraphSplitter

    out = ParagraphSplitter(min_tokens=0).run([Document(content="Twenty days a year.\\n\\nTen days when ill.")])
    assert [d.content for d in out["documents"]] == ["Twenty days a year.", "Ten days when ill."]
    ```

    :param min_tokens: tokens that a chunk has at least, as far as its section goes; 0 to `max_tokens`.
    :param max_tokens: tokens of a chunk, context header and special tokens included; 32 to 8192, and no more than the model reads.
    :param section_max_chars: characters of a section; a longer one becomes several. 500 to 1,000,000.
    :param model: whose tokenizer counts: `packaged`, a folder or a hub name; None is the embedding model of the settings.
    :raises ValueError: a value outside these bounds.
    """

    def __init__(self, min_tokens: int = 32, max_tokens: int = 240, section_max_chars: int = 12000, model: str | None = None) -> None:
        Splitter.__init__(self, max_tokens, section_max_chars, model)
        self.min_tokens = self.checked("min_tokens", min_tokens, 0, max_tokens)

    def lay_out(self, source: SourceText) -> list[SectionChunks]:
        """Sections at headings, a paragraph a chunk."""
        layout = Layout(self.max_tokens - self.counter.overhead, self.section_max_chars, paragraphs(self.min_tokens), language=source.language)
        return lay_out(source.text, source.blocks, source.title, layout, self.counter.count)


def paragraphs(min_tokens: int) -> Cut:
    """A paragraph a chunk; one of fewer tokens is joined to what follows."""

    def cut(units: Sequence[Unit], limit: Limit) -> list[Piece]:
        return pieces(units, block_runs(units, limit, min_tokens), limit)

    return cut

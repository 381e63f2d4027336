"""Splits documents into sections at their headings, and sections into chunks that an embedding model can read."""

from __future__ import annotations

from haystack import component

from components.preprocessors.chunk_layout import Layout, SectionChunks, lay_out
from components.preprocessors.runs import packed
from components.preprocessors.splitter import SourceText, Splitter


@component
class HeadingSplitter(Splitter):
    """Cuts each document into sections that tile its text, and each section into chunks with exact character ranges.

    Haystack's splitters count words or want a tokenizer from the net, cut across headings and tables, and make ids from the meta, so that
    an edit above gives every chunk below a new id. Here the id hashes the embedded text, and a cut depends on the text beside it
    (`packing.py`), so that an edit changes only the chunks around it.

    A chunk is at most `max_tokens` with its context header and the model's special tokens. It holds whole blocks where they fit, else whole
    sentences, items or rows, else clauses, else words. A proviso stays with the sentence before it, a list with its introduction, a heading
    with its text. Rows of a cut table get the table's columns in their context header.

    ```python
    from haystack import Document
    from components.preprocessors.heading_splitter import HeadingSplitter

    out = HeadingSplitter(max_tokens=64).run([Document(content="Twenty days of leave a year.")])
    assert out["documents"][0].meta["char_end"] == 28 and len(out["sections"]) == 1
    ```

    :param max_tokens: tokens of a chunk, context header and special tokens included; 32 to 8192, and no more than the model reads.
    :param section_max_chars: characters of a section; a longer one becomes several. 500 to 1,000,000.
    :param model: whose tokenizer counts: `packaged`, a folder or a hub name; None is the embedding model of the settings.
    :param overlap_sentences: sentences of the same section repeated from before a chunk, as far as they fit; 0 to 10. With 0, ranges do
        not overlap.
    :raises ValueError: a value outside these bounds.
    """

    def __init__(self, max_tokens: int = 240, section_max_chars: int = 12000, model: str | None = None, overlap_sentences: int = 0) -> None:
        Splitter.__init__(self, max_tokens, section_max_chars, model)
        self.overlap_sentences = self.checked("overlap_sentences", overlap_sentences, 0, 10)

    def lay_out(self, source: SourceText) -> list[SectionChunks]:
        """Sections at headings, packed with whole blocks and sentences."""
        layout = Layout(
            max_tokens=self.max_tokens - self.counter.overhead,
            section_max_chars=self.section_max_chars,
            cut=packed(self.overlap_sentences),
            join_if_short=source.is_record,
            language=source.language,
        )
        return lay_out(source.text, source.blocks, source.title, layout, self.counter.count)

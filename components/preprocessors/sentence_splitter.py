"""Splits documents into chunks of so many sentences."""

from __future__ import annotations

from collections.abc import Sequence

from haystack import component

from components.preprocessors.chunk_layout import Layout, SectionChunks, lay_out
from components.preprocessors.runs import Limit, Piece, numbered_runs, pieces
from components.preprocessors.splitter import SourceText, Splitter
from components.preprocessors.units import Unit


@component
class SentenceSplitter(Splitter):
    """Cuts each section of a document into chunks of `sentences` sentences, with the last `overlap` of the chunk before.

    Haystack's `DocumentSplitter(split_by="sentence")` downloads a sentence model, counts no tokens, and cuts across headings and tables.

    An item of a list, a row of a table and a line of code count as a sentence; a heading belongs to the sentence below it. A proviso
    stays with its rule and a list with its introduction, even beyond the number. A chunk has fewer sentences at the end of a section, where
    more do not fit `max_tokens`, and before some paragraphs, chosen by their text, where counting begins anew so that an edit above changes
    few chunks below.

    ```python
    from haystack import Document
    from components.preprocessors.sentence_splitter import SentenceSplitter

    out = SentenceSplitter(sentences=2, overlap=1).run([Document(content="One is here. Two is here. Three is here. Four is here.")])
    assert [d.content for d in out["documents"]] == ["One is here. Two is here.", "Two is here. Three is here.", "Three is here. Four is here."]
    ```

    :param sentences: sentences of a chunk, those repeated included; 1 to 100.
    :param overlap: sentences repeated from the chunk before, as far as they fit; from 0, less than `sentences`.
    :param max_tokens: tokens of a chunk, context header and special tokens included; 32 to 8192, and no more than the model reads.
    :param section_max_chars: characters of a section; a longer one becomes several. 500 to 1,000,000.
    :param model: whose tokenizer counts: `packaged`, a folder or a hub name; None is the embedding model of the settings.
    :raises ValueError: a value outside these bounds.
    """

    def __init__(self, sentences: int = 5, overlap: int = 1, max_tokens: int = 240, section_max_chars: int = 12000, model: str | None = None) -> None:
        Splitter.__init__(self, max_tokens, section_max_chars, model)
        self.sentences = self.checked("sentences", sentences, 1, 100)
        self.overlap = self.checked_overlap("overlap", overlap, "sentences", sentences)

    def lay_out(self, source: SourceText) -> list[SectionChunks]:
        """Sections at headings, chunks of a number of sentences."""

        def cut(units: Sequence[Unit], limit: Limit) -> list[Piece]:
            runs = numbered_runs(
                units, limit, self.sentences, self.overlap, lambda unit: source.blocks[unit.block]["kind"] not in ("title", "heading")
            )
            return pieces(units, runs, limit, self.overlap)

        layout = Layout(self.max_tokens - self.counter.overhead, self.section_max_chars, cut, language=source.language)
        return lay_out(source.text, source.blocks, source.title, layout, self.counter.count)

"""Splits documents at a hierarchy of separators."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import takewhile

from haystack import component

from components.preprocessors.chunk_layout import Layout, SectionChunks, lay_out
from components.preprocessors.recursive_splitting import recursive_spans
from components.preprocessors.runs import Limit, Piece
from components.preprocessors.splitter import SourceText, Splitter
from components.preprocessors.units import Unit

SEPARATORS = ["\n\n", "\n", ". ", " "]


@component
class RecursiveSplitter(Splitter):
    """Cuts each section of a document at the coarsest separator that gives chunks small enough.

    Haystack's `RecursiveDocumentSplitter` counts words or characters, or the tokens of another model with a file from the net; its chunks run
    across headings, rows of a cut table lose their header, and ids come from the meta.

    Paragraphs are joined as long as they fit; one that does not fit is cut at lines, its lines at stops, and so on, at words and graphemes in the
    end. A cut knows no sentence and no proviso: what is cut depends on characters alone. Rows of a table get its columns in their context
    header.

    ```python
    from haystack import Document
    from components.preprocessors.recursive_splitter import RecursiveSplitter

    out = RecursiveSplitter(max_tokens=32).run([Document(content="Twenty days of leave a year.\\n\\n" * 8)])
    assert all(d.content.startswith("Twenty") and d.content.endswith("year.") for d in out["documents"])
    ```

    :param separators: texts to cut behind, the coarsest first; one at least. None: blank lines, lines, stops, spaces.
    :param overlap: tokens repeated from the chunk before, in whole pieces; from 0, less than `max_tokens`.
    :param max_tokens: tokens of a chunk, context header and special tokens included; 32 to 8192, and no more than the model reads.
    :param section_max_chars: characters of a section; a longer one becomes several. 500 to 1,000,000.
    :param model: whose tokenizer counts: `packaged`, a folder or a hub name; None is the embedding model of the settings.
    :raises ValueError: a value outside these bounds, or separators that are no list of texts.
    """

    def __init__(
        self,
        separators: list[str] | None = None,
        overlap: int = 0,
        max_tokens: int = 240,
        section_max_chars: int = 12000,
        model: str | None = None,
    ) -> None:
        Splitter.__init__(self, max_tokens, section_max_chars, model)
        if separators is not None and not (isinstance(separators, list) and separators and all(isinstance(s, str) and s for s in separators)):
            raise ValueError(f"RecursiveSplitter: separators={separators!r} is not accepted; accepted: a list of texts, none empty, one at least")
        self.separators = separators
        self.overlap = self.checked_overlap("overlap", overlap, "max_tokens", max_tokens)

    def lay_out(self, source: SourceText) -> list[SectionChunks]:
        """Sections at headings, chunks at separators."""

        def cut(units: Sequence[Unit], limit: Limit) -> list[Piece]:
            return self._cut(source, units, min(limit(unit) for unit in units))

        layout = Layout(self.max_tokens - self.counter.overhead, self.section_max_chars, cut, language=source.language)
        return lay_out(source.text, source.blocks, source.title, layout, self.counter.count)

    def _cut(self, source: SourceText, units: Sequence[Unit], most: int) -> list[Piece]:
        starts = [unit.start for unit in units]
        heads = list(takewhile(lambda unit: source.blocks[unit.block]["kind"] in ("title", "heading"), units))
        head = sum(unit.size for unit in heads)
        if len(heads) == len(units) or head > most // 4:
            heads, head = [], 0
        begin, most = starts[len(heads)], most - head  # a heading alone would be no chunk, so the first one has room for it
        separators = self.separators or SEPARATORS
        spans = recursive_spans(source.text, begin, units[-1].end, separators, most, self.counter.count, min(self.overlap, most // 2))
        found: list[Piece] = []
        own = starts[0]
        for start, end, _ in spans:
            first = start if found else starts[0]
            found.append(Piece(first, end, max(first, own), units[max(0, bisect_right(starts, first) - 1)].header_row))
            own = end
        return found

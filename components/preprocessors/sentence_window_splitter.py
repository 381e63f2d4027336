"""Splits documents into single sentences that are shown with the sentences around them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from haystack import component

from components.preprocessors.chunk_layout import Layout, SectionChunks, lay_out
from components.preprocessors.packing import Bound
from components.preprocessors.runs import Limit, Piece
from components.preprocessors.splitter import SourceText, Splitter
from components.preprocessors.units import Unit


@component
class SentenceWindowSplitter(Splitter):
    """Makes a chunk of each sentence, and names the window around it that is to be shown.

    A sentence alone is found exactly, and understood only with its neighbours. Haystack's `SentenceWindowRetriever` fetches neighbouring
    chunks by number, which says nothing of headings; here the payload holds the window's range `[window_start, window_end)` in the text of the
    source, always inside the chunk's section (`parent_id`), whose stored text it is read from.

    An item of a list, a row of a table and a line of code count as a sentence; a heading belongs to the sentence below it. A sentence
    that does not fit `max_tokens` becomes several chunks.

    ```python
    from haystack import Document
    from components.preprocessors.sentence_window_splitter import SentenceWindowSplitter

    out = SentenceWindowSplitter(window=1).run([Document(content="One is here. Two is here. Three is here.")])
    first = out["documents"][0]
    assert first.content == "One is here." and (first.meta["window_start"], first.meta["window_end"]) == (0, 25)
    ```

    :param window: sentences shown on each side of the one that was found; 1 to 20.
    :param max_tokens: tokens of a chunk, context header and special tokens included; 32 to 8192, and no more than the model reads.
    :param section_max_chars: characters of a section; a longer one becomes several. 500 to 1,000,000.
    :param model: whose tokenizer counts: `packaged`, a folder or a hub name; None is the embedding model of the settings.
    :raises ValueError: a value outside these bounds.
    """

    def __init__(self, window: int = 3, max_tokens: int = 240, section_max_chars: int = 12000, model: str | None = None) -> None:
        Splitter.__init__(self, max_tokens, section_max_chars, model)
        self.window = self.checked("window", window, 1, 20)

    def lay_out(self, source: SourceText) -> list[SectionChunks]:
        """Sections at headings, a sentence a chunk."""

        def kind(unit: Unit) -> str:
            return source.blocks[unit.block]["kind"]

        def cut(units: Sequence[Unit], limit: Limit) -> list[Piece]:
            starts = [0]
            size = units[0].size
            for index in range(1, len(units)):
                unit, last = units[index], units[index - 1]
                says_nothing = kind(last) in ("title", "heading") or kind(unit) == "table"  # nor do the header and the rule of a table
                if says_nothing and unit.bound is Bound.GLUED and size + unit.size <= limit(units[starts[-1]]):
                    size += unit.size
                else:
                    starts.append(index)
                    size = unit.size
            return with_windows(units, list(pairwise([*starts, len(units)])), self.window)

        layout = Layout(self.max_tokens - self.counter.overhead, self.section_max_chars, cut, language=source.language)
        return lay_out(source.text, source.blocks, source.title, layout, self.counter.count)


def with_windows(units: Sequence[Unit], runs: Sequence[tuple[int, int]], window: int) -> list[Piece]:
    """Runs of units as chunks, each with the range from `window` runs before it to `window` runs behind it."""
    found: list[Piece] = []
    for number, (first, last) in enumerate(runs):
        left = runs[max(0, number - window)][0]
        right = runs[min(len(runs) - 1, number + window)][1]
        shown = (units[left].start, units[right - 1].end)
        found.append(Piece(units[first].start, units[last - 1].end, units[first].start, units[first].header_row, shown))
    return found

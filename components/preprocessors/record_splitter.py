"""Splits tables into groups of rows, and keeps records whole."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby

from haystack import component

from components.preprocessors.chunk_layout import Layout, SectionChunks, lay_out
from components.preprocessors.context_header import is_rule
from components.preprocessors.packing import Bound
from components.preprocessors.runs import Limit, Piece, numbered_runs, packed_runs, pieces
from components.preprocessors.splitter import SourceText, Splitter
from components.preprocessors.units import Unit


@component
class RecordSplitter(Splitter):
    """Cuts tables into groups of rows that each carry the names of the columns, and leaves a record that fits one chunk whole.

    Haystack's `CSVDocumentSplitter` finds tables in a CSV text at empty rows and knows no limit in tokens; a row's header is left behind.

    A record of a JSON, JSON Lines or CSV file is a document of its own; one that does not fit is cut between its fields. In a table, a row is cut
    only where it does not fit by itself. Where a chunk does not begin with the header row, its context header names the columns. What stands
    around tables is packed as by `HeadingSplitter`, in chunks of its own.

    ```python
    from haystack import Document
    from components.preprocessors.record_splitter import RecordSplitter

    table = "| Grade | Days |\\n| A | 20 |\\n| B | 25 |"
    blocks = [{"kind": "table", "start": 0, "end": len(table)}]
    out = RecordSplitter(rows=1).run([Document(content=table, meta={"blocks": blocks})])
    assert out["documents"][1].meta["context_header"] == "columns: Grade | Days"
    ```

    :param rows: rows of a chunk at most, 1 to 1000; None: as many as fit.
    :param max_tokens: tokens of a chunk, context header and special tokens included; 32 to 8192, and no more than the model reads.
    :param section_max_chars: characters of a section; a longer one becomes several. 500 to 1,000,000.
    :param model: whose tokenizer counts: `packaged`, a folder or a hub name; None is the embedding model of the settings.
    :raises ValueError: a value outside these bounds.
    """

    def __init__(self, rows: int | None = None, max_tokens: int = 240, section_max_chars: int = 12000, model: str | None = None) -> None:
        Splitter.__init__(self, max_tokens, section_max_chars, model)
        self.rows = rows if rows is None else self.checked("rows", rows, 1, 1000)

    def lay_out(self, source: SourceText) -> list[SectionChunks]:
        """Sections at headings, rows in groups."""

        def table(unit: Unit) -> int | None:
            """The table of a unit: the index of its block, or None."""
            return unit.block if source.blocks[unit.block]["kind"] == "table" else None

        def is_row(unit: Unit, named: bool) -> bool:
            return (bool(unit.header_row) or not named) and not is_rule(source.text[unit.start : unit.end])

        def cut(units: Sequence[Unit], limit: Limit) -> list[Piece]:
            runs: list[tuple[int, int]] = []
            for block, members in groupby(range(len(units)), key=lambda index: table(units[index])):
                indexes = list(members)
                group = units[indexes[0] : indexes[-1] + 1]
                found = packed_runs(group, limit)
                if block is not None and self.rows:
                    named = any(unit.header_row for unit in group)
                    found = numbered_runs(group, limit, self.rows, counts=partial(is_row, named=named))
                runs.extend((first + indexes[0], last + indexes[0]) for first, last in found)
            return pieces(units, _with_captions(units, runs, limit), limit)

        layout = Layout(
            self.max_tokens - self.counter.overhead, self.section_max_chars, cut, join_if_short=source.is_record, language=source.language
        )
        return lay_out(source.text, source.blocks, source.title, layout, self.counter.count)


def _with_captions(units: Sequence[Unit], runs: Sequence[tuple[int, int]], limit: Limit) -> list[tuple[int, int]]:
    """Join a run to the one before where its first unit is glued to that and both fit: a heading or "as follows:" and its table."""
    joined: list[tuple[int, int]] = []
    for first, last in runs:
        if joined and units[first].bound is Bound.GLUED:
            begin = joined[-1][0]
            if sum(unit.size for unit in units[begin:last]) <= limit(units[begin]):
                joined[-1] = (begin, last)
                continue
        joined.append((first, last))
    return joined

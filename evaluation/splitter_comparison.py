"""Compares splitters: what a set of questions is, where its answers stand whatever the splitter, and the table of what was measured."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from evaluation.beir import BeirDocument, BeirSet
from evaluation.bootstrap import Interval
from evaluation.questions import Question

if TYPE_CHECKING:
    from rich.table import Table

SHOWN = ("recall@5", "nDCG@10")
_NUMBER = re.compile(r"(?:section|article|clause|rule|sec\.|art\.)?\s*(\d+[A-Z]{0,2})(?![\w])", re.IGNORECASE)
_PREFIX = re.compile(r"[_.\s-]")
_SHARE = 0.4


@dataclass(frozen=True)
class Row:
    """One splitter on one set.

    :param tokens: of all chunks with their headers, for the embedding model.
    :param seconds: indexing, from files to the index.
    """

    splitter: str
    data: str
    metrics: dict[str, Interval]
    queries: int
    documents: int
    chunks: int
    tokens: int
    seconds: float
    notes: tuple[str, ...] = field(default=(), compare=False)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "splitter": self.splitter,
            "set": self.data,
            "metrics": {name: interval.to_json() for name, interval in self.metrics.items()},
            "queries": self.queries,
            "documents": self.documents,
            "chunks": self.chunks,
            "tokens": self.tokens,
            "seconds": round(self.seconds, 1),
            "warnings": list(self.notes),
        }


def sampled(data: BeirSet, count: int | None) -> BeirSet:
    """A set with `count` documents that hold every relevant document of the queries kept; the whole set where None.

    Queries are kept in their order as long as their relevant documents are at most half of the sample; the rest is drawn by a hash of the id.
    """
    if count is None or count >= len(data.corpus):
        return data
    gold: dict[str, None] = {}
    kept: dict[str, str] = {}
    for query, text in data.queries.items():
        own = [document for document, degree in data.qrels[query].items() if degree > 0]
        if kept and len({*gold, *own}) > count // 2:
            break
        gold |= dict.fromkeys(own)
        kept[query] = text
    others = sorted((name for name in data.corpus if name not in gold), key=lambda name: (zlib.crc32(name.encode()), name))
    chosen = {*gold, *others[: max(0, count - len(gold))]}
    corpus = {name: document for name, document in data.corpus.items() if name in chosen}
    qrels = {query: {name: degree for name, degree in data.qrels[query].items() if name in chosen} for query in kept}
    note = f"a sample of {len(corpus)} of {len(data.corpus)} documents with {len(kept)} of {len(data.queries)} queries"
    return replace(data, corpus=corpus, queries=kept, qrels=qrels, notes=[*data.notes, note])


def question_set(name: str, questions: Sequence[Question]) -> BeirSet:
    """Answerable questions as a test collection whose documents are their gold sources and sections.

    :raises ValueError: no question is answerable.
    """
    asked = {q.id: q for q in questions if q.answerable}
    if not asked:
        raise ValueError(f"{name}: no question is answerable; accepted: at least one")
    corpus = {gold: BeirDocument(gold, "", "") for q in asked.values() for gold in q.gold}
    return BeirSet(name, "all", corpus, {i: q.question for i, q in asked.items()}, {i: dict.fromkeys(q.gold, 1) for i, q in asked.items()})


@dataclass(frozen=True)
class Stretch:
    """A numbered section of a source: `[start, end)` in its text."""

    name: str
    start: int
    end: int


def stretches(sections: Iterable[Mapping[str, Any]]) -> dict[str, list[Stretch]]:
    """The numbered sections of each source from the meta of sections that were cut at headings.

    A section is named `PREFIX_NUMBER`: the file's name up to the first `_`, `-`, `.` or space, and the number that its heading begins with.
    """
    found: dict[str, list[Stretch]] = {}
    for meta in sorted(sections, key=lambda m: (str(m["source_id"]), m["char_start"])):
        own = found.setdefault(str(meta["source_id"]), [])
        names = [match.group(1) for heading in reversed(meta.get("heading_path") or []) if (match := _NUMBER.match(heading))]
        if not names:
            continue
        name = f"{_PREFIX.split(str(meta.get('file_name') or ''))[0]}_{names[0]}"
        if own and own[-1].name == name and own[-1].end == meta["char_start"]:
            own[-1] = replace(own[-1], end=meta["char_end"])
        else:
            own.append(Stretch(name, meta["char_start"], meta["char_end"]))
    return found


def answers_of(meta: Mapping[str, Any], places: Mapping[str, Sequence[Stretch]]) -> list[str]:
    """What a passage counts as: its record, its file, and the numbered sections of which it is, or holds, two fifths; those it holds most first."""
    names = [str(meta["record_id"])] if meta.get("record_id") else []
    start, end = meta["char_start"], meta["char_end"]
    shares: list[tuple[int, str]] = []
    for stretch in places.get(str(meta["source_id"]), ()):
        common = min(end, stretch.end) - max(start, stretch.start)
        if common > 0 and common >= _SHARE * min(end - start, stretch.end - stretch.start):
            shares.append((-common, stretch.name))
    names += [name for _, name in sorted(shares)]
    uri = str(meta.get("uri") or "").partition("#")[0]
    return [*names, str(meta.get("file_name") or PurePosixPath(uri).name)]


def counted(names: Sequence[str], gold: Mapping[str, int]) -> list[str]:
    """What a passage counts as for one question: each answer that it holds, else the first of its names."""
    return [name for name in names if gold.get(name, 0) > 0] or list(names[:1])


def comparison_table(data: str, rows: Sequence[Row]) -> Table:
    """The splitters on one set, for a terminal."""
    from rich.table import Table

    first = rows[0]
    table = Table(title=f"{data}: {first.documents} documents, {first.queries} questions", caption="means with 95 % bootstrap intervals")
    for column in ("splitter", *SHOWN, "chunks", "tokens", "seconds"):
        table.add_column(column, justify="left" if column == "splitter" else "right", no_wrap=True)
    for row in rows:
        values = [f"{_short(i.value, 3)} ({_short(i.low, 2)}–{_short(i.high, 2)})" for i in (row.metrics[name] for name in SHOWN)]
        table.add_row(row.splitter, *values, f"{row.chunks:,}", f"{row.tokens:,}", f"{row.seconds:.0f}")
    return table


def _short(value: float, digits: int) -> str:
    """A share without the zero before the point."""
    return f"{value:.{digits}f}".removeprefix("0")

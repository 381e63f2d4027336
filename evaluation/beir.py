"""Reads a test collection in the layout of BEIR: `corpus.jsonl`, `queries.jsonl` and `qrels/SPLIT.tsv`, each plain or with `.gz`.

Thakur et al., "BEIR: A heterogeneous benchmark for zero-shot evaluation of information retrieval models", NeurIPS 2021.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evaluation.data import DataError, read_set, read_text

DEFAULT_SPLIT = "test"
Qrels = dict[str, dict[str, int]]
"""Query id to document id to the degree of relevance, whole numbers; above 0 is relevant."""


@dataclass(frozen=True)
class BeirDocument:
    """A document of a collection."""

    id: str
    title: str
    text: str


@dataclass(frozen=True)
class BeirSet:
    """A test collection.

    :param queries: those that have a relevant document in this split, in the order of the file: id to text.
    :param qrels: the judgements of these queries.
    :param notes: what a reader of the measures should know of the files, a line each.
    """

    name: str
    split: str
    corpus: dict[str, BeirDocument]
    queries: dict[str, str]
    qrels: Qrels
    notes: list[str] = field(default_factory=list)

    @property
    def digest(self) -> str:
        """Hash of the corpus, 64 hex digits: ids, titles and texts, whatever the order of the file."""
        digest = hashlib.sha256()
        for document in sorted(self.corpus.values(), key=lambda d: d.id):
            for part in (document.id, document.title, document.text):
                data = part.encode("utf-8", "surrogatepass")
                digest.update(len(data).to_bytes(8, "big"))
                digest.update(data)
        return digest.hexdigest()

    def limited(self, count: int | None) -> BeirSet:
        """The set with its first `count` queries; all where None. The corpus stays whole, so that figures of different limits compare."""
        if count is None or count >= len(self.queries):
            return self
        kept = dict(list(self.queries.items())[:count])
        note = f"the first {count} of {len(self.queries)} queries"
        return replace(self, queries=kept, qrels={q: self.qrels[q] for q in kept}, notes=[*self.notes, note])


def read_beir(folder: Path | str, split: str | None = None) -> BeirSet:
    """Read a folder.

    :param split: name of a file below `qrels/`; None: `test` where there is one, else the only one.
    :raises DataError: a file that is missing or malformed (named with its line), a judgement of a document or query that does not exist,
        several splits and none chosen, or no query with a relevant document.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; accepted: one with corpus.jsonl, queries.jsonl and qrels/*.tsv")
    corpus_file, queries_file = _file(folder / "corpus.jsonl"), _file(folder / "queries.jsonl")
    qrels_file = _qrels_file(folder, split)
    corpus = {document.id: document for document in read_set(corpus_file, _document, key=lambda document: document.id)}
    queries = dict(read_set(queries_file, _query, key=lambda query: query[0]))
    qrels = read_qrels(qrels_file, queries, corpus)
    judged = {query: text for query, text in queries.items() if any(score > 0 for score in qrels.get(query, {}).values())}
    if not judged:
        raise DataError(f"{qrels_file}: no query has a relevant document; accepted: at least one line with a score above 0")
    notes = []
    if left := len(queries) - len(judged):
        notes.append(f"{left} of {len(queries)} queries have no relevant document in {qrels_file.name} and are left out")
    if empty := [d.id for d in corpus.values() if not d.text.strip() and not d.title.strip()]:
        notes.append(f"{len(empty)} of {len(corpus)} documents are empty and cannot be found: {_some(empty)}")
    name = qrels_file.name.partition(".")[0]
    return BeirSet(folder.resolve().name, name, corpus, judged, {query: qrels[query] for query in judged}, notes)


def read_qrels(path: Path, queries: Iterable[str], documents: Iterable[str]) -> Qrels:
    """Read judgements: three columns `query-id`, `corpus-id`, `score`, or the four of TREC, with tabs or spaces between; a header is passed over.

    :raises DataError: a line that is malformed, judges twice differently, or names a query or document that does not exist.
    """
    known_queries, known_documents = set(queries), set(documents)
    qrels: Qrels = {}
    unknown: dict[str, list[tuple[int, str]]] = {"document": [], "query": []}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        columns = line.split("\t") if "\t" in line else line.split()
        columns = [column.strip() for column in columns]
        if not any(columns) or (number == 1 and not _is_number(columns[-1])):
            continue
        if len(columns) == 4:
            columns = [columns[0], *columns[2:]]
        if len(columns) != 3 or not columns[0] or not columns[1]:
            raise DataError(f"{path}:{number}: {len(columns)} columns; accepted: query-id, corpus-id and score with tabs between")
        query, document, score = columns
        if not _is_number(score):
            raise DataError(f"{path}:{number}: score {score!r}; accepted: a whole number, above 0 for relevant")
        if query not in known_queries:
            unknown["query"].append((number, query))
        if document not in known_documents:
            unknown["document"].append((number, document))
        degree = int(float(score))
        if qrels.setdefault(query, {}).setdefault(document, degree) != degree:
            raise DataError(f"{path}:{number}: {document!r} was judged {qrels[query][document]} for {query!r} before; accepted: one judgement a pair")
    for kind, places in unknown.items():
        if places:
            number, name = places[0]
            file = {"document": "corpus.jsonl", "query": "queries.jsonl"}[kind]
            more = f", nor those of {len(places) - 1} more lines" if len(places) > 1 else ""
            raise DataError(f"{path}:{number}: {kind} {name!r} is not in {file}{more}; accepted: ids that are there")
    return qrels


def _is_number(text: str) -> bool:
    try:
        return float(text).is_integer()
    except (ValueError, OverflowError):
        return False


def _file(path: Path) -> Path:
    for candidate in (path, path.with_name(f"{path.name}.gz")):
        if candidate.is_file():
            return candidate
    raise DataError(f"{path}: no such file, nor {path.name}.gz; accepted: the layout of BEIR")


def _qrels_file(folder: Path, split: str | None) -> Path:
    found = sorted([*(folder / "qrels").glob("*.tsv"), *(folder / "qrels").glob("*.tsv.gz")])
    splits = {path.name.partition(".tsv")[0]: path for path in found}
    if not splits:
        raise DataError(f"{folder / 'qrels'}: no *.tsv; accepted: a file of judgements for each split, for instance test.tsv")
    if split is None and len(splits) == 1:
        return found[0]
    if (split or DEFAULT_SPLIT) not in splits:
        asked = f"no split {split!r}" if split else "several splits and none chosen"
        raise DataError(f"{folder / 'qrels'}: {asked}; accepted: {', '.join(splits)}")
    return splits[split or DEFAULT_SPLIT]


def _text(row: dict[str, Any], name: str, *, required: bool) -> str:
    value = row.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or (required and not value.strip()):
        raise ValueError(f"field {name!r}: {value!r}; accepted: a text")
    return value


def _id(row: dict[str, Any]) -> str:
    value = row.get("_id", row.get("id"))
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise ValueError(f"field '_id': {value!r}; accepted: a text or a whole number")
    return str(value).strip()


def _document(row: dict[str, Any]) -> BeirDocument:
    if not isinstance(row.get("text"), str):
        raise ValueError(f"field 'text': {row.get('text')!r}; accepted: a text")
    return BeirDocument(_id(row), _text(row, "title", required=False), row["text"])


def _query(row: dict[str, Any]) -> tuple[str, str]:
    return _id(row), _text(row, "text", required=True)


def _some(names: list[str], shown: int = 5) -> str:
    return ", ".join(names[:shown]) + (f" and {len(names) - shown} more" if len(names) > shown else "")

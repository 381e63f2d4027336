"""Data for `sakshya train`: passages of an index or of folders, questions for them, and what both legs of retrieval find for each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haystack import Document

from app import query
from app.errors import SakshyaError, UsageError
from app.explaining import documents_of
from app.graphs import load_graph
from app.indexing import index_paths
from app.sources import equals
from app.store import graph_store
from app.tracing import collect_runs, collect_stages
from components.access.principal import Principal, acting_as
from components.rankers.learned_ranker import candidate
from evaluation.beir import BeirSet
from evaluation.training.mined import Found
from evaluation.training.questions import Asked, Passage

COLLECTION = "training"
DEPTH = 40


@dataclass(frozen=True)
class Corpus:
    """An index that questions are made of and asked of.

    :param search: a question to the candidates of both legs, as they are before any ranker that reads them.
    """

    passages: list[Passage]
    search: Callable[[str], list[Found]]


@contextmanager
def corpus(paths: Sequence[str], folder: Path, principal: Principal, graph: str, index_graph: str) -> Iterator[Corpus]:
    """The index of the settings, or, where paths are given, one made of them in `folder` and kept there.

    :raises SakshyaError: nothing is indexed.
    """
    with ExitStack() as stack:
        where: dict[str, Any] | None = None
        if paths:
            where = {"path": str(folder.resolve()), "index": COLLECTION}
            indexing = load_graph(index_graph, phase="indexing", store=where)
            store = graph_store(indexing)
            if store is not None:
                stack.callback(store.shutdown)
            report = index_paths(
                lambda values: indexing.run(values).get("report", {}),
                list(paths),
                store=store,
                tenant=principal.tenant,
                graph_version=indexing.version,
            )
            if failed := report["failed"]:
                raise SakshyaError(f"{len(failed)} sources could not be indexed; {failed[0]['source']}: {failed[0]['reason']}")
        yield read_corpus(graph, principal, where)


def read_corpus(graph: str, principal: Principal, where: dict[str, Any] | None) -> Corpus:
    """What an index holds for a principal.

    :param where: parameters of the store; None: the graph's own.
    :raises SakshyaError: nothing.
    """
    loaded = load_graph(graph, phase="query", only=["documents"], store=where)
    query.require_index(loaded)
    store = graph_store(loaded)
    with acting_as(principal):
        documents = store.filter_documents(equals("kind", "chunk"), with_embeddings=False) if store is not None else []
    if not documents:
        raise SakshyaError("the index holds no passage that may be read; accepted: an index with documents, or PATH...")
    documents.sort(key=lambda d: d.id)
    loaded.warm_up()

    def search(text: str) -> list[Found]:
        with acting_as(principal), collect_stages(), collect_runs() as runs:
            asyncio.run(query.retrieve(loaded, text, principal=principal))
        given = [documents_of(run.outputs.get("documents")) for run in runs]
        fused = [
            found for found in given if found and any(d.meta.get("ranks") for d in found) and not any("ranker" in d.meta["ranks"] for d in found)
        ]
        return [_found(d) for d in (fused[-1] if fused else [])[:DEPTH]]

    return Corpus([passage(d) for d in documents], search)


def passage(document: Document) -> Passage:
    """A chunk as a passage."""
    meta = document.meta
    headings = tuple(str(one) for one in meta.get("heading_path") or ())
    return Passage(document.id, str(meta.get("source_id") or ""), document.content or "", str(meta.get("title") or ""), headings)


def _read(document: Document) -> bool:
    """Whether a ranker that reads passages, or one that learned, has been over it already."""
    return not {"ranker", "learned"}.isdisjoint(document.meta.get("ranks") or {})


def _found(document: Document) -> Found:
    one = candidate(document)
    return Found(document.id, str(document.meta.get("source_id") or ""), one.text, one.title, one.fused, one.dense, one.sparse)


def judged_questions(data: BeirSet, passages: Sequence[Passage], source_of: Callable[[str], str]) -> list[Asked]:
    """The questions of a test collection over its index: relevant are the passages of the documents judged so.

    :param source_of: a document's id to its source in the index.
    """
    first = {}
    for one in passages:
        first.setdefault(one.source, one)
    asked = []
    for name, text in data.queries.items():
        sources = [source_of(document) for document, grade in data.qrels[name].items() if grade > 0]
        there = [first[source] for source in sources if source in first]
        if there:
            asked.append(Asked(text, "judged", there[0].source, frozenset(sources), there[0].text))
    return asked


@contextmanager
def judged_corpora(folder: Path, kept: Path, graph: str) -> Iterator[tuple[str, Corpus, list[Asked]]]:
    """A test collection: its name, its index, and its questions.

    :param kept: folder of indexes; one that is there already is taken.
    :raises UsageError: it cannot be read.
    """
    from app.evaluating import ASKER, prepared_index
    from components.access.principal import DEFAULT_TENANT
    from components.chunk import source_id
    from evaluation.beir import read_beir
    from evaluation.data import DataError

    try:
        data = read_beir(folder)
    except DataError as error:
        raise UsageError(str(error)) from None
    with prepared_index(data, folder=kept) as index:
        made = read_corpus(graph, ASKER, index.where)
        yield data.name, made, judged_questions(data, made.passages, lambda name: source_id(DEFAULT_TENANT, "", name))

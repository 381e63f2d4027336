"""Comparing splitters through the graphs: each set indexed with each of them, then asked through one query graph."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app import query
from app.errors import GraphError, SakshyaError, UsageError
from app.evaluating import ASKER, COLLECTION, measure_graph, prepared_index
from app.graphs import Graph, load_graph
from app.indexing import index_paths
from app.sources import keeper
from app.store import graph_store
from components.access.principal import DEFAULT_TENANT, acting_as
from components.chunk import embedded_text
from components.embedders.embedding_model import embedding_model
from components.preprocessors.token_counter import TokenCounter
from evaluation.beir import BeirSet, read_beir
from evaluation.data import DataError
from evaluation.questions import read_questions
from evaluation.retrieval import RetrievalReport, Retrieved, evaluate_retrieval
from evaluation.splitter_comparison import Row, Stretch, answers_of, counted, question_set, sampled, stretches
from evaluation.splitter_variants import VARIANTS

HEADING = "heading"
SPLITTERS = (HEADING, *VARIANTS)
_KEPT = "{}: its index was there already, so its seconds say nothing"


@dataclass(frozen=True)
class TestSet:
    """A set of questions, and the files that are asked; None where the questions bring their corpus."""

    data: BeirSet
    files: Path | None = None


def read_set(argument: str, split: str | None, sample: int | None) -> TestSet:
    """A set from the command line: a BEIR folder, or `FILES=QUESTIONS`.

    :raises UsageError: it is neither, or cannot be read.
    """
    files, equals, questions = argument.rpartition("=")
    try:
        if not equals:
            return TestSet(sampled(read_beir(argument, split), sample))
        if not Path(files).exists():
            raise UsageError(f"{files}: no such file or folder; accepted: a folder in the layout of BEIR, or FILES=QUESTIONS.jsonl")
        name = "-".join(part for part in Path(files).resolve().parts[-2:] if part != "/")
        return TestSet(question_set(name, read_questions(questions)), Path(files))
    except (DataError, ValueError, OSError) as error:
        raise UsageError(str(error)) from None


def index_graph(splitter: str) -> str:
    """The indexing graph of a splitter.

    :raises UsageError: there is none.
    """
    if splitter not in SPLITTERS:
        raise UsageError(f"splitter {splitter!r} is not known; accepted: {', '.join(SPLITTERS)}")
    return "index" if splitter == HEADING else f"splitters/index_{splitter}"


def compare_splitter(splitter: str, test: TestSet, graph: str, folder: Path, places: dict[str, list[Stretch]], seed: int) -> Row:
    """Index a set with one splitter and ask it.

    :param graph: the query graph.
    :param folder: where the indexes of this comparison lie.
    :param places: numbered sections of the files by source; filled by the first splitter, so one that cuts at headings goes first.
    :raises SakshyaError: nothing could be indexed.
    """
    name = index_graph(splitter)
    started = time.monotonic()
    if test.files is None:
        with prepared_index(test.data, name, folder=folder / splitter) as prepared:
            seconds = time.monotonic() - started
            notes = [] if prepared.embedded else [_KEPT.format(splitter)]
            report = measure_graph(graph, test.data, prepared, seed=seed).noted(notes)
            return _row(splitter, test, report, load_graph(name, phase="indexing", store=prepared.where), seconds)
    where = {"path": str(folder / f"{test.data.name}-{splitter}"), "index": COLLECTION}
    loaded = load_graph(name, phase="indexing", store=where)
    loaded.warm_up()
    store = graph_store(loaded)
    if store is None:
        raise GraphError(f"{loaded.path.name}: it has no Sakshya store, so what it indexes cannot be found again")
    started = time.monotonic()
    indexed = index_paths(lambda values: loaded.run(values).get("report", {}), [test.files], store=store, graph_version=loaded.version)
    seconds = time.monotonic() - started
    if not _documents(loaded, "chunk"):
        raise SakshyaError(f"{test.files}: nothing could be indexed; {indexed['failed'][:1]}")
    notes = [_KEPT.format(splitter)] if indexed["unchanged"] else []
    if not places:
        places |= stretches(_points(loaded, "section"))
    try:
        return _row(splitter, test, _ask(graph, test.data, where, places, seed).noted(notes), loaded, seconds)
    finally:
        store.shutdown()


def _ask(graph: str, data: BeirSet, where: dict[str, Any], places: dict[str, list[Stretch]], seed: int) -> RetrievalReport:
    loaded = load_graph(graph, phase="query", only=["documents"], store=where)
    loaded.warm_up()
    gold = {text: data.qrels[name] for name, text in data.queries.items()}

    def search(text: str) -> Retrieved:
        try:
            documents, _ = asyncio.run(query.retrieve(loaded, text, principal=ASKER))
        except GraphError as error:
            return Retrieved((), failed=str(error))
        return Retrieved([name for document in documents for name in counted(answers_of(document.meta, places), gold[text])])

    return evaluate_retrieval(data, search, seed=seed, graph=loaded.name)


def _points(graph: Graph, kind: str) -> Iterable[dict[str, Any]]:
    return ({**document.meta, "content": document.content} for document in _documents(graph, kind))


def _documents(graph: Graph, kind: str) -> Sequence[Any]:
    store = graph_store(graph)
    if store is None:
        return []
    with acting_as(keeper(DEFAULT_TENANT)):
        return store.filter_documents({"field": "meta.kind", "operator": "==", "value": kind}, with_embeddings=False)


def _row(splitter: str, test: TestSet, report: RetrievalReport, graph: Graph, seconds: float) -> Row:
    chunks = _documents(graph, "chunk")
    counter = TokenCounter(embedding_model())
    texts = [embedded_text(chunk.content or "", chunk.meta.get("context_header", "")) for chunk in chunks]
    notes = [*report.notes, *(f"{name}: {reason}" for name, reason in report.failed.items())]
    documents = len({chunk.meta["source_id"] for chunk in chunks})
    return Row(
        splitter, test.data.name, report.metrics, len(report.queries), documents, len(chunks), sum(counter.count(texts)), seconds, tuple(notes)
    )

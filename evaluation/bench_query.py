"""How fast the query funnel finds and fuses its candidates, beside Haystack's stock parts, on one machine in one run.

    python -m evaluation.bench_query --chunks 10000

Ours: the embedded index, DenseRetriever, BM25Retriever, ReciprocalRankFuser. Stock: Qdrant's `:memory:` store with QdrantEmbeddingRetriever,
InMemoryDocumentStore with InMemoryBM25Retriever, DocumentJoiner. Both are Haystack pipelines run one query at a time, in alternation, on the
same chunks, with the embedding of the question given. Ours also applies the access filter of an anonymous user; the stock has none.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from haystack import Pipeline

from components.access.principal import ANONYMOUS, Principal, acting_as
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from components.embedders.bm25_document_embedder import BM25DocumentEmbedder
from components.embedders.bm25_text_embedder import BM25TextEmbedder
from components.embedders.embedding_model import embedding_model
from components.joiners.reciprocal_rank_fuser import ReciprocalRankFuser
from components.retrievers.bm25_retriever import BM25Retriever
from components.retrievers.dense_retriever import DenseRetriever
from config.settings import home
from evaluation.bench_corpus import DESCRIPTION, Passages, grow, read_passages
from evaluation.latency import quantiles_ms, ratio

TOP_K = 50
WARM_UP = 3
"""Queries a side before the clock runs."""
SPAN = 8
"""Words in a question."""
QUIET: Callable[[str, int, int], None] = lambda stage, done, total: None  # noqa: E731


def ours(store: SakshyaDocumentStore) -> Pipeline:
    """Both legs and the fuser of the default query graph."""
    pipeline = Pipeline()
    pipeline.add_component("terms", BM25TextEmbedder())
    pipeline.add_component("dense", DenseRetriever(store, top_k=TOP_K))
    pipeline.add_component("bm25", BM25Retriever(store, top_k=TOP_K))
    pipeline.add_component("fuser", ReciprocalRankFuser(top_k=TOP_K))
    pipeline.connect("terms.sparse_embedding", "bm25.query_sparse_embedding")
    pipeline.connect("dense.documents", "fuser.dense")
    pipeline.connect("bm25.documents", "fuser.sparse")
    return pipeline


def stock(dense_store: Any, bm25_store: Any) -> Pipeline:
    """The same from Haystack's own parts."""
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack_integrations.components.retrievers.qdrant import QdrantEmbeddingRetriever

    pipeline = Pipeline()
    pipeline.add_component("dense", QdrantEmbeddingRetriever(dense_store, top_k=TOP_K))
    pipeline.add_component("bm25", InMemoryBM25Retriever(bm25_store, top_k=TOP_K))
    pipeline.add_component("fuser", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=TOP_K))
    pipeline.connect("dense.documents", "fuser.documents")
    pipeline.connect("bm25.documents", "fuser.documents")
    return pipeline


def questions(texts: list[str], count: int, seed: int) -> list[str]:
    """`count` runs of `SPAN` words from the passages."""
    rng = np.random.default_rng([seed, 1])
    spans = []
    for text in rng.choice(texts, size=count):
        words = str(text).split()
        start = int(rng.integers(0, max(1, len(words) - SPAN)))
        spans.append(" ".join(words[start : start + SPAN]))
    return spans


def measure(
    texts: Path, chunks: int, queries: int = 60, seed: int = 0, folder: Path | None = None, progress: Callable[[str, int, int], None] = QUIET
) -> dict[str, Any]:
    """Build both sides, ask both the same questions, and report.

    :param texts: a text file or folder that the corpus is grown from.
    :param chunks: 100 or more.
    :param queries: 2 or more.
    :param folder: keep our index here, and take one of the same size, seed and texts from here; None: a temporary one.
    :param progress: called with the stage, what is done and how much there is.
    :returns: the report, plain JSON data.
    :raises ValueError: a parameter out of its range, or too few texts.
    """
    if chunks < 100 or queries < 2:
        raise ValueError(f"{chunks} chunks, {queries} queries; accepted: 100 or more chunks, 2 or more queries")
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from haystack_integrations.document_stores.qdrant import QdrantDocumentStore

    model = embedding_model()
    passages = read_passages(texts)
    seeds = Passages(passages, model.encode_passages(passages))
    asked = questions(passages, queries, seed)
    vectors, embedding_s = [], []
    for question in asked:
        begin = time.perf_counter()
        vectors.append(model.encode_queries([question])[0].tolist())
        embedding_s.append(time.perf_counter() - begin)

    dimension = seeds.vectors.shape[1]
    bm25_store = InMemoryDocumentStore(bm25_algorithm="BM25Okapi")
    dense_store = QdrantDocumentStore(":memory:", embedding_dim=dimension, progress_bar=False)
    build = {"ours_write_s": 0.0, "ours_optimize_s": 0.0, "stock_qdrant_write_s": 0.0, "stock_bm25_write_s": 0.0}
    with _own_store(folder, f"{chunks}_{seed}_{_digest([*passages, model.name])}") as (store, ready):
        embedder = BM25DocumentEmbedder()
        matrix = np.empty((chunks, dimension), dtype=np.float32)
        done = 0
        for documents, batch in grow(seeds, chunks, seed):
            matrix[done : done + len(documents)] = batch
            if not ready:
                with _clock(build, "ours_write_s"), acting_as(Principal.system()):
                    store.write_documents(embedder.run(documents)["documents"])
            with _clock(build, "stock_qdrant_write_s"):
                dense_store.write_documents(documents)
            bare = [replace(document, embedding=None) for document in documents]  # its retriever would copy the vectors along
            with _clock(build, "stock_bm25_write_s"):
                bm25_store.write_documents(bare)
            done += len(documents)
            progress("building both", done, chunks)
        if not ready:
            progress("optimising ours", 0, 1)
            with _clock(build, "ours_optimize_s"), acting_as(Principal.system()):
                store.optimize()
            progress("optimising ours", 1, 1)
        with acting_as(ANONYMOUS):
            times, found = _ask(ours(store), stock(dense_store, bm25_store), asked, vectors, progress)
            recall = _recall(store, vectors, matrix)
    return {
        "chunks": chunks,
        "queries": queries,
        "top_k": TOP_K,
        "corpus": f"{DESCRIPTION}; grown from {len(passages)} passages of {texts.name}",
        "index_reused": ready,
        "ours_ms": quantiles_ms(times["ours"]),
        "stock_ms": quantiles_ms(times["stock"]),
        "ratio_p50": ratio(times["stock"], times["ours"], 50),
        "ratio_p95": ratio(times["stock"], times["ours"], 95),
        "query_embedding_ms": quantiles_ms(embedding_s),
        "dense_recall@50": recall,
        "documents_returned": found,
        "build_s": {name: round(value, 1) for name, value in build.items()},
        "machine": {
            "cpus": os.cpu_count(),
            "load_1min": round(os.getloadavg()[0], 1),
            "python": platform.python_version(),
            "system": platform.system(),
        },
    }


def _ask(
    our: Pipeline, their: Pipeline, asked: list[str], vectors: list[list[float]], progress: Callable[[str, int, int], None]
) -> tuple[dict[str, list[float]], dict[str, int]]:
    runs: dict[str, Callable[[str, list[float]], dict[str, Any]]] = {
        "ours": lambda question, vector: our.run({"terms": {"text": question}, "dense": {"query_embedding": vector}}),
        "stock": lambda question, vector: their.run({"bm25": {"query": question}, "dense": {"query_embedding": vector}}),
    }
    for run in runs.values():
        for question, vector in zip(asked[:WARM_UP], vectors, strict=False):
            run(question, vector)
    times: dict[str, list[float]] = {"ours": [], "stock": []}
    found = dict.fromkeys(runs, 0)
    for n, (question, vector) in enumerate(zip(asked, vectors, strict=True)):
        for side in ("ours", "stock") if n % 2 else ("stock", "ours"):
            begin = time.perf_counter()
            out = runs[side](question, vector)
            times[side].append(time.perf_counter() - begin)
            found[side] += len(out["fuser"]["documents"])
        progress("asking both", n + 1, len(asked))
    return times, found


def _recall(store: SakshyaDocumentStore, vectors: list[list[float]], matrix: np.ndarray) -> float:
    """Share of the exact nearest `TOP_K` that our dense leg finds, over all questions."""
    retriever = DenseRetriever(store, top_k=TOP_K)
    hits = 0
    for vector in vectors:
        similar = matrix @ np.asarray(vector, dtype=np.float32)
        exact = {f"chunk-{i}" for i in np.argpartition(-similar, TOP_K)[:TOP_K]}
        hits += len(exact & {d.id for d in retriever.run(vector)["documents"]})
    return round(hits / (TOP_K * len(vectors)), 4)


def _digest(texts: list[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:8]


@contextmanager
def _own_store(folder: Path | None, name: str) -> Iterator[tuple[SakshyaDocumentStore, bool]]:
    """Our store, and whether it holds the corpus already."""
    with tempfile.TemporaryDirectory(prefix="sakshya-bench-") as temporary:
        place = (folder or Path(temporary)) / name
        complete = place / "complete"
        ready = complete.is_file()
        store = SakshyaDocumentStore(path=str(place / "index"), index="bench")
        try:
            if not ready:
                with acting_as(Principal.system()):
                    store.delete_all_documents()  # what a broken run left
            yield store, ready
            complete.touch()
        finally:
            store.shutdown()


@contextmanager
def _clock(into: dict[str, float], name: str) -> Iterator[None]:
    begin = time.perf_counter()
    try:
        yield
    finally:
        into[name] += time.perf_counter() - begin


def _table(report: dict[str, Any]) -> Any:
    from rich.table import Table

    table = Table(title=f"{report['chunks']} chunks, {report['queries']} queries, top {report['top_k']} fused", caption=report["corpus"])
    for column in ("", "p50 ms", "p95 ms"):
        table.add_column(column, justify="right" if column else "left")
    for side in ("ours", "stock"):
        table.add_row(side, *(f"{report[f'{side}_ms'][p]:.1f}" for p in ("p50", "p95")))
    table.add_row("stock / ours (95 % interval)", *("{value:.1f} ({low:.1f} to {high:.1f})".format(**report[f"ratio_{p}"]) for p in ("p50", "p95")))
    table.add_row("embedding the question, not included", *(f"{report['query_embedding_ms'][p]:.1f}" for p in ("p50", "p95")))
    table.add_row(f"our dense leg finds {report['dense_recall@50']:.1%} of the exact top {report['top_k']}", "", "")
    table.add_row("seconds to build: " + ", ".join(f"{name[:-2].replace('_', ' ')} {value:g}" for name, value in report["build_s"].items()), "", "")
    return table


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line. Exit codes: 0 done, 2 wrong use."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    parser = argparse.ArgumentParser(prog="python -m evaluation.bench_query", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--chunks", type=int, default=10_000, help="chunks in the index (10000); 100000 takes minutes to build")
    parser.add_argument("--queries", type=int, default=60, help="questions asked of each side (60)")
    parser.add_argument("--texts", type=Path, default=None, help="text file or folder that the corpus is grown from (examples/documents)")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (0)")
    parser.add_argument("--folder", type=Path, default=None, help="keep our index here and use it again")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    given = parser.parse_args(arguments)
    err = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=err, disable=not err.is_terminal
    ) as bar:
        tasks: dict[str, Any] = {}

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done)

        try:
            report = measure(given.texts or home() / "examples" / "documents", given.chunks, given.queries, given.seed, given.folder, progress)
        except ValueError as error:
            err.print(f"[red]{error}", highlight=False)
            return 2
    if given.json:
        print(json.dumps(report))
    else:
        Console().print(_table(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())

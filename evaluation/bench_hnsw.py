"""How the graph index (HNSW) grows: recall against exact search, time, size and build time at several sizes, with and without a filter.

    python -m evaluation.bench_hnsw --seeds embeddings.npy --chunks 10000 --chunks 100000 --plot docs/hnsw.svg

The vectors are grown from real embeddings (`evaluation.realistic_vectors`), the chunks of a source near one another; they go through the store
that questions go through, with the access filter of a person. Without `--seeds`, the chunks of your own index are the real ones.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from haystack import Document

from components.access.principal import DEFAULT_TENANT, PUBLIC, Principal, acting_as
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from evaluation.ann_recall import EFS, TOP_K, index_facts, measure_recall, recall_table
from evaluation.growth_plot import growth_svg
from evaluation.realistic_vectors import Grower, normalised
from evaluation.stored_vectors import stored_vectors

if TYPE_CHECKING:
    from evaluation.ann_recall import RecallRow

PER_SOURCE = 20
BATCH = 2000
QUESTIONS = 200
SEEDS = 5000
HELD_OUT = 0.05
"""Share of the real vectors that are kept out of the corpus as queries, where no questions are given."""
QUIET: Callable[[str, int, int], None] = lambda stage, done, total: None  # noqa: E731


def prepare(seeds: np.ndarray, questions: np.ndarray | None, queries: int = QUESTIONS, seed: int = 0) -> tuple[Grower, np.ndarray]:
    """What grows the corpus, and the vectors to search with.

    :param seeds: real embeddings of passages, a row each.
    :param questions: embeddings of questions by the same model; None: a part of the seeds is kept out of the corpus and asked.
    :param queries: vectors to search with at most.
    :raises ValueError: too few seeds, or of another dimension than the questions.
    """
    rng = np.random.default_rng([seed, 11])
    real = normalised(seeds)
    if questions is None:
        order = rng.permutation(len(real))
        held = max(1, round(HELD_OUT * len(real)))
        asked, real = real[order[:held]], real[order[held:]]
    else:
        asked = normalised(questions)
    if asked.shape[1] != real.shape[1]:
        raise ValueError(f"questions of {asked.shape[1]} dimensions, passages of {real.shape[1]}; accepted: those of one model")
    return Grower.of(real, seed), asked[rng.permutation(len(asked))[:queries]]


def measure(
    grower: Grower,
    asked: np.ndarray,
    chunks: int,
    *,
    m: int | None = None,
    ef_construct: int | None = None,
    efs: Sequence[int | None] = EFS,
    top_k: int = TOP_K,
    seed: int = 0,
    folder: Path | None = None,
    progress: Callable[[str, int, int], None] = QUIET,
) -> dict[str, Any]:
    """Grow a corpus, index it, and search it.

    :param grower: and `asked`: of `prepare`.
    :param m: edges a node; None: the store's default. `ef_construct` likewise.
    :param folder: where the index is built and left; None: a temporary folder.
    :returns: the report, plain JSON data, with `rows`, a `RecallRow` each as JSON, and `_rows`, the same as objects.
    """
    hnsw = {name: value for name, value in (("m", m), ("ef_construct", ef_construct)) if value is not None}
    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sakshya-hnsw-")))
        store = SakshyaDocumentStore(path=str(place), index="hnsw", hnsw_config=hnsw or None)
        stack.callback(store.shutdown)
        with acting_as(Principal.system()):
            write_s = _write(store, grower, chunks, seed, progress)
            progress("building the graph", 0, 1)
            begin = time.perf_counter()
            store.optimize()
            build_s = time.perf_counter() - begin
            progress("building the graph", 1, 1)
        steps = 2 * (1 + len(efs)) * len(asked)
        done = 0

        def advance(count: int, _what: str) -> None:
            nonlocal done
            done += count
            progress("searching", done, steps)

        with acting_as(Principal(user="bench", tenant=DEFAULT_TENANT)):
            rows = measure_recall(store, asked, efs=efs, top_k=top_k, seed=seed, advance=advance)
        facts = index_facts(store)
    return {
        "chunks": chunks,
        "dimension": int(grower.seeds.shape[1]),
        "top_k": top_k,
        "queries": len(asked),
        "index": facts,
        "write_s": round(write_s, 1),
        "build_s": round(build_s, 1),
        "corpus": grower.measured,
        "rows": [row.to_json() for row in rows],
        "machine": {"cpus": os.cpu_count(), "load_1min": round(os.getloadavg()[0], 1), "python": platform.python_version()},
        "_rows": rows,
    }


def _write(store: SakshyaDocumentStore, grower: Grower, chunks: int, seed: int, progress: Callable[[str, int, int], None]) -> float:
    documents: list[Document] = []
    seconds, number = 0.0, 0
    for source, vectors in grower.sources(chunks, PER_SOURCE, seed):
        for vector in vectors:
            documents.append(Document(id=f"chunk-{number}", content=f"chunk {number}", embedding=vector.tolist(), meta=_meta(source)))
            number += 1
        if len(documents) >= BATCH or number == chunks:
            begin = time.perf_counter()
            store.write_documents(documents)
            seconds += time.perf_counter() - begin
            documents = []
            progress("writing", number, chunks)
    return seconds


def _meta(source: int) -> dict[str, object]:
    return {"kind": "chunk", "source_id": f"source-{source}", "tenant": DEFAULT_TENANT, "access": [PUBLIC], "title": f"Source {source}"}


def _matrix(paths: Sequence[Path]) -> np.ndarray:
    found = []
    for path in paths:
        try:
            matrix = np.load(path, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise ValueError(f"{path}: {error}; accepted: a .npy file of numbers, an embedding a row") from None
        if matrix.ndim != 2 or not np.issubdtype(matrix.dtype, np.floating) or not np.isfinite(matrix).all():
            raise ValueError(f"{path}: {matrix.shape} of {matrix.dtype}; accepted: a .npy file of finite numbers, an embedding a row")
        found.append(matrix)
    return np.concatenate(found)


def _own_vectors(seed: int) -> np.ndarray:
    store = SakshyaDocumentStore()
    try:
        with acting_as(Principal.system()):
            return stored_vectors(store, SEEDS, seed).vectors
    finally:
        store.shutdown()


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line. Exit codes: 0 done, 2 wrong use."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    parser = argparse.ArgumentParser(prog="python -m evaluation.bench_hnsw", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--chunks", type=int, action="append", help="chunks in the index (10000); repeatable")
    parser.add_argument("--seeds", type=Path, action="append", help="real embeddings of passages, .npy; repeatable (the chunks of your own index)")
    parser.add_argument("--questions", type=Path, action="append", help="embeddings of questions by the same model, .npy (a part of the seeds)")
    parser.add_argument("--m", type=int, default=None, help="edges a node (the store's default)")
    parser.add_argument("--ef-construct", type=int, default=None, help="candidates while building (the store's default)")
    parser.add_argument("--ef", type=int, action="append", help="candidates while searching; repeatable (64, 128, 256, 512 and the default)")
    parser.add_argument("--queries", type=int, default=QUESTIONS, help=f"queries ({QUESTIONS})")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (0)")
    parser.add_argument("--plot", type=Path, default=None, help="write the growth as a picture (SVG)")
    parser.add_argument("--save", type=Path, default=None, help="write the reports there as JSON, after each size")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    given = parser.parse_args(arguments)
    err = Console(stderr=True)
    reports: list[dict[str, Any]] = []
    rows: list[list[RecallRow]] = []
    bar = Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=err, disable=not err.is_terminal)
    with bar:
        try:
            seeds = _matrix(given.seeds) if given.seeds else _own_vectors(given.seed)
            questions = _matrix(given.questions) if given.questions else None
            grower, asked = prepare(seeds, questions, given.queries, given.seed)
            for chunks in given.chunks or [10_000]:
                tasks: dict[str, Any] = {}

                def progress(stage: str, done: int, total: int, tasks: dict[str, Any] = tasks, chunks: int = chunks) -> None:
                    if stage not in tasks:
                        tasks[stage] = bar.add_task(f"{chunks}: {stage}", total=total)
                    bar.update(tasks[stage], completed=done)

                report = measure(
                    grower,
                    asked,
                    chunks,
                    m=given.m,
                    ef_construct=given.ef_construct,
                    efs=[None, *given.ef] if given.ef else EFS,
                    seed=given.seed,
                    progress=progress,
                )
                rows.append(report.pop("_rows"))
                reports.append(report)
                if given.save:
                    given.save.write_text(json.dumps({"reports": reports}), encoding="utf-8")
        except ValueError as error:
            err.print(f"[red]{error}", highlight=False)
            return 2
    if given.plot:
        given.plot.write_text(growth_svg(reports), encoding="utf-8")
    if given.json:
        print(json.dumps({"reports": reports}))
    else:
        for report, found in zip(reports, rows, strict=True):
            facts = report["index"]
            size = f"{facts['bytes'] / 1e6:.0f} MB" if facts["bytes"] else "size unknown"
            title = f"{report['chunks']:,} chunks, m {facts['m']}, ef_construct {facts['ef_construct']}, {size}, built in {report['build_s']:.0f} s"
            Console().print(recall_table(found, title, report["top_k"]))
        Console().print(f"grown from real embeddings: {json.dumps(reports[-1]['corpus'])}", highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())

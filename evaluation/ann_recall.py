"""How much of the exact nearest chunks the graph search (HNSW) finds, and how long either takes, through the store that questions go through."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.bootstrap import Interval, bootstrap_mean
from evaluation.latency import quantiles_ms
from evaluation.stored_vectors import source_filter

if TYPE_CHECKING:
    from rich.table import Table

    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

TOP_K = 10
EFS: tuple[int | None, ...] = (None, 64, 128, 256, 512)
"""Values of `hnsw_ef`; None is the engine's default, which is its `ef_construct`."""
SHARE = 0.01
WARM_UP = 5
_TIE = 1e-6
QUIET: Callable[[int, str], None] = lambda steps, what: None  # noqa: E731


@dataclass(frozen=True)
class RecallRow:
    """One way to search.

    :param filter: share of the chunks that the filter lets pass; 1 without one.
    :param ef: None: the engine's default. 0: exact search.
    :param recall: share of the exact nearest `top_k` that were found, mean over the queries, with its bootstrap interval.
    """

    filter: float
    ef: int | None
    recall: Interval
    ms: dict[str, float]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data; `ef` is "default", "exact" or a number."""
        name = {None: "default", 0: "exact"}.get(self.ef, self.ef)
        return {"filter": round(self.filter, 5), "ef": name, "recall": self.recall.to_json(), "ms": self.ms}


def recall_of(found: Mapping[str, float], exact: Mapping[str, float]) -> float:
    """Share of the exact nearest that were found; one that is as near as the last of them counts as one (as ann-benchmarks does).

    :param found: id to similarity.
    :param exact: likewise, of the exact search.

    >>> recall_of({"a": 0.9, "c": 0.8}, {"a": 0.9, "b": 0.8})
    1.0
    >>> recall_of({"a": 0.9}, {"a": 0.9, "b": 0.8})
    0.5
    """
    if not exact:
        return 1.0
    least = min(exact.values()) - _TIE
    return min(1.0, sum(score >= least for score in found.values()) / len(exact))


def measure_recall(
    store: SakshyaDocumentStore,
    queries: Sequence[Sequence[float]] | np.ndarray,
    own: Sequence[str] | None = None,
    *,
    efs: Sequence[int | None] = EFS,
    top_k: int = TOP_K,
    share: float = SHARE,
    seed: int = 0,
    advance: Callable[[int, str], None] = QUIET,
) -> list[RecallRow]:
    """Search each query exactly and with each `ef`, without a filter and with one on sources that hold about `share` of the chunks.

    :param queries: vectors.
    :param own: id of the chunk that each query is the vector of; it is left out of what is found. None: the queries are no chunks.
    :param share: of the chunks that the filter lets pass; 1: no search with a filter.
    :param advance: called after each query with 1 and the way of searching.
    :returns: for each filter a row for exact search (`ef` 0), then one for each of `efs`.
    :raises ValueError: no query.
    """
    if not len(queries):
        raise ValueError("no query; accepted: one or more")
    own = list(own) if own is not None else [""] * len(queries)
    rows = []
    for filters, held in [(None, 1.0), *([source_filter(store, share, seed)] if share < 1 else [])]:
        exact: list[dict[str, float]] = []
        for ef in (0, *efs):
            values, seconds = [], []
            for number, (query, mine) in enumerate(zip(queries, own, strict=True)):
                vector = [float(x) for x in query]
                if number == 0:
                    for _ in range(WARM_UP):
                        _search(store, vector, filters, top_k, ef, mine)
                begin = time.perf_counter()
                found = _search(store, vector, filters, top_k, ef, mine)
                seconds.append(time.perf_counter() - begin)
                if ef == 0:
                    exact.append(found)
                values.append(recall_of(found, exact[number]))
                advance(1, "exact" if ef == 0 else f"ef {ef or 'default'}")
            rows.append(RecallRow(held, ef, bootstrap_mean(values, seed=seed), quantiles_ms(seconds)))
    return rows


def _search(store: SakshyaDocumentStore, vector: list[float], filters: Any, top_k: int, ef: int | None, mine: str) -> dict[str, float]:
    documents = store._query_by_embedding(vector, filters=filters, top_k=top_k + bool(mine), hnsw_ef=ef or None, exact=ef == 0)
    return {d.id: float(d.score or 0) for d in [d for d in documents if d.id != mine][:top_k]}


def folder_bytes(folder: Path | str) -> int:
    """Bytes that the files of a folder take on disk (holes in them do not count)."""
    return sum(path.stat().st_blocks * 512 for path in Path(folder).rglob("*") if path.is_file())


def index_facts(store: SakshyaDocumentStore) -> dict[str, Any]:
    """What the index is: chunks, vectors in its graph, `m`, `ef_construct`, bytes on disk (None on a server)."""
    store._initialize_client()
    info = store._raw.get_collection(store.index)
    hnsw = info.config.hnsw_config
    return {
        "points": info.points_count,
        "in_graph": info.indexed_vectors_count,
        "segments": info.segments_count,
        "m": hnsw.m,
        "ef_construct": hnsw.ef_construct,
        "bytes": folder_bytes(Path(store.path) / store.index) if store.path else None,
    }


def recall_table(rows: Sequence[RecallRow], title: str, top_k: int = TOP_K) -> Table:
    """The rows for a terminal."""
    from rich.table import Table

    table = Table(title=title, caption=f"recall@{top_k} against exact search, with 95 % bootstrap intervals over the queries")
    for column in ("filter", "search", f"recall@{top_k}", "low", "high", "p50 ms", "p95 ms"):
        table.add_column(column, justify="left" if column in ("filter", "search") else "right")
    before: float | None = None
    for row in rows:
        if before not in (None, row.filter):
            table.add_section()
        before = row.filter
        name = "exact" if row.ef == 0 else f"ef {'default' if row.ef is None else row.ef}"
        numbers = (f"{x:.3f}" for x in (row.recall.value, row.recall.low, row.recall.high))
        table.add_row("none" if row.filter == 1 else f"{row.filter:.1%} of chunks", name, *numbers, f"{row.ms['p50']:.1f}", f"{row.ms['p95']:.1f}")
    return table

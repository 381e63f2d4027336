"""Measures retrieval on a test collection: asks every query, ranks documents by their best passage, and reports with intervals.

`evaluate_retrieval` takes the function that searches; it knows no graph and no door.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.beir import BeirSet
from evaluation.bootstrap import Difference, Interval, bootstrap_mean, paired_difference
from evaluation.latency import quantiles_ms
from evaluation.ranking_measures import DEFAULT_CUTOFFS, NDCG, ranking_values

if TYPE_CHECKING:
    from rich.table import Table

TOTAL = "total"
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Retrieved:
    """What one query found.

    :param documents: the document of each passage, best passage first; a document may occur several times.
    :param stage_ms: milliseconds of each stage; `total` is the whole query, in which stages may run side by side.
    :param degraded: stages that gave less than they should, a line each.
    :param failed: why the query gave nothing at all; empty where it ran.
    :param stages: stage to the document of each passage that it gave, best first.
    """

    documents: Sequence[str]
    stage_ms: dict[str, float] = field(default_factory=dict)
    degraded: Sequence[str] = ()
    failed: str = ""
    stages: Mapping[str, Sequence[str]] = field(default_factory=dict)


Search = Callable[[str], Retrieved]


def document_ranking(documents: Iterable[str]) -> list[str]:
    """Documents by their best passage: each where it first occurs.

    >>> document_ranking(["b", "a", "b"])
    ['b', 'a']
    """
    return list(dict.fromkeys(documents))


@dataclass(frozen=True)
class RetrievalReport:
    """The measures of one graph on one collection.

    :param values: measure to a value for each query, in the order of `queries`.
    :param stage_ms: stage to the milliseconds of each query that ran it.
    :param depth: most documents that a query found.
    :param failed: queries that gave nothing because something broke, with the reason; they count 0.
    :param stage_values: stage that gives documents to its nDCG@10 of each query; 0 where it did not run.
    """

    name: str
    split: str
    queries: tuple[str, ...]
    values: dict[str, np.ndarray]
    stage_ms: dict[str, list[float]]
    rankings: dict[str, list[str]]
    depth: int
    notes: tuple[str, ...] = ()
    failed: dict[str, str] = field(default_factory=dict)
    stage_values: dict[str, np.ndarray] = field(default_factory=dict)
    seed: int = 0
    graph: str = ""
    index_version: str = ""

    def noted(self, notes: Iterable[str]) -> RetrievalReport:
        """The report with further notes."""
        return replace(self, notes=(*self.notes, *notes))

    @property
    def metrics(self) -> dict[str, Interval]:
        """Mean over the queries, with a 95 % bootstrap interval."""
        return {name: bootstrap_mean(values, seed=self.seed) for name, values in self.values.items()}

    @property
    def stages(self) -> dict[str, Interval]:
        """nDCG@10 of what each stage gave, as if it were the last: how each leg does alone, and what fusion and ranking make of them."""
        return {stage: bootstrap_mean(values, seed=self.seed) for stage, values in self.stage_values.items()}

    @property
    def latency_ms(self) -> dict[str, dict[str, float]]:
        """Median and 95th percentile of each stage, and of the whole."""
        return {stage: quantiles_ms([ms / 1000 for ms in times]) for stage, times in self.stage_ms.items()}

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data: metrics, latency_ms, queries, graph, index_version; and stages, set, split, warnings, failed."""
        return {
            "metrics": {name: interval.to_json() for name, interval in self.metrics.items()},
            "latency_ms": self.latency_ms,
            "queries": len(self.queries),
            "graph": self.graph,
            "index_version": self.index_version,
            "stages": {stage: {NDCG: interval.to_json()} for stage, interval in self.stages.items()},
            "set": self.name,
            "split": self.split,
            "warnings": list(self.notes),
            "failed": [{"query": query, "reason": reason} for query, reason in self.failed.items()],
        }


def evaluate_retrieval(
    data: BeirSet,
    search: Search,
    *,
    cutoffs: Sequence[int] = DEFAULT_CUTOFFS,
    seed: int = 0,
    graph: str = "",
    index_version: str = "",
    on_query: Callable[[str], None] = lambda query: None,
) -> RetrievalReport:
    """Ask every query of a collection and measure.

    :param search: finds passages for a question; what it raises ends the run.
    :param cutoffs: k of recall@k and precision@k.
    :param seed: of the bootstrap.
    :param on_query: called with the id of each query that is done.
    :raises ValueError: a cutoff that is not accepted.
    """
    rankings: dict[str, list[str]] = {}
    stage_ms: dict[str, list[float]] = {}
    by_stage: dict[str, dict[str, list[str]]] = {}
    degraded: dict[str, int] = {}
    failed: dict[str, str] = {}
    for query, text in data.queries.items():
        found = search(text)
        rankings[query] = document_ranking(found.documents)
        for stage, ms in found.stage_ms.items():
            stage_ms.setdefault(stage, []).append(ms)
        for stage, documents in found.stages.items():
            by_stage.setdefault(stage, {})[query] = document_ranking(documents)
        for reason in dict.fromkeys(found.degraded):
            degraded[reason] = degraded.get(reason, 0) + 1
        if found.failed:
            failed[query] = found.failed
        on_query(query)
    depth = max(map(len, rankings.values()))
    notes = [*data.notes, *(f"{reason} ({count} of {len(rankings)} queries)" for reason, count in degraded.items())]
    if beyond := [k for k in sorted(set(cutoffs)) if k > depth]:
        named = ", ".join(f"recall@{k}" for k in beyond)
        notes.append(f"the graph gives at most {depth} documents a query: {named} cannot see further")
    return RetrievalReport(
        name=data.name,
        split=data.split,
        queries=tuple(data.queries),
        values=ranking_values(data.qrels, rankings, cutoffs),
        stage_ms=stage_ms,
        rankings=rankings,
        depth=depth,
        notes=tuple(notes),
        failed=failed,
        stage_values={stage: ranking_values(data.qrels, ranked)[NDCG] for stage, ranked in by_stage.items()},
        seed=seed,
        graph=graph,
        index_version=index_version,
    )


def compare(first: RetrievalReport, second: RetrievalReport) -> dict[str, Difference]:
    """For each measure that both have, `first - second` over the same queries.

    :raises ValueError: they were asked different queries.
    """
    if first.queries != second.queries:
        raise ValueError("the two reports are of different queries; accepted: the same set, split and limit")
    return {name: paired_difference(values, second.values[name], seed=first.seed) for name, values in first.values.items() if name in second.values}


def report_table(report: RetrievalReport) -> Table:
    """Measures and times for a terminal."""
    from rich.table import Table

    title = f"{report.name} ({report.split}): {len(report.queries)} queries, graph {report.graph}"
    table = Table(title=title, caption="means with 95 % bootstrap intervals over the queries")
    for column in ("measure", "value", "low", "high"):
        table.add_column(column, justify="left" if column == "measure" else "right")
    for name, interval in report.metrics.items():
        table.add_row(name, *(f"{number:.3f}" for number in (interval.value, interval.low, interval.high)))
    return table


def stage_table(report: RetrievalReport) -> Table:
    """What each stage gave and how long it took, for a terminal."""
    from rich.table import Table

    table = Table(title="by stage", caption="nDCG@10 as if the stage were the last; stages may run side by side, so times need not add up")
    for column in ("stage", NDCG, "low", "high", "p50 ms", "p95 ms"):
        table.add_column(column, justify="left" if column == "stage" else "right")
    stages = report.stages
    for stage, times in report.latency_ms.items():
        if stage == TOTAL:
            table.add_section()
        found = stages.get(stage)
        measured = ["", "", ""] if found is None else [f"{number:.3f}" for number in (found.value, found.low, found.high)]
        table.add_row(stage, *measured, f"{times['p50']:.1f}", f"{times['p95']:.1f}")
    return table


def comparison_table(first: RetrievalReport, second: RetrievalReport) -> Table:
    """Both graphs and their difference, for a terminal."""
    from rich.table import Table

    title = f"{first.name} ({first.split}): {len(first.queries)} queries"
    caption = f"95 % bootstrap intervals; p of a paired randomisation test, * below {SIGNIFICANT:g}; each measure is a test of its own"
    table = Table(title=title, caption=caption)
    a, b = (first.graph, second.graph) if first.graph != second.graph else (f"{first.graph} (1)", f"{second.graph} (2)")
    for column in ("measure", a, b, "difference", "low", "high", "p"):
        table.add_column(column, justify="left" if column == "measure" else "right")
    metrics, others = first.metrics, second.metrics
    for name, difference in compare(first, second).items():
        star = "*" if difference.p < SIGNIFICANT else " "
        numbers = (f"{difference.value:+.3f}", f"{difference.low:+.3f}", f"{difference.high:+.3f}", f"{difference.p:.4f}{star}")
        table.add_row(name, f"{metrics[name].value:.3f}", f"{others[name].value:.3f}", *numbers)
    return table

"""Compares graphs on one question set: quality with intervals beside what each costs in calls, tokens, money and time.

It knows no graph and no door: what was asked and found is given to it, one `Trial` a question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from components.answer import Answer, Usage
from evaluation.answers import Report, judge
from evaluation.beir import BeirSet
from evaluation.bootstrap import bootstrap_mean
from evaluation.latency import quantiles_ms
from evaluation.proportions import Proportion
from evaluation.questions import Question
from evaluation.ranking_measures import NDCG, ranking_values
from evaluation.retrieval import document_ranking

if TYPE_CHECKING:
    from rich.table import Table


class Measured(Protocol):
    """A value with its 95 percent interval, of so many trials."""

    def to_json(self) -> dict[str, Any]:
        """`value`, `low`, `high` and more."""
        ...


@dataclass(frozen=True)
class Trial:
    """One question to one graph.

    :param id: the question's.
    :param found: the answer as JSON data, or the documents of the passages, best first; None where it failed.
    :param seconds: of the whole, waiting for chat models included.
    :param usage: calls, tokens and cost of all chat models.
    :param degraded: stages that gave less than they should, a line each; where it failed, why.
    """

    id: str
    found: Any
    seconds: float
    usage: Usage = field(default_factory=Usage)
    degraded: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data, as `trial_from_json` reads it."""
        usage = self.usage.model_dump(mode="json")
        return {"id": self.id, "found": self.found, "seconds": round(self.seconds, 4), "usage": usage, "degraded": list(self.degraded)}


def trial_from_json(row: Mapping[str, Any]) -> Trial:
    """A trial that was saved.

    :raises ValueError: a row that is none.
    """
    try:
        return Trial(str(row["id"]), row["found"], float(row["seconds"]), Usage.model_validate(row["usage"]), tuple(map(str, row["degraded"])))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError("no saved trial; accepted: id, found, seconds, usage, degraded") from error


@dataclass(frozen=True)
class GraphRow:
    """What one graph gave and cost.

    :param quality: measure to its value with interval, the most telling first.
    :param skipped: why the graph was not run; empty where it was.
    """

    graph: str
    trials: Sequence[Trial] = ()
    quality: Mapping[str, Measured] = field(default_factory=dict)
    skipped: str = ""

    @property
    def failed(self) -> int:
        """Questions that gave nothing because something broke; they count as wrong."""
        return sum(trial.found is None for trial in self.trials)

    @property
    def costs(self) -> dict[str, float | None]:
        """Means over the questions: `calls`, `tokens_in`, `tokens_out`, `cost_usd` (None where a price is not known); then `p50_ms`, `p95_ms`."""
        count = len(self.trials)
        if not count:
            return {}
        priced = [t.usage.cost_usd for t in self.trials if t.usage.calls]
        times = quantiles_ms([trial.seconds for trial in self.trials])
        return {
            "calls": sum(t.usage.calls for t in self.trials) / count,
            "tokens_in": sum(t.usage.prompt_tokens for t in self.trials) / count,
            "tokens_out": sum(t.usage.completion_tokens for t in self.trials) / count,
            "cost_usd": None if any(cost is None for cost in priced) else sum(cost or 0 for cost in priced) / count,
            "p50_ms": times["p50"],
            "p95_ms": times["p95"],
        }

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data: graph, questions, quality, costs, failed, degraded, skipped."""
        return {
            "graph": self.graph,
            "questions": len(self.trials),
            "quality": {name: value.to_json() for name, value in self.quality.items()},
            "costs": self.costs,
            "failed": self.failed,
            "degraded": sum(bool(trial.degraded) for trial in self.trials),
            "skipped": self.skipped,
        }


def answers_row(graph: str, questions: Iterable[Question], trials: Sequence[Trial]) -> GraphRow:
    """A graph on questions with known answers.

    Quality: `good` (right, or rightly declined, of all), `right` (of the answerable), `right when answered`, `rightly declined`.
    """
    by_id = {trial.id: trial for trial in trials}
    results = [judge(question, _answer(by_id[question.id], question)) for question in questions]
    totals = Report(tuple(results)).totals
    return GraphRow(graph, trials, {name: totals[name] for name in ("good", "right", "right when answered", "rightly declined")})


def _answer(trial: Trial, question: Question) -> Answer:
    if trial.found is None:
        return Answer.model_validate({"status": "failed", "question": question.question, "answer": ""})
    return Answer.model_validate(trial.found)


def all_within(documents: Iterable[str], gold: Iterable[str], k: int) -> bool:
    """Whether every gold document is among the first k documents, as multi-hop questions need (Yang et al. 2018, HotpotQA).

    >>> all_within(["a", "b", "a", "c"], ["a", "c"], 3), all_within(["a", "b", "a", "c"], ["a", "c"], 2)
    (True, False)
    """
    return set(gold) <= set(document_ranking(documents)[:k])


def retrieval_row(graph: str, data: BeirSet, trials: Sequence[Trial], k: int = 5, seed: int = 0) -> GraphRow:
    """A graph on a test collection. Quality: the share of queries with all gold documents within k, and nDCG@10."""
    by_id = {trial.id: trial.found or [] for trial in trials}
    gold = {query: [name for name, grade in data.qrels[query].items() if grade > 0] for query in data.queries}
    full = sum(all_within(by_id[query], gold[query], k) for query in data.queries)
    rankings = {query: document_ranking(by_id[query]) for query in data.queries}
    values = ranking_values(data.qrels, rankings, (k,))
    quality: dict[str, Measured] = {f"all gold within {k}": Proportion(full, len(data.queries)), NDCG: bootstrap_mean(values[NDCG], seed=seed)}
    return GraphRow(graph, trials, quality)


def comparison_tables(rows: Sequence[GraphRow], title: str) -> list[Table]:
    """For a terminal: what each graph is worth, and what it costs; each table fits 80 columns."""
    from rich.table import Table

    names = next((list(row.quality) for row in rows if row.quality), [])
    worth = Table(title=title, caption="95 percent intervals in brackets")
    costs = Table(caption="calls, tokens and USD: mean of a question")
    for table, columns in ((worth, names), (costs, ["calls", "tokens in", "out", "USD", "p50 s", "p95 s", "failed"])):
        table.add_column("graph", no_wrap=True)
        for name in columns:
            table.add_column(name, justify="right")
    for row in rows:
        if row.skipped:
            worth.add_row(row.graph, f"not run: {row.skipped}")
            continue
        worth.add_row(row.graph, *(_shown(row.quality[name]) for name in names))
        found = row.costs
        costs.add_row(
            row.graph,
            f"{found['calls']:.1f}",
            f"{found['tokens_in']:,.0f}",
            f"{found['tokens_out']:,.0f}",
            "–" if found["cost_usd"] is None else f"{found['cost_usd']:.5f}",
            f"{(found['p50_ms'] or 0) / 1000:.2f}",
            f"{(found['p95_ms'] or 0) / 1000:.2f}",
            str(row.failed),
        )
    return [worth, costs]


def _shown(measured: Measured) -> str:
    found = measured.to_json()
    return "–" if found["value"] is None else f"{found['value']:.3f}\n({found['low']:.2f}–{found['high']:.2f})"

"""Fits and measures the grading of retrievals: which passages answer, and what the verdicts correct, ambiguous and incorrect are worth.

A judged retrieval is what a graph found for a question of a test collection, with the features of each passage and whether the collection says
that it is relevant; each question is asked with its relevant documents, and without them. A retrieval is good where one of its graded passages
is relevant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from components.validators.passage_grades import NOT_OF_ONE, PassageGrader, Retrieved, Thresholds, verdict_of
from components.validators.refusal_features import FEATURES, RefusalModel
from evaluation.data import read_set
from evaluation.proportions import Proportion

if TYPE_CHECKING:
    from rich.table import Table

PRECISION = 0.9
"""Share of the verdicts correct, and of the verdicts incorrect, that must be right where the thresholds are fitted."""
STEPS = 200


@dataclass(frozen=True)
class JudgedPassage:
    """A passage and whether it is relevant."""

    relevant: bool
    features: Mapping[str, float]


@dataclass(frozen=True)
class JudgedRetrieval:
    """What was found for a question."""

    id: str
    passages: tuple[JudgedPassage, ...]

    @property
    def good(self) -> bool:
        """Whether one of the passages is relevant."""
        return any(passage.relevant for passage in self.passages)


@dataclass(frozen=True)
class Worth:
    """What a verdict is worth.

    :param precision: of the retrievals with this verdict, the share that is so; for ambiguous, the share that is good.
    :param recall: of the retrievals that are so, the share with this verdict; for ambiguous, its share of all.
    """

    precision: Proportion
    recall: Proportion


def best_scores(model: RefusalModel, judged: Sequence[JudgedRetrieval]) -> list[float]:
    """The score of the best passage of each retrieval; 0 where nothing was found."""
    return [max((model.probability(p.features) for p in one.passages), default=0.0) for one in judged]


def fitted_thresholds(scores: Sequence[float], good: Sequence[bool], precision: float = PRECISION) -> Thresholds:
    """The widest verdicts correct and incorrect that are right often enough: the least upper threshold and the greatest lower one.

    :param scores: of the best passage of each retrieval.
    :raises ValueError: only good or only bad retrievals.

    >>> fitted_thresholds([0.1, 0.2, 0.6, 0.5, 0.8, 0.9], [False, False, False, True, True, True], 1.0)
    Thresholds(lower=0.5, upper=0.605)
    """
    best, truth = np.asarray(scores, dtype=float), np.asarray(good, dtype=bool)
    if truth.all() or not truth.any():
        raise ValueError(f"{len(truth)} retrievals, {int(truth.sum())} good; accepted: some of both")
    grid = [step / STEPS for step in range(STEPS + 1)]
    upper = min((t for t in grid if (best >= t).any() and truth[best >= t].mean() >= precision), default=1.0)
    lower = max((t for t in grid if (best < t).any() and (~truth[best < t]).mean() >= precision), default=0.0)
    if lower > upper:  # good enough on both sides of either: nothing need be ambiguous
        lower = upper = (lower + upper) / 2
    return Thresholds(lower, upper)


def fitted(judged: Sequence[JudgedRetrieval], origin: str = "") -> PassageGrader:
    """A grader fitted on judged retrievals: logistic regression over passages, then the thresholds.

    :raises ValueError: only one class is there.
    """
    from sklearn.linear_model import LogisticRegression

    passages = [passage for one in judged for passage in one.passages]
    labels = np.array([passage.relevant for passage in passages])
    if not len(labels) or labels.all() or not labels.any():
        raise ValueError(f"{len(labels)} passages, {int(labels.sum())} relevant; accepted: some of both")
    known = {n: [p.features[n] for p in passages if n in p.features] for n in FEATURES if n not in NOT_OF_ONE}
    means = {name: float(np.mean(values)) for name, values in known.items() if values and np.std(values) > 1e-6}
    matrix = np.array([[p.features.get(name, mean) for name, mean in means.items()] for p in passages])
    regression = LogisticRegression(C=10.0, max_iter=1000).fit(matrix, labels)
    weights = {name: float(weight) for name, weight in zip(means, regression.coef_[0], strict=True)}
    model = RefusalModel(float(regression.intercept_[0]), weights, means)
    return PassageGrader(model, fitted_thresholds(best_scores(model, judged), [one.good for one in judged]), origin)


def worths(grader: PassageGrader, judged: Sequence[JudgedRetrieval]) -> dict[str, Worth]:
    """What each verdict is worth on judged retrievals, by its name."""
    found = [
        verdict_of([score] if one.passages else [], grader.thresholds) for score, one in zip(best_scores(grader.model, judged), judged, strict=True)
    ]
    good = [one.good for one in judged]
    result: dict[str, Worth] = {}
    for verdict, wanted in ((Retrieved.CORRECT, True), (Retrieved.INCORRECT, False)):
        both = sum(v is verdict and g is wanted for v, g in zip(found, good, strict=True))
        result[verdict.value] = Worth(Proportion(both, found.count(verdict)), Proportion(both, good.count(wanted)))
    unsure = [g for v, g in zip(found, good, strict=True) if v is Retrieved.AMBIGUOUS]
    result[Retrieved.AMBIGUOUS.value] = Worth(Proportion(sum(unsure), len(unsure)), Proportion(len(unsure), len(judged)))
    return result


def report_table(rows: Mapping[str, Mapping[str, Worth]]) -> Table:
    """A row for each set and verdict, for a terminal."""
    from rich.table import Table

    table = Table(title="Grading of retrievals", caption="[low, high]: Wilson intervals at 95 percent. Of ambiguous: how many are good, share of all")
    for name in ("set", "verdict", "precision", "recall"):
        table.add_column(name)
    for name, found in rows.items():
        for verdict, worth in found.items():
            table.add_row(name, verdict, str(worth.precision), str(worth.recall))
    return table


def judged_to_json(judged: JudgedRetrieval) -> dict[str, Any]:
    """A judged retrieval as plain JSON data."""
    passages = [{"relevant": p.relevant, "features": {k: round(v, 5) for k, v in p.features.items()}} for p in judged.passages]
    return {"id": judged.id, "passages": passages}


def _judged(row: dict[str, Any]) -> JudgedRetrieval:
    try:
        passages = tuple(JudgedPassage(bool(p["relevant"]), {str(k): float(v) for k, v in p["features"].items()}) for p in row["passages"])
        return JudgedRetrieval(str(row["id"]), passages)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{error!r}; accepted: `id` and `passages` with `relevant` and `features`, as --save writes them") from None


def read_judged(path: Path | str) -> list[JudgedRetrieval]:
    """Judged retrievals that were saved, JSON lines.

    :raises DataError: names the file and the line.
    """
    return read_set(path, _judged)

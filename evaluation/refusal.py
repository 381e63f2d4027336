"""Measures refusal, fits its weights, and chooses its threshold: questions with and without the passages that answer them.

A judged question is what a query graph made of it: the features of `components/validators/refusal_features.py`, whether the generator
answered, and whether the answer was right. From these come precision and recall of refusing at every threshold, and answered accuracy
over coverage (El-Yaniv and Wiener, "On the foundations of noise-free selective classification", JMLR 2010).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from components.validators.refusal_features import FEATURES, RefusalModel
from evaluation.data import read_set
from evaluation.proportions import Proportion

STEPS = 100
"""Thresholds tried between 0 and 1."""
LOST = 0.01
"""Share of the right answers that the gate may refuse."""


@dataclass(frozen=True)
class Judged:
    """A question and what a graph made of it."""

    id: str
    answerable: bool
    features: Mapping[str, float]
    answered: bool = True
    """Whether the generator answered, before the gate."""
    right: bool | None = None
    """Whether that answer holds the known one; None where none is known."""


@dataclass(frozen=True)
class Point:
    """What a threshold does."""

    threshold: float | None
    """None where several sets with thresholds of their own are taken together."""
    precision: Proportion
    """Of the refused, the share that is unanswerable."""
    recall: Proportion
    """Of the unanswerable, the share that is refused."""
    coverage: Proportion
    """Of all questions, the share that is answered."""
    accuracy: Proportion
    """Of the answered, the share that is right; answered while unanswerable counts as wrong."""

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 where one of them is."""
        p, r = self.precision.value or 0.0, self.recall.value or 0.0
        return 2 * p * r / (p + r) if p + r else 0.0

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        shares = {name: getattr(self, name).to_json() for name in ("precision", "recall", "coverage", "accuracy")}
        return {"threshold": self.threshold, "f1": round(self.f1, 4), **shares}


def point(model: RefusalModel, judged: Sequence[Judged], threshold: float, *, gate_only: bool = False) -> Point:
    """What refusing below a threshold does.

    :param gate_only: leave out of account that the generator declines by itself.
    """
    refused = [model.probability(j.features) < threshold or not (gate_only or j.answered) for j in judged]
    both = sum(r and not j.answerable for r, j in zip(refused, judged, strict=True))
    answered = [j for r, j in zip(refused, judged, strict=True) if not r]
    known = [j for j in answered if not j.answerable or j.right is not None]
    return Point(
        threshold,
        Proportion(both, sum(refused)),
        Proportion(both, sum(not j.answerable for j in judged)),
        Proportion(len(answered), len(judged)),
        Proportion(sum(bool(j.right) and j.answerable for j in known), len(known)),
    )


def curve(model: RefusalModel, judged: Sequence[Judged], *, gate_only: bool = False) -> list[Point]:
    """A point for each of the thresholds 0 to 1."""
    return [point(model, judged, step / STEPS, gate_only=gate_only) for step in range(STEPS + 1)]


def best_threshold(model: RefusalModel, judged: Sequence[Judged], *, gate_only: bool = False) -> float:
    """The threshold with the best F1 of refusing; the middle of those that share it."""
    f1 = {step / STEPS: p.f1 for step, p in enumerate(curve(model, judged, gate_only=gate_only))}
    best = [threshold for threshold, value in f1.items() if value >= max(f1.values()) - 1e-9]
    return best[len(best) // 2]


def careful_threshold(model: RefusalModel, judged: Sequence[Judged]) -> float:
    """The highest threshold that refuses at most `LOST` of the answers known to be right; where none is known, `best_threshold`.

    F1 of refusing would trade right answers for it: the generator declines most of the unanswerable by itself, so the gate has only the rest to win.
    """
    right = [model.probability(j.features) for j in judged if j.answerable and j.answered and j.right]
    if not right:
        return best_threshold(model, judged)
    allowed = int(LOST * len(right))
    steps = [step / STEPS for step in range(STEPS + 1)]
    return max(t for t in steps if sum(p < t for p in right) <= allowed)


def fitted(judged: Sequence[Judged], names: Sequence[str] = tuple(FEATURES), said: str = "") -> RefusalModel:
    """A model fitted on judged questions: logistic regression, both classes weighing alike, its threshold the `careful_threshold`.

    :param names: features to use; those that no question has, or that never vary, get no weight.
    :param said: what the file shall say that it was fitted on.
    :raises ValueError: only one of both classes is there.
    """
    from sklearn.linear_model import LogisticRegression

    labels = np.array([j.answerable for j in judged])
    if labels.all() or not labels.any():
        raise ValueError(f"{len(judged)} questions, {int(labels.sum())} answerable; accepted: some of both")
    means = {n: float(np.mean(values)) for n in names if (values := [j.features[n] for j in judged if n in j.features])}
    matrix = np.array([[j.features.get(n, mean) for n, mean in means.items()] for j in judged])
    used = [i for i in range(matrix.shape[1]) if matrix[:, i].std() > 1e-6]
    regression = LogisticRegression(C=10.0, class_weight="balanced", max_iter=1000).fit(matrix[:, used], labels)
    chosen = [list(means)[i] for i in used]
    weights = {name: float(weight) for name, weight in zip(chosen, regression.coef_[0], strict=True)}
    model = RefusalModel(float(regression.intercept_[0]), weights, {n: means[n] for n in chosen}, fitted_on=said)
    return RefusalModel(model.bias, model.weights, model.means, careful_threshold(model, judged), said)


def auroc(model: RefusalModel, judged: Sequence[Judged]) -> float | None:
    """Area under the ROC curve of the probability, ties counting half; None without both classes."""
    yes = np.array([model.probability(j.features) for j in judged if j.answerable])
    no = np.array([model.probability(j.features) for j in judged if not j.answerable])
    if not len(yes) or not len(no):
        return None
    return float((yes[:, None] > no[None, :]).mean() + (yes[:, None] == no[None, :]).mean() / 2)


def judged_to_json(judged: Judged) -> dict[str, Any]:
    """A judged question as plain JSON data."""
    features = {name: round(value, 5) for name, value in judged.features.items()}
    return {"id": judged.id, "answerable": judged.answerable, "answered": judged.answered, "right": judged.right, "features": features}


def _judged(row: dict[str, Any]) -> Judged:
    features = row.get("features")
    if not isinstance(features, dict) or not all(isinstance(v, int | float) for v in features.values()):
        raise ValueError(f"field 'features': {features!r}; accepted: names with numbers, as --save writes them")
    if not isinstance(row.get("id"), str) or not isinstance(row.get("answerable"), bool):
        raise ValueError("fields 'id' and 'answerable'; accepted: a text, and true or false")
    right = row.get("right")
    return Judged(row["id"], row["answerable"], {k: float(v) for k, v in features.items()}, bool(row.get("answered", True)), right)


def read_judged(path: Path | str) -> list[Judged]:
    """Judged questions that were saved, JSON lines.

    :raises DataError: names the file and the line.
    """
    return read_set(path, _judged)


def known_answers(folder: Path | str) -> dict[str, str]:
    """Query id to the known answer, of the queries of a BEIR folder that carry one as `metadata.answer`, those that say yes or no left out."""

    def pair(row: dict[str, Any]) -> tuple[str, str]:
        answer = (row.get("metadata") or {}).get("answer")
        return str(row.get("_id")), answer if isinstance(answer, str) and answer.casefold() not in {"yes", "no"} else ""

    return {id_: answer for id_, answer in read_set(Path(folder) / "queries.jsonl", pair) if answer}

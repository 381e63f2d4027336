"""Fits the weights of the learned fusion on judged questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from components.rankers.ranking_features import FEATURES, Candidate, features
from evaluation.training.mined import Mined
from evaluation.training.report import HeldOut, ndcg

PENALTY = 0.01


@dataclass(frozen=True)
class Judged:
    """The candidates of one question.

    :param rows: what `features` gives, a row a candidate, in the order of the first stage.
    :param grades: relevance of each, >= 0.
    :param groups: the document that each is of; a document ranks by its best candidate.
    """

    rows: np.ndarray
    grades: np.ndarray
    groups: tuple[str, ...]


def fit(sets: Mapping[str, Sequence[Judged]], penalty: float = PENALTY) -> dict[str, float]:
    """Weights >= 0 of least listwise loss: the cross-entropy between the grades of a question's candidates, scaled to a sum of 1, and the
    softmax of their scores (Cao et al., "Learning to rank: from pairwise approach to listwise approach", ICML 2007), plus `penalty` times
    the sum of squared weights. Every set weighs the same, whatever its size; a question without a relevant candidate, or with nothing
    else, tells nothing. The loss is convex, so the result does not depend on where it begins.

    Each feature says that more is better, so a weight below 0 would be chance, and is not allowed.

    :param penalty: > 0. Larger draws the weights together; .01 was chosen leaving one set out of five.
    :raises ValueError: no question tells anything.
    """
    from scipy.optimize import minimize

    kept = {name: [j for j in judged if 0 < (j.grades > 0).sum() < len(j.grades)] for name, judged in sets.items()}
    kept = {name: judged for name, judged in kept.items() if judged}
    if not kept:
        raise ValueError("no question has both a relevant candidate and another; accepted: at least one")
    lists = [(j, 1 / len(judged) / len(kept)) for judged in kept.values() for j in judged]
    rows = np.vstack([j.rows for j, _ in lists])
    sizes = np.array([len(j.rows) for j, _ in lists])
    starts = np.r_[0, np.cumsum(sizes)[:-1]]
    targets = np.concatenate([j.grades / j.grades.sum() for j, _ in lists])
    weights = np.repeat([w for _, w in lists], sizes)

    def loss(b: np.ndarray) -> tuple[float, np.ndarray]:
        scores = rows @ b
        scores = scores - np.repeat(np.maximum.reduceat(scores, starts), sizes)
        logs = scores - np.repeat(np.log(np.add.reduceat(np.exp(scores), starts)), sizes)
        value = -(weights * targets * logs).sum() + penalty * (b**2).sum()
        return value, rows.T @ (weights * (np.exp(logs) - targets)) + 2 * penalty * b

    found = minimize(loss, np.ones(rows.shape[1]), jac=True, method="L-BFGS-B", bounds=[(0, None)] * rows.shape[1])
    return {name: round(float(value), 3) for name, value in zip(FEATURES, found.x, strict=True)}


def ranked(judged: Judged, weights: Mapping[str, float]) -> list[str]:
    """The documents of a question by their best candidate, best first."""
    scores = judged.rows @ np.array([weights.get(name, 0.0) for name in FEATURES])
    return list(dict.fromkeys(judged.groups[i] for i in np.argsort(-scores, kind="stable")))


def of_mined(one: Mined, language: str | None = "en") -> Judged:
    """The candidates of a question that was made of the passages."""
    rows = features(one.question, [Candidate(c.text, c.title, c.fused, c.dense, c.sparse) for c in one.candidates], language)
    return Judged(rows, np.array(one.labels, dtype=float), tuple(c.id for c in one.candidates))


def held_out(mined: Sequence[Mined], weights: Mapping[str, float]) -> HeldOut:
    """The order of the first stage, and that of the weights."""
    values: dict[str, list[float]] = {"first stage": [], "learned fusion": []}
    for one in mined:
        order = ranked(of_mined(one), weights)
        relevant = {c.id for c in one.candidates if c.relevant}
        values["first stage"].append(ndcg(one.labels))
        values["learned fusion"].append(ndcg([id_ in relevant for id_ in order]))
    return HeldOut(values)

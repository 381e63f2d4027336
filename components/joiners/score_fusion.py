"""Fusion of scores as arithmetic: scores of several legs in, each brought to one scale, their weighted mean out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from components.joiners.rank_fusion import Fused

Scores = Mapping[str, float]
"""Id to score, best first, of one leg and one question."""


def theoretical(scores: Sequence[float], floor: float) -> tuple[float, float]:
    """Zero at the lowest score that means something, one at the best found (Bruch et al., below: "theoretical min-max").

    A leg whose scores are all alike then says little, and one that has a clear winner says much.

    :param floor: for BM25 0; for cosines that of texts which have nothing to do with one another, near 0 for most models.
    """
    return min(floor, *scores), max(scores)


def min_max(scores: Sequence[float], floor: float) -> tuple[float, float]:
    """Zero at the last score retrieved, one at the best."""
    return min(scores), max(scores)


def z_score(scores: Sequence[float], floor: float) -> tuple[float, float]:
    """Zero at the mean of the scores retrieved, one at a standard deviation above."""
    mean = math.fsum(scores) / len(scores)
    return mean, mean + math.sqrt(math.fsum((score - mean) ** 2 for score in scores) / len(scores))


NORMALISATIONS: dict[str, Callable[[Sequence[float], float], tuple[float, float]]] = {
    "theoretical": theoretical,
    "min_max": min_max,
    "z_score": z_score,
}


def normalised(scores: Scores, method: str = "theoretical", floor: float = 0.0) -> tuple[dict[str, float], float]:
    """Scores on a common scale, and the value of what a leg did not retrieve.

    That is the value of the last one retrieved, than which it can be no better. A leg whose scores are all the same gives ones
    (z-scores: zeros).

    :param method: a key of `NORMALISATIONS`.

    >>> normalised({"a": 8.0, "b": 4.0}), normalised({"a": 8.0, "b": 4.0}, "min_max")
    (({'a': 1.0, 'b': 0.5}, 0.5), ({'a': 1.0, 'b': 0.0}, 0.0))
    """
    if not scores:
        return {}, 0.0
    low, high = NORMALISATIONS[method](list(scores.values()), floor)
    same = 0.0 if method == "z_score" else 1.0
    values = {id_: (score - low) / (high - low) if high > low else same for id_, score in scores.items()}
    return values, min(values.values())


def convex_combination(
    legs: Mapping[str, Scores],
    weights: Mapping[str, float] | None = None,
    method: str = "theoretical",
    floors: Mapping[str, float] | None = None,
    missing: Mapping[str, float] | None = None,
) -> list[Fused]:
    """Fuse scored lists: score(d) = sum over legs of w · normalised score, the weights scaled to a sum of 1.

    Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", ACM TOIS 2023. Ties go to the better rank in any leg,
    then to the smaller id.

    :param legs: leg name to its scores, best first.
    :param weights: leg name to weight >= 0; a leg without one weighs 1. What only a leg of weight 0 holds is left out.
    :param method: a key of `NORMALISATIONS`.
    :param floors: leg name to the score that means nothing, for `theoretical`; 0 where not named.
    :param missing: leg name to the normalised value of what it did not retrieve; where not named, as `normalised` gives it.

    >>> fused = convex_combination({"dense": {"a": 0.8, "b": 0.4}, "sparse": {"b": 7.0}}, missing={"sparse": 0.0})
    >>> [(f.id, round(f.score, 3)) for f in fused]
    [('b', 0.75), ('a', 0.5)]
    """
    given = {name: (weights or {}).get(name, 1.0) for name, scores in legs.items() if scores}
    total = math.fsum(given.values())
    if total <= 0:
        return []
    scaled = {}
    for name, weight in given.items():
        values, absent = normalised(legs[name], method, (floors or {}).get(name, 0.0))
        scaled[name] = (values, (missing or {}).get(name, absent), weight / total)
    ranks: dict[str, dict[str, int]] = {}
    for name in given:
        for rank, id_ in enumerate(legs[name], start=1):
            ranks.setdefault(id_, {})[name] = rank
    fused = [
        Fused(id_, math.fsum(weight * values.get(id_, absent) for values, absent, weight in scaled.values()), by_leg)
        for id_, by_leg in ranks.items()
        if any(given[name] > 0 for name in by_leg)
    ]
    return sorted(fused, key=lambda f: (-f.score, min(f.ranks.values()), f.id))

"""How sure one can be of a mean over queries, and of the difference of two: bootstrap intervals and a paired randomisation test, both by SciPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 2000
PERMUTATIONS = 9999
_AT_ONCE = 2_000_000  # numbers held at once


@dataclass(frozen=True)
class Interval:
    """A value with the ends of its interval."""

    value: float
    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        """Plain JSON data, rounded to four digits."""
        return {"value": round(self.value, 4), "low": round(self.low, 4), "high": round(self.high, 4)}


@dataclass(frozen=True)
class Difference(Interval):
    """The mean difference of two graphs over the same queries, and how often chance alone would give one as large."""

    p: float

    def to_json(self) -> dict[str, float]:
        """As `Interval.to_json`, with `p`."""
        return {**super().to_json(), "p": round(self.p, 4)}


def _checked(values: Sequence[float] | np.ndarray, confidence: float) -> np.ndarray:
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise ValueError("accepted: one finite value for each of one or more queries")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence}; accepted: between 0 and 1")
    return array


def bootstrap_mean(values: Sequence[float] | np.ndarray, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0) -> Interval:
    """The mean and its bootstrap interval by the percentile method (Efron and Tibshirani, "An introduction to the bootstrap", 1993, ch. 13).

    Queries are drawn with replacement. The same seed gives the same interval. Of a single query nothing is known but its value.

    :param values: one a query.
    :raises ValueError: no value, or one that is not finite.

    >>> bootstrap_mean([1.0, 1.0])
    Interval(value=1.0, low=1.0, high=1.0)
    """
    from scipy.stats import bootstrap

    array = _checked(values, confidence)
    mean = float(array.mean())
    if np.ptp(array) == 0:
        return Interval(mean, mean, mean)
    drawn = bootstrap(
        (array,),
        np.mean,
        n_resamples=resamples,
        batch=_batch(array),
        confidence_level=confidence,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    return Interval(mean, float(drawn.confidence_interval.low), float(drawn.confidence_interval.high))


def paired_difference(
    first: Sequence[float] | np.ndarray,
    second: Sequence[float] | np.ndarray,
    confidence: float = 0.95,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Difference:
    """Mean of `first - second` with its bootstrap interval, and the two-sided p of a paired randomisation test.

    The test swaps the two values of each query by the toss of a coin and asks how often the mean difference comes out as far from 0 (Smucker,
    Allan and Carterette, "A comparison of statistical significance tests for information retrieval evaluation", CIKM 2007). Up to 13 queries
    every swap is tried; beyond, `permutations` of them.

    :param first: one value a query.
    :param second: those of the other graph, in the same order.
    :raises ValueError: lists of different lengths, no value, or one that is not finite.

    >>> paired_difference([1, 1], [1, 1])
    Difference(value=0.0, low=0.0, high=0.0, p=1.0)
    """
    from scipy.stats import permutation_test

    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} values; accepted: two lists over the same queries")
    differences = _checked(np.asarray(first, dtype=float) - np.asarray(second, dtype=float), confidence)
    interval = bootstrap_mean(differences, confidence, seed=seed)
    changed = differences[differences != 0]  # the others stay the same whichever way they are swapped
    p = 1.0
    if changed.size > 1:  # of a single one, both ways are as far from 0
        p = permutation_test(
            (changed, np.zeros_like(changed)),
            lambda x, y, axis: (x - y).sum(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=permutations,
            batch=_batch(changed),
            rng=np.random.default_rng([seed, 1]),
        ).pvalue
    return Difference(interval.value, interval.low, interval.high, float(p))


def _batch(array: np.ndarray) -> int:
    return max(1, _AT_ONCE // array.size)

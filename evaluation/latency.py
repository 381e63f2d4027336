"""How long calls took, and how sure one can be of a ratio of two such times."""

from __future__ import annotations

from typing import Any

import numpy as np


def quantiles_ms(seconds: list[float]) -> dict[str, float]:
    """Median and 95th percentile in milliseconds.

    >>> quantiles_ms([0.001, 0.002, 0.003])
    {'p50': 2.0, 'p95': 2.9}
    """
    p50, p95 = np.percentile(np.asarray(seconds) * 1000, [50, 95])
    return {"p50": round(float(p50), 3), "p95": round(float(p95), 3)}


def ratio(slow: list[float], fast: list[float], percentile: float, resamples: int = 2000, seed: int = 0) -> dict[str, Any]:
    """`slow` / `fast` at a percentile, with a 95 % bootstrap interval (percentile method, Efron and Tibshirani 1993, ch. 13).

    The pairs are resampled together: both sides answered the same query at the same time, on the same busy machine.

    :param slow: seconds of one side, one a query.
    :param fast: seconds of the other, in the same order.
    :param percentile: 0 to 100.
    :raises ValueError: the lists are empty or of different lengths.

    >>> ratio([4.0, 4.0], [2.0, 2.0], 50)
    {'value': 2.0, 'low': 2.0, 'high': 2.0}
    """
    if not slow or len(slow) != len(fast):
        raise ValueError(f"{len(slow)} and {len(fast)} times; accepted: two lists of one length, not empty")
    a, b = np.asarray(slow), np.asarray(fast)
    picks = np.random.default_rng(seed).integers(0, len(a), size=(resamples, len(a)))
    drawn = np.percentile(a[picks], percentile, axis=1) / np.percentile(b[picks], percentile, axis=1)
    low, high = np.percentile(drawn, [2.5, 97.5])
    value = np.percentile(a, percentile) / np.percentile(b, percentile)
    return {"value": round(float(value), 2), "low": round(float(low), 2), "high": round(float(high), 2)}

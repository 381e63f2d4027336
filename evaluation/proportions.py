"""A proportion and how sure one can be of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any


def wilson_interval(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Score interval of a proportion (E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927).

    Unlike p ± z·sqrt(p(1-p)/n) it stays within [0, 1] and is not empty at 0 or n successes, so it can be read at 20 questions.

    :param successes: 0 to `trials`.
    :param trials: 0 or more; of nothing nothing is known: (0, 1).
    :param confidence: between 0 and 1.
    :raises ValueError: a parameter out of its range.

    >>> [round(end, 4) for end in wilson_interval(8, 10)]
    [0.4902, 0.9433]
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes of {trials} trials; accepted: 0 <= successes <= trials")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence}; accepted: between 0 and 1")
    if trials == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    p = successes / trials
    centre = p + z * z / (2 * trials)
    margin = z * sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    low = 0.0 if successes == 0 else (centre - margin) / scale  # exact at the ends, where rounding would leave 1e-17
    high = 1.0 if successes == trials else (centre + margin) / scale
    return low, high


@dataclass(frozen=True)
class Proportion:
    """`successes` of `trials`, with its Wilson interval."""

    successes: int
    trials: int

    @property
    def value(self) -> float | None:
        """Share of successes, 0 to 1; None of no trials."""
        return self.successes / self.trials if self.trials else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson interval at 95 percent."""
        return wilson_interval(self.successes, self.trials)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data: value, low, high, successes, trials."""
        low, high = self.interval
        return {"value": self.value, "low": low, "high": high, "successes": self.successes, "trials": self.trials}

    def __str__(self) -> str:
        if self.value is None:
            return "none"
        low, high = self.interval
        return f"{self.successes}/{self.trials} = {self.value:.2f} [{low:.2f}, {high:.2f}]"

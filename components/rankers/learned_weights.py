"""The weights of the learned fusion: a JSON file that a person can read, and the score that it gives."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np

from components.rankers.ranking_features import FEATURES


def read_weights(path: Path) -> dict[str, float]:
    """Feature to weight, from `{"weights": {"fused": 1.2, ...}}`; a feature that is not named weighs 0.

    :raises ValueError: no such file, no such object in it, an unknown feature, a weight that is no number, or none above 0.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["weights"]
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file") from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path}: not readable ({type(error).__name__}: {error}); accepted is a JSON object with `weights`") from error
    if not isinstance(found, dict) or (unknown := sorted(set(found) - set(FEATURES))):
        named = ", ".join(unknown) if isinstance(found, dict) else repr(found)
        raise ValueError(f"{path}: unknown features {named}; accepted are {', '.join(FEATURES)}")
    for name, value in found.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"{path}: weight of {name} {value!r}; accepted is a number")
    if not any(found.values()):
        raise ValueError(f"{path}: every weight is 0; such a ranker would order nothing")
    return {name: float(value) for name, value in found.items()}


def contributions(rows: np.ndarray, weights: dict[str, float]) -> np.ndarray:
    """What each feature adds to each candidate's score; the score is the sum of a row."""
    return rows * np.array([weights.get(name, 0.0) for name in FEATURES])

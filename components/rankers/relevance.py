"""Arithmetic of a cross-encoder: from logits to a relevance in [0, 1], and the order in which pairs are scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def relevance(logits: Any, scale: float = 1.0, shift: float = 0.0) -> np.ndarray:
    """Probability that each passage is relevant, in [0, 1]: the sigmoid of scale · logit + shift (Platt, "Probabilistic outputs for support
    vector machines", 1999). Both are fitted on judged pairs; with 1 and 0 the model's own scores are taken as they are.

    :param logits: array of shape [n] or [n, 1] (one label: the sigmoid is taken) or [n, 2] (irrelevant, relevant: the softmax of the second).
    :raises ValueError: more than two labels, which is a classifier and no ranker, or a logit that is no number.

    >>> [round(float(x), 3) for x in relevance([[0.0], [2.0]])]
    [0.5, 0.881]
    >>> [round(float(x), 3) for x in relevance([[1.0, 3.0]])]
    [0.881]
    >>> [round(float(x), 3) for x in relevance([4.0, 6.0], scale=0.5, shift=-2.0)]
    [0.5, 0.731]
    """
    values = np.asarray(logits, dtype=np.float64)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or values.shape[1] not in (1, 2):
        raise ValueError(f"the model gives {values.shape[-1]} labels a pair; accepted are 1 or 2")
    if not np.isfinite(values).all():
        raise ValueError("the model gave a score that is no number")
    difference = values[:, 0] if values.shape[1] == 1 else values[:, 1] - values[:, 0]  # softmax of two = sigmoid of their difference
    return 0.5 * (1.0 + np.tanh(0.5 * (scale * difference + shift)))  # the sigmoid, without overflow


def batches(texts: Sequence[str], size: int, by_length: bool) -> list[list[int]]:
    """Positions of `texts`, in batches.

    :param size: texts a batch, >= 1.
    :param by_length: longest first, so that little is padded; otherwise in the order given, so that the first are scored first.

    >>> batches(["a", "ccc", "bb"], 2, by_length=True)
    [[1, 2], [0]]
    """
    order = sorted(range(len(texts)), key=lambda i: (-len(texts[i]), i)) if by_length else list(range(len(texts)))
    return [order[i : i + size] for i in range(0, len(order), size)]

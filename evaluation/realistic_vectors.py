"""Vectors of any number with the neighbourhoods of real embeddings, for measuring a graph index at sizes that nobody wants to embed.

A vector is grown from a real one by a step towards one of its near neighbours (Chawla et al., "SMOTE", JAIR 2002) and a step along the
difference of two other near neighbours, so that it stays where and moves along the directions in which the real ones differ. How long the second
step is, is measured: the length at which as many grown vectors as there are real ones have the same local intrinsic dimension (Levina and Bickel,
"Maximum likelihood estimation of intrinsic dimension", NIPS 2004), which is what makes a graph search hard or easy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

NEAR = 10
"""Neighbours that a step may lead to."""
LID_NEIGHBOURS = 20
LENGTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0)
MIN_SEEDS = 100
_ROWS = 1024


def normalised(vectors: np.ndarray) -> np.ndarray:
    """Rows of length 1, as float32."""
    matrix = np.asarray(vectors, dtype=np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def nearest(queries: np.ndarray, vectors: np.ndarray, count: int, *, same: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers and cosines of the nearest vectors of each query, nearest first.

    :param same: the queries are the vectors: each is left out of its own neighbours.
    """
    places, cosines = [], []
    for start in range(0, len(queries), _ROWS):
        block = queries[start : start + _ROWS] @ vectors.T
        if same:
            block[np.arange(len(block)), np.arange(start, start + len(block))] = -np.inf
        top = np.argpartition(-block, count, axis=1)[:, :count]
        values = np.take_along_axis(block, top, axis=1)
        order = np.argsort(-values, axis=1)
        places.append(np.take_along_axis(top, order, axis=1))
        cosines.append(np.take_along_axis(values, order, axis=1))
    return np.concatenate(places), np.concatenate(cosines)


def intrinsic_dimension(cosines: np.ndarray) -> float:
    """Local intrinsic dimension of vectors of length 1: median over them of 1 / mean(ln(r_k / r_j)), j < k, r_j the distance to the j-th neighbour.

    :param cosines: of each vector to its neighbours, nearest first.
    """
    distances = np.sqrt(np.maximum(2 - 2 * cosines.astype(np.float64), 1e-12))
    logs = np.log(distances[:, -1:] / distances[:, :-1]).mean(axis=1)
    return float(np.median(1 / np.maximum(logs, 1e-9)))


def shape_of(vectors: np.ndarray) -> dict[str, float]:
    """What a set of vectors is like: local intrinsic dimension, and the median cosine to the first and the tenth neighbour."""
    _, cosines = nearest(vectors, vectors, LID_NEIGHBOURS, same=True)
    return {
        "intrinsic_dimension": round(intrinsic_dimension(cosines), 2),
        "cosine_to_1st": round(float(np.median(cosines[:, 0])), 4),
        "cosine_to_10th": round(float(np.median(cosines[:, 9])), 4),
    }


@dataclass(frozen=True)
class Grower:
    """Grows vectors from real ones.

    :param length: of the step along the difference of two neighbours, in units of that difference.
    :param measured: the shape of the real vectors, and that of as many grown ones.
    """

    seeds: np.ndarray
    neighbours: np.ndarray
    length: float
    measured: dict[str, Any]

    @classmethod
    def of(cls, vectors: np.ndarray, seed: int = 0) -> Grower:
        """Measure real vectors and choose the length of the step.

        :raises ValueError: fewer than `MIN_SEEDS` different vectors.
        """
        seeds = np.unique(normalised(vectors), axis=0)
        if len(seeds) < MIN_SEEDS:
            raise ValueError(f"{len(seeds)} different vectors; accepted: {MIN_SEEDS} or more real embeddings to grow from")
        neighbours, _ = nearest(seeds, seeds, NEAR, same=True)
        real = shape_of(seeds)
        best: Grower | None = None
        gap = np.inf
        for length in LENGTHS:
            trial = cls(seeds, neighbours, length, {})
            grown = shape_of(trial.vectors(len(seeds), np.random.default_rng([seed, 7])))
            away = abs(np.log(grown["intrinsic_dimension"] / real["intrinsic_dimension"]))
            if away < gap:
                gap, best = away, cls(seeds, neighbours, length, {"seeds": len(seeds), "step": length, "real": real, "grown": grown})
        if best is None:
            raise ValueError("no step length could be measured")
        return best

    def vectors(self, count: int, rng: np.random.Generator, origins: np.ndarray | None = None) -> np.ndarray:
        """Grow vectors, float32 rows of length 1.

        :param origins: the row of the real vector that each is grown from; None: any.
        """
        one = rng.integers(0, len(self.seeds), size=count) if origins is None else origins
        near = self.neighbours[one]
        rows = np.arange(count)
        towards = self.seeds[near[rows, rng.integers(0, NEAR, size=count)]]
        other = rng.integers(0, len(self.seeds), size=count)
        along = self.seeds[other] - self.seeds[self.neighbours[other, rng.integers(0, NEAR, size=count)]]
        mixed = self.seeds[one] + rng.random((count, 1), dtype=np.float32) * (towards - self.seeds[one]) + self.length * along
        return normalised(mixed)

    def sources(self, count: int, per_source: int, seed: int = 0) -> Iterator[tuple[int, np.ndarray]]:
        """Chunks source by source: all of a source are grown from one real vector and its neighbours, as the chunks of a document are alike.

        :returns: number of the source, and its vectors.
        """
        for source, first in enumerate(range(0, count, per_source)):
            rng = np.random.default_rng([seed, source])
            size = min(per_source, count - first)
            start = int(rng.integers(0, len(self.seeds)))
            around = np.concatenate([[start], self.neighbours[start]])
            yield source, self.vectors(size, rng, rng.choice(around, size=size))

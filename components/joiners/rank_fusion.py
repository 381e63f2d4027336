"""Reciprocal rank fusion as arithmetic: lists of ids in, one list of ids out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Fused:
    """One id of the fused list.

    :param id: what was ranked.
    :param score: sum over the legs of weight / (k + rank).
    :param ranks: its rank in each leg that holds it, from 1.
    """

    id: str
    score: float
    ranks: dict[str, int]


def reciprocal_rank_fusion(rankings: Mapping[str, Iterable[str]], k: float = 60, weights: Mapping[str, float] | None = None) -> list[Fused]:
    """Fuse ranked lists: score(d) = sum over legs of w / (k + rank of d in the leg), ranks from 1.

    Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods", SIGIR 2009.
    Ties go to the better rank in any leg, then to the smaller id, so that the order never depends on which leg came first.

    :param rankings: leg name to ids, best first. An id that occurs twice in a leg counts where it stands first.
    :param k: constant that flattens the top ranks; 60 in the paper.
    :param weights: leg name to weight >= 0; a leg without one weighs 1. What only a leg of weight 0 holds is left out.

    >>> [(f.id, round(f.score, 6)) for f in reciprocal_rank_fusion({"dense": ["a", "b"], "sparse": ["b"]})]
    [('b', 0.032522), ('a', 0.016393)]
    """
    weights = weights or {}
    ranks: dict[str, dict[str, int]] = {}
    for leg, ids in rankings.items():
        for rank, id_ in enumerate(dict.fromkeys(ids), start=1):
            ranks.setdefault(id_, {})[leg] = rank
    fused = []
    for id_, by_leg in ranks.items():
        parts = [weights.get(leg, 1.0) / (k + rank) for leg, rank in by_leg.items() if weights.get(leg, 1.0) > 0]
        if parts:
            fused.append(Fused(id_, math.fsum(parts), by_leg))  # fsum: the same bits in whichever order the legs are summed
    return sorted(fused, key=lambda f: (-f.score, min(f.ranks.values()), f.id))

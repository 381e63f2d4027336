"""What every fuser does around its arithmetic: legs to lists without repetitions, fused ids back to documents with their ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from haystack import Document

from components.joiners.rank_fusion import Fused

Legs = dict[str, dict[str, Document]]
"""Leg name to its documents by id, best first, each where it stands first."""


def by_leg(names: Sequence[str], legs: Mapping[str, list[Document] | None]) -> Legs:
    """The legs in the order of `names`; a missing, `None` or empty one is empty."""
    found: Legs = {}
    for name in names:
        found[name] = {}
        for document in legs.get(name) or []:
            found[name].setdefault(document.id, document)
    return found


def scores_of(legs: Legs) -> dict[str, dict[str, float]]:
    """Id to score of each leg; a score that is absent or no number counts as the lowest of its leg (0 where all are so)."""
    scores: dict[str, dict[str, float]] = {}
    for name, documents in legs.items():
        known = {id_: d.score for id_, d in documents.items() if d.score is not None and math.isfinite(d.score)}
        lowest = min(known.values(), default=0.0)
        scores[name] = {id_: known.get(id_, lowest) for id_ in documents}
    return scores


def documents_of(fused: Iterable[Fused], legs: Legs) -> list[Document]:
    """A document for each fused id: the fused score as `score`, each leg's rank and score in `meta["ranks"]`, what stood there kept.

    Content and meta are those of the first leg that holds it.
    """
    documents = []
    for item in fused:
        own = {name: {"rank": rank, "score": legs[name][item.id].score} for name, rank in item.ranks.items()}
        first = legs[next(iter(own))][item.id]
        ranks: dict[str, Any] = {}
        for name in own:
            ranks.update(legs[name][item.id].meta.get("ranks") or {})
        documents.append(replace(first, score=item.score, meta={**first.meta, "ranks": {**ranks, **own}}))
    return documents


def is_number(value: object) -> bool:
    """Whether a parameter is a finite number and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def checked_top_k(owner: str, value: int) -> int:
    """A number of documents.

    :raises ValueError: none, or below 1.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{owner}.top_k={value!r}: accepted is a whole number >= 1")
    return value


def checked_weights(owner: str, names: Sequence[str], weights: Mapping[str, float] | None) -> None:
    """Weights of legs that exist, each >= 0, not all 0.

    :raises ValueError: others.
    """
    for name, weight in (weights or {}).items():
        if name not in names:
            raise ValueError(f"{owner}.weights names {name!r}; accepted are the legs {', '.join(names)}")
        if not is_number(weight) or weight < 0:
            raise ValueError(f"{owner}.weights[{name!r}]={weight!r}: accepted is a number >= 0")
    if weights and all(weights.get(name, 1.0) == 0 for name in names):
        raise ValueError(f"{owner}.weights: at least one leg needs a weight above 0")

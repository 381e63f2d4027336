"""Merges what several queries found for one question. Pure functions over lists of documents by query; the question's own list is `OWN`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from haystack import Document

from components.joiners.rank_fusion import reciprocal_rank_fusion

OWN = "question"
LEAST = 1e-6
"""Weight of the question's list where it weighs nothing: it only orders what is left."""


def fused_queries(lists: Mapping[str, list[Document]], question_weight: float, k: float, top_k: int) -> list[Document]:
    """By reciprocal rank (Cormack et al. 2009): the question's list weighs `question_weight`, all others 1 together.

    >>> a, b = Document(id="a", content="a"), Document(id="b", content="b")
    >>> [d.id for d in fused_queries({"question": [a], "query_1": [b], "query_2": [b]}, 1.0, 60, 5)]
    ['a', 'b']
    """
    others = [name for name in lists if name != OWN]
    weights = {name: 1 / len(others) for name in others} | {OWN: question_weight or LEAST}
    fused = reciprocal_rank_fusion({name: [d.id for d in found] for name, found in lists.items()}, k, weights)
    return [_placed(item.id, item.score, item.ranks, lists) for item in fused[:top_k]]


def shared_places(lists: Mapping[str, list[Document]], top_k: int) -> list[Document]:
    """In turns: the first of each further query and then of the question, the second of each, and so on; what is taken is passed over.

    >>> a, b, c = (Document(id=x, content=x) for x in "abc")
    >>> [d.id for d in shared_places({"question": [a, b], "query_1": [a, c], "query_2": [b]}, 5)]
    ['a', 'b', 'c']
    """
    order = [*(name for name in lists if name != OWN), *([OWN] if OWN in lists else [])]
    ranks = {name: {d.id: rank for rank, d in enumerate(lists[name], start=1)} for name in order}
    left = {name: list(lists[name]) for name in order}
    taken: dict[str, None] = {}
    while len(taken) < top_k and any(left.values()):
        for name in order:
            while left[name] and left[name][0].id in taken:
                left[name].pop(0)
            if left[name] and len(taken) < top_k:
                taken[left[name].pop(0).id] = None
    return [_placed(id_, 1 / place, {n: ranks[n][id_] for n in order if id_ in ranks[n]}, lists) for place, id_ in enumerate(taken, start=1)]


def _placed(id_: str, score: float, ranks: Mapping[str, int], lists: Mapping[str, list[Document]]) -> Document:
    """The passage with its new score; `meta["ranks"]` has its rank in each query's list, and the legs' scores for the question alone."""
    holders = [OWN, *ranks] if OWN in ranks else list(ranks)
    found = next(d for d in lists[holders[0]] if d.id == id_)
    legs = found.meta.get("ranks") or {} if OWN in ranks else {}
    asked = {name: {"rank": rank, "score": next(d.score for d in lists[name] if d.id == id_)} for name, rank in ranks.items()}
    return replace(found, score=score, meta={**found.meta, "ranks": {**legs, **asked}})

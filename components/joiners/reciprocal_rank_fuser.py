"""Fuses the ranked lists of several retrievers into one."""

from __future__ import annotations

from typing import Any

from haystack import Document, component

from components.joiners.fused_documents import by_leg, checked_top_k, checked_weights, documents_of, is_number
from components.joiners.rank_fusion import reciprocal_rank_fusion

DEFAULT_LEGS = ("dense", "sparse")
RESERVED = ("top_k",)
OWNER = "ReciprocalRankFuser"


@component
class ReciprocalRankFuser:
    """Fuse the lists of named legs by reciprocal rank: score = sum of weight / (k + rank), ranks from 1 (Cormack et al. 2009).

    Haystack's `DocumentJoiner` takes all lists on one variadic input, so its weights are positional: alphabetical by sender in `run`,
    in order of arrival in `run_async`, where they swap when one branch is slow; and it raises when a list is missing. It counts ranks
    from 0 with k = 61 and normalises, and it forgets the ranks. Here each leg is an input with a name, a missing leg is fine, and each
    document keeps the rank and score that every leg gave it in `meta["ranks"]`.

    >>> from haystack import Document
    >>> a, b = Document(id="a", content="a", score=0.8), Document(id="b", content="b", score=0.7)
    >>> fused = ReciprocalRankFuser().run(dense=[a, b], sparse=[b])["documents"]
    >>> [(d.id, d.meta["ranks"]["dense"]["rank"]) for d in fused]
    [('b', 2), ('a', 1)]
    """

    def __init__(self, k: float = 60, weights: dict[str, float] | None = None, top_k: int = 40, legs: list[str] | None = None) -> None:
        """:param k: constant of the formula, >= 0; 60 in the paper. Smaller favours the top ranks.
        :param weights: leg name to weight >= 0; a leg without one weighs 1. Not all may be 0.
        :param top_k: documents returned, >= 1.
        :param legs: names of the inputs; default `[dense, sparse]`. Each becomes an optional input of documents, best first.
        :raises ValueError: a value outside these ranges, a weight for a leg that does not exist, a leg name that cannot be an input.
        """
        names = list(DEFAULT_LEGS) if legs is None else list(legs)
        if not names or len(set(names)) != len(names):
            raise ValueError(f"ReciprocalRankFuser.legs={names!r}: accepted are one or more different names")
        for name in names:
            if not isinstance(name, str) or not name.isidentifier() or name in RESERVED:
                raise ValueError(f"ReciprocalRankFuser.legs: {name!r} cannot be an input; accepted are identifiers other than {', '.join(RESERVED)}")
        if not is_number(k) or k < 0:
            raise ValueError(f"ReciprocalRankFuser.k={k!r}: accepted is a number >= 0")
        checked_weights(OWNER, names, weights)
        self.k = k
        self.weights = weights
        self.top_k = checked_top_k(OWNER, top_k)
        self.legs = legs
        self._names = names
        for name in names:
            component.set_input_type(self, name, list[Document] | None, None)

    @component.output_types(documents=list[Document])
    def run(self, top_k: int | None = None, **legs: list[Document] | None) -> dict[str, Any]:
        """Fuse what has arrived.

        :param top_k: documents returned, >= 1; `None`: as constructed.
        :param legs: leg name to its documents, best first; a missing, `None` or empty leg adds nothing.
        :returns: `documents`, best first, each once: the fused score as `score`, and in `meta["ranks"]` for each leg that holds it
            `{"rank": from 1, "score": the leg's own}`. Content and meta are those of the first leg in `legs` that holds it.
        :raises ValueError: a leg that does not exist, or top_k < 1.
        """
        limit = self.top_k if top_k is None else checked_top_k(OWNER, top_k)
        if unknown := sorted(set(legs) - set(self._names)):
            raise ValueError(f"ReciprocalRankFuser has no leg {', '.join(unknown)}; accepted are {', '.join(self._names)}")
        found = by_leg(self._names, legs)
        fused = reciprocal_rank_fusion(found, self.k, self.weights)[:limit]
        return {"documents": documents_of(fused, found)}

"""Keeps places behind the first passages for what another way of looking found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from haystack import Document, component

from components.joiners.fused_documents import by_leg, checked_top_k, documents_of
from components.joiners.rank_fusion import Fused

OWNER = "ReservedPlaces"


@component
class ReservedPlaces:
    """The first list's best, then the best of the other that are not among them, then the rest of the first.

    For a list whose scores mean something else: passages that are related to the first ones, not like the question. Fused by rank
    (`ReciprocalRankFuser`, Haystack's DocumentJoiner) its first passages are those that both lists have, and what only it found comes last.

    >>> from haystack import Document
    >>> a, b, c, d = (Document(id=x, content=x) for x in "abcd")
    >>> [x.id for x in ReservedPlaces(keep=1, places=1).run(first=[a, b, c], other=[a, d, c])["documents"]]
    ['a', 'd', 'b', 'c']
    """

    def __init__(self, keep: int = 3, places: int = 2, top_k: int = 40) -> None:
        """Create the joiner.

        :param keep: passages of the first list that stay at the top, 1 or more.
        :param places: passages of the other put behind them, 0 or more.
        :param top_k: passages returned, 1 or more.
        :raises ValueError: a value out of range.
        """
        if isinstance(places, bool) or not isinstance(places, int) or places < 0:
            raise ValueError(f"{OWNER}.places={places!r}: accepted is a whole number >= 0")
        self.keep = checked_top_k(OWNER, keep)
        self.places = places
        self.top_k = checked_top_k(OWNER, top_k)

    @component.output_types(documents=list[Document])
    def run(self, first: list[Document], other: list[Document] | None = None) -> dict[str, Any]:
        """Join.

        :param first: best first.
        :param other: best first; where there is no first list, its passages alone.
        :returns: `documents`, each once, with rank and score of both lists in `meta["ranks"]` under `first` and `other`; `score` stays that of the
            list it was taken from.
        """
        found = by_leg(["first", "other"], {"first": first, "other": other})
        top = list(found["first"])[: self.keep]
        put = [i for i in found["other"] if i not in top][: self.places if found["first"] else None]
        order = list(dict.fromkeys([*top, *put, *found["first"]]))[: self.top_k]
        places = {name: {i: rank for rank, i in enumerate(leg, start=1)} for name, leg in found.items()}
        fused = [Fused(i, 0.0, {name: ranks[i] for name, ranks in places.items() if i in ranks}) for i in order]
        own = {i: (found["first"].get(i) or found["other"][i]).score for i in order}
        return {"documents": [replace(document, score=own[document.id]) for document in documents_of(fused, found)]}

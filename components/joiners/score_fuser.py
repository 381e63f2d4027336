"""Fuses the scored lists of a dense and a sparse leg by a weighted mean of their normalised scores."""

from __future__ import annotations

from typing import Any

from haystack import Document, component

from components.joiners.fused_documents import by_leg, checked_top_k, checked_weights, documents_of, is_number, scores_of
from components.joiners.score_fusion import NORMALISATIONS, convex_combination

LEGS = ("dense", "sparse")
OWNER = "ScoreFuser"


@component
class ScoreFuser:
    """Fuse two legs by the weighted mean of their scores, each brought to one scale (Bruch, Gai and Ingber, TOIS 2023).

    Ranks forget how far the first is ahead of the second; scores do not. Haystack's `DocumentJoiner` only merges or adds raw scores, of
    which cosines and BM25 have different scales, and takes its weights by position.

    >>> from haystack import Document
    >>> a, b = Document(id="a", content="a", score=0.8), Document(id="b", content="b", score=0.4)
    >>> [d.id for d in ScoreFuser().run(dense=[a, b], sparse=[b])["documents"]]
    ['b', 'a']
    """

    def __init__(
        self, normalisation: str = "theoretical", weights: dict[str, float] | None = None, dense_floor: float | None = None, top_k: int = 40
    ) -> None:
        """:param normalisation: how a leg's scores become comparable: `theoretical`, from the score that means nothing to the best found;
            `min_max`, from the last retrieved to the best; `z_score`, by mean and standard deviation of those retrieved.
        :param weights: `dense` and `sparse` to a weight >= 0; a leg without one weighs 1. Not both may be 0.
        :param dense_floor: for `theoretical`, the dense score of texts that have nothing to do with one another; `None`: the input
            `floor`, else 0. BM25's is 0.
        :param top_k: documents returned, >= 1.
        :raises ValueError: a value that is not accepted.
        """
        if normalisation not in NORMALISATIONS:
            raise ValueError(f"{OWNER}.normalisation={normalisation!r}: accepted are {', '.join(NORMALISATIONS)}")
        checked_weights(OWNER, LEGS, weights)
        if dense_floor is not None and not is_number(dense_floor):
            raise ValueError(f"{OWNER}.dense_floor={dense_floor!r}: accepted is null or a number")
        self.normalisation = normalisation
        self.weights = weights
        self.dense_floor = dense_floor
        self.top_k = checked_top_k(OWNER, top_k)

    @component.output_types(documents=list[Document])
    def run(
        self, dense: list[Document] | None = None, sparse: list[Document] | None = None, floor: float | None = None, top_k: int | None = None
    ) -> dict[str, Any]:
        """Fuse what has arrived.

        :param dense: documents by vector, best first, with their cosine as score.
        :param sparse: documents by BM25, best first.
        :param floor: cosine of unrelated texts, as the dense embedder gives it; `dense_floor` overrules it.
        :param top_k: documents returned, >= 1; `None`: as constructed.
        :returns: `documents`, best first, each once: the fused score, at most 1, as `score`, rank and score of each leg in `meta["ranks"]`.
        :raises ValueError: top_k < 1.
        """
        limit = self.top_k if top_k is None else checked_top_k(OWNER, top_k)
        found = by_leg(LEGS, {"dense": dense, "sparse": sparse})
        lowest = self.dense_floor if self.dense_floor is not None else floor or 0.0
        fused = convex_combination(
            scores_of(found),
            self.weights,
            self.normalisation,
            floors={"dense": lowest},
            missing={"sparse": 0.0} if self.normalisation == "theoretical" else None,
        )
        return {"documents": documents_of(fused[:limit], found)}

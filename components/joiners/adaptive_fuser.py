"""Fuses a dense and a sparse leg with weights that each question sets by itself."""

from __future__ import annotations

from typing import Any

from haystack import Document, component

from components.chunk import embedded_text
from components.embedders.bm25_terms import check_language
from components.joiners.fused_documents import by_leg, checked_top_k, documents_of, is_number, scores_of
from components.joiners.fusion_evidence import gathered, leg_weights
from components.joiners.score_fusion import convex_combination

LEGS = ("dense", "sparse")
OWNER = "AdaptiveFuser"


@component
class AdaptiveFuser:
    """Fuse two legs by the weighted mean of their scores, the weights taken from the question and from what the legs found.

    A fixed fusion, by rank or by score, is ruined by a leg that fails: vectors of a language that the model does not read, BM25 on words
    that the documents do not use. What tells so needs no judgements (`fusion_evidence.py`): the part of the question that the model reads,
    numbers and codes in it, and the share of its terms in the best passages of each leg. Scores are normalised from the score that means
    nothing to the best found (Bruch, Gai and Ingber, TOIS 2023), so that a leg without a clear winner moves little. Haystack has no such
    joiner. How the weights were chosen, and what they do to each set left out: `docs/retrieval.md`.

    >>> from haystack import Document
    >>> theft, leave = Document(id="t", content="Theft is punished.", score=0.5), Document(id="l", content="Leave of absence", score=0.49)
    >>> [d.id for d in AdaptiveFuser().run("absence", dense=[theft, leave], sparse=[leave])["documents"]]
    ['l', 't']
    """

    def __init__(
        self, dense_weight: float = 0.6, identifier_factor: float = 0.5, coverage_power: float = 2.0, language: str | None = "en", top_k: int = 40
    ) -> None:
        """:param dense_weight: weight of the dense leg where nothing speaks against it, > 0; the sparse leg's is its coverage to a power.
        :param identifier_factor: what the dense weight is multiplied by where the question carries a number or code, from 0 to 1.
        :param coverage_power: how fast trust in BM25 falls with the share of the question's terms that its best passages hold, >= 0.
        :param language: as that of the BM25 embedders: whose stemmer and stop words make terms.
        :param top_k: documents returned, >= 1.
        :raises ValueError: a value that is not accepted.
        """
        for name, value, fits, accepted in (
            ("dense_weight", dense_weight, lambda v: v > 0, "a number > 0"),
            ("identifier_factor", identifier_factor, lambda v: 0 <= v <= 1, "a number from 0 to 1"),
            ("coverage_power", coverage_power, lambda v: v >= 0, "a number >= 0"),
        ):
            if not is_number(value) or not fits(value):
                raise ValueError(f"{OWNER}.{name}={value!r}: accepted is {accepted}")
        check_language(language)
        self.dense_weight = dense_weight
        self.identifier_factor = identifier_factor
        self.coverage_power = coverage_power
        self.language = language
        self.top_k = checked_top_k(OWNER, top_k)

    @component.output_types(documents=list[Document], weights=dict[str, float], evidence=dict[str, float])
    def run(
        self,
        question: str,
        dense: list[Document] | None = None,
        sparse: list[Document] | None = None,
        reading: float | None = None,
        floor: float | None = None,
        top_k: int | None = None,
    ) -> dict[str, Any]:
        """Fuse what has arrived.

        :param question: the question as it was embedded.
        :param dense: documents by vector, best first, with their cosine as score.
        :param sparse: documents by BM25, best first.
        :param reading: part of the question that the embedding model reads, as its embedder gives it, 0 to 1; `None`: all.
        :param floor: cosine of unrelated texts, as the embedder gives it; `None`: 0.
        :param top_k: documents returned, >= 1; `None`: as constructed.
        :returns: `documents`, best first, each once: the fused score, at most 1, as `score`, rank and score of each leg in `meta["ranks"]`;
            `weights`, of the legs that had documents, with a sum of 1; `evidence`, what they were made of.
        :raises ValueError: top_k < 1.
        """
        limit = self.top_k if top_k is None else checked_top_k(OWNER, top_k)
        found = by_leg(LEGS, {"dense": dense, "sparse": sparse})
        texts = {leg: [(id_, _text(document)) for id_, document in list(documents.items())[:10]] for leg, documents in found.items()}
        evidence = gathered(question, texts["dense"], texts["sparse"], 1.0 if reading is None else reading, self.language)
        trusted = leg_weights(evidence, self.dense_weight, self.identifier_factor, self.coverage_power)
        given = {leg: trusted[leg] for leg in LEGS if found[leg]}
        if given and not any(given.values()):  # only a leg that is not trusted found anything
            given = dict.fromkeys(given, 1.0)
        fused = convex_combination(scores_of(found), given, floors={"dense": floor or 0.0}, missing={"sparse": 0.0})
        total = sum(given.values())
        return {
            "documents": documents_of(fused[:limit], found),
            "weights": {leg: round(weight / total, 3) for leg, weight in given.items()},
            "evidence": evidence.as_dict(),
        }


def _text(document: Document) -> str:
    return embedded_text(document.content or "", str(document.meta.get("context_header") or ""))

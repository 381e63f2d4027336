"""Both legs and their fusion as one node, for graphs that retrieve several times."""

from __future__ import annotations

import asyncio
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict

from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from components.embedders.bm25_text_embedder import BM25TextEmbedder
from components.embedders.dense_text_embedder import DenseTextEmbedder
from components.failure import Degradation
from components.joiners.adaptive_fuser import AdaptiveFuser
from components.rankers.identifier_ranker import IdentifierRanker
from components.rankers.learned_ranker import LearnedRanker
from components.retrievers.bm25_retriever import BM25Retriever
from components.retrievers.dense_retriever import DenseRetriever


@component
class HybridRetriever:
    """What the graph `query` does between the question and its cross-encoder, in one node: dense and BM25 legs, adaptive fusion, identifiers,
    learned ranker.

    Where a graph retrieves once, keep the legs as nodes: each can be seen, swapped and measured there. A graph that retrieves for several
    queries, or in a loop, would have to repeat them. Haystack's MultiRetriever and TextEmbeddingRetriever join retrievers too, but know neither
    the fingerprint of an index nor a fusion that weighs the legs by the question. It follows Haystack's TextRetriever protocol, so
    MultiQueryTextRetriever can hold it.
    """

    def __init__(
        self,
        document_store: SakshyaDocumentStore,
        top_k: int = 40,
        leg_top_k: int = 50,
        hnsw_ef: int | None = 512,
        exact: bool = False,
        model: str | None = None,
        language: str = "en",
        dense_weight: float = 0.6,
        weights: str | None = "models/learned-ranker/weights.json",
    ) -> None:
        """Create the retriever. What is not here is as the parts have it by default, which is as `query` has it.

        :param top_k: documents returned, 1 or more.
        :param leg_top_k: candidates of each leg, 1 or more.
        :param hnsw_ef: as in `DenseRetriever`, as is `exact`.
        :param model: embedding model; None: from settings.
        :param language: of the BM25 terms.
        :param dense_weight: as in `AdaptiveFuser`.
        :param weights: as in `LearnedRanker`; None: the fused order stays.
        :raises ValueError: a value that is not accepted.
        """
        self.document_store = document_store
        self.top_k, self.leg_top_k, self.hnsw_ef, self.exact = top_k, leg_top_k, hnsw_ef, exact
        self.model, self.language, self.dense_weight, self.weights = model, language, dense_weight, weights
        self.dense_embedder = DenseTextEmbedder(model=model)
        self.sparse_embedder = BM25TextEmbedder(language=language)
        self.dense = DenseRetriever(document_store, top_k=leg_top_k, hnsw_ef=hnsw_ef, exact=exact)
        self.sparse = BM25Retriever(document_store, top_k=leg_top_k)
        self.fuser = AdaptiveFuser(dense_weight=dense_weight, language=language, top_k=top_k)
        self.identifiers = IdentifierRanker()
        self.learned = LearnedRanker(weights=weights, language=language)

    def to_dict(self) -> dict[str, Any]:
        """Serialise to a dictionary."""
        names = ("top_k", "leg_top_k", "hnsw_ef", "exact", "model", "language", "dense_weight", "weights")
        return default_to_dict(self, document_store=self.document_store.to_dict(), **{name: getattr(self, name) for name in names})

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> HybridRetriever:
        """Load from a dictionary; the nested store by its own type."""
        return default_from_dict(cls, data)

    def warm_up(self) -> None:
        """Load the embedding model and the ranker's weights."""
        self.dense_embedder.warm_up()
        self.learned.warm_up()

    @component.output_types(documents=list[Document], degraded=list[Degradation])
    def run(
        self,
        query: str,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        embedding: list[float] | None = None,
    ) -> dict[str, Any]:
        """Retrieve for one query.

        :param query: its text.
        :param filters: narrows the search.
        :param top_k: documents returned, 1 or more; None: as constructed.
        :param embedding: searched with in the place of the query's own vector, for instance that of a hypothetical passage.
        :returns: `documents`, best first, as `AdaptiveFuser`, `IdentifierRanker` and `LearnedRanker` order them; `degraded`.
        :raises FingerprintError: the index was built with something else.
        """
        dense = self.dense_embedder.run(query)
        sparse = self.sparse_embedder.run(query)
        by_meaning = self.dense.run(embedding or dense["embedding"], filters, fingerprint=dense["fingerprint"])
        by_terms = self.sparse.run(sparse["sparse_embedding"], filters, fingerprint=sparse["fingerprint"])
        fused = self.fuser.run(query, by_meaning["documents"], by_terms["documents"], dense["reading"], dense["floor"], top_k)
        known = self.identifiers.run(query, fused["documents"])
        ranked = self.learned.run(query, known["documents"])
        return {"documents": ranked["documents"], "degraded": [*dense["degraded"], *ranked["degraded"]]}

    @component.output_types(documents=list[Document], degraded=list[Degradation])
    async def run_async(
        self,
        query: str,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        embedding: list[float] | None = None,
    ) -> dict[str, Any]:
        """As `run`."""
        return await asyncio.to_thread(self.run, query, filters, top_k, embedding)

"""Retrieval by dense vectors."""

from __future__ import annotations

import asyncio
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.document_stores.types import FilterPolicy
from haystack_integrations.components.retrievers.qdrant import QdrantEmbeddingRetriever

from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from components.retrievers.narrowing import combined


@component
class DenseRetriever(QdrantEmbeddingRetriever):
    """The chunks whose vectors are nearest to that of the question, best first.

    QdrantEmbeddingRetriever cannot load a subclass of its store from YAML, passes no search parameters, and asks any index with any
    model. A filter given to `run` narrows the one given here; it never replaces it.
    """

    def __init__(
        self,
        document_store: SakshyaDocumentStore,
        top_k: int = 50,
        hnsw_ef: int | None = None,
        exact: bool = False,
        filters: dict[str, Any] | None = None,
        filter_policy: str | FilterPolicy = FilterPolicy.MERGE,
        return_embedding: bool = False,
    ) -> None:
        """Store the settings.

        :param top_k: chunks returned at most, 1 or more.
        :param hnsw_ef: candidates that the graph search keeps, 1 or more; None is the engine's default.
        :param exact: compare with every vector, without approximation.
        :param return_embedding: vectors ride along; they are copied at every hop of the graph.
        :raises ValueError: a parameter that is not accepted.
        """
        if top_k < 1:
            raise ValueError(f"DenseRetriever.top_k={top_k} is not accepted: 1 or more")
        if hnsw_ef is not None and hnsw_ef < 1:
            raise ValueError(f"DenseRetriever.hnsw_ef={hnsw_ef} is not accepted: 1 or more, or null")
        # named, because `@component` makes a new class, which an argumentless super() does not know
        QdrantEmbeddingRetriever.__init__(self, document_store, filters, top_k, return_embedding=return_embedding, filter_policy=filter_policy)
        self._store = document_store
        self._hnsw_ef = hnsw_ef
        self._exact = exact

    def to_dict(self) -> dict[str, Any]:
        """Serialise to a dictionary."""
        return default_to_dict(
            self,
            document_store=self._store.to_dict(),
            top_k=self._top_k,
            hnsw_ef=self._hnsw_ef,
            exact=self._exact,
            filters=self._filters,
            filter_policy=self._filter_policy.value,
            return_embedding=self._return_embedding,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> DenseRetriever:
        """Load from a dictionary; the nested store by its own type."""
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document])
    def run(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        query_embedding: list[float] | None,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        fingerprint: dict[str, Any] | None = None,
    ) -> dict[str, list[Document]]:
        """Retrieve.

        :param query_embedding: vector of the question; None or an empty one gives no documents.
        :param filters: narrows the search.
        :param top_k: in place of the one given at construction.
        :param fingerprint: the embedder's settings and canary vectors; compared with those that built the index.
        :raises FingerprintError: the index was built with something else.
        """
        if not query_embedding:
            return {"documents": []}
        self._store.check_fingerprint(dense=fingerprint)
        documents = self._store._query_by_embedding(
            query_embedding,
            filters=combined(self._filter_policy, self._filters, filters),  # pyright: ignore[reportArgumentType]
            top_k=self._top_k if top_k is None else top_k,
            return_embedding=self._return_embedding,
            hnsw_ef=self._hnsw_ef,
            exact=self._exact,
        )
        return {"documents": documents}

    @component.output_types(documents=list[Document])
    async def run_async(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        query_embedding: list[float] | None,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        fingerprint: dict[str, Any] | None = None,
    ) -> dict[str, list[Document]]:
        """As `run`."""
        return await asyncio.to_thread(self.run, query_embedding, filters, top_k, fingerprint)

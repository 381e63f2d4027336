"""Chunks that the index already holds keep their vectors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from haystack import Document, component, default_from_dict, default_to_dict

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore


@component
class ChangeRouter:
    """Split chunks into those to embed and those whose embedded text is already in the index.

    Haystack's `CacheChecker` compares one meta field and returns the stored document, so a changed payload would be lost.
    A chunk's id is a hash of its source and its embedded text, so the same id means the same vectors. Whether they come from the
    same models is not asked here: `IndexWriter` refuses another fingerprint before it writes anything. Until the first commit an index
    does not say what built it, so the vectors that a killed first run left are not taken over.
    """

    def __init__(self, document_store: SakshyaDocumentStore, batch_size: int = 256) -> None:
        """Create the router.

        :param document_store: the index.
        :param batch_size: ids looked up at once, from 1.
        :raises ValueError: a batch size below 1.
        """
        if batch_size < 1:
            raise ValueError(f"batch_size={batch_size} is not accepted: it must be 1 or more")
        self.document_store = document_store
        self.batch_size = batch_size

    def to_dict(self) -> dict[str, Any]:
        """Serialise to plain data."""
        return default_to_dict(self, document_store=self.document_store.to_dict(), batch_size=self.batch_size)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ChangeRouter:
        """Create from plain data; the store is created from its own."""
        return default_from_dict(cls, data)

    @component.output_types(new=list[Document], known=list[Document])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        """Route the chunks, each in its order.

        :returns: `new`, to embed (also a chunk whose stored point lacks a vector); `known`, with the stored vectors and the fresh meta.
        """
        new: list[Document] = []
        known: list[Document] = []
        if self.document_store.index_card() is None:
            return {"new": list(documents), "known": known}
        for start in range(0, len(documents), self.batch_size):
            batch = documents[start : start + self.batch_size]
            stored = {d.id: d for d in self.document_store.get_documents_by_id([d.id for d in batch], with_embeddings=True)}
            for document in batch:
                found = stored.get(document.id)
                if found is None or found.embedding is None or found.sparse_embedding is None:
                    new.append(document)
                else:
                    known.append(replace(document, embedding=found.embedding, sparse_embedding=found.sparse_embedding))
        return {"new": new, "known": known}

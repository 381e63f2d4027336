"""The collection behind the document store: opening it, creating it when a first write comes, and its payload indexes."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

import qdrant_client
from haystack_integrations.document_stores.qdrant.converters import DENSE_VECTORS_NAME
from qdrant_client.http import models as rest

from components.document_stores.carded_store import CARD_ID, CardedStore
from components.document_stores.edge_client import EdgeClient
from components.document_stores.guarded_client import GuardedClient
from components.document_stores.reading_store import DATETIME_FIELDS, KEYWORD_FIELDS

MEMORY = ":memory:"


class OpenedStore(CardedStore):
    """A store that opens its collection when it is first used, and creates it when it is first written to."""

    _lock: threading.RLock
    _ready: bool

    def _forget(self) -> None:
        self._client: Any = None
        self._raw: Any = None  # unguarded: the collection itself and the index card, nothing else
        self._write_lock = threading.RLock()
        self._ready = False
        self._dimension: int | None = None
        self._declared_dimension: int | None = None
        self._checked: dict[Any, float] = {}
        self._last_n = 0

    @property
    def embedded(self) -> bool:
        """Whether the engine runs in this process."""
        return self.path is not None

    @property
    def where(self) -> str:
        """The folder, the URL or ":memory:"."""
        return self.path or self.url or MEMORY

    def _initialize_client(self) -> None:
        if self._ready:
            return
        with self._lock:
            if self._client is None:
                self._raw = EdgeClient.open(self.path) if self.path else qdrant_client.QdrantClient(**self._prepare_client_params())
                self._write_lock = getattr(self._raw, "write_lock", None) or threading.RLock()
                self._client = GuardedClient(self._raw, hidden_id=CARD_ID, write_lock=self._write_lock)
            if self._raw.collection_exists(self.index):
                self._open_collection()

    async def _initialize_async_client(self) -> None:
        raise NotImplementedError("the asynchronous methods run the synchronous ones in a thread")

    def _open_collection(self) -> None:
        """Learn the dimension of an existing collection and complete its payload indexes.

        :raises ValueError: it has another dimension than `embedding_dim`, or is none of ours.
        """
        info = self._raw.get_collection(self.index)
        vectors = info.config.params.vectors or {}
        if vectors:
            size = vectors[DENSE_VECTORS_NAME].size if isinstance(vectors, dict) and DENSE_VECTORS_NAME in vectors else 0
            self._validate_collection_compatibility(self.index, info, rest.Distance.COSINE, size)
            self._dimension = size
        if self._dimension is not None and self.embedding_dim not in (None, self._dimension):
            raise ValueError(f"index {self.index!r} in {self.where} has {self._dimension} dimensions, embedding_dim asks for {self.embedding_dim}")
        for field, schema in self._payload_indexes():
            if field not in (info.payload_schema or {}) and self.location is None:
                self._raw.create_payload_index(collection_name=self.index, field_name=field, field_schema=schema)
        self._ready = True

    def _payload_indexes(self) -> Iterable[tuple[str, Any]]:
        for field in KEYWORD_FIELDS:
            tenant = True if field == "meta.tenant" else None
            yield field, rest.KeywordIndexParams(type=rest.KeywordIndexType.KEYWORD, is_tenant=tenant)
        for field in DATETIME_FIELDS:
            yield field, rest.PayloadSchemaType.DATETIME
        for entry in self.payload_fields_to_index or []:
            yield entry["field_name"], entry["field_schema"]

    def _ensure_collection(self, dimension: int | None) -> None:
        """Create the collection, or add the dense vector to one that was created before a vector was seen. Call with the write lock held."""
        dimension = self.embedding_dim or self._declared_dimension or dimension
        if not self._raw.collection_exists(self.index):
            dense, sparse = self._prepare_collection_config(dimension or 1, rest.Distance.COSINE, self.on_disk, True, self.sparse_idf)
            self._raw.create_collection(
                collection_name=self.index,
                vectors_config=dense if dimension else {},
                sparse_vectors_config=sparse,
                **self._prepare_collection_params(),
            )
            self._open_collection()
        elif dimension and self._dimension is None:
            config = rest.DenseVectorNameConfig(dense=rest.DenseVectorConfig(size=dimension, distance=rest.Distance.COSINE))
            self._raw.create_vector_name(self.index, DENSE_VECTORS_NAME, config)
            self._dimension = dimension

    def declare_server(self, url: str | None) -> None:
        """Record in the lock file the URL of the server that this process runs, for whoever finds the embedded index locked.

        :raises IndexLockedError: another process holds the index.
        """
        self._initialize_client()
        if self.embedded:
            self._raw.declare_server(url)

"""The document store: one Qdrant collection, embedded or on a server, guarded by access and marked with what built it."""

from __future__ import annotations

import asyncio
import functools
import inspect
import re
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

import qdrant_client
from haystack import Document, default_from_dict, default_to_dict
from haystack.document_stores.types import DuplicatePolicy
from haystack.utils import Secret
from haystack_integrations.document_stores.qdrant.converters import (
    DENSE_VECTORS_NAME,
    convert_id,
)
from qdrant_client.http import models as rest

from components.document_stores.carded_store import CARD_ID, CardedStore
from components.document_stores.edge_client import EdgeClient
from components.document_stores.filter_conversion import EVERYTHING, to_qdrant
from components.document_stores.guarded_client import GuardedClient
from components.document_stores.points import plain_point, to_points
from components.document_stores.reading_store import DATETIME_FIELDS, KEYWORD_FIELDS
from config.settings import settings

MEMORY = ":memory:"
MAX_GRAPH_LAG = 0.2
_COLLECTION_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _threaded(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, awaited in a worker thread, where the current principal is the same."""

    @functools.wraps(method)
    async def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(getattr(self, method.__name__), *args, **kwargs)

    return call


class SakshyaDocumentStore(CardedStore):
    """A QdrantDocumentStore over the engine in this process or a server, which no reader can see more of than is theirs.

    Haystack's store has no embedded engine but qdrant-client's brute-force one, no access control, a store per component when it is
    loaded from YAML, filters that answer something else than was asked, and no memory of which model built it.

    Every read is narrowed to the current principal (`components.access.principal`), every write checked against it. The collection is
    created by the first write; reading one that does not exist gives nothing and creates nothing.

    ```python
    store = SakshyaDocumentStore(path="/tmp/index", index="notes")
    with acting_as(Principal(user="asha")):
        meta = {"tenant": "default", "access": ["public"]}
        store.write_documents([Document(content="Leave is 20 days.", embedding=[0.6, 0.8], meta=meta)])
    ```
    """

    _shared: ClassVar[dict[tuple[str, str], SakshyaDocumentStore]] = {}
    _shared_lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(
        self,
        *,
        index: str | None = None,
        path: str | None = None,
        url: str | None = None,
        location: str | None = None,
        api_key: Secret | None = None,
        timeout: int | None = None,
        embedding_dim: int | None = None,
        hnsw_config: dict[str, int] | None = None,
        on_disk: bool = False,
        on_disk_payload: bool | None = None,
        return_embedding: bool = False,
        write_batch_size: int = 256,
        scroll_size: int = 1000,
        payload_fields_to_index: list[dict[str, Any]] | None = None,
        shard_number: int | None = None,
        replication_factor: int | None = None,
        write_consistency_factor: int | None = None,
        quantization_config: dict[str, Any] | None = None,
        client_kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Store the settings; nothing is opened before the first use. None is "from settings" for the first six.

        :param index: name of the collection: letters, digits, _ and -, 64 at most.
        :param path: folder of the embedded index. At most one of `path`, `url` and `location`.
        :param url: Qdrant server.
        :param location: ":memory:" for qdrant-client's own engine, for tests.
        :param api_key: key of the server.
        :param timeout: seconds until a call to the server is given up.
        :param embedding_dim: numbers in a vector. None: those of the first one written.
        :param hnsw_config: `m` (edges a node) and `ef_construct` (candidates while building), used when the collection is created.
        :param write_batch_size: points sent at once.
        :param scroll_size: points read at once.
        :param payload_fields_to_index: more payload indexes, as `{"field_name": "meta.team", "field_schema": "keyword"}`.
        :param shard_number: and the following: passed on to a server when the collection is created.
        :raises ValueError: a parameter that is not accepted.
        """
        given = locals()
        defaults = inspect.signature(SakshyaDocumentStore.__init__).parameters
        self._given = {k: given[k] for k, p in defaults.items() if k != "self" and given[k] != p.default}
        where = [name for name, value in (("path", path), ("url", url), ("location", location)) if value is not None]
        if len(where) > 1:
            raise ValueError(f"SakshyaDocumentStore: {' and '.join(where)} exclude each other")
        if location not in (None, MEMORY):
            raise ValueError(f"SakshyaDocumentStore.location={location!r} is not accepted: {MEMORY!r}; use `url` for a server")
        configured = settings()
        index = configured.collection if index is None else index
        if not _COLLECTION_NAME.fullmatch(index):
            raise ValueError(f"SakshyaDocumentStore.index={index!r} is not accepted: letters, digits, _ and -, 64 at most")
        if embedding_dim is not None and embedding_dim < 1:
            raise ValueError(f"SakshyaDocumentStore.embedding_dim={embedding_dim} is not accepted: 1 or more, or null")
        if not where and configured.qdrant_url:
            url = configured.qdrant_url
        if api_key is None and url and configured.qdrant_api_key:
            api_key = Secret.from_token(configured.qdrant_api_key.get_secret_value())
        if path is not None or not (url or location):
            path = str(Path(path or configured.index_dir).expanduser().resolve())
        super().__init__(
            location=location,
            url=url,
            path=path,
            api_key=api_key,
            timeout=configured.qdrant_timeout_s if timeout is None else timeout,
            index=index,
            embedding_dim=embedding_dim,  # pyright: ignore[reportArgumentType]
            on_disk=on_disk,
            on_disk_payload=on_disk_payload,
            use_sparse_embeddings=True,
            sparse_idf=True,
            similarity="cosine",
            return_embedding=return_embedding,
            progress_bar=False,
            hnsw_config=hnsw_config,
            write_batch_size=write_batch_size,
            scroll_size=scroll_size,
            payload_fields_to_index=payload_fields_to_index,
            shard_number=shard_number,
            replication_factor=replication_factor,
            write_consistency_factor=write_consistency_factor,
            quantization_config=quantization_config,
            client_kwargs=client_kwargs,
        )
        self._lock = threading.RLock()
        self._forget()

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

    # --- one instance a process

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SakshyaDocumentStore:
        """The one instance of this process for the place and collection that `data` names.

        :raises ValueError: it exists with other settings; both are named.
        """
        asked: SakshyaDocumentStore = default_from_dict(cls, data)
        with cls._shared_lock:
            store = cls._shared.setdefault((asked.where, asked.index), asked)
            for name, value in asked._given.items():
                current = getattr(store, name)
                if name == "embedding_dim" and current is None:
                    store.embedding_dim = value
                elif name not in ("index", "path", "url", "location", "api_key") and current != value:
                    raise ValueError(f"index {store.index!r} in {store.where} is open with {name}={current!r}; this asks for {name}={value!r}")
        return store

    def to_dict(self) -> dict[str, Any]:
        """What was given to `__init__`; what came from settings stays out."""
        given = {**self._given, **({"api_key": self._given["api_key"].to_dict()} if "api_key" in self._given else {})}
        return default_to_dict(self, **given)

    def __deepcopy__(self, memo: dict[int, Any]) -> SakshyaDocumentStore:
        return self

    def __copy__(self) -> SakshyaDocumentStore:
        return self

    def close(self) -> None:
        """Close it, unless it is shared: then another component may still use it, and only `shutdown` closes."""
        if not any(store is self for store in self._shared.values()):
            self.shutdown()

    async def close_async(self) -> None:
        """As `close`."""
        await asyncio.to_thread(self.close)

    def shutdown(self) -> None:
        """Close it for everyone; the embedded index is free for another process. A later use opens it again."""
        with self._shared_lock:
            for key in [k for k, store in self._shared.items() if store is self]:
                del self._shared[key]
        from components.document_stores.entity_graph import close_rows

        close_rows(self)
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._forget()

    @classmethod
    def shutdown_all(cls) -> None:
        """`shutdown` of every shared instance, at the end of a process or test."""
        for store in list(cls._shared.values()):
            store.shutdown()

    # --- the client

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

    # --- writes

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.FAIL) -> int:
        """Write documents; all are checked before the first is written.

        :raises PermissionError: the principal may not write one of them.
        :raises ValueError: not a list of documents, NaN or infinity in an embedding, another dimension, or meta without a JSON form.
        :raises DuplicateDocumentError: policy FAIL and an id exists.
        """
        if not isinstance(documents, list) or any(not isinstance(d, Document) for d in documents):
            raise ValueError("write_documents expects a list of Documents")
        if not documents:
            return 0
        self._initialize_client()
        with self._write_lock:
            documents = self._handle_duplicate_documents(documents, policy)
            points = to_points(documents)
            self._client.check_points(points)
            first = next((len(d.embedding) for d in documents if d.embedding is not None), None)
            dimension = self._dimension or self.embedding_dim or self._declared_dimension or first
            points = [plain_point(p, dimension=dimension) for p in points]
            self._ensure_collection(first)
            for start in range(0, len(points), self.write_batch_size):
                self._client.upsert(self.index, points[start : start + self.write_batch_size])
            self._renew_state()
        return len(points)

    def delete_documents(self, document_ids: list[str]) -> None:
        """Delete by id; unknown ids, and those the principal does not see, are left alone."""
        self._initialize_client()
        self._forget_entities(rest.Filter(must=[rest.HasIdCondition(has_id=[convert_id(i) for i in document_ids])]))
        self._client.delete(self.index, rest.PointIdsList(points=[convert_id(i) for i in document_ids]))
        self._renew_state()

    def _forget_entities(self, selected: rest.Filter) -> None:
        """Delete the rows of `entity_graph` of what is about to be deleted. Before it: whoever is killed in between repeats the deletion."""
        from components.document_stores.entity_graph import rows_beside

        if rows := rows_beside(self):
            rows.forget([record.payload["id"] for record in self._scroll(selected, with_payload=["id"]) if record.payload])

    def delete_by_filter(self, filters: dict[str, Any]) -> int:
        """Delete what matches, and say how many that were. An empty filter deletes nothing."""
        return self.delete_except(filters, set()) if filters else 0

    def delete_except(self, filters: dict[str, Any], keep_ids: set[str]) -> int:
        """Delete what matches `filters` and is not among `keep_ids`, in one step, and say how many that were.

        :raises ValueError: no filter.
        """
        wanted = to_qdrant(filters)
        if wanted is None:
            raise ValueError("delete_except needs a filter; delete_all_documents deletes everything")
        self._initialize_client()
        kept: list[Any] = [rest.HasIdCondition(has_id=[convert_id(i) for i in sorted(keep_ids)])] if keep_ids else []
        selected = rest.Filter(must=[wanted], must_not=kept)
        with self._write_lock:
            number = self._client.count(self.index, selected).count
            self._forget_entities(selected)
            self._client.delete(self.index, rest.FilterSelector(filter=selected))
            self._renew_state()
        return number

    def delete_all_documents(self, recreate_index: bool = False) -> None:
        """Delete all that the principal sees.

        :param recreate_index: delete the collection itself; the next write creates it anew. For administrators.
        """
        self._initialize_client()
        if not recreate_index:
            self._forget_entities(EVERYTHING)
            self._client.delete(self.index, rest.FilterSelector(filter=EVERYTHING))
            self._renew_state()
            return
        from components.document_stores.entity_graph import rows_beside

        with self._lock, self._write_lock:
            card = self.index_card()
            self._client.delete_collection(self.index)
            if rows := rows_beside(self):
                rows.clear()
            self._ready, self._dimension, self._declared_dimension = False, None, None
            self._last_n = max(self._last_n, card.n if card else 0)  # a version that was in use never comes back
            self._checked.clear()

    def set_meta(self, filters: dict[str, Any], meta: dict[str, Any]) -> None:
        """Set fields of the meta of what matches; the other fields stay.

        :raises ValueError: no filter, or a value without a JSON form.
        :raises PermissionError: the principal may not store such a tenant or access.
        """
        wanted = to_qdrant(filters)
        if wanted is None:
            raise ValueError("set_meta needs a filter")
        self._initialize_client()
        self._client.set_meta(self.index, meta, wanted)
        self._renew_state()

    def update_by_filter(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """As `set_meta`, and say how many matched. An empty filter changes nothing."""
        if not filters:
            return 0
        self._initialize_client()
        with self._write_lock:
            number = self._client.count(self.index, to_qdrant(filters)).count
            self.set_meta(filters, meta)
        return number

    # --- maintenance

    def optimize(self) -> None:
        """Build the graph index now, while reads go on; for administrators. A server does it by itself."""
        self._initialize_client()
        self._client.optimize(self.index)

    def optimize_if_due(self) -> bool:
        """Build the graph index where more than a fifth of a large index is not in it; for administrators.

        :returns: whether it was built.
        """
        self._initialize_client()
        if self._client.graph_lag(self.index) <= MAX_GRAPH_LAG:
            return False
        self._client.optimize(self.index)
        return True

    def flush(self) -> None:
        """Write everything to disk. Acknowledged writes survive the end of the process without it."""
        self._initialize_client()
        self._client.flush()

    count_documents_async = _threaded(CardedStore.count_documents)
    filter_documents_async = _threaded(CardedStore.filter_documents)
    write_documents_async = _threaded(write_documents)
    delete_documents_async = _threaded(delete_documents)
    delete_by_filter_async = _threaded(delete_by_filter)
    delete_all_documents_async = _threaded(delete_all_documents)
    update_by_filter_async = _threaded(update_by_filter)
    get_documents_by_id_async = _threaded(CardedStore.get_documents_by_id)
    count_documents_by_filter_async = _threaded(CardedStore.count_documents_by_filter)
    count_unique_metadata_by_filter_async = _threaded(CardedStore.count_unique_metadata_by_filter)
    get_metadata_fields_info_async = _threaded(CardedStore.get_metadata_fields_info)
    get_metadata_field_min_max_async = _threaded(CardedStore.get_metadata_field_min_max)
    get_metadata_field_unique_values_async = _threaded(CardedStore.get_metadata_field_unique_values)
    _query_by_embedding_async = _threaded(CardedStore._query_by_embedding)
    _query_by_sparse_async = _threaded(CardedStore._query_by_sparse)
    _query_hybrid_async = _threaded(CardedStore._query_hybrid)

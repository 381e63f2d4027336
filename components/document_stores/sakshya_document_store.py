"""The document store: one Qdrant collection, embedded or on a server, guarded by access and marked with what built it."""

from __future__ import annotations

import asyncio
import functools
import inspect
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from haystack import default_from_dict, default_to_dict
from haystack.utils import Secret

from components.document_stores.opened_store import MEMORY
from components.document_stores.rows_beside import close_rows
from components.document_stores.writing_store import WritingStore
from config.settings import settings

MAX_GRAPH_LAG = 0.2
_COLLECTION_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _threaded(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, awaited in a worker thread, where the current principal is the same."""

    @functools.wraps(method)
    async def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(getattr(self, method.__name__), *args, **kwargs)

    return call


class SakshyaDocumentStore(WritingStore):
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

    count_documents_async = _threaded(WritingStore.count_documents)
    filter_documents_async = _threaded(WritingStore.filter_documents)
    write_documents_async = _threaded(WritingStore.write_documents)
    delete_documents_async = _threaded(WritingStore.delete_documents)
    delete_by_filter_async = _threaded(WritingStore.delete_by_filter)
    delete_all_documents_async = _threaded(WritingStore.delete_all_documents)
    update_by_filter_async = _threaded(WritingStore.update_by_filter)
    get_documents_by_id_async = _threaded(WritingStore.get_documents_by_id)
    count_documents_by_filter_async = _threaded(WritingStore.count_documents_by_filter)
    count_unique_metadata_by_filter_async = _threaded(WritingStore.count_unique_metadata_by_filter)
    get_metadata_fields_info_async = _threaded(WritingStore.get_metadata_fields_info)
    get_metadata_field_min_max_async = _threaded(WritingStore.get_metadata_field_min_max)
    get_metadata_field_unique_values_async = _threaded(WritingStore.get_metadata_field_unique_values)
    _query_by_embedding_async = _threaded(WritingStore._query_by_embedding)
    _query_by_sparse_async = _threaded(WritingStore._query_by_sparse)
    _query_hybrid_async = _threaded(WritingStore._query_hybrid)

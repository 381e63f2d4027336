"""The part of QdrantClient that QdrantDocumentStore and Sakshya call, over the Qdrant engine in this process (`qdrant_edge`)."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import qdrant_edge as qe
from qdrant_client.http import models as rest

from components.document_stores import edge_optimize
from components.document_stores.edge_conversion import (
    DISTANCES,
    SCHEMAS,
    from_edge_record,
    from_edge_scored,
    to_edge_filter,
    to_edge_hnsw,
    to_edge_params,
    to_edge_prefetch,
    to_edge_query,
    to_edge_vector,
)
from components.document_stores.edge_folder import CollectionFolder, sync_tree
from components.document_stores.index_lock import IndexLock

GRAPH_PAYS = 50_000
"""Points from which a graph index pays: below, comparing with every vector takes a few milliseconds."""


class EdgeClient:
    """A folder of collections. Get one with `EdgeClient.open(folder)`: the process has one a folder, because the engine allows no more.

    Reads never wait for one another beyond the engine's own calls, each of which holds the interpreter; writes take turns. Reading
    opens what exists and creates nothing.
    """

    _open: ClassVar[dict[Path, EdgeClient]] = {}
    _open_lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write_lock = threading.RLock()
        self._lock = threading.RLock()
        self._index_lock = IndexLock(folder)
        self._shards: dict[str, qe.EdgeShard] = {}
        self._readers: dict[int, int] = {}
        self._idle = threading.Condition(self._lock)
        self._users = 0

    @classmethod
    def open(cls, folder: Path | str) -> EdgeClient:
        """The client of this folder; each `open` asks for one `close`."""
        path = Path(folder).expanduser().resolve()
        with cls._open_lock:
            client = cls._open.setdefault(path, cls(path))
            client._users += 1
            return client

    def close(self, **_: Any) -> None:
        """Give the client back; the last user's `close` closes the shards and releases the lock."""
        with self._open_lock:
            self._users -= 1
            if self._users > 0 or self._open.get(self.folder) is not self:
                return
            del self._open[self.folder]
        with self.write_lock, self._lock:
            for name in list(self._shards):
                self._retire(self._shards.pop(name))
            self._index_lock.release()

    def declare_server(self, url: str | None) -> None:
        """Take the lock and record the URL of the server that this process runs.

        :raises IndexLockedError: another process holds the index.
        """
        with self._lock:
            self._index_lock.acquire()
            self._index_lock.declare(url)

    # --- shards

    def _files(self, name: str) -> CollectionFolder:
        return CollectionFolder(self.folder / name)

    @contextmanager
    def _shard(self, name: str) -> Iterator[qe.EdgeShard]:
        """The collection's shard, which is not closed before the block ends."""
        with self._lock:
            shard = self._shards.get(name) or self._load(name)
            self._readers[id(shard)] = self._readers.get(id(shard), 0) + 1
        try:
            yield shard
        finally:
            with self._lock:
                self._readers[id(shard)] -= 1
                if not self._readers[id(shard)]:
                    del self._readers[id(shard)]
                    self._idle.notify_all()

    def _load(self, name: str) -> qe.EdgeShard:
        files = self._files(name)
        if files.current() is None:
            raise ValueError(f"collection {name!r} does not exist in {self.folder}")
        self._index_lock.acquire()
        files.tidy()
        shard = self._shards[name] = qe.EdgeShard.load(str(files.current()))
        return shard

    def _retire(self, shard: qe.EdgeShard) -> None:
        """Close a shard that no new reader can get, once its last reader is done. Call with the lock held."""
        self._idle.wait_for(lambda: id(shard) not in self._readers)
        shard.close()

    def _update(self, name: str, operation: qe.UpdateOperation) -> None:
        with self.write_lock, self._shard(name) as shard:
            shard.update(operation)

    # --- collections

    def collection_exists(self, collection_name: str) -> bool:
        """Whether the collection is on disk."""
        return collection_name in self._shards or self._files(collection_name).current() is not None

    def create_collection(
        self,
        collection_name: str,
        vectors_config: dict[str, rest.VectorParams],
        sparse_vectors_config: dict[str, rest.SparseVectorParams] | None = None,
        on_disk_payload: bool | None = None,
        hnsw_config: dict[str, Any] | None = None,
        **_server_only: Any,
    ) -> bool:
        """Create a collection with named vectors; sharding, replication and the like belong to a server.

        :raises ValueError: it exists.
        """
        if self.collection_exists(collection_name):
            raise ValueError(f"collection {collection_name!r} exists already in {self.folder}")
        config = qe.EdgeConfig(
            vectors={k: qe.EdgeVectorParams(size=v.size, distance=DISTANCES[v.distance], on_disk=v.on_disk) for k, v in vectors_config.items()},
            sparse_vectors={
                k: qe.EdgeSparseVectorParams(modifier=qe.Modifier.Idf if v.modifier == rest.Modifier.IDF else None)
                for k, v in (sparse_vectors_config or {}).items()
            },
            on_disk_payload=on_disk_payload,
            hnsw_config=to_edge_hnsw(hnsw_config) if hnsw_config else None,
        )
        with self.write_lock, self._lock:
            self._index_lock.acquire()
            files = self._files(collection_name)
            generation = files.new()
            shard = qe.EdgeShard.create(str(generation), config)
            files.use(generation)
            self._shards[collection_name] = shard
        return True

    def create_vector_name(self, collection_name: str, vector_name: str, vector_name_config: rest.DenseVectorNameConfig, **_: Any) -> None:
        """Add a named dense vector to a collection that was created without it."""
        dense = vector_name_config.dense
        self._update(collection_name, qe.UpdateOperation.create_dense_vector(vector_name, dense.size, DISTANCES[dense.distance]))

    def delete_collection(self, collection_name: str, **_: Any) -> bool:
        """Remove the collection and its files."""
        with self.write_lock, self._lock:
            if self._files(collection_name).current() is None:
                return False
            self._index_lock.acquire()
            self._files(collection_name).disuse()
            if shard := self._shards.pop(collection_name, None):
                self._retire(shard)
            self._files(collection_name).remove()
        return True

    def get_collection(self, collection_name: str) -> rest.CollectionInfo:
        """Vectors, payload indexes and counts of a collection."""
        with self._shard(collection_name) as shard:
            info = shard.info()
        config = json.loads(((self._files(collection_name).current() or self.folder) / "edge_config.json").read_text())
        schema = {
            key: rest.PayloadIndexInfo(data_type=rest.PayloadSchemaType(str(index.data_type).rsplit(".", 1)[-1].lower()), points=index.points)
            for key, index in info.payload_schema.items()
        }
        hnsw = {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000, **(config.get("hnsw_config") or {})}
        return rest.CollectionInfo(
            status=rest.CollectionStatus.GREEN,
            optimizer_status=rest.OptimizersStatusOneOf.OK,
            points_count=info.points_count,
            indexed_vectors_count=info.indexed_vectors_count,
            segments_count=info.segments_count,
            payload_schema=schema,
            config=rest.CollectionConfig(
                params=rest.CollectionParams(
                    vectors={k: rest.VectorParams(size=v["size"], distance=v["distance"]) for k, v in (config.get("vectors") or {}).items()},
                    sparse_vectors={
                        k: rest.SparseVectorParams(modifier=rest.Modifier.IDF if v.get("modifier") == "idf" else None)
                        for k, v in (config.get("sparse_vectors") or {}).items()
                    },
                ),
                hnsw_config=rest.HnswConfig(m=hnsw["m"], ef_construct=hnsw["ef_construct"], full_scan_threshold=hnsw["full_scan_threshold"]),
                optimizer_config=rest.OptimizersConfig(
                    deleted_threshold=0.2, vacuum_min_vector_number=1000, default_segment_number=0, flush_interval_sec=5
                ),
            ),
        )

    def create_payload_index(self, collection_name: str, field_name: str, field_schema: Any = None, **_: Any) -> None:
        """Index a payload field; of a server's index parameters only the type counts here."""
        kind = getattr(field_schema, "type", field_schema)
        kind = str(getattr(kind, "value", kind))
        if kind not in SCHEMAS:
            raise ValueError(f"payload index on {field_name!r}: unknown type {kind!r}, accepted: {', '.join(SCHEMAS)}")
        self._update(collection_name, qe.UpdateOperation.create_field_index(field_name, SCHEMAS[kind]))

    # --- writes: durable when they return (the engine's write-ahead log)

    def upsert(self, collection_name: str, points: list[rest.PointStruct], update_filter: rest.Filter | None = None, **_: Any) -> None:
        """Write points. A point that exists and does not match `update_filter` stays as it is."""
        batch = [qe.Point(p.id, to_edge_vector(p.vector), p.payload) for p in points]
        self._update(collection_name, qe.UpdateOperation.upsert_points(batch, condition=to_edge_filter(update_filter)))

    def delete(self, collection_name: str, points_selector: rest.FilterSelector | rest.PointIdsList, **_: Any) -> None:
        """Delete points by filter or by id."""
        if isinstance(points_selector, rest.FilterSelector):
            operation = qe.UpdateOperation.delete_points_by_filter(to_edge_filter(points_selector.filter))  # pyright: ignore[reportArgumentType]
        else:
            operation = qe.UpdateOperation.delete_points(list(points_selector.points))  # pyright: ignore[reportArgumentType]
        self._update(collection_name, operation)

    def set_payload(self, collection_name: str, payload: dict[str, Any], points: rest.Filter, key: str | None = None, **_: Any) -> None:
        """Set fields of the payload, below `key` if it is given, of the points that match."""
        self._update(collection_name, qe.UpdateOperation.set_payload_by_filter(to_edge_filter(points), payload, key))  # pyright: ignore[reportArgumentType]

    def overwrite_payload(self, collection_name: str, payload: dict[str, Any], points: rest.Filter, **_: Any) -> None:
        """Replace the whole payload of the points that match."""
        self._update(collection_name, qe.UpdateOperation.overwrite_payload_by_filter(to_edge_filter(points), payload))  # pyright: ignore[reportArgumentType]

    # --- reads

    def count(self, collection_name: str, count_filter: rest.Filter | None = None, exact: bool = True, **_: Any) -> rest.CountResult:
        """How many points match."""
        with self._shard(collection_name) as shard:
            return rest.CountResult(count=shard.count(qe.CountRequest(exact=exact, filter=to_edge_filter(count_filter))))

    def retrieve(
        self, collection_name: str, ids: list[Any], with_payload: Any = True, with_vectors: bool | list[str] = False, **_: Any
    ) -> list[rest.Record]:
        """Points by id; unknown ids are left out."""
        with self._shard(collection_name) as shard:
            return [from_edge_record(r) for r in shard.retrieve(list(ids), with_payload, with_vectors)]

    def scroll(
        self,
        collection_name: str,
        scroll_filter: rest.Filter | None = None,
        limit: int = 10,
        offset: Any = None,
        with_payload: Any = True,
        with_vectors: bool | list[str] = False,
        **_: Any,
    ) -> tuple[list[rest.Record], Any]:
        """A page of points in the order of their ids, and the id at which the next page begins."""
        request = qe.ScrollRequest(
            offset=offset, limit=limit, filter=to_edge_filter(scroll_filter), with_payload=with_payload, with_vector=with_vectors
        )
        with self._shard(collection_name) as shard:
            records, following = shard.scroll(request)
        return [from_edge_record(r) for r in records], following

    def query_points(
        self,
        collection_name: str,
        query: Any = None,
        using: str | None = None,
        prefetch: Any = None,
        query_filter: rest.Filter | None = None,
        search_params: rest.SearchParams | None = None,
        limit: int = 10,
        offset: int | None = None,
        with_payload: Any = True,
        with_vectors: bool | list[str] = False,
        score_threshold: float | None = None,
        **_: Any,
    ) -> rest.QueryResponse:
        """The nearest points, or the fusion of several searches."""
        legs = prefetch if isinstance(prefetch, list) else [prefetch] if prefetch else []
        request = qe.QueryRequest(
            limit=limit,
            offset=offset or 0,
            query=to_edge_query(query, using),
            prefetches=[to_edge_prefetch(leg) for leg in legs] or None,
            with_vector=with_vectors,
            with_payload=with_payload,
            filter=to_edge_filter(query_filter),
            score_threshold=score_threshold,
            params=to_edge_params(search_params),
        )
        with self._shard(collection_name) as shard:
            return rest.QueryResponse.model_construct(points=[from_edge_scored(p) for p in shard.query(request)])

    def query_points_groups(self, collection_name: str, group_by: str, limit: int = 10, group_size: int = 3, **query: Any) -> rest.GroupsResult:
        """The best `group_size` points of each of the best `limit` groups. The engine cannot group: this reads on until the groups are full."""
        total, fetch = self.count(collection_name).count, max(100, limit * group_size * 4)
        query["with_payload"] = True
        while True:
            points = self.query_points(collection_name, limit=fetch, **query).points
            groups = _grouped(points, group_by, limit, group_size)
            full = len(groups) == limit and all(len(hits) == group_size for hits in groups.values())
            if full or len(points) < fetch or fetch >= total:
                return rest.GroupsResult.model_construct(groups=[rest.PointGroup.model_construct(id=k, hits=v) for k, v in groups.items()])
            fetch = min(fetch * 4, total)

    def facet(
        self, collection_name: str, key: str, facet_filter: rest.Filter | None = None, limit: int = 10, exact: bool = True, **_: Any
    ) -> rest.FacetResponse:
        """How many points have each value of an indexed keyword field."""
        with self._shard(collection_name) as shard:
            hits = shard.facet(qe.FacetRequest(key, limit, exact, to_edge_filter(facet_filter))).hits
        return rest.FacetResponse(hits=[rest.FacetValueHit(value=h.value, count=h.count) for h in hits])

    # --- maintenance

    def flush(self) -> None:
        """Write everything to disk."""
        with self._lock:
            names = list(self._shards)
        for name in names:
            with self._shard(name) as shard:
                shard.flush()

    def optimize(self, collection_name: str) -> None:
        """Build the graph index beside the serving one and switch to it. Reads go on; writes wait until it is done, so none is lost.

        A copy of the flushed collection is optimised in a child process. Killed at any moment, the old or the new one is whole.

        :raises RuntimeError: the child failed; the collection is as it was.
        """
        with self.write_lock:
            files = self._files(collection_name)
            with self._shard(collection_name) as shard:
                shard.flush()
            source, target = files.current(), files.new()
            try:
                shutil.copytree(str(source), target, dirs_exist_ok=True)
                child = subprocess.run([sys.executable, edge_optimize.__file__, str(target)], capture_output=True, text=True, check=False)  # noqa: S603
                if child.returncode:
                    reason = (child.stderr.strip().splitlines() or [f"exit code {child.returncode}"])[-1]
                    raise RuntimeError(f"optimising {collection_name!r} failed, the index is unchanged: {reason}")
                sync_tree(target)
                fresh = qe.EdgeShard.load(str(target))
            except BaseException:
                shutil.rmtree(target, ignore_errors=True)
                raise
            with self._lock:
                old, self._shards[collection_name] = self._shards[collection_name], fresh
                files.use(target)
                self._retire(old)
            files.note_graph(self.count(collection_name).count)
            files.tidy()

    def graph_lag(self, collection_name: str) -> float:
        """Share of the points that were added since the graph index was built, 0 to 1; 0 below the size from which a graph pays."""
        points = self.count(collection_name).count
        return max(0, points - self._files(collection_name).graphed()) / points if points >= GRAPH_PAYS else 0.0


def _grouped(points: list[rest.ScoredPoint], group_by: str, limit: int, group_size: int) -> dict[Any, list[rest.ScoredPoint]]:
    groups: dict[Any, list[rest.ScoredPoint]] = {}
    for point in points:
        value: Any = point.payload
        for part in group_by.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        for group in dict.fromkeys(v for v in (value if isinstance(value, list) else [value]) if isinstance(v, (str, int))):
            if group in groups or len(groups) < limit:
                hits = groups.setdefault(group, [])
                if len(hits) < group_size:
                    hits.append(point)
    return groups

"""The reading half of the document store: everything goes through the guarded client, and filters mean what they say."""

from __future__ import annotations

from collections.abc import Collection, Generator
from typing import Any

from haystack import Document
from haystack.dataclasses.sparse_embedding import SparseEmbedding
from haystack_integrations.document_stores.qdrant import QdrantDocumentStore
from haystack_integrations.document_stores.qdrant.converters import (
    DENSE_VECTORS_NAME,
    SPARSE_VECTORS_NAME,
    convert_id,
    convert_qdrant_point_to_haystack_document,
)
from qdrant_client.http import models as rest

from components.access.access_filter import both
from components.document_stores.filter_conversion import field_key, to_qdrant
from components.document_stores.points import check_vector

KEYWORD_FIELDS = (
    *("meta.source_id", "meta.container_id", "meta.kind", "meta.tenant", "meta.access", "meta.record_id"),
    *("meta.parent_id", "meta.mime_type", "meta.title", "meta.heading_path"),
)
DATETIME_FIELDS = ("meta.modified_at", "meta.created_at", "meta.valid_from", "meta.valid_to")
_FACET_LIMIT = 100_000
_TIE_SLACK, _TIE_LIMIT = 8, 4096


class ReadingStore(QdrantDocumentStore):
    """Reads and searches. Haystack's store passes no search parameters, leaves ties to chance, and converts some filters wrongly."""

    _client: Any  # a GuardedClient; upstream declares a QdrantClient
    _dimension: int | None

    def filter_documents(self, filters: dict[str, Any] | rest.Filter | None = None, *, with_embeddings: bool = True) -> list[Document]:
        """What matches, in the order of the points' ids.

        :param with_embeddings: False spares reading the vectors.
        """
        return list(self._get_documents_generator(filters, with_embeddings))

    def _scroll(self, filters: rest.Filter | None, **what: Any) -> Generator[rest.Record, None, None]:
        self._initialize_client()
        offset = None
        while True:
            records, offset = self._client.scroll(self.index, filters, limit=self.scroll_size, offset=offset, **what)
            yield from records
            if self._check_stop_scrolling(offset):
                return

    def _get_documents_generator(self, filters: Any = None, with_embeddings: bool = True) -> Generator[Document, None, None]:
        for record in self._scroll(to_qdrant(filters), with_vectors=with_embeddings):
            yield convert_qdrant_point_to_haystack_document(record, use_sparse_embeddings=True)

    def peek(self, filters: dict[str, Any] | None, limit: int, fields: list[str] | None = None) -> list[dict[str, Any]]:
        """The meta of the first documents that match, in the order of the points' ids, without content and vectors.

        :param limit: documents at most.
        :param fields: what is read of the meta, as `meta.title`; None: all of it.
        """
        self._initialize_client()
        found: list[dict[str, Any]] = []
        offset = None
        while len(found) < limit:
            size = min(self.scroll_size, limit - len(found))
            records, offset = self._client.scroll(self.index, to_qdrant(filters), limit=size, offset=offset, with_payload=fields or ["meta"])
            found += [(record.payload or {}).get("meta") or {} for record in records]
            if offset is None:
                break
        return found

    def visible_ids(self, ids: Collection[str], filters: dict[str, Any] | None = None) -> set[str]:
        """Those of the ids that exist, are visible, and match; neither content nor vectors are read."""
        if not ids:
            return set()
        wanted = rest.Filter(must=[rest.HasIdCondition(has_id=[convert_id(i) for i in ids])])
        records = self._scroll(both(wanted, to_qdrant(filters)), with_payload=["id"])
        return {record.payload["id"] for record in records if record.payload}

    def get_documents_by_id(self, ids: list[str], *, with_embeddings: bool = False) -> list[Document]:
        """The documents with these ids, in this order; those that do not exist or are not visible are left out."""
        self._initialize_client()
        records = self._client.retrieve(self.index, [convert_id(i) for i in dict.fromkeys(ids)], with_vectors=with_embeddings)
        found = {d.id: d for d in (convert_qdrant_point_to_haystack_document(r, use_sparse_embeddings=True) for r in records)}
        return [found[i] for i in dict.fromkeys(ids) if i in found]

    def facet(self, field: str, filters: dict[str, Any] | None = None) -> dict[Any, int]:
        """How many documents have each value of a field, the most frequent first, ties by value.

        :param field: `source_id` or `meta.source_id`; fast on the fields that are indexed as keywords.
        """
        self._initialize_client()
        key, wanted = field_key(field), to_qdrant(filters)
        counts: dict[Any, int] = {}
        if key in KEYWORD_FIELDS and self.location is None:  # in memory, qdrant-client rewrites values that look like a UUID
            counts = {h.value: h.count for h in self._client.facet(self.index, key, wanted, limit=_FACET_LIMIT).hits}
        else:
            for record in self._scroll(wanted, with_payload=[key]):
                value: Any = record.payload
                for part in key.split("."):
                    value = value.get(part) if isinstance(value, dict) else None
                for one in dict.fromkeys(v for v in (value if isinstance(value, list) else [value]) if isinstance(v, (str, int, float))):
                    counts[one] = counts.get(one, 0) + 1
        return dict(sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))))

    def count_documents_by_filter(self, filters: dict[str, Any]) -> int:
        """How many match."""
        return super().count_documents_by_filter(to_qdrant(filters))  # pyright: ignore[reportArgumentType]

    def count_unique_metadata_by_filter(self, filters: dict[str, Any], metadata_fields: list[str]) -> dict[str, int]:
        """How many different values each field has among what matches."""
        return super().count_unique_metadata_by_filter(to_qdrant(filters), metadata_fields)  # pyright: ignore[reportArgumentType]

    def get_metadata_field_unique_values(
        self, metadata_field: str, search_term: str | None = None, from_: int = 0, size: int = 10, filters: dict[str, Any] | None = None
    ) -> tuple[list[Any], int]:
        """A page of the different values of a field among what matches, and their number."""
        return super().get_metadata_field_unique_values(metadata_field, search_term, from_, size, to_qdrant(filters))  # pyright: ignore[reportArgumentType]

    def get_metadata_fields_info(self) -> dict[str, dict[str, str]]:
        """The fields of the visible documents and their types. Haystack's store lists the payload indexes instead, whoever asks."""
        info: dict[str, dict[str, str]] = {}
        self._process_records_fields_info(list(self._scroll(None, with_payload=["meta"])), info)
        return info

    def _query_by_embedding(
        self,
        query_embedding: list[float],
        filters: dict[str, Any] | rest.Filter | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool = False,
        score_threshold: float | None = None,
        group_by: str | None = None,
        group_size: int | None = None,
        hnsw_ef: int | None = None,
        exact: bool = False,
    ) -> list[Document]:
        """The nearest documents by cosine, best first, ties by id.

        :param hnsw_ef: candidates that the graph search keeps; more finds more and takes longer. None: the engine's default.
        :param exact: compare with every vector instead.
        :raises PointError: NaN, or another dimension than the index.
        """
        self._initialize_client()
        if self._dimension is None:
            return []
        vector = [float(x) for x in query_embedding]
        check_vector(vector, self._dimension, "the question")
        params = rest.SearchParams(hnsw_ef=hnsw_ef, exact=exact) if hnsw_ef or exact else None
        return self._search(vector, DENSE_VECTORS_NAME, filters, top_k, params, scale_score, return_embedding, score_threshold, group_by, group_size)

    def _query_by_sparse(
        self,
        query_sparse_embedding: SparseEmbedding,
        filters: dict[str, Any] | rest.Filter | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool = False,
        score_threshold: float | None = None,
        group_by: str | None = None,
        group_size: int | None = None,
    ) -> list[Document]:
        """The best documents by BM25, best first, ties by id. No terms give no documents."""
        self._initialize_client()
        if not query_sparse_embedding.indices:
            return []
        vector = rest.SparseVector(indices=query_sparse_embedding.indices, values=query_sparse_embedding.values)
        check_vector(vector, None, "the question")
        return self._search(vector, SPARSE_VECTORS_NAME, filters, top_k, None, scale_score, return_embedding, score_threshold, group_by, group_size)

    def _search(
        self,
        vector: Any,
        using: str,
        filters: Any,
        top_k: int,
        params: rest.SearchParams | None,
        scale_score: bool,
        with_vectors: bool,
        score_threshold: float | None,
        group_by: str | None,
        group_size: int | None,
    ) -> list[Document]:
        query: dict[str, Any] = {
            "collection_name": self.index,
            "query": vector,
            "using": using,
            "query_filter": to_qdrant(filters),
            "search_params": params,
            "with_vectors": with_vectors,
            "score_threshold": score_threshold,
        }
        if group_by:
            groups = self._client.query_points_groups(**query, group_by=group_by, limit=top_k, group_size=group_size or 3).groups
            return self._process_group_results(groups)
        limit = top_k + _TIE_SLACK
        while True:  # read past the last place until the score falls, so that equal scores are told apart by id, not by chance
            points = self._client.query_points(**query, limit=limit).points
            if len(points) < limit or points[-1].score != points[top_k - 1].score or limit >= _TIE_LIMIT:
                break
            limit *= 4
        points.sort(key=lambda p: (-p.score, p.payload.get("id", "")))
        return self._process_query_point_results(points[:top_k], scale_score=scale_score)

    def _query_hybrid(
        self, query_embedding: list[float], query_sparse_embedding: SparseEmbedding, filters: Any = None, **query: Any
    ) -> list[Document]:
        self._initialize_client()
        return super()._query_hybrid(query_embedding, query_sparse_embedding, filters=to_qdrant(filters), **query)

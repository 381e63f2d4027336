"""The writing half of the document store: every write is checked against the principal, and says how much it changed."""

from __future__ import annotations

from typing import Any

from haystack import Document
from haystack.document_stores.types import DuplicatePolicy
from haystack_integrations.document_stores.qdrant.converters import convert_id
from qdrant_client.http import models as rest

from components.document_stores.filter_conversion import EVERYTHING, to_qdrant
from components.document_stores.opened_store import OpenedStore
from components.document_stores.points import plain_point, to_points
from components.document_stores.rows_beside import rows_beside


class WritingStore(OpenedStore):
    """Writes, deletes and changes meta. Haystack's store sends unchecked points one batch after another, and cannot delete all but some."""

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

"""Access at the client seam: whatever asks the index, and however, asks through here.

QdrantDocumentStore knows no access control. Every method of the client that it may call is written out below with its rule; one that
is not written out is refused.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NoReturn

from qdrant_client.http import models as rest

from components.access.access_filter import (
    both,
    meta_refusal,
    narrowed,
    read_filter,
    tenant_filter,
    write_refusal,
)
from components.access.principal import Principal, current_principal
from components.document_stores.points import plain

_FUSIONS = (rest.FusionQuery, rest.RrfQuery)


class GuardedClient:
    """A client whose every read is narrowed to what the current principal sees, and whose every write is checked against it.

    Reads of a collection that does not exist are empty. `hidden_id` is a point that nobody reads or writes through here.

    :raises PermissionError: a write that the principal may not do; one line says who, what and what would be accepted.
    """

    def __init__(self, client: Any, *, hidden_id: str, write_lock: threading.RLock) -> None:
        self._client = client
        self._hidden = rest.HasIdCondition(has_id=[hidden_id])
        self._hidden_id = hidden_id
        self._write_lock = write_lock
        self._known: set[str] = set()

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"the guarded client has no access rule for {name!r}, so it refuses it")

    # --- what is added to every filter

    def _seen(self, filters: rest.Filter | None) -> rest.Filter:
        """The caller's filter, the principal's, and never the hidden point."""
        visible = narrowed(filters, current_principal())
        return rest.Filter(must=[visible] if visible else [], must_not=[self._hidden])

    def _exists(self, collection_name: str) -> bool:
        if collection_name not in self._known and self._client.collection_exists(collection_name):
            self._known.add(collection_name)
        return collection_name in self._known

    def _leg(self, leg: rest.Prefetch) -> rest.Prefetch:
        if leg.lookup_from is not None:
            raise PermissionError("a prefetch may not look vectors up elsewhere: lookup_from is refused")
        changes = {"query": _vector_query(leg.query), "filter": self._seen(leg.filter), "params": _own_statistics(leg.params, leg.query)}
        return leg.model_copy(update={**changes, "prefetch": self._legs(leg.prefetch)})

    def _legs(self, prefetch: Any) -> list[rest.Prefetch] | None:
        legs = prefetch if isinstance(prefetch, list) else [prefetch] if prefetch else []
        return [self._leg(leg) for leg in legs] or None

    # --- reads

    def query_points(
        self,
        collection_name: str,
        query: Any = None,
        using: str | None = None,
        prefetch: Any = None,
        query_filter: rest.Filter | None = None,
        search_params: rest.SearchParams | None = None,
        limit: int = 10,
        with_payload: Any = True,
        with_vectors: bool | list[str] = False,
        score_threshold: float | None = None,
    ) -> rest.QueryResponse:
        """The nearest visible points. IDF is that of the principal's tenant."""
        if not self._exists(collection_name):
            return rest.QueryResponse(points=[])
        return self._client.query_points(
            collection_name=collection_name,
            query=_vector_query(query),
            using=using,
            prefetch=self._legs(prefetch),
            query_filter=self._seen(query_filter),
            search_params=_own_statistics(search_params, query),
            limit=limit,
            with_payload=with_payload,
            with_vectors=with_vectors,
            score_threshold=score_threshold,
        )

    def query_points_groups(
        self,
        collection_name: str,
        group_by: str,
        query: Any = None,
        using: str | None = None,
        prefetch: Any = None,
        query_filter: rest.Filter | None = None,
        search_params: rest.SearchParams | None = None,
        limit: int = 10,
        group_size: int = 3,
        with_payload: Any = True,
        with_vectors: bool | list[str] = False,
        score_threshold: float | None = None,
    ) -> rest.GroupsResult:
        """The nearest visible points, by group."""
        if not self._exists(collection_name):
            return rest.GroupsResult(groups=[])
        return self._client.query_points_groups(
            collection_name=collection_name,
            group_by=group_by,
            query=_vector_query(query),
            using=using,
            prefetch=self._legs(prefetch),
            query_filter=self._seen(query_filter),
            search_params=_own_statistics(search_params, query),
            limit=limit,
            group_size=group_size,
            with_payload=with_payload,
            with_vectors=with_vectors,
            score_threshold=score_threshold,
        )

    def scroll(
        self,
        collection_name: str,
        scroll_filter: rest.Filter | None = None,
        limit: int = 10,
        offset: Any = None,
        with_payload: Any = True,
        with_vectors: bool | list[str] = False,
    ) -> tuple[list[rest.Record], Any]:
        """A page of the visible points that match."""
        if not self._exists(collection_name):
            return [], None
        return self._client.scroll(
            collection_name=collection_name,
            scroll_filter=self._seen(scroll_filter),
            limit=limit,
            offset=offset,
            with_payload=with_payload,
            with_vectors=with_vectors,
        )

    def retrieve(
        self, collection_name: str, ids: Sequence[Any], with_payload: Any = True, with_vectors: bool | list[str] = False
    ) -> list[rest.Record]:
        """The visible points among these ids."""
        if not ids:
            return []
        wanted = rest.Filter(must=[rest.HasIdCondition(has_id=list(ids))])
        return self.scroll(collection_name, wanted, limit=len(ids), with_payload=with_payload, with_vectors=with_vectors)[0]

    def count(self, collection_name: str, count_filter: rest.Filter | None = None) -> rest.CountResult:
        """How many visible points match; always exact, because an estimate is made from all points."""
        if not self._exists(collection_name):
            return rest.CountResult(count=0)
        return self._client.count(collection_name=collection_name, count_filter=self._seen(count_filter), exact=True)

    def facet(self, collection_name: str, key: str, facet_filter: rest.Filter | None = None, limit: int = 10) -> rest.FacetResponse:
        """How many visible points have each value; always exact."""
        if not self._exists(collection_name):
            return rest.FacetResponse(hits=[])
        return self._client.facet(collection_name=collection_name, key=key, facet_filter=self._seen(facet_filter), limit=limit, exact=True)

    def collection_exists(self, collection_name: str) -> bool:
        """Whether there is such a collection, which is no secret."""
        return self._client.collection_exists(collection_name)

    # --- writes of points

    def check_write(self) -> Principal:
        """The current principal, if it may write at all."""
        principal = current_principal()
        if reason := write_refusal(principal):
            raise PermissionError(reason)
        return principal

    def check_points(self, points: Sequence[rest.PointStruct]) -> None:
        """Refuse points that the principal may not store, without touching the index."""
        principal = self.check_write()
        for point in points:
            payload = point.payload or {}
            if str(point.id).replace("-", "") == self._hidden_id.replace("-", ""):
                raise PermissionError("the index card is written by commit() alone")
            meta = payload.get("meta")
            if reason := meta_refusal(principal, meta if isinstance(meta, dict) else {}):
                raise PermissionError(f"document {str(payload.get('id', point.id))[:64]!r} may not be written: {reason}")

    def upsert(self, collection_name: str, points: Sequence[rest.PointStruct], wait: bool = True) -> None:
        """Write points that the principal may store, over none that it does not see."""
        self.check_points(points)
        with self._write_lock:
            own = read_filter(current_principal())
            if own is not None:
                ids = rest.Filter(must=[rest.HasIdCondition(has_id=[p.id for p in points])])
                stored = self._client.count(collection_name=collection_name, count_filter=ids, exact=True).count
                if stored > self.count(collection_name, ids).count:
                    raise PermissionError("a document with one of these ids exists and is not yours to replace")
            # The filter again, on the server: what another client stored in between stays as it is.
            self._client.upsert(collection_name=collection_name, points=list(points), wait=wait, update_filter=own)

    def delete(self, collection_name: str, points_selector: rest.FilterSelector | rest.PointIdsList, wait: bool = True) -> None:
        """Delete those of the points that the principal sees."""
        self.check_write()
        if isinstance(points_selector, rest.FilterSelector):
            wanted = points_selector.filter
        else:
            wanted = rest.Filter(must=[rest.HasIdCondition(has_id=list(points_selector.points))])
        if self._exists(collection_name):
            selector = rest.FilterSelector(filter=self._seen(wanted))
            self._client.delete(collection_name=collection_name, points_selector=selector, wait=wait)

    def set_meta(self, collection_name: str, meta: dict[str, Any], points: rest.Filter | None, wait: bool = True) -> None:
        """Set fields of the meta of those of the points that the principal sees; `tenant` and `access` are checked as for a new point."""
        principal = self.check_write()
        if reason := meta_refusal(principal, meta, partial=True):
            raise PermissionError(f"meta may not be changed: {reason}")
        payload = plain(meta, "meta", "")
        if self._exists(collection_name) and payload:
            self._client.set_payload(collection_name=collection_name, payload=payload, points=self._seen(points), key="meta", wait=wait)

    # --- collections

    def _check_admin(self, what: str) -> Principal:
        principal = current_principal()
        if not (principal.is_system or (principal.is_admin and principal.user is not None)):
            raise PermissionError(f"{principal.user or 'an anonymous principal'} may not {what}: accepted are administrators")
        return principal

    def delete_collection(self, collection_name: str) -> bool:
        """Delete a collection; an administrator's must hold no other tenant's points."""
        principal = self._check_admin(f"delete collection {collection_name!r}")
        if not self._client.collection_exists(collection_name):
            return False
        own = tenant_filter(principal)
        if own is not None:
            others = rest.Filter(must_not=[own, self._hidden])
            if self._client.count(collection_name=collection_name, count_filter=others, exact=True).count:
                raise PermissionError(f"collection {collection_name!r} holds documents of other tenants; only the system may delete it")
        self._known.discard(collection_name)
        return self._client.delete_collection(collection_name)

    def optimize(self, collection_name: str) -> None:
        """Build the graph index now; a server does so by itself."""
        self._check_admin(f"optimise collection {collection_name!r}")
        if hasattr(self._client, "optimize") and self._exists(collection_name):
            self._client.optimize(collection_name)

    def graph_lag(self, collection_name: str) -> float:
        """Share of the points that the graph index does not hold, for administrators; 0 on a server, which keeps it up by itself."""
        self._check_admin(f"see the state of collection {collection_name!r}")
        has_own = hasattr(self._client, "graph_lag") and self._exists(collection_name)
        return self._client.graph_lag(collection_name) if has_own else 0.0

    def flush(self) -> None:
        """Write everything to disk; a server does so by itself."""
        if hasattr(self._client, "flush"):
            self._client.flush()

    def close(self) -> None:
        """Give the client back."""
        self._client.close()


def _vector_query(query: Any) -> Any:
    """Only vectors and fusions: a query by point id would read the vector of a point that may be hidden."""
    plain_vector = isinstance(query, list) and all(isinstance(x, (int, float)) for x in query)
    if query is None or plain_vector or isinstance(query, (rest.SparseVector, *_FUSIONS)):
        return query
    raise PermissionError(f"a query is a dense vector, a SparseVector or a fusion, not {type(query).__name__}")


def _own_statistics(params: rest.SearchParams | None, query: Any) -> rest.SearchParams | None:
    """Term statistics of a sparse query over the principal's tenant alone; a caller's corpus can only narrow it."""
    tenant = tenant_filter(current_principal())
    if tenant is None or not isinstance(query, rest.SparseVector):
        return params
    asked = params.idf.corpus if params is not None and isinstance(params.idf, rest.IdfCorpusParams) else None
    idf = rest.IdfCorpusParams(corpus=both(tenant, asked))  # pyright: ignore[reportArgumentType]
    return (params or rest.SearchParams()).model_copy(update={"idf": idf})

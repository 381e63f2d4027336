"""Between qdrant_client's models and qdrant_edge's classes, both ways. Whatever has no counterpart is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import qdrant_edge as qe
from qdrant_client.http import models as rest

DISTANCES = {
    rest.Distance.COSINE: qe.Distance.Cosine,
    rest.Distance.DOT: qe.Distance.Dot,
    rest.Distance.EUCLID: qe.Distance.Euclid,
    rest.Distance.MANHATTAN: qe.Distance.Manhattan,
}
SCHEMAS = {
    "keyword": qe.PayloadSchemaType.Keyword,
    "integer": qe.PayloadSchemaType.Integer,
    "float": qe.PayloadSchemaType.Float,
    "bool": qe.PayloadSchemaType.Bool,
    "datetime": qe.PayloadSchemaType.Datetime,
    "text": qe.PayloadSchemaType.Text,
    "uuid": qe.PayloadSchemaType.Uuid,
}


# --- qdrant_client to qdrant_edge


def to_edge_filter(f: rest.Filter | None) -> qe.Filter | None:
    """A filter, condition by condition.

    :raises NotImplementedError: it holds a condition that the embedded engine has no class for.
    """
    if f is None:
        return None
    enough = qe.MinShould(conditions=_many(f.min_should.conditions) or [], min_count=f.min_should.min_count) if f.min_should else None
    return qe.Filter(must=_many(f.must), should=_many(f.should), must_not=_many(f.must_not), min_should=enough)


def _many(conditions: Any) -> list[Any] | None:
    if conditions is None:
        return None
    return [_condition(c) for c in (conditions if isinstance(conditions, list) else [conditions])]


def _condition(c: Any) -> Any:
    match c:
        case rest.Filter():
            return to_edge_filter(c)
        case rest.HasIdCondition():
            return qe.HasIdCondition(set(c.has_id))  # pyright: ignore[reportArgumentType]
        case rest.IsEmptyCondition():
            return qe.IsEmptyCondition(c.is_empty.key)
        case rest.IsNullCondition():
            return qe.IsNullCondition(c.is_null.key)
        case rest.HasVectorCondition():
            return qe.HasVectorCondition(c.has_vector)
        case rest.NestedCondition():
            return qe.NestedCondition(c.nested.key, to_edge_filter(c.nested.filter))  # pyright: ignore[reportArgumentType]
        case rest.FieldCondition():
            return _field_condition(c)
    raise NotImplementedError(f"the embedded engine does not know the filter condition {type(c).__name__}")


def _field_condition(c: rest.FieldCondition) -> Any:
    if c.geo_bounding_box or c.geo_radius or c.geo_polygon:
        raise NotImplementedError(f"{c.key}: geo conditions are not supported on the embedded engine")
    return qe.FieldCondition(
        key=c.key,
        match=_match(c.match),
        range=_range(c.range),
        values_count=qe.ValuesCount(**c.values_count.model_dump(exclude_none=True)) if c.values_count else None,
        is_empty=c.is_empty,
        is_null=c.is_null,
    )


def _match(m: Any) -> Any:
    match m:
        case None:
            return None
        case rest.MatchValue():
            # The engine takes a Python bool for an integer, which matches nothing; numpy's arrives as a bool.
            return qe.MatchValue(np.bool_(m.value) if isinstance(m.value, bool) else m.value)  # pyright: ignore[reportArgumentType]
        case rest.MatchAny():
            return qe.MatchAny(list(m.any))  # pyright: ignore[reportArgumentType]
        case rest.MatchExcept():
            return qe.MatchExcept(list(m.except_))  # pyright: ignore[reportArgumentType]
        case rest.MatchText():
            return qe.MatchText(m.text)
        case rest.MatchPhrase():
            return qe.MatchPhrase(m.phrase)
    raise NotImplementedError(f"the embedded engine does not know the match {type(m).__name__}")


def _range(r: Any) -> Any:
    if r is None:
        return None
    bounds = r.model_dump(exclude_none=True)
    if isinstance(r, rest.DatetimeRange):
        return qe.RangeDateTime(**{k: v.isoformat() for k, v in bounds.items()})
    return qe.RangeFloat(**bounds)


def to_edge_vector(v: Any) -> Any:
    """A dense vector, a sparse one, or a dict of named ones."""
    if isinstance(v, rest.SparseVector):
        return qe.SparseVector(v.indices, v.values)
    if isinstance(v, dict):
        return {k: to_edge_vector(x) for k, x in v.items()}
    return v


def to_edge_query(q: Any, using: str | None) -> Any:
    """A nearest-neighbour or fusion query; None for a prefetch without scoring."""
    match q:
        case None:
            return None
        case rest.RrfQuery():
            return qe.Fusion.Rrf(2 if q.rrf.k is None else q.rrf.k, q.rrf.weights)
        case rest.FusionQuery():
            return qe.Fusion.Rrf(2) if q.fusion == rest.Fusion.RRF else qe.Fusion.Dbsf()
    return qe.Query.Nearest(to_edge_vector(q), using=using)


def to_edge_params(p: rest.SearchParams | None) -> qe.SearchParams | None:
    """Search parameters: beam width, exactness, the corpus of the IDF statistics."""
    if p is None:
        return None
    corpus = p.idf.corpus if isinstance(p.idf, rest.IdfCorpusParams) else None
    return qe.SearchParams(
        hnsw_ef=p.hnsw_ef,
        exact=bool(p.exact),
        indexed_only=bool(p.indexed_only),
        idf=qe.IdfParams(corpus=to_edge_filter(corpus)) if corpus is not None else None,
    )


def to_edge_prefetch(p: rest.Prefetch) -> qe.Prefetch:
    """One leg of a fusion, with its own legs."""
    inner = p.prefetch if isinstance(p.prefetch, list) else [p.prefetch] if p.prefetch else []
    return qe.Prefetch(
        limit=p.limit or 10,
        query=to_edge_query(p.query, p.using),
        params=to_edge_params(p.params),
        filter=to_edge_filter(p.filter),
        score_threshold=p.score_threshold,
        prefetches=[to_edge_prefetch(x) for x in inner] or None,
    )


def to_edge_hnsw(config: dict[str, Any]) -> qe.HnswIndexConfig:
    """The graph parameters `m` (edges a node) and `ef_construct` (candidates while building); the engine's defaults elsewhere."""
    return qe.HnswIndexConfig(**{"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000, **config})


# --- qdrant_edge to qdrant_client; `model_construct` leaves out a validation that would cost more than the search


def from_edge_vector(v: Any) -> Any:
    """A vector as qdrant_client gives it."""
    if isinstance(v, qe.SparseVector):
        return rest.SparseVector.model_construct(indices=v.indices, values=v.values)
    if isinstance(v, dict):
        return {k: from_edge_vector(x) for k, x in v.items()}
    return v


def from_edge_scored(p: Any) -> rest.ScoredPoint:
    """A hit of a search."""
    return rest.ScoredPoint.model_construct(id=str(p.id), version=p.version, score=p.score, payload=p.payload, vector=from_edge_vector(p.vector))


def from_edge_record(p: Any) -> rest.Record:
    """A stored point."""
    return rest.Record.model_construct(id=str(p.id), payload=p.payload, vector=from_edge_vector(p.vector))

"""Points made fit for storage: vectors checked, payload turned into plain JSON. Both sizes of the index use it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import numpy as np
from haystack import Document
from haystack_integrations.document_stores.qdrant.converters import (
    DENSE_VECTORS_NAME,
    SPARSE_VECTORS_NAME,
    convert_id,
)
from qdrant_client.http import models as rest


class PointError(ValueError):
    """A point that cannot be stored. One line: which document, what, and what is accepted."""


def to_points(documents: Sequence[Document]) -> list[rest.PointStruct]:
    """Documents as the points that qdrant-haystack makes of them, without its deep copy of every meta and vector."""
    points = []
    for d in documents:
        vectors: dict[str, Any] = {}
        if d.embedding is not None:
            vectors[DENSE_VECTORS_NAME] = d.embedding
        if d.sparse_embedding is not None:
            vectors[SPARSE_VECTORS_NAME] = rest.SparseVector(indices=d.sparse_embedding.indices, values=d.sparse_embedding.values)
        blob = Document(blob=d.blob).to_dict(flatten=False)["blob"] if d.blob else None
        payload = {"id": d.id, "content": d.content, "blob": blob, "meta": d.meta, "score": d.score}
        points.append(rest.PointStruct.model_construct(id=convert_id(d.id), vector=vectors, payload=payload))
    return points


def plain_point(point: rest.PointStruct, *, dimension: int | None) -> rest.PointStruct:
    """The point with a JSON payload and checked vectors.

    :param dimension: numbers in a dense vector of this index; None where it is not known yet.
    :raises PointError: NaN or infinity, another dimension, or a payload value that JSON does not know.
    """
    payload = point.payload or {}
    name = f"document {str(payload.get('id', point.id))[:64]!r}"
    vectors = point.vector if isinstance(point.vector, dict) else {"": point.vector} if point.vector else {}
    for vector in vectors.values():
        check_vector(vector, dimension, name)
    return rest.PointStruct.model_construct(id=point.id, vector=point.vector or {}, payload=plain(payload, name, ""))


def check_vector(vector: Any, dimension: int | None, name: str) -> None:
    """Refuse a vector with NaN or infinity, or a dense one of another dimension.

    :raises PointError: with `name` in the message.
    """
    sparse = isinstance(vector, rest.SparseVector)
    values: Sequence[float] = vector.values if sparse else vector
    if not np.isfinite(np.asarray(values, dtype=np.float64)).all():
        raise PointError(f"{name}: its {'sparse ' if sparse else ''}embedding holds NaN or infinity; accepted: finite numbers")
    if not sparse and dimension is not None and len(values) != dimension:
        raise PointError(f"{name}: its embedding has {len(values)} numbers, accepted: {dimension}, the dimension of the index")


def plain(value: Any, name: str, where: str) -> Any:
    """The value as JSON data: dates become ISO 8601 text, tuples and sets lists, numpy scalars numbers.

    :raises PointError: NaN, infinity, or a type without a JSON form; `name` and `where` are for the message.
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, np.generic):
        return plain(value.item(), name, where)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise PointError(f"{name}: {where} is {value}; accepted: finite numbers")
        return value
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if isinstance(value, dict):
        return {_text_key(k, name, where): plain(v, name, f"{where}.{k}" if where else str(k)) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v, name, where) for v in value]
    if isinstance(value, (set, frozenset)):
        return [plain(v, name, where) for v in sorted(value, key=str)]
    raise PointError(f"{name}: {where} is of type {type(value).__name__}; accepted: JSON values and dates")


def _text_key(key: Any, name: str, where: str) -> str:
    if not isinstance(key, str):
        raise PointError(f"{name}: a key of {where or 'the payload'} is of type {type(key).__name__}; accepted: text")
    return key

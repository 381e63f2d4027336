"""Vectors that an index holds, as queries or as seeds of a larger corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

CHUNKS = {"field": "meta.kind", "operator": "==", "value": "chunk"}
_AT_ONCE = 500


@dataclass(frozen=True)
class StoredVectors:
    """Chunks and their dense vectors, a row each, of length 1."""

    ids: list[str]
    vectors: np.ndarray


def stored_vectors(store: SakshyaDocumentStore, count: int, seed: int = 0) -> StoredVectors:
    """A random sample of the chunks that the current principal may read; all of them where there are no more.

    :param count: 1 or more.
    :param seed: the same seed and index give the same sample.
    :raises ValueError: the index holds no chunk with a vector.
    """
    ids = sorted(document.id for document in store.filter_documents(CHUNKS, with_embeddings=False))
    if len(ids) > count:
        ids = [ids[i] for i in sorted(np.random.default_rng(seed).choice(len(ids), size=count, replace=False))]
    kept, rows = [], []
    for start in range(0, len(ids), _AT_ONCE):
        for document in store.get_documents_by_id(ids[start : start + _AT_ONCE], with_embeddings=True):
            if document.embedding is not None and np.linalg.norm(document.embedding) > 0:
                kept.append(document.id)
                rows.append(document.embedding)
    if not rows:
        raise ValueError(f"index {store.index!r} in {store.where}: no chunk with a vector; accepted: an index with at least one")
    matrix = np.asarray(rows, dtype=np.float32)
    return StoredVectors(kept, matrix / np.linalg.norm(matrix, axis=1, keepdims=True))


def source_filter(store: SakshyaDocumentStore, share: float, seed: int = 0) -> tuple[dict[str, object], float]:
    """A filter on random sources that together hold about this share of the chunks, and the share that they do hold.

    :param share: above 0, at most 1.
    :raises ValueError: a share that is not accepted, or an index without chunks.
    """
    if not 0 < share <= 1:
        raise ValueError(f"share {share}; accepted: above 0, at most 1")
    counts = store.facet("source_id", CHUNKS)
    total = sum(counts.values())
    if not total:
        raise ValueError(f"index {store.index!r} in {store.where}: no chunks; accepted: an index with at least one")
    names = sorted(counts)
    chosen, held = [], 0
    for i in np.random.default_rng(seed).permutation(len(names)):
        if chosen and held + counts[names[i]] > share * total:
            continue
        chosen.append(names[i])
        held += counts[names[i]]
        if held >= share * total:
            break
    return {"field": "meta.source_id", "operator": "in", "value": sorted(chosen)}, held / total

"""BM25 as sparse vectors: the document side in the stored vector, the query side in the query's, the IDF in the engine.

score(q, d) = Σ_t  w(t, q) · idf(t) · tf(t, d) · (k1 + 1) / (tf(t, d) + k1 · (1 − b + b · |d| / avg_len))

Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, with the factor (k1 + 1), which Lucene
leaves out (the order is the same). Qdrant's IDF modifier multiplies by idf(t) = ln(1 + (N − df + 0.5) / (df + 0.5)), Lucene's.
`avg_len` is a constant, so the vector of a document never depends on the others.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypedDict

from haystack.dataclasses import SparseEmbedding

from components.embedders.bm25_terms import check_language
from components.embedders.bm25_tokenizer import document_terms, query_terms, tokenizer_version


class Bm25Fingerprint(TypedDict):
    """What a sparse vector was made with. Vectors of different fingerprints do not compare."""

    k1: float
    b: float
    avg_len: float
    language: str | None
    tokenizer: str


def check_bm25(k1: float, b: float, avg_len: float, language: str | None) -> None:
    """Accept the parameters of BM25.

    :raises ValueError: k1 < 0, b outside [0, 1], avg_len <= 0, one of them no finite number, or an unknown language.
    """
    for name, value, fits, accepted in (
        ("k1", k1, lambda number: number >= 0, "a number of 0 or more, usually 1.2"),
        ("b", b, lambda number: 0 <= number <= 1, "a number from 0 to 1, usually 0.75"),
        ("avg_len", avg_len, lambda number: number > 0, "a number above 0: the usual terms of a chunk"),
    ):
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not fits(value):
            raise ValueError(f"{name}={value!r} is not accepted. Accepted: {accepted}")
    check_language(language)


def fingerprint(k1: float, b: float, avg_len: float, language: str | None) -> Bm25Fingerprint:
    """What identifies vectors of these settings, the same from both embedders."""
    return {"k1": float(k1), "b": float(b), "avg_len": float(avg_len), "language": language, "tokenizer": tokenizer_version(language)}


@lru_cache(maxsize=200_000)
def term_id(term: str) -> int:
    """A term's index in the sparse vector: 32 bits of BLAKE2b, the same in every process and release.

    Two of n distinct terms fall together about n² / 2³³ times: once among 93 000, 116 times among a million. Such a pair shares
    its statistics, as two senses of a word do.
    """
    return int.from_bytes(hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")


def document_weight(tf: float, length: float, k1: float, b: float, avg_len: float) -> float:
    """Weight of a term that occurs `tf` times in a document of `length` terms, without its IDF; from 0 to k1 + 1.

    >>> document_weight(1, 100, k1=1.2, b=0.75, avg_len=100)
    1.0
    """
    return tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / avg_len))


def sparse_embedding(weights: Mapping[str, float]) -> SparseEmbedding:
    """Weights by term to a sparse vector: indices ascending and unique, weights of colliding terms added."""
    by_id: dict[int, float] = {}
    for term, weight in weights.items():
        index = term_id(term)
        by_id[index] = by_id.get(index, 0.0) + weight
    indices = sorted(by_id)
    return SparseEmbedding(indices=indices, values=[by_id[index] for index in indices])


def embed_terms(terms: Sequence[str], k1: float, b: float, avg_len: float) -> SparseEmbedding:
    """The sparse vector of a document with these terms."""
    return sparse_embedding({term: document_weight(tf, len(terms), k1, b, avg_len) for term, tf in Counter(terms).items()})


def embed_document(text: str, k1: float, b: float, avg_len: float, language: str | None) -> SparseEmbedding | None:
    """The sparse vector of a document; None where it holds no term (the point is then stored without a sparse vector)."""
    terms = document_terms(text, language)
    return embed_terms(terms, k1, b, avg_len) if terms else None


def embed_query(text: str, language: str | None) -> SparseEmbedding:
    """The sparse vector of a question; empty where it holds no term."""
    return sparse_embedding(query_terms(text, language))

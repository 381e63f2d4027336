"""Sources of nearly the same text: a MinHash signature of each, and how far two agree.

Broder, "On the resemblance and containment of documents" (1997): the share of equal places in two signatures estimates the Jaccard similarity
of the texts' sets of shingles. With `PERMUTATIONS` places its standard error is at most .045.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence

import numpy as np
import regex
from haystack import Document

PERMUTATIONS = 128
SHINGLE_WORDS = 3
MIN_SHINGLES = 10
"""A text with fewer has no signature: a few common words make no near-duplicate."""
THRESHOLD = 0.7
"""Similarity from which two sources are reported. Words changed evenly: 1 % give about .94, 5 % .75, 20 % .34."""
_SCHEME = "affine32"
_BATCH = 4096
_WORD = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|[\p{L}\p{M}\p{N}]+")


def shingles(text: str) -> set[str]:
    """Every run of `SHINGLE_WORDS` words, in small letters; in scripts without spaces a character counts as a word.

    >>> sorted(shingles("Leave is twenty days."))
    ['is twenty days', 'leave is twenty']
    """
    words = _WORD.findall(text.casefold())
    return {" ".join(words[start : start + SHINGLE_WORDS]) for start in range(max(len(words) - SHINGLE_WORDS + 1, 0))}


def signature(texts: Iterable[str]) -> str:
    """MinHash signature of the parts of a text, as base64; empty for a text with fewer than `MIN_SHINGLES` shingles."""
    from datasketch.minhash import MinHash

    parts: set[str] = set()
    for text in texts:
        parts |= shingles(text)
    if len(parts) < MIN_SHINGLES:
        return ""
    hashed = MinHash(num_perm=PERMUTATIONS, seed=1, scheme=_SCHEME)
    encoded = [part.encode() for part in parts]
    for start in range(0, len(encoded), _BATCH):
        hashed.update_batch(encoded[start : start + _BATCH])
    return base64.b64encode(np.asarray(hashed.hashvalues, dtype="<u4").tobytes()).decode("ascii")


def signature_of(documents: Sequence[Document]) -> str:
    """Signature of a source by its sections or chunks."""
    return signature(document.content or "" for document in documents)


def similarities(one: str, others: np.ndarray) -> np.ndarray:
    """Estimated Jaccard similarity of a signature with each row of `decoded`."""
    row = np.frombuffer(base64.b64decode(one), dtype="<u4")
    return (others == row).mean(axis=1)


def decoded(signatures: Sequence[str]) -> np.ndarray:
    """Signatures as rows of numbers."""
    if not signatures:
        return np.empty((0, PERMUTATIONS), dtype="<u4")
    return np.vstack([np.frombuffer(base64.b64decode(one), dtype="<u4") for one in signatures])


def near_pairs(signatures: Sequence[str], changed: Sequence[int], threshold: float = THRESHOLD) -> list[tuple[int, int, float]]:
    """For each changed source the most similar other one, where they agree enough; a pair once.

    :param signatures: of all sources; empty where a source has none.
    :param changed: positions among them.
    :returns: (position, position of the other, similarity), in the order of `changed`.
    """
    known = [position for position, one in enumerate(signatures) if one]
    row_of = {position: row for row, position in enumerate(known)}
    rows = decoded([signatures[position] for position in known])
    pairs: dict[frozenset[int], tuple[int, int, float]] = {}
    for position in changed:
        if position not in row_of or len(known) < 2:
            continue
        found = similarities(signatures[position], rows)
        found[row_of[position]] = -1.0
        best = int(found.argmax())
        if found[best] >= threshold:
            pairs.setdefault(frozenset((position, known[best])), (position, known[best], round(float(found[best]), 2)))
    return list(pairs.values())

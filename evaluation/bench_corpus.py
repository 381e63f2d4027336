"""A corpus of any size from a few real texts, for measuring speed: perturbed embeddings and resampled words. It says nothing of quality."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from haystack import Document

from components.access.principal import DEFAULT_TENANT, PUBLIC

WORDS = 30
"""Words in a chunk."""
MIX = 0.6
"""Greatest weight of the second passage in an embedding; that of the first is 1."""
NOISE = 0.5
"""Length of the noise added to it."""
OWN_WORDS = 0.5
"""Share of a chunk's words that come from its own passage; the others from all."""
SUFFIXES = (".md", ".txt", ".html", ".htm", ".csv")
DESCRIPTION = (
    f"synthetic: embeddings of real passages, mixed in pairs, with noise of length {NOISE}, renormalised; {WORDS} words a chunk, resampled from them"
)


@dataclass(frozen=True)
class Passages:
    """The real texts that a corpus is grown from, of about `WORDS` words each, and their embeddings (a row each, length 1)."""

    texts: list[str]
    vectors: np.ndarray


def read_passages(path: Path) -> list[str]:
    """Passages of `WORDS` words from a text file, or from all in a folder and below.

    :raises ValueError: there are fewer than ten.
    """
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.suffix.lower() in SUFFIXES)
    passages = []
    for file in files:
        words = re.sub(r"<[^>]+>", " ", file.read_text("utf-8", errors="replace")).split()
        passages += [" ".join(words[i : i + WORDS]) for i in range(0, len(words), WORDS)]
    passages = list(dict.fromkeys(p for p in passages if len(p.split()) >= WORDS // 2))
    if len(passages) < 10:
        raise ValueError(
            f"{path}: {len(passages)} passages of {WORDS} words; accepted: a {'/'.join(SUFFIXES)} file or a folder of them with ten or more"
        )
    return passages


def grow(passages: Passages, count: int, seed: int = 0, batch: int = 2000) -> Iterator[tuple[list[Document], np.ndarray]]:
    """Chunks in batches, with their embeddings as a float32 matrix too; the same seed gives the same corpus.

    :param count: chunks in all.
    """
    words = [text.split() for text in passages.texts]
    everywhere = np.array([word for text in words for word in text])
    for first in range(0, count, batch):
        rng = np.random.default_rng([seed, first])
        size = min(batch, count - first)
        one, two = rng.integers(0, len(words), size=(2, size))
        noise = rng.standard_normal((size, passages.vectors.shape[1]), dtype=np.float32)
        noise *= NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
        mixed = passages.vectors[one] + rng.uniform(0, MIX, size=(size, 1)).astype(np.float32) * passages.vectors[two] + noise
        vectors = (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype(np.float32)
        documents = []
        for row in range(size):
            number = first + row
            own = rng.choice(words[one[row]], size=round(WORDS * OWN_WORDS))
            text = " ".join([*own, *rng.choice(everywhere, size=WORDS - len(own))])
            documents.append(Document(id=f"chunk-{number}", content=text, embedding=vectors[row].tolist(), meta=_meta(number, len(text))))
        yield documents, vectors


def _meta(number: int, length: int) -> dict[str, object]:
    return {
        "kind": "chunk",
        "source_id": f"source-{number // 20}",
        "source_version": "1",
        "tenant": DEFAULT_TENANT,
        "access": [PUBLIC],
        "title": f"Source {number // 20}",
        "context_header": "",
        "char_start": 0,
        "char_end": length,
    }

"""The packaged embedding model as the extraction needs it: vectors of texts and of their words, and how rare a word is."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Protocol

import numpy as np

MAX_TOKENS = 128
"""Tokens read of one text; a sentence rarely has more than 60."""
KEPT = 256
"""Texts whose reading is kept, some 60 kB each."""
BATCH = 8
"""Texts run together, of like length: larger batches waste time on padding."""
_FIRST_WORD = 1996
"""Place of `the` in the vocabulary of BERT, whose whole words stand in order of frequency behind signs and single letters."""
_COMMON, _RARE = 100, 28_000
"""Ranks of a word of weight 0 and of weight 1; the logarithm between them, after Zipf's law."""


@dataclass(frozen=True)
class Reading:
    """A text as the model reads it. All vectors have length 1."""

    vector: np.ndarray
    """Of the whole text."""
    tokens: np.ndarray
    """Of each token in its context, a row a token, without the special ones."""
    offsets: tuple[tuple[int, int], ...]
    """Half-open range of each token in the text."""

    def tokens_at(self, places: Iterable[tuple[int, int]]) -> list[int]:
        """Numbers of the tokens that overlap any of the half-open ranges."""
        wanted = list(places)
        return [i for i, (a, b) in enumerate(self.offsets) if any(a < end and start < b for start, end in wanted)]

    def word_in(self, start: int, end: int, other: Reading, taken: Iterable[int] = ()) -> float:
        """How close the word at `[start, end)` is in meaning to the closest word of another text, both in their context, -1 to 1.

        The mean over the word's tokens of the greatest cosine with any token of the other (the MaxSim of ColBERT, Khattab and Zaharia
        2020, for one word).

        :param taken: tokens of the other that stand for other words already.
        """
        rows = self.tokens_at([(start, end)])
        free = np.setdiff1d(np.arange(len(other.tokens)), np.fromiter(taken, dtype=int))
        if not rows or not len(free):
            return 0.0
        return float((self.tokens[rows] @ other.tokens[free].T).max(axis=1).mean())


class Reader(Protocol):
    """What the selection needs of a language model."""

    def read(self, texts: Sequence[str]) -> list[Reading]:
        """A reading of each text."""
        ...

    def rarity(self, word: str) -> float:
        """How rare a word is in general English, 0 to 1."""
        ...


def rarity_of_rank(rank: int | None) -> float:
    """How rare a word is in general English, 0.05 to 1, from its rank by frequency; None (not in the vocabulary) is 1.

    >>> round(rarity_of_rank(1000), 2), rarity_of_rank(None), rarity_of_rank(5)
    (0.41, 1.0, 0.05)
    """
    if rank is None:
        return 1.0
    return min(1.0, max(0.05, math.log(max(rank, 1) / _COMMON) / math.log(_RARE / _COMMON)))


class PackagedLanguage:
    """all-MiniLM-L6-v2; its weights are shared with the embedders. Safe for several threads."""

    def __init__(self) -> None:
        """Load the model; some seconds, once a process.

        :raises EmbeddingError: the package is not installed or cannot be loaded.
        """
        from components.embedders.embedding_model import packaged_encoder

        encoder = packaged_encoder()
        tokenizer = encoder.tokenizer
        if tokenizer is None:
            raise ValueError("The packaged embedding model has no fast tokenizer")
        self._encoder = encoder
        self._tokenizer = tokenizer
        self._kept: OrderedDict[str, Reading] = OrderedDict()
        self._lock = Lock()
        self._ranks = {word: place - _FIRST_WORD for word, place in tokenizer.get_vocab().items()}

    def read(self, texts: Sequence[str]) -> list[Reading]:
        """A reading of each text. The last `KEPT` are kept: the refusal gate reads what the generator has just read."""
        with self._lock:
            known = {text: self._kept[text] for text in texts if text in self._kept}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known |= zip(new, self._read(new), strict=True)
        with self._lock:
            for text in texts:
                self._kept[text] = known[text]
                self._kept.move_to_end(text)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return [known[text] for text in texts]

    def _read(self, texts: Sequence[str]) -> list[Reading]:
        encodings = self._tokenizer.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda i: len(encodings[i].ids))
        readings: dict[int, Reading] = {}
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            readings |= zip(rows, self._run([encodings[i] for i in rows]), strict=True)
        return [readings[i] for i in range(len(texts))]

    def _run(self, encodings: list) -> list[Reading]:
        lengths = [min(len(e.ids), MAX_TOKENS) for e in encodings]
        vectors, tokens = self._encoder.read([e.ids[:length] for e, length in zip(encodings, lengths, strict=True)])
        readings = []
        for row, (encoding, length) in enumerate(zip(encodings, lengths, strict=True)):
            keep = [i for i in range(length) if not encoding.special_tokens_mask[i]]
            readings.append(Reading(_unit(vectors[row]), _unit(tokens[row, keep]), tuple(encoding.offsets[i] for i in keep)))
        return readings

    def rarity(self, word: str) -> float:
        """How rare a word is in general English, 0.05 to 1."""
        return rarity_of_rank(self._ranks.get(word.casefold().removesuffix("'s")))


def _unit(vectors: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.maximum(length, 1e-12)


@lru_cache(maxsize=1)
def packaged_language() -> PackagedLanguage:
    """The one instance of the process."""
    return PackagedLanguage()

"""What every source of dense vectors gives, and the checks that no bad vector passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class EmbeddingError(RuntimeError):
    """Texts that could not be embedded. The message is one line: what failed, where, and what is accepted."""


class Encoder(Protocol):
    """One model, here or behind an endpoint. `embedding_model.EmbeddingModel` adds prefixes and the fingerprint."""

    name: str
    """As a fingerprint names it: the same on every machine that runs this model."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def pooling(self) -> str:
        """How token vectors become one, for instance `mean`; `endpoint` where that is not known."""
        ...

    @property
    def max_seq_length(self) -> int | None:
        """Tokens that the model reads, special ones included; the rest of a text is cut off. None where it is not known."""
        ...

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The model's own, without truncation and padding; None where it cannot be had."""
        ...

    @property
    def special_tokens(self) -> int:
        """Tokens that the model adds to each text by itself."""
        ...

    @property
    def languages(self) -> frozenset[str] | None:
        """ISO 639-1 codes of the languages that the model reads; None: any, or not known."""
        ...

    def prompt(self, *names: str) -> str:
        """The prefix that the model itself names for one of these roles, else an empty string."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, without the special ones; an estimate from above where the tokenizer cannot be had."""
        ...

    def encode(self, texts: list[str], *, prefix: str, batch_size: int, progress_bar: bool, is_query: bool) -> np.ndarray:
        """Vectors of length 1, float32, a row a text.

        :raises EmbeddingError: the model failed, or gave a vector that cannot be stored.
        """
        ...


def unit_rows(vectors: np.ndarray, where: str) -> np.ndarray:
    """The rows scaled to length 1, float32.

    :param where: the model, for the message.
    :raises EmbeddingError: a row with NaN or infinity, or of length zero.
    """
    rows = np.asarray(vectors, dtype=np.float32)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    bad = np.flatnonzero(~np.isfinite(norms[:, 0]) | (norms[:, 0] == 0))
    if bad.size:
        raise EmbeddingError(f"{where} gave {bad.size} of {len(rows)} vectors with NaN, infinity or only zeros (first: text {bad[0] + 1})")
    return rows / norms

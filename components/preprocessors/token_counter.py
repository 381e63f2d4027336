"""Counts the tokens of many texts as the embedding model does."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from components.embedders.embedding_model import EmbeddingModel

CHARS_PER_TOKEN = 8
"""A tokenizer takes a word that it does not know for one token, however long. No text counts less than a token for this many characters."""


class TokenCounter:
    """Token counts of an embedding model, batch by batch; its weights are not loaded where its folder holds a tokenizer.

    :param model: an embedding model, see `components.embedders.embedding_model.embedding_model`.
    """

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model
        self._tokenizer = model.tokenizer
        self.name = model.name
        self.max_tokens = model.max_seq_length
        """Tokens that the model reads, special ones and the passage prefix included; None where it is not known."""
        passage = model.max_passage_tokens
        self.overhead = 2 if self.max_tokens is None or passage is None else self.max_tokens - passage
        """Tokens that the model adds to every passage."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, without what the model adds; at least one for every eight characters."""
        clean = [text.encode("utf-8", "replace").decode() for text in texts]  # a lone surrogate is refused by tokenizers
        if self._tokenizer is None:
            counts = [self._model.count_tokens(text) for text in clean]
        else:
            counts = [len(encoding) for encoding in self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)] if clean else []
        return [max(count, ceil(len(text) / CHARS_PER_TOKEN)) for count, text in zip(counts, clean, strict=True)]

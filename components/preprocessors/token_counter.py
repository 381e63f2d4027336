"""Counts the tokens of many texts as the embedding model does."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import regex

if TYPE_CHECKING:
    from components.embedders.embedding_model import EmbeddingModel

CHARS_PER_TOKEN = 8
"""A tokenizer takes a word that it does not know for one token, however long. No text counts less than a token for this many characters."""


_LONGEST_TOKEN = 32
"""Characters. What is longer is a word that the tokenizer does not know."""
_UNBROKEN = regex.compile(rf"\S{{{_LONGEST_TOKEN + 1},}}")
_GRAPHEME = regex.compile(r"\X")
_PIECE = regex.compile(r"[A-Za-z]{1,3}|\S")
"""A token for an endpoint, whose tokenizer is not at hand."""


class Token(NamedTuple):
    """Where a token of a text begins, and whether a word between spaces begins with it."""

    start: int
    begins_word: bool


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

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text in order; of a word that the tokenizer does not know and that is long, one for every eight characters.

        For an endpoint, as many as are estimated from above (`estimated_tokens`).
        """
        if self._tokenizer is None:
            return _estimated(text)
        # a lone surrogate is refused by tokenizers; one character stands for another, so that offsets stay
        clean = "".join("?" if "\ud800" <= c <= "\udfff" else c for c in text) if _has_surrogate(text) else text
        encoding = self._tokenizer.encode(clean, add_special_tokens=False)
        found: list[Token] = []
        for start, end in encoding.offsets:
            found.append(_token(text, start))
            if end - start > _LONGEST_TOKEN:
                found.extend(Token(cut, False) for cut in _every_eighth(text, start, end))
        return found

    def count_tokens(self, text: str) -> int:
        """How many `tokens` a text has; unlike `count`, no more for white space."""
        if self._tokenizer is None or _UNBROKEN.search(text) or _has_surrogate(text):
            return len(self.tokens(text))
        return len(self._tokenizer.encode_batch_fast([text], add_special_tokens=False)[0])


def _token(text: str, start: int) -> Token:
    return Token(start, start == 0 or text[start - 1].isspace())


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _every_eighth(text: str, start: int, end: int) -> list[int]:
    """Places about eight characters apart inside a range, none inside a grapheme."""
    if text.isascii():
        return list(range(start + CHARS_PER_TOKEN, end, CHARS_PER_TOKEN))
    places: list[int] = []
    last = start
    for match in _GRAPHEME.finditer(text, start, end):
        if match.end() - last > CHARS_PER_TOKEN and match.start() > last:
            last = match.start()
            places.append(last)
    return places


def _estimated(text: str) -> list[Token]:
    found: list[Token] = []
    for match in _PIECE.finditer(text):
        pieces = 1 if match.group().isascii() else ceil(len(match.group().encode("utf-8", "surrogatepass")) / 2)
        found.extend([_token(text, match.start())] * pieces)
    return found

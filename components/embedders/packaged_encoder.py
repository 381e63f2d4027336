"""The packaged all-MiniLM-L6-v2 on ONNX Runtime: the vectors of sentence-transformers, without importing it or torch."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import struct
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from components.embedders.embedding_encoder import EmbeddingError, unit_rows
from components.embedders.sentence_transformer_encoder import PACKAGED, SentenceTransformerEncoder
from config.settings import home

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

logger = logging.getLogger(__name__)

GRAPH_FILE, CHECKS_FILE, WEIGHTS_FILE = "graph.onnx", "checks.json", "model.safetensors"
CHECKS = ("An application must be answered within thirty days, unless section 12(3) applies.", "Theft")
TOLERANCE = 1e-4
TOKENS_OF_A_BATCH = 1024
"""Padding included. More at once is no faster, takes more memory, and leaves the processor's cache."""
_DIMENSION = 384


def graph_folder() -> Path:
    """The folder of the graph; the weights are in the package."""
    return home() / "models" / "all-minilm-l6-v2"


def read_header(weights: Path) -> tuple[dict[str, Any], int, str]:
    """The header of a safetensors file: its tensors by name, where they begin in bytes, and the SHA-256 of it and of the file's size."""
    with weights.open("rb") as file:
        first = file.read(8)
        (length,) = struct.unpack("<Q", first)
        raw = file.read(length)
    tensors = {name: tensor for name, tensor in json.loads(raw).items() if name != "__metadata__"}
    return tensors, len(first) + length, hashlib.sha256(raw + str(weights.stat().st_size).encode()).hexdigest()


def cores() -> int:
    """Threads of one embedding run: what `OMP_NUM_THREADS` says, else the cores that this process may use."""
    told = os.environ.get("OMP_NUM_THREADS", "")
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(told) if told.isdigit() and int(told) else allowed


def token_batches(lengths: Sequence[int], most_texts: int, most_tokens: int = TOKENS_OF_A_BATCH) -> Iterator[list[int]]:
    """Places of texts, the longest first, in batches of at most so many texts and tokens, padding included; a longer text is alone.

    >>> list(token_batches([3, 9, 4, 8], most_texts=8, most_tokens=18))
    [[1, 3], [2, 0]]
    """
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        if batch and (len(batch) >= most_texts or (len(batch) + 1) * lengths[batch[0]] > most_tokens):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


class PackagedEncoder(SentenceTransformerEncoder):
    """all-MiniLM-L6-v2 of the package, on the processor. Safe for several threads.

    sentence-transformers runs ONNX files through `optimum`, and needs torch and transformers to be imported, which takes longer than embedding
    some hundred passages. Here ONNX Runtime computes a graph of `models/all-minilm-l6-v2` with the weights of the package, in 32 bits: vectors
    are those of torch to 1e-5. At loading two texts are embedded and compared with torch's stored vectors; where that or anything of the loading
    fails, the log says so once and sentence-transformers takes over.

    :param setting: what to name in an error message.
    """

    def __init__(self, setting: str) -> None:
        super().__init__(PACKAGED, "cpu", "torch", setting)
        self._session: InferenceSession | None = None
        self._failed = False
        self._reading: Tokenizer | None = None

    @property
    def session(self) -> InferenceSession | None:
        """The graph with its weights, loaded and checked; None where that failed."""
        with self._loading:
            if self._session is None and not self._failed:
                try:
                    self._session = self._opened()
                # ONNX Runtime raises classes of its own for each fault, none of them public
                except Exception as error:  # noqa: BLE001
                    self._failed = True
                    reason = " ".join(str(error).split())[:300] or type(error).__name__
                    logger.warning("ONNX Runtime does not run %s here, torch does, which starts more slowly: %s", self.name, reason)
            return self._session

    def _opened(self) -> InferenceSession:
        import onnxruntime

        folder = graph_folder()
        checks = json.loads((folder / CHECKS_FILE).read_text("utf-8"))
        if read_header(self._folder / WEIGHTS_FILE)[2] != checks["header_sha256"]:
            raise ValueError(f"{self._folder / WEIGHTS_FILE} is not the file that {folder / GRAPH_FILE} was made for")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # threads of one batch wait for each other in every layer; batches run beside each other
        options.log_severity_level = 4
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(self._folder))
        session = onnxruntime.InferenceSession((folder / GRAPH_FILE).read_bytes(), options, providers=["CPUExecutionProvider"])
        expected = np.array(list(checks["vectors"].values()), dtype=np.float32)
        sums, _ = _run(session, self._tokenized(list(checks["vectors"])), ["sums"])
        off = float(np.abs(unit_rows(sums, self._where) - expected).max())
        if not off <= TOLERANCE:
            raise ValueError(f"its vectors are {off:.2g} away from those of torch")
        return session

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return _DIMENSION

    @property
    def pooling(self) -> str:
        """Mean of the tokens."""
        return "mean"

    def prompt(self, *names: str) -> str:
        """None: the model was trained without prefixes."""
        return ""

    def read(self, texts: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
        """What the model makes of texts that are token ids already, in one batch.

        :param texts: with the special tokens, each of 1 to 512 ids.
        :returns: float32: the vectors of the texts, of length 1 [texts, 384], and the tokens' vectors [texts, longest, 384],
            those of padding undefined.
        :raises EmbeddingError: the model failed.
        """
        if (session := self.session) is not None:
            sums, tokens = _run(session, texts, ["sums", "tokens"])
            return unit_rows(sums, self._where), tokens
        import torch

        ids, mask = _padded(texts)
        features = {"input_ids": torch.from_numpy(ids).long(), "attention_mask": torch.from_numpy(mask).long()}
        with torch.inference_mode():
            out = self.model({**features, "token_type_ids": torch.zeros_like(features["input_ids"])})
        return out["sentence_embedding"].numpy(), out["token_embeddings"].numpy()

    def encode(self, texts: list[str], *, prefix: str, batch_size: int, progress_bar: bool, is_query: bool) -> np.ndarray:
        """Vectors of length 1, a row a text. Batches hold texts of like length; each has a core of its own."""
        from tqdm import tqdm

        session = self.session
        if session is None:
            return super().encode(texts, prefix=prefix, batch_size=batch_size, progress_bar=progress_bar, is_query=is_query)
        ids = self._tokenized([prefix + text for text in texts])
        vectors = np.empty((len(texts), _DIMENSION), dtype=np.float32)
        batches = list(token_batches([len(one) for one in ids], batch_size))

        def embed(rows: list[int]) -> None:
            if not threading.main_thread().is_alive():
                raise KeyboardInterrupt  # the program is ending, and would wait for every batch
            vectors[rows] = _run(session, [ids[row] for row in rows], ["sums"])[0]

        # disable=None: a bar on a terminal only
        with tqdm(total=len(batches), desc="Embedding", unit="batch", disable=None if progress_bar else True) as bar:
            alone = is_query or len(batches) == 1 or cores() == 1
            for _ in map(embed, batches) if alone else self._workers.map(embed, batches):
                bar.update()
        return unit_rows(vectors, self._where)

    def _tokenized(self, texts: list[str]) -> list[list[int]]:
        """As sentence-transformers does: white space around a text goes, and what is too long is cut. A lone surrogate is no UTF-8."""
        with self._loading:
            if self._reading is None:
                from tokenizers import Tokenizer

                self._reading = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
                self._reading.enable_truncation(self.max_seq_length or 256)
                self._reading.no_padding()
        given = [text.strip().encode("utf-8", "replace").decode() for text in texts]
        return [one.ids for one in self._reading.encode_batch_fast(given)]

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(cores(), "embed")


def _padded(texts: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Token ids and their mask, int32 [texts, longest]."""
    ids, mask = np.zeros((2, len(texts), max(len(one) for one in texts)), dtype=np.int32)
    for row, one in enumerate(texts):
        ids[row, : len(one)] = one
        mask[row, : len(one)] = 1
    return ids, mask


def _run(session: InferenceSession, texts: Sequence[Sequence[int]], outputs: list[str]) -> tuple[np.ndarray, Any]:
    """The sums and, where asked for, the token vectors of one batch."""
    ids, mask = _padded(texts)
    try:
        out: list[Any] = list(session.run(outputs, {"input_ids": ids, "types": np.zeros_like(ids), "mask": mask}))
    except Exception as error:  # what ONNX Runtime raises has no public class
        raise EmbeddingError(
            f"ONNX Runtime failed on {ids.shape[0]} texts of up to {ids.shape[1]} tokens: {' '.join(str(error).split())[:300]}"
        ) from error
    return out[0], out[1] if len(out) > 1 else None

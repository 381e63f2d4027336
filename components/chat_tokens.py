"""Tokens of a prompt as the chat model counts them, or an estimate from above where its tokenizer is not at hand."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from components.embedders.endpoint_encoder import estimated_tokens
from config.settings import settings

if TYPE_CHECKING:
    from haystack.dataclasses import ChatMessage
    from tokenizers import Tokenizer

PER_MESSAGE = 8
"""Tokens that a chat template puts around a message: role, begin and end. ChatML has 5, Llama 3 and Mistral fewer."""
PER_PROMPT = 8
"""Tokens around the whole: begin of text, and the opening of the reply."""
FILE = "tokenizer.json"


class ChatTokens:
    """Counts tokens for one chat model.

    :param tokenizer: of the `tokenizers` library; None: `estimated_tokens`, about half as many again as real tokenizers count.
    :param fault: why a tokenizer that was named is not used; empty where there is none.
    """

    def __init__(self, tokenizer: Tokenizer | None = None, fault: str = "") -> None:
        self._tokenizer, self.fault = tokenizer, fault

    @property
    def exact(self) -> bool:
        """Whether the model's own tokenizer counts."""
        return self._tokenizer is not None

    def count(self, text: str) -> int:
        """Tokens of a text.

        >>> ChatTokens().count("Twenty days.")
        5
        """
        if self._tokenizer is None:
            return estimated_tokens(text)
        clean = text.encode("utf-8", "replace").decode()  # a lone surrogate is refused by tokenizers
        return len(self._tokenizer.encode(clean, add_special_tokens=False))

    def of_messages(self, messages: Iterable[ChatMessage]) -> int:
        """Tokens of a prompt, with what a chat template adds."""
        return PER_PROMPT + sum(PER_MESSAGE + self.count(message.text or "") for message in messages)


@lru_cache(maxsize=4)
def _read(path: str) -> ChatTokens:
    from tokenizers import Tokenizer

    file = Path(path).expanduser()
    file = file / FILE if file.is_dir() else file
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # noqa: BLE001  the library raises a bare Exception for a missing file and for a bad one
        return ChatTokens(fault=f"SAKSHYA_CHAT_TOKENIZER {file} cannot be read ({' '.join(str(error).split())[:120]})")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return ChatTokens(tokenizer)


def chat_tokens() -> ChatTokens:
    """The counter of the settings' chat model."""
    path = settings().chat_tokenizer
    return _read(path) if path else ChatTokens()

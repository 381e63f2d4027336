"""What an earlier conversation says, whatever form its messages have. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_SOURCES = re.compile(r"\n\s*Sources:\s*\n.*\Z", re.DOTALL)
_MARKERS = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\]")
MOST_TURNS = 12
"""Messages looked at, the last ones."""
LONGEST_TURN = 800
"""Characters of a message that are read."""


@dataclass(frozen=True)
class Turn:
    """A message of a conversation: `role` is user or assistant."""

    role: str
    text: str


def turns_of(history: Sequence[Any] | None) -> list[Turn]:
    """The last messages of a conversation, oldest first, without lists of sources and citation markers.

    :param history: mappings with `role` and `content`, or ChatMessages; other roles, and what is neither, are passed over.

    >>> turns_of([{"role": "user", "content": "When?"}, {"role": "assistant", "content": "At 7. [1]\\n\\nSources:\\n[1] Pool"}])
    [Turn(role='user', text='When?'), Turn(role='assistant', text='At 7.')]
    """
    turns = []
    for message in list(history or [])[-MOST_TURNS:]:
        if isinstance(message, Mapping):
            role, text = message.get("role"), message.get("content")
        else:
            role, text = getattr(getattr(message, "role", None), "value", None), getattr(message, "text", None)
        if role not in {"user", "assistant"} or not isinstance(text, str):
            continue
        if role == "assistant":
            text = _MARKERS.sub("", _SOURCES.sub("", text))
        text = text.strip()[:LONGEST_TURN].strip()
        if text:
            turns.append(Turn(role, text))
    return turns

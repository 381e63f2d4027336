"""A block in which no chat model is asked, whichever graph runs: a health check must cost nothing and wait for nobody."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

REASON = "chat models are not asked here"

_silent: ContextVar[bool] = ContextVar("sakshya_chat_silence", default=False)


@contextmanager
def no_chat_models() -> Iterator[None]:
    """Inside this block, and in its tasks and threads that carry its context, chat models count as unreachable.

    >>> with no_chat_models():
    ...     chat_is_silent()
    True
    """
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


def chat_is_silent() -> bool:
    """Whether chat models must not be asked."""
    return _silent.get()

"""How long a question may still take, for components that choose how long to wait."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_end: ContextVar[float | None] = ContextVar("sakshya_deadline", default=None)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Say that all inside this block ends within so many seconds; a deadline outside that is nearer stays."""
    end, outer = time.monotonic() + seconds, _end.get()
    token = _end.set(end if outer is None else min(end, outer))
    try:
        yield
    finally:
        _end.reset(token)


def remaining_s() -> float | None:
    """Seconds left, 0 at least; None where nobody set a deadline.

    >>> with within(5): 4 < remaining_s() <= 5
    True
    """
    end = _end.get()
    return None if end is None else max(0.0, end - time.monotonic())

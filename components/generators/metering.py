"""Counts what all calls of chat models within one question took, whichever component made them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock

from components.generators.costs import Spent


@dataclass
class Meter:
    """Calls that gave a reply, and what they cost together.

    :param calls: replies, 0 or more; an attempt that was refused or never arrived is none.
    """

    calls: int = 0
    spent: Spent = field(default_factory=Spent)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def add(self, spent: Spent) -> None:
        """Count one reply."""
        with self._lock:
            self.calls += 1
            self.spent += spent


_meter: ContextVar[Meter | None] = ContextVar("sakshya_chat_meter", default=None)


@contextmanager
def metered() -> Iterator[Meter]:
    """A meter for the calls inside this block, in its tasks and in threads that carry its context. The innermost block counts.

    >>> with metered() as meter:
    ...     count_call(Spent(1060, 250, 0.00693))
    >>> meter.calls, meter.spent.prompt_tokens
    (1, 1060)
    """
    meter = Meter()
    token = _meter.set(meter)
    try:
        yield meter
    finally:
        _meter.reset(token)


def count_call(spent: Spent) -> None:
    """Count a reply in the meter of the question that is being answered, where there is one."""
    if (meter := _meter.get()) is not None:
        meter.add(spent)

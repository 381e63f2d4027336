"""Limits of the door: requests a minute for each key, questions at a time, bytes of a body."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager

from app.serving.problems import Problem

KNOWN = 10_000
"""Callers whose buckets are kept; the one that came longest ago is forgotten first, with a full bucket."""


class TokenBuckets:
    """A token bucket for each caller: `burst` requests at once, and then `per_minute`.

    >>> buckets = TokenBuckets(per_minute=60, burst=2, clock=lambda: 0.0)
    >>> [buckets.wait_s("asha") for _ in range(3)]
    [0.0, 0.0, 1.0]
    """

    def __init__(self, per_minute: int, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        """:param per_minute: tokens a minute; 0: no limit."""
        self.per_minute, self.burst, self._clock = per_minute, burst, clock
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def wait_s(self, caller: Hashable) -> float:
        """Take a token: 0, or, where there is none, the seconds until there is."""
        if not self.per_minute:
            return 0.0
        now, rate = self._clock(), self.per_minute / 60
        tokens, then = self._buckets.pop(caller, (float(self.burst), now))
        tokens = min(float(self.burst), tokens + (now - then) * rate)
        wait = 0.0 if tokens >= 1 else (1 - tokens) / rate
        self._buckets[caller] = (tokens if wait else tokens - 1, now)
        if len(self._buckets) > KNOWN:
            self._buckets.popitem(last=False)
        return wait

    def check(self, caller: Hashable) -> None:
        """Take a token.

        :raises Problem: 429, with the seconds to wait in Retry-After.
        """
        if wait := self.wait_s(caller):
            raise Problem(
                429, "too-many-requests", f"More than {self.per_minute} requests a minute.", headers={"Retry-After": str(max(1, math.ceil(wait)))}
            )


class Slots:
    """Places for work that runs, and a short queue for work that waits."""

    def __init__(self, running: int, waiting: int, patience_s: float) -> None:
        """:param patience_s: seconds that work waits at most."""
        self._free, self._waiting, self._may_wait, self._patience_s = asyncio.Semaphore(running), 0, waiting, patience_s

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold a place for the block.

        :raises Problem: 503 with Retry-After where the queue is full, or no place became free in time.
        """
        if self._free.locked():
            await self._wait()
        else:
            await self._free.acquire()  # at once: who finds a place free is never counted as waiting
        try:
            yield
        finally:
            self._free.release()

    async def _wait(self) -> None:
        if self._waiting >= self._may_wait:
            raise busy()
        self._waiting += 1
        try:
            await asyncio.wait_for(self._free.acquire(), self._patience_s)
        except TimeoutError:
            raise busy() from None
        finally:
            self._waiting -= 1


def busy(detail: str = "All places are taken; try again soon.") -> Problem:
    """The problem of a full queue."""
    return Problem(503, "busy", detail, headers={"Retry-After": "5"})


def too_large(limit_bytes: int) -> Problem:
    """The problem of a body that is longer than accepted."""
    return Problem(413, "too-large", f"The request is larger than {limit_bytes:,} bytes.", headers={"Connection": "close"})

"""Calls and tokens a minute of one chat model, in this process."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

WINDOW_S = 60.0
CLOCK_S = 0.001
"""Waited on top, so that rounding never makes a wait too short."""


class RateLimitedError(Exception):
    """No place within the time that the caller has; the message names the limit and the wait."""


@dataclass
class Call:
    """One call: when it began, on the limit's clock, and its tokens, estimated at first."""

    at: float
    tokens: int


class RateLimit:
    """At most so many calls, and so many tokens, in any 60 seconds.

    The libraries at hand count one kind of thing, and keep an entry for each token (pyrate-limiter). This limit is of one process: several
    servers share an endpoint's quota by each having a part of it.

    :param requests: calls a minute; 0: no limit.
    :param tokens: tokens a minute; 0: no limit. A call that alone exceeds it waits until no other is in the window.
    """

    def __init__(self, requests: int, tokens: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.requests, self.tokens, self._clock = requests, tokens, clock
        self._calls: deque[Call] = deque()
        self._lock = threading.Lock()

    def wait_s(self, tokens: int) -> tuple[float, Call | None]:
        """Take a place: 0 and the call; or, where there is none, the seconds until there may be, and None.

        >>> limit = RateLimit(2, 0, clock=lambda: 5.0)
        >>> [limit.wait_s(10)[0] for _ in range(3)]
        [0.0, 0.0, 60.001]
        """
        with self._lock:
            now = self._clock()
            while self._calls and self._calls[0].at <= now - WINDOW_S:
                self._calls.popleft()
            calls, used = len(self._calls), sum(call.tokens for call in self._calls)
            for earlier in (None, *self._calls):  # the oldest leave the window first
                if earlier is not None:
                    calls, used = calls - 1, used - earlier.tokens
                if (not self.requests or calls < self.requests) and (not self.tokens or not calls or used + tokens <= self.tokens):
                    if earlier is not None:
                        return earlier.at + WINDOW_S - now + CLOCK_S, None
                    break
            call = Call(now, tokens)
            if self.requests or self.tokens:
                self._calls.append(call)
            return 0.0, call

    async def take(self, tokens: int, patience_s: float) -> Call:
        """Wait for a place; set the call's `tokens` when they are known.

        :param patience_s: seconds to wait at most.
        :raises RateLimitedError: it would take longer.
        """
        end = self._clock() + patience_s
        while True:
            wait, call = self.wait_s(tokens)
            if call is not None:
                return call
            if self._clock() + wait > end:
                raise RateLimitedError(f"the limit of {self.what()} is reached, the next place is in {wait:.0f} s")
            await asyncio.sleep(wait)

    def what(self) -> str:
        """The limit in words."""
        named = ((self.requests, "calls (SAKSHYA_CHAT_REQUESTS_PER_MINUTE)"), (self.tokens, "tokens (SAKSHYA_CHAT_TOKENS_PER_MINUTE)"))
        return " and ".join(f"{number:,} {name}" for number, name in named if number) + " a minute"


@lru_cache(maxsize=64)
def rate_limit(model: str, url: str | None, requests: int, tokens: int) -> RateLimit:
    """The limit of a model, the same object for all graphs of this process."""
    return RateLimit(requests, tokens)

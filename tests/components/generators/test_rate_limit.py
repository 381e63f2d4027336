"""In no window of 60 seconds more calls, or tokens, than allowed."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.generators.rate_limit import WINDOW_S, RateLimit, RateLimitedError


@given(st.integers(1, 5), st.integers(0, 300), st.lists(st.tuples(st.floats(0, 40), st.integers(1, 120)), max_size=40))
def test_no_window_holds_more(requests, tokens, calls):
    now = [0.0]
    limit = RateLimit(requests, tokens, clock=lambda: now[0])
    made = []
    for gap, size in calls:
        now[0] += gap
        wait, call = limit.wait_s(size)
        if call is None:
            assert 0 < wait <= WINDOW_S + 0.01
            now[0] += wait
            wait, call = limit.wait_s(size)
        assert call is not None and wait == 0  # the wait that was named is enough
        made.append((now[0], size))
    for at, _ in made:
        window = [size for then, size in made if at - WINDOW_S < then <= at]
        assert len(window) <= requests
        assert not tokens or sum(window) <= tokens or len(window) == 1


def test_tokens_that_were_not_used_are_given_back():
    now = [0.0]
    limit = RateLimit(0, 100, clock=lambda: now[0])
    call = limit.wait_s(90)[1]
    assert limit.wait_s(20)[1] is None
    call.tokens = 30
    assert limit.wait_s(20)[1] is not None


def test_without_limits_nothing_is_kept():
    limit = RateLimit(0, 0)
    for _ in range(100):
        limit.wait_s(10**9)
    assert not limit._calls


def test_a_wait_longer_than_the_caller_has_is_refused_at_once():
    limit = RateLimit(1, 0)
    asyncio.run(limit.take(1, 0))
    with pytest.raises(RateLimitedError, match=r"1 calls \(SAKSHYA_CHAT_REQUESTS_PER_MINUTE\) a minute is reached, the next place is in (59|60) s"):
        asyncio.run(limit.take(1, 5))

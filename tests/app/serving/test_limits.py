import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.serving.limits import Slots, TokenBuckets
from app.serving.problems import Problem
from app.serving.sentences import parts


@given(st.lists(st.floats(0, 30), max_size=60), st.integers(1, 120), st.integers(1, 10))
def test_no_more_than_the_burst_and_the_rate(gaps, per_minute, burst):
    now = 0.0
    buckets = TokenBuckets(per_minute, burst, clock=lambda: now)
    passed = 0
    for gap in gaps:
        now += gap
        wait = buckets.wait_s("asha")
        passed += wait == 0
        assert wait <= 60 / per_minute + 1e-6
        assert passed <= burst + now * per_minute / 60 + 1e-6


def test_one_caller_does_not_use_up_another_s():
    buckets = TokenBuckets(60, 1, clock=lambda: 0.0)
    assert [buckets.wait_s("a"), buckets.wait_s("a"), buckets.wait_s("b")] == [0, 1, 0]
    with pytest.raises(Problem) as caught:
        buckets.check("a")
    assert (caught.value.status_code, caught.value.headers) == (429, {"Retry-After": "1"})
    assert not any(TokenBuckets(0, 1).wait_s("a") for _ in range(100))


def test_a_full_queue_refuses_and_a_short_wait_gives_up():
    async def main():
        slots = Slots(1, 1, 0.05)
        outcomes = []

        async def work():
            try:
                async with slots.place():
                    await asyncio.sleep(0.2)
                    outcomes.append("ran")
            except Problem as problem:
                outcomes.append(problem.status_code)

        await asyncio.gather(work(), work(), work())
        async with slots.place():  # everything was given back
            outcomes.append("free")
        return outcomes

    assert asyncio.run(main()) == [503, 503, "ran", "free"]


@given(st.text(alphabet="ab .[1]\n2", max_size=40))
def test_the_parts_are_the_answer(text):
    assert "".join(parts(text)) == text


@pytest.mark.parametrize("ticks", range(5))
def test_who_finds_a_place_free_is_never_counted_as_waiting(ticks):
    async def main():
        slots = Slots(1, 1, 5.0)

        async def work():
            async with slots.place():
                await asyncio.Event().wait()

        first = asyncio.create_task(work())
        for _ in range(ticks):  # the second comes at any moment of the first one's coming
            await asyncio.sleep(0)
        second = asyncio.create_task(work())
        for _ in range(10):
            await asyncio.sleep(0)
        assert not first.done()
        assert not second.done()  # one runs, one waits, and nobody is refused
        first.cancel()
        second.cancel()

    asyncio.run(main())

"""One chat model at its endpoint: retries, rate limits, tokens, cost and the day's budget."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import re
import time
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit

from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage, StreamingChunk
from haystack.utils import Secret
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_base, wait_exponential_jitter

from components.chat_tokens import chat_tokens
from components.generators.costs import Price, Spent, cost_usd
from components.generators.metering import count_call
from components.generators.rate_limit import RateLimitedError, rate_limit
from components.generators.spending import BudgetSpentError, Spending
from config.settings import ChatEndpoint, settings

logger = logging.getLogger(__name__)

T = TypeVar("T")
NO_KEY = "none"
"""Placeholder sent to an endpoint that asks for no key: the client refuses to start without one."""
RETRIED = frozenset({408, 409, 425, 429})
"""Besides 500 and above."""
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 8.0
LONGEST_CALL_S = 600.0
CHARS_PER_TOKEN = 16
"""A reply longer than that for each token that was allowed is cut: no language needs as much."""
_REASONING = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>\s*", re.DOTALL)


class ChatFailedError(Exception):
    """A chat model gave no usable reply. The message is one line for a person.

    :param spent: what its calls cost all the same.
    :param budget: whether the day's budget stopped it.
    """

    def __init__(self, reason: str, spent: Spent, *, budget: bool = False) -> None:
        super().__init__(reason)
        self.spent, self.budget = spent, budget


def failure_reason(error: BaseException, model: str, url: str | None, timeout_s: float) -> str:
    """One line on why the call failed, without the error's own text: that may repeat the key or the URL with its credentials."""
    host = urlsplit(url).hostname if url else "api.openai.com"
    name = type(error).__name__
    status = getattr(error, "status_code", None)
    if isinstance(error, TimeoutError) or "Timeout" in name:
        what = f"no reply within {round(timeout_s, 1):g} s"
    elif status:
        what = f"HTTP {status}"
    elif "Connection" in name:
        what = "no connection"
    else:
        what = f"unusable reply ({name})"
    return f"chat model {model} at {host}: {what}"


def is_passing(error: BaseException) -> bool:
    """Whether the same call may succeed a little later: no connection, 408, 409, 425, 429 or 5xx; but not a quota that is used up."""
    if getattr(error, "code", None) == "insufficient_quota":
        return False
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return status in RETRIED or status >= 500
    return "Connection" in type(error).__name__


def retry_after_s(error: BaseException | None) -> float:
    """Seconds that the endpoint asks to wait (`Retry-After`: seconds, or a date); 0 where it does not say."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    text = str(headers.get("retry-after") or "").strip()
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        return 0.0
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


class Backoff(wait_base):
    """Exponential waits with jitter, and never less than the endpoint asks for."""

    def __init__(self) -> None:
        self._plain = wait_exponential_jitter(initial=FIRST_WAIT_S, max=LONGEST_WAIT_S, jitter=FIRST_WAIT_S)

    def __call__(self, retry_state: RetryCallState) -> float:
        """Seconds until the next attempt."""
        asked = retry_after_s(retry_state.outcome.exception() if retry_state.outcome else None)
        wait = self._plain(retry_state)
        return asked + wait * 0.1 if asked > wait else wait


def in_own_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of asynchronous work for a caller that cannot await, in a loop of its own, and in a thread of its own where one runs already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(contextvars.copy_context().run, asyncio.run, work()).result()


class EndpointModel:
    """Asks one chat model.

    Haystack's OpenAIChatGenerator speaks the protocol. The retries of its client know no deadline of the whole, and neither counts what a day
    costs or how much a minute may hold.

    :param generation_kwargs: of every call.
    :param retries: further attempts after a failure that may pass, 0 or more.
    """

    def __init__(self, endpoint: ChatEndpoint, generation_kwargs: dict[str, Any], retries: int) -> None:
        self.endpoint, self.generation_kwargs, self.retries = endpoint, generation_kwargs, retries
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, OpenAIChatGenerator] = weakref.WeakKeyDictionary()

    def client(self) -> OpenAIChatGenerator:
        """The client of the running loop: an async client belongs to the loop it was made on."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            key = self.endpoint.api_key.get_secret_value() if self.endpoint.api_key else NO_KEY
            self._clients[loop] = OpenAIChatGenerator(
                api_key=Secret.from_token(key),
                model=self.endpoint.model,
                api_base_url=self.endpoint.url or "https://api.openai.com/v1",  # None would let OPENAI_BASE_URL decide
                generation_kwargs=self.generation_kwargs,
                timeout=LONGEST_CALL_S,  # each call has a nearer end of its own
                max_retries=0,
            )
        return self._clients[loop]

    async def close(self) -> None:
        """Close the client of the running loop."""
        if client := self._clients.pop(asyncio.get_running_loop(), None):
            await client.close_async()

    async def reply(
        self, messages: list[ChatMessage], *, seconds: float, kwargs: dict[str, Any] | None = None, on_chunk: Callable | None = None
    ) -> tuple[ChatMessage, Spent]:
        """The reply and what it cost; attempts that failed before it are in the cost.

        :param seconds: for all attempts together, the waits between them included.
        :param on_chunk: called, or awaited, with each piece of the reply. A reply of which a piece was passed on is not asked for again.
        :raises ChatFailedError: no usable reply.
        """
        call = _Call(self, messages, seconds, kwargs, on_chunk)
        try:
            async for attempt in AsyncRetrying(
                retry=retry_if_exception(lambda error: not call.begun and is_passing(error)),
                wait=Backoff(),
                stop=stop_after_attempt(1 + self.retries) | stop_before_delay(seconds),
                reraise=True,
            ):
                with attempt:
                    return await call.attempt(), call.spent
        except BudgetSpentError as error:
            raise ChatFailedError(str(error), call.spent, budget=True) from None
        except RateLimitedError as error:
            raise ChatFailedError(f"chat model {self.endpoint.model}: {error}", call.spent) from None
        except ChatFailedError:
            raise
        except Exception as error:  # noqa: BLE001  the wire raises client, HTTP, decoding and attribute errors alike
            reason = failure_reason(error, self.endpoint.model, self.endpoint.url, seconds)
            raise ChatFailedError(f"{reason}{call.tries()}", call.spent) from None
        raise AssertionError("unreachable")  # the loop returns or raises


class _Call:
    """The attempts of one reply."""

    def __init__(
        self, model: EndpointModel, messages: list[ChatMessage], seconds: float, kwargs: dict[str, Any] | None, on_chunk: Callable | None
    ) -> None:
        self._model, self._messages, self._on_chunk = model, messages, on_chunk
        self._name = model.endpoint.model
        self._end = time.monotonic() + seconds
        self._kwargs = {
            **({"stream_options": {"include_usage": True}} if on_chunk and "stream_options" not in model.generation_kwargs else {}),
            **(kwargs or {}),
        }
        here = settings()
        allowed = {**model.generation_kwargs, **self._kwargs}
        self._most_out = int(allowed.get("max_tokens") or allowed.get("max_completion_tokens") or here.chat_max_tokens)
        self._price: Price | None = here.prices.get(self._name)
        self._budget = here.chat_daily_budget_usd
        self._limit = rate_limit(self._name, model.endpoint.url, here.chat_requests_per_minute, here.chat_tokens_per_minute)
        self._spending = Spending(here.index_dir)
        self._tokens_in = chat_tokens().of_messages(messages)
        self.spent = Spent()
        self.attempts, self.begun = 0, False

    def tries(self) -> str:
        return f" ({self.attempts} attempts)" if self.attempts > 1 else ""

    async def attempt(self) -> ChatMessage:
        self.attempts += 1
        place = await self._limit.take(self._tokens_in + self._most_out, self._end - time.monotonic())
        day, booked = await self._book()
        try:
            async with asyncio.timeout(max(0.001, self._end - time.monotonic())):
                client = self._model.client()
                result = await client.run_async(self._messages, streaming_callback=self._chunks(), generation_kwargs=self._kwargs or None)
        except Exception as error:
            if isinstance(getattr(error, "status_code", None), int) or "APIConnectionError" in type(error).__name__:
                await self._settle(day, booked, 0.0)  # refused or never reached; after a time-out the endpoint may charge: it stays booked
                place.tokens = 0
            raise
        return await self._used(result["replies"], place, day, booked)

    async def _used(self, replies: list[ChatMessage], place: Any, day: str, booked: float) -> ChatMessage:
        reply = replies[0] if replies else ChatMessage.from_assistant("")
        text = _REASONING.sub("", reply.text or "")
        told = reply.meta.get("usage") or {}
        counts = [told.get(name) if isinstance(told, dict) else None for name in ("prompt_tokens", "completion_tokens")]
        known = all(isinstance(count, int) and count >= 0 for count in counts)
        read, wrote = counts if known else (self._tokens_in, chat_tokens().count(reply.text or ""))
        cost = cost_usd(read, wrote, self._price) if self._price else None  # pyright: ignore[reportArgumentType]
        used = Spent(read, wrote, cost, not known)  # pyright: ignore[reportArgumentType]
        self.spent += used
        count_call(used)
        place.tokens = read + wrote  # pyright: ignore[reportOperatorIssue]
        await self._settle(day, booked, cost or 0.0)
        if not text.strip():
            raise ChatFailedError(f"chat model {self._name}: empty reply", self.spent)
        most = max(2000, CHARS_PER_TOKEN * self._most_out)
        meta = {**reply.meta, "finish_reason": "length"} if len(text) > most else reply.meta
        return ChatMessage.from_assistant(text[:most].strip(), meta=meta)

    async def _book(self) -> tuple[str, float]:
        if self._price is None:
            if self._budget is not None:
                raise BudgetSpentError(f"chat model {self._name} has no price in SAKSHYA_CHAT_PRICES, so the daily budget cannot be kept")
            return "", 0.0
        most = cost_usd(self._tokens_in, self._most_out, self._price)
        if not most:
            return "", 0.0
        try:
            return await asyncio.to_thread(self._spending.book, most, self._budget), most
        except OSError as error:
            if self._budget is not None:
                logger.error("the daily budget cannot be kept: %s", error)
                raise BudgetSpentError("the daily budget for chat models cannot be kept: its file cannot be written") from error
            logger.warning("what the chat model costs is not counted: %s", error)
            return "", 0.0

    async def _settle(self, day: str, booked: float, actual: float) -> None:
        if not day:
            return
        try:
            await asyncio.to_thread(self._spending.correct, day, booked, actual)
        except OSError as error:
            logger.warning("a call stays booked at the most that it could cost: %s", error)

    def _chunks(self) -> Callable | None:
        if self._on_chunk is None:
            return None

        async def passed_on(chunk: StreamingChunk) -> None:
            self.begun = self.begun or bool(chunk.content)
            called = self._on_chunk(chunk)  # pyright: ignore[reportOptionalCall]
            if inspect.isawaitable(called):
                await called

        return passed_on

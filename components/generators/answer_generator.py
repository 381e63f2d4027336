"""Writes the answer with the chat models of the settings, or extractively where none is set or all fail."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from haystack import component
from haystack.dataclasses import ChatMessage, StreamingChunk

from components.deadline import remaining_s
from components.failure import Degradation
from components.generators.chat_endpoint import ChatFailedError, EndpointModel, in_own_loop
from components.generators.costs import Price, Spent, context_share
from components.generators.extractive_generator import EXTRACTIVE, ExtractiveGenerator
from components.generators.silence import chat_is_silent
from components.preprocessors.sentences import split_sentences
from config.settings import ChatEndpoint, settings

STAGE = "generator"
SHARE_OF_DEADLINE = 0.85
"""Of the time that the question still has; the rest is for what comes after."""
SHARE_OF_FIRST = 0.6
"""Of the time left, for a model behind which others wait."""
LEAST_S = 0.05
RESTART = "restart"
"""In the meta of a streamed piece: what was streamed before it is void, and why."""
BUDGET_TEXT = "No answer was written: the daily budget for chat models is used up."


@component
class AnswerGenerator:
    """Generates the answer: settings decide by what.

    With a chat model: that model at its OpenAI-compatible endpoint, temperature 0; when it fails, its fallbacks in turn; when all fail or no
    time is left, `ExtractiveGenerator`, and `degraded` names each failure. Haystack's FallbackChatGenerator has fixed members, says why only in
    the reply's meta, and knows no deadline, price or budget. Without a chat model: `ExtractiveGenerator`.

    A call takes no longer than the settings say, nor than 85 % of what is left of the question's deadline. A failure that may pass (no
    connection, 429, 5xx) is retried within that time. Where a price and a daily budget are set, no call is made that the budget does not cover.
    """

    def __init__(
        self,
        model: str | None = None,
        system_fallback: bool = True,
        timeout_s: float | None = None,
        max_tokens: int | None = None,
        generation_kwargs: dict[str, Any] | None = None,
        retries: int = 3,
    ) -> None:
        """Create the generator.

        :param model: chat model; None: from settings, and if none is set there the extractive generator. `extractive`: never a chat model.
        :param system_fallback: answer extractively when every chat model fails; False: no reply then, only the `degraded` entries, or, where the
            budget is used up, a refusal that says so.
        :param timeout_s: seconds for a reply, retries and fallbacks together, above 0; None: from settings.
        :param max_tokens: tokens for one answer, at least 1; None: from settings.
        :param generation_kwargs: further parameters of the call, for instance {"seed": 1}; a null drops one
            that the endpoint refuses, for instance {"temperature": null}.
        :param retries: further attempts at each model after a failure that may pass, 0 to 10.
        :raises ValueError: a value out of range.
        """
        if model is not None and not model.strip():
            raise ValueError("AnswerGenerator.model must be a model name, `extractive`, or null for the settings' model")
        if timeout_s is not None and timeout_s <= 0:
            raise ValueError(f"AnswerGenerator.timeout_s must be above 0 seconds, not {timeout_s}")
        if max_tokens is not None and max_tokens < 1:
            raise ValueError(f"AnswerGenerator.max_tokens must be at least 1, not {max_tokens}")
        if not 0 <= retries <= 10:
            raise ValueError(f"AnswerGenerator.retries must be 0 to 10, not {retries}")
        self.model = model
        self.system_fallback = system_fallback
        self.timeout_s = timeout_s
        self.max_tokens = max_tokens
        self.generation_kwargs = generation_kwargs
        self.retries = retries
        self._extractive = ExtractiveGenerator()
        self._models: dict[ChatEndpoint, EndpointModel] = {}

    def _endpoints(self) -> list[ChatEndpoint]:
        here = settings()
        name = self.model or here.chat_model
        if not name or name == EXTRACTIVE or chat_is_silent():
            return []
        first, *others = here.chat_endpoints
        return [ChatEndpoint(name, first.url, first.api_key), *others]

    def missing_setting(self) -> str:
        """The setting that this node needs and does not have, in words; empty where nothing is missing. `check` reports it."""
        here = settings()
        for endpoint in self._endpoints():
            if not endpoint.url and not endpoint.api_key:
                return f"chat model {endpoint.model!r} needs SAKSHYA_CHAT_API_KEY, or SAKSHYA_CHAT_URL of an endpoint that asks for no key"
            if here.chat_daily_budget_usd is not None and endpoint.model not in here.prices:
                return f"a daily budget needs the price of chat model {endpoint.model!r} in SAKSHYA_CHAT_PRICES"
        return ""

    def _model_at(self, endpoint: ChatEndpoint) -> EndpointModel:
        if endpoint not in self._models:
            kwargs = {"temperature": 0, "max_tokens": self.max_tokens or settings().chat_max_tokens, **(self.generation_kwargs or {})}
            self._models[endpoint] = EndpointModel(endpoint, {k: v for k, v in kwargs.items() if v is not None}, self.retries)
        return self._models[endpoint]

    def warm_up(self) -> None:
        """Load the extractive generator's language model, where it may be needed."""
        if self.system_fallback or not self._endpoints():
            self._extractive.warm_up()

    @component.output_types(replies=list[ChatMessage], degraded=list[Degradation], model=str, note=str)
    def run(
        self, messages: list[ChatMessage], generation_kwargs: dict[str, Any] | None = None, streaming_callback: Callable | None = None
    ) -> dict[str, Any]:
        """Answer.

        :param messages: as EvidencePromptBuilder writes them.
        :param generation_kwargs: parameters of this call, over those of the constructor.
        :param streaming_callback: called with each piece of the reply. A piece whose meta has `restart` says that what came before it is void.
        :returns: `replies`; `degraded`: an entry for each chat model that failed; `model`: what wrote the replies, empty if nothing did; `note`:
            tokens and cost.
        """

        async def once() -> dict[str, Any]:
            try:
                return await self.run_async(messages, generation_kwargs, streaming_callback)
            finally:
                await self.close()

        return in_own_loop(once)

    async def close(self) -> None:
        """Close the clients of the running loop."""
        for model in self._models.values():
            await model.close()

    @component.output_types(replies=list[ChatMessage], degraded=list[Degradation], model=str, note=str)
    async def run_async(
        self, messages: list[ChatMessage], generation_kwargs: dict[str, Any] | None = None, streaming_callback: Callable | None = None
    ) -> dict[str, Any]:
        """As `run`, with the endpoints awaited."""
        endpoints = self._endpoints()
        stream = _Stream(streaming_callback)
        loop = asyncio.get_running_loop()
        end = loop.time() + self._seconds()
        failed: list[ChatFailedError] = []
        spent = Spent()
        for position, endpoint in enumerate(endpoints):
            left = end - loop.time()
            if left < LEAST_S and failed:
                failed.append(ChatFailedError(f"chat model {endpoint.model}: no time left", Spent()))
                break
            seconds = left * SHARE_OF_FIRST if position + 1 < len(endpoints) else left
            try:
                reply, cost = await self._model_at(endpoint).reply(
                    messages, seconds=max(seconds, LEAST_S), kwargs=generation_kwargs, on_chunk=stream.take if streaming_callback else None
                )
            except ChatFailedError as error:
                failed.append(error)
                spent += error.spent
                await stream.void(str(error))
                continue
            spent += cost
            return self._replied(reply, endpoint.model, failed, spent, messages)
        return await self._without_chat(messages, failed, spent, stream)

    def _seconds(self) -> float:
        own, left = self.timeout_s or settings().chat_timeout_s, remaining_s()
        return own if left is None else min(own, left * SHARE_OF_DEADLINE)

    def _replied(self, reply: ChatMessage, model: str, failed: list[ChatFailedError], spent: Spent, messages: list[ChatMessage]) -> dict[str, Any]:
        degraded = [Degradation(stage=STAGE, reason=f"{error}; answered by chat model {model}") for error in failed]
        text = reply.text or ""
        if reply.meta.get("finish_reason") == "length":
            text, lost = whole_sentences(text)
            limit = self.max_tokens or settings().chat_max_tokens
            what = ", its last sentence left out" if lost else ""
            degraded.append(Degradation(stage=STAGE, reason=f"chat model {model}: the reply ended at the limit of {limit:,} tokens{what}"))
        done = ChatMessage.from_assistant(text, meta={**reply.meta, "model": model, "usage": usage(spent)})
        return {"replies": [done], "degraded": degraded, "model": model, "note": note_on(spent, settings().prices.get(model), messages)}

    async def _without_chat(self, messages: list[ChatMessage], failed: list[ChatFailedError], spent: Spent, stream: _Stream) -> dict[str, Any]:
        note = note_on(spent, None, messages) if spent.prompt_tokens else ""
        if failed and not self.system_fallback:
            degraded = [Degradation(stage=STAGE, reason=str(error)) for error in failed]
            if not any(error.budget for error in failed):
                return {"replies": [], "degraded": degraded, "model": "", "note": note}
            why = next(str(error) for error in failed if error.budget)
            meta = {"declined": True, "missing": why, "usage": usage(spent), "finish_reason": "stop"}
            reply, model = ChatMessage.from_assistant(f"{BUDGET_TEXT} ({why}.)", meta=meta), ""
        else:
            degraded = [Degradation(stage=STAGE, reason=f"{error}; answered with the extractive generator") for error in failed]
            reply, model = (await asyncio.to_thread(self._extractive.run, messages))["replies"][0], EXTRACTIVE
            if spent.prompt_tokens:
                reply.meta["usage"] = usage(spent)
        await stream.take(StreamingChunk(content=reply.text or ""))
        return {"replies": [reply], "degraded": degraded, "model": model, "note": note}


class _Stream:
    """The pieces that are passed on; what a model wrote before it failed is declared void."""

    def __init__(self, callback: Callable | None) -> None:
        self._callback, self._begun = callback, False

    async def take(self, chunk: StreamingChunk) -> None:
        if self._callback is None:
            return
        self._begun = self._begun or bool(chunk.content)
        called = self._callback(chunk)
        if inspect.isawaitable(called):
            await called

    async def void(self, reason: str) -> None:
        if self._begun:
            await self.take(StreamingChunk(content="", meta={RESTART: reason}))
            self._begun = False


def whole_sentences(text: str) -> tuple[str, bool]:
    """The text up to the end of its last whole sentence, and whether something was left out; all of it where it has no second sentence.

    >>> whole_sentences("It opens at 7 [1]. It closes at")
    ('It opens at 7 [1].', True)
    """
    spans = split_sentences(text)
    if not spans:
        return text, False
    last = text[spans[-1][0] : spans[-1][1]].rstrip()
    if last.endswith((".", "!", "?", "]", "।", "。", "”", '"')) or len(spans) == 1:
        return text, False
    return text[: spans[-2][1]].rstrip(), True


def usage(spent: Spent) -> dict[str, Any]:
    """What a reply's meta says of tokens and cost."""
    return {
        "prompt_tokens": spent.prompt_tokens,
        "completion_tokens": spent.completion_tokens,
        "cost_usd": spent.cost_usd,
        "estimated": spent.estimated,
    }


def note_on(spent: Spent, price: Price | None, messages: list[ChatMessage]) -> str:
    """Tokens and cost for the trace."""
    counted = ", counted here" if spent.estimated else ""
    said = f"{spent.prompt_tokens:,} tokens in, {spent.completion_tokens:,} out{counted}"
    if spent.cost_usd is None:
        return said
    evidence = min(int(messages[-1].meta.get("evidence_tokens") or 0), spent.prompt_tokens) if messages else 0
    share = context_share(evidence, spent.prompt_tokens, spent.completion_tokens, price) if price else 0
    return f"{said}; ${spent.cost_usd:.5f}" + (f", {share:.0%} of it for the evidence" if share else "")

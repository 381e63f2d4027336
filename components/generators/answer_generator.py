"""Writes the answer with the chat model of the settings, or extractively where none is set or the model fails."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from haystack import component
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage, StreamingChunk
from haystack.utils import Secret

from components.failure import Degradation
from components.generators.extractive_generator import EXTRACTIVE, ExtractiveGenerator
from config.settings import settings

STAGE = "generator"
NO_KEY = "none"
"""Placeholder sent to an endpoint that asks for no key: the client refuses to start without one."""


def failure_reason(error: BaseException, model: str, url: str | None, timeout_s: float) -> str:
    """One line on why the call failed, without the error's own text: that may repeat the key or the URL with its credentials."""
    host = urlsplit(url).hostname if url else "api.openai.com"
    name = type(error).__name__
    status = getattr(error, "status_code", None)
    if isinstance(error, TimeoutError) or "Timeout" in name:
        what = f"no reply within {timeout_s:g} s"
    elif status:
        what = f"HTTP {status}"
    elif "Connection" in name:
        what = "no connection"
    else:
        what = f"unusable reply ({name})"
    return f"chat model {model} at {host}: {what}"


def usable(replies: list[ChatMessage]) -> list[ChatMessage]:
    """The replies that have visible text."""
    return [reply for reply in replies if isinstance(reply.text, str) and reply.text.strip()]


@component
class AnswerGenerator:
    """Generates the answer: settings decide by what.

    With a chat model: Haystack's OpenAIChatGenerator at the settings' endpoint, temperature 0. That class has no fallback, wants a key
    even where the endpoint does not, and raises on failure; Haystack's FallbackChatGenerator has fixed members and says why only in the
    reply's meta. Without a chat model, or when it fails or writes nothing: `ExtractiveGenerator`.
    """

    def __init__(
        self,
        model: str | None = None,
        system_fallback: bool = True,
        timeout_s: float | None = None,
        max_tokens: int | None = None,
        generation_kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Create the generator.

        :param model: chat model; None: from settings, and if none is set there the extractive generator. `extractive`: never a chat model.
        :param system_fallback: answer extractively when the chat model fails; False: no reply then, only the `degraded` entry.
        :param timeout_s: seconds for one call, above 0; None: from settings.
        :param max_tokens: tokens for one answer, at least 1; None: from settings.
        :param generation_kwargs: further parameters of the call, for instance {"seed": 1}; a null drops one
            that the endpoint refuses, for instance {"temperature": null}.
        :raises ValueError: a value out of range.
        """
        if model is not None and not model.strip():
            raise ValueError("AnswerGenerator.model must be a model name, `extractive`, or null for the settings' model")
        if timeout_s is not None and timeout_s <= 0:
            raise ValueError(f"AnswerGenerator.timeout_s must be above 0 seconds, not {timeout_s}")
        if max_tokens is not None and max_tokens < 1:
            raise ValueError(f"AnswerGenerator.max_tokens must be at least 1, not {max_tokens}")
        self.model = model
        self.system_fallback = system_fallback
        self.timeout_s = timeout_s
        self.max_tokens = max_tokens
        self.generation_kwargs = generation_kwargs
        self._extractive = ExtractiveGenerator()
        self._chat: OpenAIChatGenerator | None = None
        self._chat_async: OpenAIChatGenerator | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def _chat_model(self) -> str | None:
        name = self.model or settings().chat_model
        return None if name == EXTRACTIVE else name

    def missing_setting(self) -> str:
        """The setting that this node needs and does not have, in words; empty where nothing is missing. `check` reports it."""
        here = settings()
        if self._chat_model is None or here.chat_url or here.chat_api_key:
            return ""
        return f"chat model {self._chat_model!r} needs SAKSHYA_CHAT_API_KEY, or SAKSHYA_CHAT_URL of an endpoint that asks for no key"

    @property
    def _timeout(self) -> float:
        return self.timeout_s or settings().chat_timeout_s

    def _new_chat(self, model: str) -> OpenAIChatGenerator:
        where = settings()
        key = where.chat_api_key.get_secret_value() if where.chat_api_key else NO_KEY
        kwargs = {"temperature": 0, "max_tokens": self.max_tokens or where.chat_max_tokens, **(self.generation_kwargs or {})}
        kwargs = {name: value for name, value in kwargs.items() if value is not None}
        return OpenAIChatGenerator(
            api_key=Secret.from_token(key),
            model=model,
            api_base_url=where.chat_url,
            generation_kwargs=kwargs,
            timeout=self._timeout,
            max_retries=0,  # a retry would double the time that the deadline allows
        )

    def warm_up(self) -> None:
        """Make the client, or load the extractive generator's embedding model."""
        model = self._chat_model
        if model is None or self.system_fallback:
            self._extractive.warm_up()
        if model is not None and self._chat is None:
            self._chat = self._new_chat(model)

    @component.output_types(replies=list[ChatMessage], degraded=list[Degradation], model=str)
    def run(
        self, messages: list[ChatMessage], generation_kwargs: dict[str, Any] | None = None, streaming_callback: Callable | None = None
    ) -> dict[str, Any]:
        """Answer.

        :param messages: as EvidencePromptBuilder writes them.
        :param generation_kwargs: parameters of this call, over those of the constructor.
        :param streaming_callback: called with each piece of the reply.
        :returns: `replies`; `degraded`: an entry if the chat model failed; `model`: what wrote the replies, empty if nothing did.
        """
        model = self._chat_model
        if model is None:
            return self._streamed(self._by_extraction(messages, []), streaming_callback)
        try:
            self._chat = self._chat or self._new_chat(model)
            replies = usable(self._chat.run(messages, streaming_callback=streaming_callback, generation_kwargs=generation_kwargs)["replies"])
        except Exception as error:  # noqa: BLE001  the wire raises client, HTTP, decoding and attribute errors alike
            reason = failure_reason(error, model, settings().chat_url, self._timeout)
            return self._streamed(self._without_chat(messages, reason), streaming_callback)
        if replies:
            return {"replies": replies, "degraded": [], "model": model}
        return self._streamed(self._without_chat(messages, f"chat model {model}: empty reply"), streaming_callback)

    @component.output_types(replies=list[ChatMessage], degraded=list[Degradation], model=str)
    async def run_async(
        self, messages: list[ChatMessage], generation_kwargs: dict[str, Any] | None = None, streaming_callback: Callable | None = None
    ) -> dict[str, Any]:
        """As `run`, with the chat model's endpoint awaited and the time limit over the whole call."""
        model = self._chat_model
        if model is None:
            return await self._streamed_async(await asyncio.to_thread(self._by_extraction, messages, []), streaming_callback)
        loop = asyncio.get_running_loop()
        if self._chat_async is None or self._loop is not loop:  # an async client belongs to the loop it was made on
            self._chat_async, self._loop = self._new_chat(model), loop
        try:
            call = self._chat_async.run_async(messages, streaming_callback=streaming_callback, generation_kwargs=generation_kwargs)
            replies = usable((await asyncio.wait_for(call, self._timeout))["replies"])
            reason = f"chat model {model}: empty reply"
        except Exception as error:  # noqa: BLE001  as in run
            replies, reason = [], failure_reason(error, model, settings().chat_url, self._timeout)
        if replies:
            return {"replies": replies, "degraded": [], "model": model}
        return await self._streamed_async(await asyncio.to_thread(self._without_chat, messages, reason), streaming_callback)

    @staticmethod
    def _streamed(result: dict[str, Any], callback: Callable | None) -> dict[str, Any]:
        for reply in result["replies"] if callback else []:
            callback(StreamingChunk(content=reply.text or ""))  # pyright: ignore[reportOptionalCall]
        return result

    @staticmethod
    async def _streamed_async(result: dict[str, Any], callback: Callable | None) -> dict[str, Any]:
        for reply in result["replies"] if callback else []:
            called = callback(StreamingChunk(content=reply.text or ""))  # pyright: ignore[reportOptionalCall]
            if inspect.isawaitable(called):
                await called
        return result

    def _without_chat(self, messages: list[ChatMessage], reason: str) -> dict[str, Any]:
        if not self.system_fallback:
            return {"replies": [], "degraded": [Degradation(stage=STAGE, reason=reason)], "model": ""}
        return self._by_extraction(messages, [Degradation(stage=STAGE, reason=f"{reason}; answered with the extractive generator")])

    def _by_extraction(self, messages: list[ChatMessage], degraded: list[Degradation]) -> dict[str, Any]:
        return {"replies": self._extractive.run(messages)["replies"], "degraded": degraded, "model": EXTRACTIVE}

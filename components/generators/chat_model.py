"""The chat model of the settings for everything but the answer: rewriting, grading, planning."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from haystack import component
from haystack.dataclasses import ChatMessage

from components.deadline import remaining_s, within
from components.failure import Degradation
from components.generators.answer_generator import AnswerGenerator
from components.generators.chat_endpoint import in_own_loop
from components.generators.extractive_generator import EXTRACTIVE
from components.generators.silence import REASON, chat_is_silent
from config.settings import settings


@dataclass(frozen=True)
class ChatText:
    """What a chat model wrote.

    :param text: None where it gave no reply.
    :param reason: why there is no text, one line; empty otherwise.
    """

    text: str | None
    reason: str = ""
    model: str = ""
    note: str = ""


@component
class ChatModel:
    """A Haystack ChatGenerator that asks the chat model of the settings, and never answers from the evidence by itself.

    Endpoints, fallbacks, retries, limits and budget are those of `AnswerGenerator`. Haystack's ChatGenerators cannot read our settings and know
    no deadline. Where no reply comes, `replies` is empty and `degraded` says why: the node that asked goes on without it.
    """

    def __init__(
        self,
        model: str | None = None,
        timeout_s: float | None = None,
        max_tokens: int | None = None,
        generation_kwargs: dict[str, Any] | None = None,
        share: float = 0.4,
    ) -> None:
        """Create the chat model.

        :param model: its name; None: from settings.
        :param timeout_s: seconds for a reply, above 0; None: from settings.
        :param max_tokens: tokens of a reply, at least 1; None: from settings.
        :param generation_kwargs: further parameters of the call.
        :param share: of what is left of the question's deadline, the most that one reply may take, above 0, at most 1.
        :raises ValueError: a value out of range.
        """
        if not 0 < share <= 1:
            raise ValueError(f"ChatModel.share must be above 0 and at most 1, not {share}")
        if model is not None and model.strip() == EXTRACTIVE:
            raise ValueError("ChatModel.model must be a chat model's name, or null for the settings' model")
        self.model, self.timeout_s, self.max_tokens, self.generation_kwargs, self.share = model, timeout_s, max_tokens, generation_kwargs, share
        self._generator = AnswerGenerator(
            model=model, system_fallback=False, timeout_s=timeout_s, max_tokens=max_tokens, generation_kwargs=generation_kwargs
        )

    @property
    def is_set(self) -> bool:
        """Whether there is a chat model to ask."""
        return bool(self.model or settings().chat_model)

    def missing_setting(self) -> str:
        """As `AnswerGenerator.missing_setting`."""
        return self._generator.missing_setting() if self.is_set else ""

    def required_setting(self) -> str:
        """The setting without which there is nothing to ask, in words; empty where there is a chat model."""
        return "" if self.is_set else "SAKSHYA_CHAT_MODEL is not set, and this node needs a chat model"

    @component.output_types(replies=list[ChatMessage], degraded=list[Degradation], model=str, note=str)
    def run(
        self, messages: list[ChatMessage], generation_kwargs: dict[str, Any] | None = None, streaming_callback: Callable | None = None
    ) -> dict[str, Any]:
        """Ask.

        :returns: `replies`, one or none; `degraded`, why models failed; `model`; `note`, tokens and cost.
        """
        return in_own_loop(lambda: self._once(messages, generation_kwargs, streaming_callback))

    async def _once(self, messages: list[ChatMessage], kwargs: dict[str, Any] | None, callback: Callable | None) -> dict[str, Any]:
        try:
            return await self.run_async(messages, kwargs, callback)
        finally:
            await self._generator.close()

    @component.output_types(replies=list[ChatMessage], degraded=list[Degradation], model=str, note=str)
    async def run_async(
        self, messages: list[ChatMessage], generation_kwargs: dict[str, Any] | None = None, streaming_callback: Callable | None = None
    ) -> dict[str, Any]:
        """As `run`, with the endpoint awaited."""
        if not self.is_set or chat_is_silent():
            reason = self.required_setting() or REASON
            return {"replies": [], "degraded": [Degradation(stage="chat model", reason=reason)], "model": "", "note": ""}
        left = remaining_s()
        with nullcontext() if left is None else within(left * self.share):
            found = await self._generator.run_async(messages, generation_kwargs, streaming_callback)
        if found["replies"] and found["replies"][0].meta.get("declined"):  # the budget is used up: a refusal for a reader, not a reply
            reason = str(found["replies"][0].meta.get("missing") or "the daily budget for chat models is used up")
            return {**found, "replies": [], "degraded": [*found["degraded"], Degradation(stage="chat model", reason=reason)]}
        return found


def text_of(found: dict[str, Any]) -> ChatText:
    """The text of what `ChatModel.run` gave, or why there is none."""
    text = found["replies"][0].text if found["replies"] else None
    if not (text or "").strip():
        reasons = "; ".join(dict.fromkeys(entry["reason"] for entry in found["degraded"])) or "no reply"
        return ChatText(None, reasons, found["model"], found["note"])
    return ChatText(text, "", found["model"], found["note"])

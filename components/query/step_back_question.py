"""Asks for the more general question behind a question."""

from __future__ import annotations

from typing import Any

from haystack import component

from components.failure import Degradation
from components.generators.chat_model import ChatText
from components.query.prompted_chat import PromptedChat, lines_of

STAGE = "step_back"
LONGEST = 300
REPLY_TOKENS = 80


@component
class StepBackQuestion:
    """Gives the question and a step-back question: what one must know in general to answer it, asked by a chat model.

    Zheng et al., "Take a step back: evoking reasoning via abstraction in large language models", ICLR 2024. There both are put into the prompt;
    here both retrieve, and the answer is to the question alone. Haystack has no such component.
    """

    def __init__(self, model: str | None = None, prompt: str = "step_back", timeout_s: float | None = None) -> None:
        """Create the node.

        :param model: chat model; None: from settings.
        :param prompt: name of a file in `pipelines/prompts` with the variables `question` and `mark`.
        :param timeout_s: seconds for the call, above 0; None: from settings, and at most a quarter of what is left of the deadline.
        :raises ValueError: a value out of range, or no such prompt.
        """
        self.model, self.prompt, self.timeout_s = model, prompt, timeout_s
        self._chat = PromptedChat(type(self).__name__, prompt, ("question",), model, timeout_s, REPLY_TOKENS)

    def required_setting(self) -> str:
        """The setting without which it cannot run, in words; empty where there is a chat model."""
        return self._chat.chat.required_setting()

    def missing_setting(self) -> str:
        """A setting that cannot be used, in words."""
        return self._chat.missing_setting()

    @component.output_types(queries=list[str], note=str, degraded=list[Degradation], model=str)
    def run(self, question: str) -> dict[str, Any]:
        """Step back.

        :param question: self-contained.
        :returns: `queries`: the question, and the more general one; `note`: the latter; `degraded`: there is none, and why; `model`.
        """
        return self._read(question, self._chat.ask(question=question))

    @component.output_types(queries=list[str], note=str, degraded=list[Degradation], model=str)
    async def run_async(self, question: str) -> dict[str, Any]:
        """As `run`, with the endpoint awaited."""
        return self._read(question, await self._chat.ask_async(question=question))

    def _read(self, question: str, reply: ChatText) -> dict[str, Any]:
        found, fault = lines_of(reply, question, 1, LONGEST)
        degraded = [Degradation(stage=STAGE, reason=f"{fault}; retrieved by the question alone")] if fault else []
        return {"queries": [question, *found], "note": "; ".join(found), "degraded": degraded, "model": reply.model if found else ""}

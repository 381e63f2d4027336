"""Asks the same in other words, for retrieval by several queries."""

from __future__ import annotations

from typing import Any

from haystack import component

from components.failure import Degradation
from components.generators.chat_model import ChatText
from components.query.prompted_chat import PromptedChat, lines_of

STAGE = "variants"
LONGEST = 300
TOKENS_A_VARIANT = 60


@component
class QueryVariants:
    """Gives the question and other wordings of it, written by a chat model.

    Haystack's QueryExpander does the same, but where the chat model fails or its reply is no JSON, only a log line says so, a query may be of
    any length, and how often the reply repeats another query is not looked at. Here `degraded` says so, and the question always comes first
    and alone goes on.
    """

    def __init__(self, n_variants: int = 3, model: str | None = None, prompt: str = "variants", timeout_s: float | None = None) -> None:
        """Create the node.

        :param n_variants: other wordings, 1 to 10.
        :param model: chat model; None: from settings.
        :param prompt: name of a file in `pipelines/prompts` with the variables `question`, `n` and `mark`.
        :param timeout_s: seconds for the call, above 0; None: from settings, and at most a quarter of what is left of the deadline.
        :raises ValueError: a value out of range, or no such prompt.
        """
        if not 1 <= n_variants <= 10:
            raise ValueError(f"QueryVariants.n_variants={n_variants}: accepted is 1 to 10")
        self.n_variants, self.model, self.prompt, self.timeout_s = n_variants, model, prompt, timeout_s
        self._chat = PromptedChat(type(self).__name__, prompt, ("question", "n"), model, timeout_s, TOKENS_A_VARIANT * n_variants)

    def required_setting(self) -> str:
        """The setting without which it cannot run, in words; empty where there is a chat model."""
        return self._chat.chat.required_setting()

    def missing_setting(self) -> str:
        """A setting that cannot be used, in words."""
        return self._chat.missing_setting()

    @component.output_types(queries=list[str], note=str, degraded=list[Degradation], model=str)
    def run(self, question: str) -> dict[str, Any]:
        """Ask for variants.

        :param question: self-contained.
        :returns: `queries`: the question, then its variants, each once; `note`: the variants; `degraded`: there are none, and why; `model`.
        """
        return self._read(question, self._chat.ask(question=question, n=self.n_variants))

    @component.output_types(queries=list[str], note=str, degraded=list[Degradation], model=str)
    async def run_async(self, question: str) -> dict[str, Any]:
        """As `run`, with the endpoint awaited."""
        return self._read(question, await self._chat.ask_async(question=question, n=self.n_variants))

    def _read(self, question: str, reply: ChatText) -> dict[str, Any]:
        found, fault = lines_of(reply, question, self.n_variants, LONGEST)
        degraded = [Degradation(stage=STAGE, reason=f"{fault}; retrieved by the question alone")] if fault else []
        return {"queries": [question, *found], "note": "; ".join(found), "degraded": degraded, "model": reply.model if found else ""}

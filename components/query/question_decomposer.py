"""Takes a compound question apart."""

from __future__ import annotations

from typing import Any

from haystack import component

from components.failure import Degradation
from components.generators.chat_model import ChatText
from components.query.prompted_chat import PromptedChat, lines_of
from components.query.question_parts import parts_of_question

STAGE = "decompose"
LONGEST = 300
TOKENS_A_PART = 60


@component
class QuestionDecomposer:
    """Gives the sub-questions of a question, so that each can be retrieved for: by a chat model where one is set, else by rules for English.

    The rules split where several questions are asked or two things compared ("X or Y"), and at nothing else; only the chat model sees that
    "is the director of A older than that of B" needs two births. Haystack has no such component.

    >>> QuestionDecomposer(model="none").run("How long is the notice period, and who signs the form?")["queries"]
    ['How long is the notice period?', 'Who signs the form?']
    """

    def __init__(self, max_parts: int = 4, model: str | None = None, prompt: str = "decompose", timeout_s: float | None = None) -> None:
        """Create the node.

        :param max_parts: sub-questions, 2 to 10.
        :param model: chat model; None: from settings, and rules where none is set there; `none`: always rules.
        :param prompt: name of a file in `pipelines/prompts` with the variables `question`, `n` and `mark`.
        :param timeout_s: seconds for the call, above 0; None: from settings, and at most a quarter of what is left of the deadline.
        :raises ValueError: a value out of range, or no such prompt.
        """
        if not 2 <= max_parts <= 10:
            raise ValueError(f"QuestionDecomposer.max_parts={max_parts}: accepted is 2 to 10")
        self.max_parts, self.model, self.prompt, self.timeout_s = max_parts, model, prompt, timeout_s
        named = None if model == "none" else model
        self._chat = PromptedChat(type(self).__name__, prompt, ("question", "n"), named, timeout_s, TOKENS_A_PART * max_parts)

    def missing_setting(self) -> str:
        """A setting that cannot be used, in words."""
        return "" if self.model == "none" else self._chat.missing_setting()

    @property
    def _asks(self) -> bool:
        return self.model != "none" and self._chat.is_set

    @component.output_types(queries=list[str], note=str, degraded=list[Degradation], model=str)
    def run(self, question: str) -> dict[str, Any]:
        """Take apart.

        :param question: self-contained.
        :returns: `queries`: two sub-questions or more, or none where the question is one; `note`: they, and what made them; `degraded`: the chat
            model failed, and the rules did it; `model`.
        """
        return self._read(question, self._chat.ask(question=question, n=self.max_parts) if self._asks else None)

    @component.output_types(queries=list[str], note=str, degraded=list[Degradation], model=str)
    async def run_async(self, question: str) -> dict[str, Any]:
        """As `run`, with the endpoint awaited."""
        return self._read(question, await self._chat.ask_async(question=question, n=self.max_parts) if self._asks else None)

    def _read(self, question: str, reply: ChatText | None) -> dict[str, Any]:
        degraded, model = [], ""
        parts: list[str] = []
        if reply is not None:
            parts, fault = lines_of(reply, question, self.max_parts, LONGEST)
            if fault and not _same(reply, question):
                degraded = [Degradation(stage=STAGE, reason=f"{fault}; taken apart by rules")]
            else:
                model = reply.model
        if not model:
            parts = parts_of_question(question, self.max_parts)
        parts = parts if len(parts) > 1 else []
        how = self._chat.file.label if model else "rules"
        note = f"{'; '.join(parts)} (by {how})" if parts else f"one question (by {how})"
        return {"queries": parts, "note": note, "degraded": degraded, "model": model}


def _same(reply: ChatText, question: str) -> bool:
    """Whether the chat model gave back the question: it is one."""
    return (reply.text or "").casefold().strip(' \n"?.[]-') == question.casefold().strip(" ?.")

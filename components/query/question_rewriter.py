"""Makes a follow-up question self-contained."""

from __future__ import annotations

from typing import Any

from haystack import component

from components.failure import Degradation
from components.generators.chat_model import ChatText
from components.query.conversation import Turn, turns_of
from components.query.follow_up import resolved
from components.query.prompted_chat import PromptedChat
from components.query.rewrite_check import checked_rewrite
from components.routers.small_talk_router import small_talk

STAGE = "rewrite"
VARIABLES = ("question", "turns")
REPLY_TOKENS = 120


@component
class QuestionRewriter:
    """Rewrites "and for dental?" into the question that it stands for, from the conversation before it. Without history nothing happens.

    With a chat model in the settings, that one is asked, and its reply is used only where it is one line, keeps the numbers and most of the
    words of the question, and adds no number that nobody said; otherwise, and without a chat model, rules for English do it: pronouns,
    fragments, question words alone, and nouns that need a complement ("the deadline"). The rules leave a question alone unless it is
    plainly a follow-up; a "why?" that they cannot read with certainty stays and is `unclear`. Haystack has no such component: its QueryExpander
    makes several questions of one and knows no conversation.

    >>> history = [{"role": "user", "content": "How long is the notice period in Spain?"}]
    >>> out = QuestionRewriter(model="none").run("and in France?", history)
    >>> out["question"]
    'How long is the notice period in France?'
    >>> QuestionRewriter().run("How long is the notice period?")["skipped"]
    'no history'
    """

    def __init__(self, model: str | None = None, prompt: str = "rewrite", timeout_s: float | None = None, longest: int = 400) -> None:
        """Create the node.

        :param model: chat model; None: from settings, and rules where none is set there; `none`: always rules.
        :param prompt: name of a file in `pipelines/prompts` with the variables `question`, `turns` (texts, oldest first) and `mark`.
        :param timeout_s: seconds for the call, above 0; None: from settings, and at most a quarter of what is left of the deadline.
        :param longest: characters of a rewritten question, at least 50.
        :raises ValueError: a value out of range, or no such prompt.
        """
        if longest < 50:
            raise ValueError(f"QuestionRewriter.longest={longest}: accepted is 50 characters or more")
        self.model, self.prompt, self.timeout_s, self.longest = model, prompt, timeout_s, longest
        self._chat = PromptedChat(type(self).__name__, prompt, VARIABLES, None if model == "none" else model, timeout_s, REPLY_TOKENS)

    @component.output_types(question=str, unclear=str, note=str, skipped=str, degraded=list[Degradation], model=str)
    def run(self, question: str, history: list[Any] | None = None) -> dict[str, Any]:
        """Rewrite.

        :param question: as asked.
        :param history: earlier messages, oldest first: mappings with `role` and `content`, or ChatMessages.
        :returns: `question`: self-contained, or as asked; `unclear`: why it can be read neither alone nor by what was said; `note`: what was
            rewritten, and by what; `skipped`: there is no history; `degraded`: the chat model failed or its reply was not used, and the rules
            did it; `model`: the chat model whose reply was used.
        """
        turns = said_of(question, history)
        reply = self._chat.ask(question=question, turns=_lines(turns)) if self._asks(turns) else None
        return self._rewritten(question, turns, reply)

    @component.output_types(question=str, unclear=str, note=str, skipped=str, degraded=list[Degradation], model=str)
    async def run_async(self, question: str, history: list[Any] | None = None) -> dict[str, Any]:
        """As `run`, with the endpoint awaited."""
        turns = said_of(question, history)
        reply = await self._chat.ask_async(question=question, turns=_lines(turns)) if self._asks(turns) else None
        return self._rewritten(question, turns, reply)

    def missing_setting(self) -> str:
        """A setting that cannot be used, in words; empty where there is none. `check` reports it."""
        return "" if self.model == "none" else self._chat.missing_setting()

    def _asks(self, turns: list[Turn]) -> bool:
        return self.model != "none" and self._chat.is_set and any(turn.role == "user" for turn in turns)

    def _rewritten(self, question: str, turns: list[Turn], reply: ChatText | None) -> dict[str, Any]:
        result = {"question": question, "unclear": "", "note": "", "skipped": "", "degraded": [], "model": ""}
        earlier = [turn.text for turn in turns if turn.role == "user"]
        if not earlier:
            return {**result, "skipped": "no history"}
        if reply is not None:
            text, fault = "", reply.reason
            if reply.text is not None:
                text, fault = checked_rewrite(reply.text, question, " ".join(turn.text for turn in turns), self.longest)
                fault = f"chat model {reply.model}: its rewriting was not used, {fault}"
            if text:
                same = text.casefold().strip(" ?.") == question.casefold().strip(" ?.")
                return {**result, **_said(question, question if same else text, f"by {self._chat.file.label}"), "model": reply.model}
            result["degraded"] = [Degradation(stage=STAGE, reason=f"{fault}; rewritten by rules")]
        answers = [turn.text for turn in turns if turn.role == "assistant"]
        found = resolved(question, earlier, answers[-1] if answers else "")
        if found.unclear:
            return {**result, "unclear": found.unclear, "note": f"as asked: {found.unclear}"}
        if len(found.question) > max(self.longest, len(question)):
            return {**result, "note": "as asked: its rewriting would be too long"}
        return {**result, **_said(question, found.question, f"by rules: {found.how}")}


def said_of(question: str, history: list[Any] | None) -> list[Turn]:
    """What was said and may be meant by the question: no small talk, and nothing where the question is small talk itself."""
    return [] if small_talk(question) else [turn for turn in turns_of(history) if turn.role != "user" or not small_talk(turn.text)]


def _lines(turns: list[Turn]) -> list[str]:
    return [f"{'Asked' if turn.role == 'user' else 'Answered'}: {turn.text}" for turn in turns]


def _said(asked: str, text: str, how: str) -> dict[str, Any]:
    return {"question": text, "note": f"“{text}”, {how}" if text != asked else "as asked: it stands alone"}

"""Decides after each retrieval whether to ask on, and what."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from haystack import Document, component
from haystack.components.builders import ChatPromptBuilder
from haystack.dataclasses import ChatMessage

from components.builders.evidence_prompt_builder import as_data, new_mark, passage_view
from components.builders.prompt_file import read_prompt
from components.deadline import remaining_s
from components.failure import Degradation
from components.generators.chat_model import ChatModel
from components.query.hop_reply import read_reply
from components.query.hops import HopPath, answered_by_one, bridges, next_query, uncovered
from config.settings import settings

STAGE = "planner"
MAX_HOPS = 5
PLANNERS = ("auto", "rules", "chat")
_SHOWN = 6


@component
class HopPlanner:
    """After each hop: answer with what was found, or ask on. Closes a loop that a graph draws.

    With a chat model, it reads the question and the best passages and says `answerable`, or what to look up next (IRCoT, Trivedi et al., ACL 2023;
    without the chain of thought). Without one, names are followed (`components.query.hops`): from the best passages to what the question does not
    name. The loop ends where one passage holds all the question's terms, where there is no name left to follow, at `max_hops`, or when the time
    is nearly up. Haystack has ConditionalRouter, whose conditions cannot read passages, and agents, which choose their own tools and have no bound
    on what they ask.

    >>> found = [Document(content="Fishing permits are given by the Lake Office.", meta={"title": "Permits"})]
    >>> path = HopPath().found("Who heads the office that gives fishing permits?", found)
    >>> HopPlanner(planner="rules").run(path.hops[0].query, found, path)["query"]
    'Lake Office heads gives'
    """

    def __init__(
        self,
        planner: str = "auto",
        max_hops: int = 3,
        keep: int = 3,
        min_score: float = 0.1,
        prompt: str | None = None,
        model: str | None = None,
        timeout_s: float | None = None,
        language: str = "en",
    ) -> None:
        """Create the planner.

        :param planner: `rules`; `chat`, which needs a chat model; `auto`: the chat model where one is set.
        :param max_hops: retrievals at most, the first included, 1 to 5.
        :param keep: passages of the first hop that are shown in any case, 1 or more; as in `HopJoiner`.
        :param min_score: of a name that is followed by the rules, 0 to 1.
        :param prompt: a file of `pipelines/prompts`, without `.jinja`; None: `hops`.
        :param model: of the chat model; None: from settings.
        :param timeout_s: seconds for one decision of the chat model; None: from settings.
        :param language: of the BM25 terms.
        :raises ValueError: a value that is not accepted, or a prompt that cannot be used.
        """
        if planner not in PLANNERS:
            raise ValueError(f"HopPlanner.planner={planner!r}: accepted are {', '.join(PLANNERS)}")
        if isinstance(max_hops, bool) or not isinstance(max_hops, int) or not 1 <= max_hops <= MAX_HOPS:
            raise ValueError(f"HopPlanner.max_hops={max_hops!r}: accepted is a whole number from 1 to {MAX_HOPS}")
        if isinstance(keep, bool) or not isinstance(keep, int) or keep < 1:
            raise ValueError(f"HopPlanner.keep={keep!r}: accepted is a whole number >= 1")
        if not 0 <= min_score <= 1:
            raise ValueError(f"HopPlanner.min_score={min_score!r}: accepted is a number from 0 to 1")
        self.planner, self.max_hops, self.keep, self.min_score = planner, max_hops, keep, min_score
        self.prompt, self.model, self.timeout_s, self.language = prompt, model, timeout_s, language
        wanted = planner == "chat" or (planner == "auto" and bool(model or settings().chat_model))
        self._chat = ChatModel(model=model, timeout_s=timeout_s, max_tokens=120, share=0.3) if wanted else None
        self._file = read_prompt(prompt or "hops")
        names = ["question", "passages", "asked", "mark"]
        try:
            self._builder = ChatPromptBuilder(template=self._file.text, variables=names, required_variables=names)
            self._builder.run(question="?", passages=[], asked=[], mark="0")
        except Exception as error:  # jinja2 and the parser of messages raise several unrelated classes
            raise ValueError(f"HopPlanner.prompt: {self._file.name} is no template of messages: {error}") from error

    @component.output_types(found=list[Document], query=str, path=HopPath, degraded=list[Degradation], model=str, note=str)
    def run(self, documents: list[Document], path: HopPath, question: str | None = None) -> dict[str, Any]:
        """Decide.

        :param documents: what the hops found, joined, best first.
        :param path: the hops, from `HopJoiner`.
        :param question: as it was asked; None: the query of the first hop.
        :returns: where it asks on, `query` and `path`, and no `found`; else `found`, the documents, and `degraded`. `note` says what was decided.
        """
        question = question or path.hops[0].query
        if self._chat is None or path.degraded or self._stops(path):  # a model that failed once is not waited for again
            return self._by_rules(question, documents, path)
        return self._by_reply(self._chat.run(self._messages(question, documents, path)), question, documents, path)

    @component.output_types(found=list[Document], query=str, path=HopPath, degraded=list[Degradation], model=str, note=str)
    async def run_async(self, documents: list[Document], path: HopPath, question: str | None = None) -> dict[str, Any]:
        """As `run`, with the chat model awaited."""
        question = question or path.hops[0].query
        if self._chat is None or path.degraded or self._stops(path):  # a model that failed once is not waited for again
            return await asyncio.to_thread(self._by_rules, question, documents, path)
        reply = await self._chat.run_async(self._messages(question, documents, path))
        return self._by_reply(reply, question, documents, path)

    def _by_reply(self, reply: dict[str, Any], question: str, documents: list[Document], path: HopPath) -> dict[str, Any]:
        said = {"model": reply["model"]}
        text = reply["replies"][0].text if reply["replies"] else None
        if not text:
            reasons = "; ".join(dict.fromkeys(entry["reason"] for entry in reply["degraded"])) or "no reply"
            entry = Degradation(stage=STAGE, reason=f"the next hop was planned by rules: {reasons}")
            path = replace(path, degraded=[*path.degraded, *([] if entry in path.degraded else [entry])])
            return {**self._by_rules(question, documents, path, "no reply; by rules: "), **said}
        answerable, query = read_reply(text, question, [hop.query for hop in path.hops], self.language)
        if answerable:
            return {**self._stop(documents, path, "the chat model finds it answerable"), **said}
        if query is None:
            return {**self._by_rules(question, documents, path, "the chat model's reply names no next question; by rules: "), **said}
        return {**self._go_on(path, query, "", f"asks on: {query!r}"), **said}

    def _stops(self, path: HopPath) -> str:
        """Why no further hop may be asked, whoever plans."""
        if not path.hops[0].documents:
            return "nothing was found"
        if len(path.hops) >= self.max_hops:
            return f"max_hops={self.max_hops}"
        left = remaining_s()
        return "the time is nearly up" if left is not None and left < 0.4 * settings().deadline_s else ""

    def _by_rules(self, question: str, documents: list[Document], path: HopPath, before: str = "") -> dict[str, Any]:
        if reason := self._stops(path):
            return self._stop(documents, path, before + reason)
        if answered_by_one(question, documents[: self.keep], self.language):
            return self._stop(documents, path, before + "one passage holds all terms of the question")
        if not uncovered(question, documents[: self.keep + len(path.hops) - 1], self.language):
            return self._stop(documents, path, before + "the passages hold all terms of the question")
        found = [bridge for bridge in bridges(question, path.hops, self.keep, self.language) if bridge.score >= self.min_score]
        if not found:
            return self._stop(documents, path, before + "no name leads on")
        best = found[0]
        query = next_query(question, path.hops, best.name, self.keep, self.language)
        where = f"named in passage {best.passage}" if best.passage else "named in the question"
        return self._go_on(path, query, best.name, f"{before}asks on: {query!r} ({best.name!r} is {where}, {best.score:.2f})")

    def _go_on(self, path: HopPath, query: str, entity: str, note: str) -> dict[str, Any]:
        return {"query": query, "path": path.asking(query, entity), "note": f"hop {len(path.hops)}: {note}"}

    def _stop(self, documents: list[Document], path: HopPath, reason: str) -> dict[str, Any]:
        walked = " → ".join(f"{hop.query!r} ({len(hop.documents)})" for hop in path.hops)
        return {"found": documents, "degraded": path.degraded, "note": f"hop {len(path.hops)}: stops, {reason}; path: {walked}"}

    def _messages(self, question: str, documents: list[Document], path: HopPath) -> list[ChatMessage]:
        shown = [passage_view(document, i) for i, document in enumerate(documents[:_SHOWN], start=1)]
        mark = new_mark([question, *(document.content or "" for document in documents[:_SHOWN])])
        asked = [as_data(hop.query) for hop in path.hops[1:]]
        return self._builder.run(question=as_data(question), passages=shown, asked=asked, mark=mark)["prompt"]

"""Looks at an answer before it goes out: accept it, have it written again, search again, or decline; at most so many rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import regex
from haystack import Document, component
from haystack.dataclasses import ChatMessage

from components.answer import Answer, Claim, Degraded, Status, Verdict
from components.builders.sentence_runs import LANGUAGE
from components.embedders.bm25_tokenizer import query_terms
from components.generators.chat_model import ChatText
from components.query.prompted_chat import PromptedChat, lines_of
from components.validators.attempt import Attempt
from components.validators.passage_grades import Retrieved
from components.validators.refusal_gate import RefusalGate, declined
from components.validators.verdict_feedback import TEXT

STAGE = "reflection"
USEFULNESS = ("features", "chat", "none")
SEARCH = ("auto", "rules", "chat")
MOST_ROUNDS = 5
LONGEST_QUERY = 300
RELATED = 0.1
"""Grade from which a passage may lend its title to the next query; one that is beside the point would lead away."""
_YES_NO = regex.compile(r"(?i)\W*(yes|no)\b")
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}'-]{2,}")


def extended(question: str, evidence: Sequence[Document], tried: Sequence[str], words: int = 6) -> str | None:
    """The question with words of the titles and headings of what was found, best first, that no query had yet; None where there are none, or where
    nothing that was found is related (`RELATED`).

    Pseudo-relevance feedback (Rocchio 1971; Lavrenko and Croft 2001) from the fields that name what a passage is about.

    >>> from haystack import Document
    >>> extended("When is it open?", [Document(content="", meta={"title": "Pool", "heading_path": ["Opening hours"]})], ["When is it open?"])
    'When is it open? Pool hours'
    """
    known = {term for text in (question, *tried) for term in query_terms(text, LANGUAGE)}
    added: list[str] = []
    for document in evidence:
        grade = ((document.meta.get("ranks") or {}).get("grader") or {}).get("score")
        if grade is not None and grade < RELATED:
            continue
        path = [str(document.meta.get("title") or ""), *(str(h) for h in document.meta.get("heading_path") or [])]
        for word in _WORD.findall(" ".join(path)):
            terms = set(query_terms(word, LANGUAGE))
            if terms and not terms <= known:
                added.append(word)
                known |= terms
    return f"{question} {' '.join(added[:words])}" if added else None


@dataclass(frozen=True)
class Checks:
    """What the three checks of a round say."""

    answered: bool
    relevance: str
    """The grader's verdict; empty in a round that did not search."""
    failing: tuple[Claim, ...]
    claims: int
    useful: bool
    usefulness: str
    """In words."""

    @property
    def good(self) -> bool:
        """Whether the answer may go out as it is."""
        return self.answered and not self.failing and self.useful

    def __str__(self) -> str:
        if not self.answered:
            return f"relevance: {self.relevance or 'as before'}; nothing is answered"
        support = f"{self.claims - len(self.failing)} of {self.claims} claims"
        return f"relevance: {self.relevance or 'as before'}; support: {support}; usefulness: {self.usefulness}"


@component
class AnswerReflection:
    """The reflection of Self-RAG (Asai et al. 2023) as checks while answering: are the passages relevant, is every claim supported, is it useful?

    The paper trains a model to write these judgements as tokens; here other parts make them: the retrieval grader, the grounding check, and the
    refusal model over the passages that the answer cites (or a chat model). Then: a good answer from relevant passages goes out; claims that a chat
    model wrote and that do not hold go back to it, with the verdicts; anything else is searched for once more, with another query, unless nothing
    new can be asked or was found. After `max_rounds` rounds the best answer goes out, or is declined. Haystack has no such part: its `Agent` leaves
    the decision to the model.

    It keeps nothing between runs: the round travels in `attempt`.
    """

    def __init__(
        self,
        max_rounds: int = 3,
        usefulness: Literal["features", "chat", "none"] = "features",
        search: Literal["auto", "rules", "chat"] = "auto",
        threshold: float | None = None,
        model: str | None = None,
        timeout_s: float | None = None,
    ) -> None:
        """Create the node.

        :param max_rounds: answers written at most, 1 to 5.
        :param usefulness: `features`: the refusal model over the cited passages; `chat`: the chat model, one call; `none`.
        :param search: who writes the next query: `rules`, titles and headings of what was found; `chat`: the chat model, one call; `auto`: the chat
            model where one is set.
        :param threshold: probability from which an answer is useful, 0 to 1; None: that of the refusal model.
        :param model: chat model; None: from settings.
        :param timeout_s: seconds for each of its replies, above 0; None: from settings.
        :raises ValueError: a value that is not accepted.
        """
        if isinstance(max_rounds, bool) or not isinstance(max_rounds, int) or not 1 <= max_rounds <= MOST_ROUNDS:
            raise ValueError(f"AnswerReflection.max_rounds={max_rounds!r}: accepted is a whole number from 1 to {MOST_ROUNDS}")
        for name, value, accepted in (("usefulness", usefulness, USEFULNESS), ("search", search, SEARCH)):
            if value not in accepted:
                raise ValueError(f"AnswerReflection.{name}={value!r}: accepted are {', '.join(accepted)}")
        self.max_rounds, self.usefulness, self.search = max_rounds, usefulness, search
        self.threshold, self.model, self.timeout_s = threshold, model, timeout_s
        self._gate = RefusalGate(threshold=threshold)
        self._useful = PromptedChat("AnswerReflection", "useful", ("question", "answer"), model, timeout_s, 8)
        self._search = PromptedChat("AnswerReflection", "search_again", ("question", "tried"), model, timeout_s, 64)

    def required_setting(self) -> str:
        """The setting without which it cannot run, in words; empty where nothing is missing."""
        return self._useful.chat.required_setting() if "chat" in (self.usefulness, self.search) else ""

    def warm_up(self) -> None:
        """Read the weights of the refusal model."""
        self._gate.warm_up()

    @component.output_types(attempt=Attempt, answer=Answer, unsettled=Answer, note=str)
    def run(self, attempt: Attempt, answer: Answer, evidence: list[Document], messages: list[ChatMessage], verdict: str = "") -> dict[str, Any]:
        """Decide.

        :param attempt: the round.
        :param answer: with the verdicts on its claims: the grounding check's policy is `annotate`.
        :param evidence: the passages that the prompt showed.
        :param messages: the prompt.
        :param verdict: of the retrieval grader; empty where this round did not search.
        :returns: one of `attempt`, the next round; `answer`, which goes out; `unsettled`, an answer some claims of which do not hold, for a grounding
            check that drops these. `note` says what the checks said and what was decided.
        """
        asks = self._asks_usefulness(answer)
        said = self._useful.ask(question=attempt.question, answer=answer.answer) if asks else None
        checks, answer = self._checks(attempt, answer, evidence, verdict, said)
        step = self._step(attempt, checks, answer, evidence)
        wants = step == "search" and self._asks_search()
        reply = self._search.ask(question=attempt.question, tried=[*attempt.tried, attempt.query]) if wants else None
        return self._next(attempt, checks, answer, evidence, messages, step, reply)

    @component.output_types(attempt=Attempt, answer=Answer, unsettled=Answer, note=str)
    async def run_async(
        self, attempt: Attempt, answer: Answer, evidence: list[Document], messages: list[ChatMessage], verdict: str = ""
    ) -> dict[str, Any]:
        """As `run`, with the chat model awaited."""
        asks = self._asks_usefulness(answer)
        said = await self._useful.ask_async(question=attempt.question, answer=answer.answer) if asks else None
        checks, answer = self._checks(attempt, answer, evidence, verdict, said)
        step = self._step(attempt, checks, answer, evidence)
        wants = step == "search" and self._asks_search()
        reply = await self._search.ask_async(question=attempt.question, tried=[*attempt.tried, attempt.query]) if wants else None
        return self._next(attempt, checks, answer, evidence, messages, step, reply)

    def _asks_usefulness(self, answer: Answer) -> bool:
        return self.usefulness == "chat" and answer.status is Status.ANSWERED

    def _asks_search(self) -> bool:
        return self.search == "chat" or (self.search == "auto" and self._search.is_set)

    def _checks(self, attempt: Attempt, answer: Answer, evidence: list[Document], verdict: str, said: ChatText | None) -> tuple[Checks, Answer]:
        answered = answer.status is Status.ANSWERED
        failing = tuple(claim for claim in answer.claims if claim.verdict is not Verdict.SUPPORTED)
        useful, words = True, "not checked"
        read = _YES_NO.match(said.text) if said and said.text else None
        if read:
            useful, words = read.group(1).lower() == "yes", f"{read.group(1).lower()}, says the chat model"
        elif answered and self.usefulness != "none":
            if said is not None:
                answer = _degraded(answer, f"the chat model did not judge usefulness: {said.reason or 'its reply is neither yes nor no'}")
            cited = {citation.n for citation in answer.citations}
            found = self._gate.run(answer, [d for d in evidence if d.meta.get("label") in cited] or evidence, attempt.question)
            useful = found["answer"].status is Status.ANSWERED
            words = f"{found['probability']:.2f}" if found["probability"] is not None else found["skipped"] or "not judged"
        return Checks(answered, verdict, failing, len(answer.claims), useful, words), answer

    def _step(self, attempt: Attempt, checks: Checks, answer: Answer, evidence: list[Document]) -> str:
        """accept, write, search or stop."""
        if checks.good and checks.relevance != Retrieved.INCORRECT:
            return "accept"
        if attempt.round >= self.max_rounds:
            return "stop"
        if checks.answered and checks.useful and checks.failing and answer.usage.completion_tokens:
            return "write"  # the extractive generator would only write the same
        if attempt.seen and {d.id for d in evidence} <= set(attempt.seen):
            return "stop"
        return "search"

    def _next(
        self,
        attempt: Attempt,
        checks: Checks,
        answer: Answer,
        evidence: list[Document],
        messages: list[ChatMessage],
        step: str,
        reply: ChatText | None,
    ) -> dict[str, Any]:
        said = f"round {attempt.round} of {self.max_rounds}: {checks}"
        best = answer if checks.good else attempt.best
        if step == "write":
            told = [*messages, *_feedback(answer, checks.failing, messages)]
            again = replace(attempt, round=attempt.round + 1, messages=told, evidence=evidence, best=best)
            return {"attempt": again, "note": f"{said}: write again"}
        if step == "search":
            tried = [*attempt.tried, attempt.query]
            lines, why = lines_of(reply, attempt.question, 1, LONGEST_QUERY) if reply else ([], "")
            query = next((line for line in lines if line not in tried), None) or extended(attempt.question, evidence, tried)
            if why:
                answer = _degraded(answer, f"the chat model wrote no query: {why}")
                said += f" (no query of the chat model: {why[:120]})"
            if query is not None:
                seen = sorted({*attempt.seen, *(d.id for d in evidence)})
                again = Attempt(attempt.question, query, attempt.round + 1, tried, seen, best=best)
                return {"attempt": again, "note": f"{said}: search again"}
            said += ": nothing else to search for"
        if checks.good:
            return {"answer": answer, "note": f"{said}: accept"}
        if best is not None:
            return {"answer": best, "note": f"{said}: take the answer of an earlier round"}
        if checks.answered and checks.useful:
            return {"unsettled": answer, "note": f"{said}: drop what does not hold"}
        return {"answer": declined(answer) if checks.answered else answer, "note": f"{said}: decline"}


def _feedback(answer: Answer, failing: Sequence[Claim], messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The answer and the verdicts on it, as `verdict_feedback` has them."""
    lines = [f"- {c.text} ({c.verdict.value}{': ' if c.reasons else ''}{'; '.join(c.reasons)})" for c in failing]
    meta = dict(messages[-1].meta) if messages else {}
    return [ChatMessage.from_assistant(answer.answer), ChatMessage.from_user(TEXT.format(claims="\n".join(lines)), meta=meta)]


def _degraded(answer: Answer, reason: str) -> Answer:
    return answer.model_copy(update={"degraded": [*answer.degraded, Degraded(stage=STAGE, reason=" ".join(reason.split())[:300])]})

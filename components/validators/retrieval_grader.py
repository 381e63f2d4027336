"""Says what a retrieval is worth before anything is answered from it: correct, incorrect or ambiguous."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from haystack import Document, component

from components.builders.evidence_prompt_builder import EvidencePromptBuilder
from components.embedders.embedding_model import EmbeddingError
from components.failure import Degradation
from components.generators.chat_model import ChatModel
from components.generators.extraction.language import packaged_language
from components.validators.chat_grades import UNKNOWN, read_grades
from components.validators.passage_grades import PassageGrader, Retrieved, Thresholds, read_grader, verdict_of
from config.settings import home

logger = logging.getLogger(__name__)

STAGE = "grader"
PACKAGED = Path("models/retrieval-grader/grader.json")
SCORERS = ("auto", "ranker", "features", "chat")
OF_CHAT = Thresholds(0.3, 0.7)
"""Between the scores of its words: yes is correct, nothing but no incorrect."""
OF_RANKER = Thresholds(0.1, 0.5)
"""Of a probability; not fitted to any ranker. `upper` and `lower` say what is right for yours."""
TOKENS_A_GRADE = 12


@component
class RetrievalGrader:
    """Grades passages against the question, 0 to 1, and the retrieval by the best: the evaluator of corrective RAG (Yan et al. 2024).

    Haystack has none (its `LLMDocumentContentExtractor` and rankers order; nothing says that all of it is beside the point). The score is that
    of the cross-encoder where one ran, else a logistic function of what question and passage share, whose weights and thresholds stand in a file
    that can be read; or a chat model's word (`scorer: chat`), in one call. Where that call fails or says nothing that can be read, the other
    scorer decides, and `degraded` says so. Where nothing can grade, the verdict is ambiguous.

    The order of the passages stays; their grade is `meta["ranks"]["grader"]`.

    >>> RetrievalGrader(scorer="ranker").run("leave?", [])["verdict"]
    'incorrect'
    """

    def __init__(
        self,
        scorer: Literal["auto", "ranker", "features", "chat"] = "auto",
        top_k: int = 6,
        upper: float | None = None,
        lower: float | None = None,
        weights: str | None = None,
        timeout_s: float | None = None,
    ) -> None:
        """Create the grader.

        :param scorer: `auto`: the ranker's score where it gave one to each passage, else `features`. `chat` needs a chat model.
        :param top_k: passages graded, the best ones, >= 1; those behind pass ungraded.
        :param upper: score from which one passage makes the retrieval correct, 0 to 1; None: the scorer's own.
        :param lower: score below which all must be for incorrect, at most `upper`; None: the scorer's own.
        :param weights: file of the logistic function; None: the one in `models/retrieval-grader`.
        :param timeout_s: seconds for the chat model, above 0; None: from settings.
        :raises ValueError: a value that is not accepted.
        """
        if scorer not in SCORERS:
            raise ValueError(f"RetrievalGrader.scorer={scorer!r}: accepted are {', '.join(SCORERS)}")
        if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 1:
            raise ValueError(f"RetrievalGrader.top_k={top_k!r}: accepted is a whole number >= 1")
        for name, value in (("upper", upper), ("lower", lower)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1):
                raise ValueError(f"RetrievalGrader.{name}={value!r}: accepted is null or a number from 0 to 1")
        if upper is not None and lower is not None and lower > upper:
            raise ValueError(f"RetrievalGrader.lower={lower!r}: accepted is at most upper={upper!r}")
        self.scorer, self.top_k, self.upper, self.lower, self.weights, self.timeout_s = scorer, top_k, upper, lower, weights, timeout_s
        self._chat = ChatModel(timeout_s=timeout_s, max_tokens=TOKENS_A_GRADE * top_k) if scorer == "chat" else None
        self._prompt = EvidencePromptBuilder(prompt="grade") if scorer == "chat" else None
        self._grader: PassageGrader | None = None

    def required_setting(self) -> str:
        """The setting without which it cannot run, in words; empty where nothing is missing."""
        return self._chat.required_setting() if self._chat else ""

    def warm_up(self) -> None:
        """Read the weights.

        :raises ValueError: the file is missing or cannot be used.
        """
        if self._grader is None:
            self._grader = read_grader(home() / (self.weights or PACKAGED))

    @component.output_types(documents=list[Document], verdict=str, scores=list[float], skipped=str, degraded=list[Degradation], model=str, note=str)
    def run(self, question: str, documents: list[Document]) -> dict[str, Any]:
        """Grade a retrieval.

        :param question: as it was searched for, self-contained.
        :param documents: passages, best first.
        :returns: `documents` in the same order, with their grades; `verdict`: correct, incorrect or ambiguous; `scores` of the graded ones; `model`:
            what graded; `note`: the verdict, the scores and the thresholds.
        """
        if self._prompt is None or self._chat is None or not documents:
            return self._by_rule(question, documents, [])
        asked = self._prompt.run(question, documents[: self.top_k])
        return self._by_chat(question, documents, asked, self._chat.run(asked["messages"]))

    @component.output_types(documents=list[Document], verdict=str, scores=list[float], skipped=str, degraded=list[Degradation], model=str, note=str)
    async def run_async(self, question: str, documents: list[Document]) -> dict[str, Any]:
        """As `run`, with the chat model awaited."""
        if self._prompt is None or self._chat is None or not documents:
            return await asyncio.to_thread(self._by_rule, question, documents, [])
        asked = self._prompt.run(question, documents[: self.top_k])
        found = await self._chat.run_async(asked["messages"])
        return await asyncio.to_thread(self._by_chat, question, documents, asked, found)

    def _by_chat(self, question: str, documents: list[Document], asked: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
        """Graded as the chat model's reply says; by the rule where it says nothing."""
        shown = len(asked["evidence"])
        read = read_grades(found["replies"][0].text or "", shown) if found["replies"] else {}
        if not read:
            why = "; ".join(dict.fromkeys(entry["reason"] for entry in found["degraded"])) or "its reply holds no grades"
            entry = Degradation(stage=STAGE, reason=f"the chat model did not grade: {why}")
            logger.warning(entry["reason"])
            return self._by_rule(question, documents, [entry])
        degraded = [Degradation(stage=STAGE, reason=entry["reason"]) for entry in found["degraded"]]
        if len(read) < shown:
            degraded.append(Degradation(stage=STAGE, reason=f"the chat model graded {len(read)} of {shown} passages"))
        scores = [read.get(n, UNKNOWN) for n in range(1, shown + 1)]
        return self._graded(documents, scores, OF_CHAT, f"{found['model']}, {asked['model']}", degraded)

    def _by_rule(self, question: str, documents: list[Document], degraded: list[Degradation]) -> dict[str, Any]:
        """Graded by the ranker's scores or the features; what cannot be graded is ambiguous."""
        best = documents[: self.top_k]
        ranked = [(d.meta.get("ranks") or {}).get("ranker") for d in best]
        scores = [float(entry["score"]) for entry in ranked if entry]
        if self.scorer == "ranker" or (self.scorer in ("auto", "chat") and best and len(scores) == len(best)):
            if len(scores) == len(best):
                return self._graded(documents, [min(1.0, max(0.0, s)) for s in scores], OF_RANKER, "ranker", degraded)
            return _ungraded(documents, degraded, "no ranking model scored the passages")
        try:
            self.warm_up()
            grader, language = self._grader, packaged_language()
            if grader is None:
                raise ValueError("no weights")
            scores = [grader.score(question, document, language) for document in best]
        except (EmbeddingError, ValueError) as error:
            reason = f"passages were not graded: {str(error).splitlines()[0]}"
            logger.warning(reason)
            return _ungraded(documents, [*degraded, Degradation(stage=STAGE, reason=reason)])
        return self._graded(documents, scores, grader.thresholds, "features", degraded)

    def _graded(self, documents: list[Document], scores: list[float], own: Thresholds, by: str, degraded: list[Degradation]) -> dict[str, Any]:
        upper = own.upper if self.upper is None else self.upper
        limits = Thresholds(min(own.lower if self.lower is None else self.lower, upper), upper)
        verdict = verdict_of(scores, limits)
        said = ", ".join(f"{score:.2f}" for score in scores) or "no passages"
        return {
            "documents": [*map(_with_grade, documents, scores, _ranks(scores)), *documents[len(scores) :]],
            "verdict": verdict.value,
            "scores": scores,
            "skipped": "",
            "degraded": degraded,
            "model": by,
            "note": f"{verdict.value}: {said} (incorrect below {limits.lower:.2f}, correct from {limits.upper:.2f})",
        }


def _ungraded(documents: list[Document], degraded: list[Degradation], skipped: str = "") -> dict[str, Any]:
    verdict = (Retrieved.AMBIGUOUS if documents else Retrieved.INCORRECT).value
    note = f"{verdict}: not graded"
    return {"documents": documents, "verdict": verdict, "scores": [], "skipped": skipped, "degraded": degraded, "model": "", "note": note}


def _ranks(scores: list[float]) -> list[int]:
    """The place of each by score, from 1, ties by position."""
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    return [order.index(i) + 1 for i in range(len(scores))]


def _with_grade(document: Document, score: float, rank: int) -> Document:
    ranks = {**(document.meta.get("ranks") or {}), STAGE: {"rank": rank, "score": round(score, 4)}}
    return replace(document, meta={**document.meta, "ranks": ranks})

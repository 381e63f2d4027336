"""Judging refusal through a graph: each question with the passages that answer it, and without them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from app import query
from app.errors import GraphError
from app.evaluating import ASKER
from app.graphs import Graph
from app.judging import asked_twice
from app.tracing import collect_runs
from components.access.principal import Principal
from components.answer import Answer, Status
from components.generators.extraction.language import packaged_language
from components.validators.refusal_features import features_of
from evaluation.answer_checks import holds
from evaluation.beir import BeirSet
from evaluation.questions import Question
from evaluation.refusal import Judged

if TYPE_CHECKING:
    from haystack import Document

GATE = "RefusalGate"


def judge_collection(graph: Graph, data: BeirSet, answers: dict[str, str], limit: int, seed: int = 0) -> Iterator[Judged]:
    """Ask `limit` queries of a collection twice: as they are, and with their relevant documents filtered out, so that the nearest wrong
    ones are left.

    :param graph: loaded over an index of the collection.
    :param answers: known answers by query id.
    """
    for asked in asked_twice(data, limit, seed):
        answer, features = _asked(graph, asked.text, ASKER, asked.filters)
        answered = answer.status is Status.ANSWERED
        known = answers.get(asked.query_id)
        right = None if known is None else asked.with_gold and answered and holds(answer.answer, known)
        yield Judged(asked.id, asked.with_gold, features, answered, right)


def judge_questions(graph: Graph, questions: list[Question], principal: Principal) -> Iterator[Judged]:
    """Ask the questions of a set, answerable and not."""
    from evaluation.answers import judge

    for question in questions:
        answer, features = _asked(graph, question.question, principal, None)
        right = judge(question, answer).is_good if question.answerable else None
        yield Judged(question.id, question.answerable, features, answer.status is Status.ANSWERED, right)


def _asked(graph: Graph, text: str, principal: Principal, filters: dict[str, Any] | None) -> tuple[Answer, dict[str, float]]:
    """The answer before the gate, and the features.

    :raises GraphError: the graph failed.
    """
    with collect_runs() as runs:
        answer = asyncio.run(query.ask(graph, text, principal=principal, filters=filters))
    if answer.status is Status.FAILED:
        raise GraphError("; ".join(f"{item.stage}: {item.reason}" for item in answer.degraded) or f"{graph.name}: no answer to {text!r}")
    before = next((run.inputs["answer"] for run in runs if run.type.endswith(GATE) and isinstance(run.inputs.get("answer"), Answer)), answer)
    evidence: list[Document] = next((found for run in reversed(runs) if isinstance(found := run.outputs.get("evidence"), list)), [])
    return before, features_of(text, evidence, packaged_language())

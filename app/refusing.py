"""Judging refusal through a graph: each question with the passages that answer it, and without them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from app import query
from app.errors import GraphError
from app.evaluating import ASKER
from app.graphs import Graph
from app.tracing import collect_runs
from components.access.principal import DEFAULT_TENANT, Principal
from components.answer import Answer, Status
from components.chunk import source_id
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
    chosen = list(data.queries.items())
    random.Random(seed).shuffle(chosen)  # noqa: S311 - a sample, no secret
    for name, text in chosen[:limit]:
        gold = [source_id(DEFAULT_TENANT, "", document) for document, grade in data.qrels[name].items() if grade > 0]
        without = {"field": "meta.source_id", "operator": "not in", "value": gold}
        for answerable, filters in ((True, None), (False, without)):
            answer, features = _asked(graph, text, ASKER, filters)
            right = None if name not in answers else answerable and answer.status is Status.ANSWERED and holds(answer.answer, answers[name])
            yield Judged(f"{name}:{'with' if answerable else 'without'}", answerable, features, answer.status is Status.ANSWERED, right)


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

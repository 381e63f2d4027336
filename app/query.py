"""Asking and searching: one question through a query graph, for one principal, within a deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from datetime import date
from typing import TYPE_CHECKING, Any

from app import filters as door_filters
from app.answer_cache import Reuse
from app.empty_tenant import told_of_empty_tenant
from app.errors import GraphError, SakshyaError, UsageError, plain
from app.graphs import Graph
from app.store import graph_store, graph_stores
from components.access.principal import Principal, acting_as
from components.answer import Answer, Degraded, Stage, Status, Usage
from components.builders.set_aside import told_of_set_aside
from components.deadline import within
from components.generators.metering import Meter, metered
from config.settings import settings

if TYPE_CHECKING:
    from haystack import Document
    from haystack.dataclasses import StreamingChunk

    from components.caching.answer_cache import AnswerCache
    from components.document_stores.filter_building import Filters

DOCUMENT_META = (
    "source_id",
    "title",
    "uri",
    "heading_path",
    "page",
    "char_start",
    "char_end",
    "record_id",
    "valid_from",
    "valid_to",
    "superseded_by",
)
FILTERING = "filters"
"""In the type of every stage that filters: the door's own, and `QuestionFilters`."""


class RunError(GraphError):
    """A stage of a graph failed while it ran."""

    def __init__(self, stage: str, reason: str) -> None:
        super().__init__(f"{stage}: {reason}")
        self.stage, self.reason = stage, reason


def checked_question(question: str) -> str:
    """The question without surrounding white space.

    :raises UsageError: it is empty, or longer than `SAKSHYA_MAX_QUESTION_CHARS`.
    """
    text = question.strip()
    if not text:
        raise UsageError("the question is empty")
    limit = settings().max_question_chars
    if len(text) > limit:
        raise UsageError(f"the question has {len(text)} characters; SAKSHYA_MAX_QUESTION_CHARS accepts {limit}")
    return text


def checked_day(day: str | None) -> str | None:
    """A day as `YYYY-MM-DD`.

    :raises UsageError: it is none.
    """
    if day is None:
        return None
    try:
        return date.fromisoformat(day).isoformat()
    except ValueError:
        raise UsageError(f"as of {day!r}: accepted is a day as YYYY-MM-DD") from None


def require_index(graph: Graph) -> None:
    """Refuse to ask where nothing is indexed yet: "the documents do not say" would be a lie.

    :raises SakshyaError: no index.
    """
    store = graph_store(graph)
    if store is not None and store.index_card() is None:
        where = settings().qdrant_url or settings().index_dir
        raise SakshyaError(f"nothing is indexed yet in {where} (collection {settings().collection}); `sakshya index PATH` does it")


async def _run(
    graph: Graph,
    values: Mapping[str, Any],
    principal: Principal,
    reuse: Reuse | None = None,
    on_chunk: Callable[[StreamingChunk], None] | None = None,
) -> dict[str, Any]:
    """Run the graph for the principal, or give the kept answer as its output.

    :raises TimeoutError: the deadline passed.
    :raises RunError: a component failed; the message names it.
    :raises UsageError: filters that are none, or name a field that the principal's documents do not have.
    """
    from haystack.core.errors import PipelineError, PipelineRuntimeError

    from app.tracing import add_stage

    with acting_as(principal):
        narrowed, stage = await door_filters.resolved(graph, values.get("filters"))
        values = {**values, "filters": narrowed}
        if stage:
            add_stage(stage)
        if reuse and (kept := await reuse.find(values)):
            return {"answer": kept}
        try:
            with within(settings().deadline_s):
                return await asyncio.wait_for(graph.run_async(values, on_chunk), settings().deadline_s)
        except PipelineRuntimeError as error:
            raise RunError(error.component_name or graph.path.name, plain(error)) from error
        except (PipelineError, ValueError) as error:
            raise RunError(graph.path.name, plain(error)) from error


async def ask(
    graph: Graph,
    question: str,
    *,
    principal: Principal,
    filters: Filters = None,
    top_k: int | None = None,
    as_of: str | None = None,
    inputs: Mapping[str, Any] | None = None,
    cache: AnswerCache | None = None,
    on_chunk: Callable[[StreamingChunk], None] | None = None,
) -> Answer:
    """Answer a question.

    :param filters: readable conditions (`docs/retrieval.md`) or a filter of Haystack; they only narrow.
    :param top_k: passages shown as evidence; the graph's own number where None.
    :param as_of: day (`YYYY-MM-DD`) whose law, rule or price is asked for; today where None.
    :param inputs: further inputs that the graph declares, `history` for instance.
    :param cache: where an answer to the same question may be found, and is kept; None: the graph runs.
    :param on_chunk: called with what a chat model writes, as it writes it, unchecked.
    :returns: the whole answer; `failed` where a stage broke or the deadline passed.
    :raises UsageError: an empty or too long question, or filters that cannot be used.
    """
    from app.tracing import collect_stages

    text = checked_question(question)
    values = {**(inputs or {}), "question": text, "filters": filters, "top_k": top_k, "as_of": as_of}
    reuse = Reuse(cache, graph) if cache else None
    with collect_stages() as stages, metered() as meter:
        try:
            result = await _run(graph, values, principal, reuse, on_chunk)
            answer: Answer = result["answer"]
        except TimeoutError:
            answer = _failed(text, "deadline", f"no answer within {settings().deadline_s:g} s (SAKSHYA_DEADLINE_S)")
        except KeyError:
            answer = _failed(text, graph.path.name, "the graph gave no answer: a required input of one of its components was missing")
        except RunError as error:
            answer = _failed(text, graph.path.name, error.reason if error.stage == graph.path.name else str(error))
    if reuse is None or not reuse.hit:
        answer = await asyncio.to_thread(told_of_empty_tenant, told_of_set_aside(_with_coverage(answer, stages)), graph, principal)
        answer = answer.model_copy(update={"usage": _usage(meter, answer.usage)})
    if reuse:
        await reuse.keep(answer, principal)
    return answer.model_copy(update={"trace": stages, "graph": graph.name, "index_version": index_version(graph)})


def _with_coverage(answer: Answer, stages: list[Stage]) -> Answer:
    """A declined answer says what the filters, the caller's and the question's own, left to look in."""
    notes = [stage.note for stage in stages if stage.note and FILTERING in stage.type.casefold()]
    if answer.status is not Status.DECLINED or not notes:
        return answer
    said = "; ".join(dict.fromkeys(notes))
    return answer.model_copy(update={"answer": f"{answer.answer.rstrip('. ')} ({said}).", "missing": f"{answer.missing} ({said})"})


def _usage(meter: Meter, said: Usage) -> Usage:
    """What all calls took; what the reply itself says where none was counted, as with a generator that is not ours."""
    spent = meter.spent
    if not meter.calls:
        return said
    return Usage(calls=meter.calls, prompt_tokens=spent.prompt_tokens, completion_tokens=spent.completion_tokens, cost_usd=spent.cost_usd)


def _failed(question: str, stage: str, reason: str) -> Answer:
    return Answer(status=Status.FAILED, question=question, answer="", degraded=[Degraded(stage=stage, reason=reason)])


async def retrieve(
    graph: Graph, question: str, *, principal: Principal, filters: Filters = None, as_of: str | None = None
) -> tuple[list[Document], list[Stage]]:
    """The documents for a question, best first, as many as the graph gives, and its stages.

    :param graph: loaded with `only=["documents"]`, so that no generator runs.
    :raises GraphError: a component failed, or the deadline passed.
    """
    from app.tracing import collect_stages

    with collect_stages() as stages:
        try:
            result = await _run(graph, {"question": question, "filters": filters, "as_of": as_of, "look_up": True}, principal)
        except TimeoutError:
            raise GraphError(f"{graph.path.name}: no result within {settings().deadline_s:g} s (SAKSHYA_DEADLINE_S)") from None
    return result.get("documents", []), stages


async def search(
    graph: Graph,
    question: str,
    *,
    principal: Principal,
    filters: Filters = None,
    top_k: int = 10,
    as_of: str | None = None,
) -> dict[str, Any]:
    """The passages for a question, best first, without an answer.

    :param graph: loaded with `only=["documents"]`, so that no generator runs.
    :param as_of: as in `ask`.
    :returns: `documents`, each with `rank`, `score` and `score_of`: the stage that gave it. Scores order the passages of one question; they are
        no probabilities and do not compare between questions.
    :raises UsageError: an empty or too long question.
    :raises GraphError: a component failed.
    """
    text = checked_question(question)
    found, stages = await retrieve(graph, text, principal=principal, filters=filters, as_of=as_of)
    documents = [
        {
            "rank": rank,
            "score": document.score,
            "score_of": score_stage(document.score, document.meta.get("ranks") or {}),
            "id": document.id,
            "text": document.content,
            **{key: document.meta[key] for key in DOCUMENT_META if document.meta.get(key) is not None},
            "ranks": document.meta.get("ranks", {}),
        }
        for rank, document in enumerate(found[:top_k], 1)
    ]
    return {
        "question": text,
        "documents": documents,
        "trace": [stage.model_dump(mode="json") for stage in stages],
        "graph": graph.name,
        "index_version": index_version(graph),
    }


def score_stage(score: float | None, ranks: Mapping[str, Any]) -> str:
    """The stage whose score a passage bears; empty where none is known.

    A stage that leaves the score alone (`learned`) or that passed all through is not named; what is no stage's own is the fusion's.

    >>> score_stage(0.9, {"dense": {"rank": 1, "score": 0.6}, "sparse": {"rank": 2, "score": 6.1}, "learned": {"rank": 1, "score": 7.0}})
    'fusion'
    >>> score_stage(0.8, {"dense": {"rank": 1, "score": 0.6}, "ranker": {"rank": 1, "score": 0.8}})
    'ranker'
    """
    if score is None or not ranks:
        return ""
    return next((stage for stage in reversed(list(ranks)) if ranks[stage].get("score") == score), "fusion")


async def prompt(
    graph: Graph, question: str, *, principal: Principal, filters: Filters = None, top_k: int | None = None, as_of: str | None = None
) -> dict[str, Any]:
    """What a chat model would be asked, without asking it: `messages` (each with `role` and `content`), `prompt` (the file and its version),
    `tokens` and `evidence_tokens`.

    :param graph: loaded with `only=["prompt"]`, so that no generator runs.
    :param top_k: as in `ask`, as is `as_of`.
    :raises UsageError: an empty or too long question.
    :raises GraphError: a component failed, or the deadline passed.
    """
    from app.tracing import collect_stages

    text = checked_question(question)
    with collect_stages() as stages:
        try:
            values = {"question": text, "filters": filters, "top_k": top_k, "as_of": as_of, "look_up": True}
            messages = (await _run(graph, values, principal))["prompt"]
        except TimeoutError:
            raise GraphError(f"{graph.path.name}: no result within {settings().deadline_s:g} s (SAKSHYA_DEADLINE_S)") from None
    meta = messages[-1].meta
    return {
        "question": text,
        "messages": [{"role": message.role.value, "content": message.text} for message in messages],
        **{name: meta.get(name) for name in ("prompt", "tokens", "evidence_tokens")},
        "trace": [stage.model_dump(mode="json") for stage in stages],
        "graph": graph.name,
        "index_version": index_version(graph),
    }


def index_version(graph: Graph) -> str:
    """Version of the index that the graph reads, of several with ` + ` between; empty where it has no store, or nothing is indexed."""
    versions = []
    for place, store in enumerate(graph_stores(graph)):
        with suppress(Exception) if place else nullcontext():  # a second index that cannot be asked is in `degraded`; the answer goes out
            versions.append(store.index_version())
    return " + ".join(filter(None, versions))

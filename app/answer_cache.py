"""The answer cache at the door: looked up before a graph runs, filled after it, and never a reason for a question to fail.

It is no node of the graph. A node that stands before retrieval would be part of what `search` and `evaluate retrieval` run, and would leave
them without documents on a hit; one that stands after it saves little. And no node knows what an answer must be the same in: the resolved
filters, the whole graph with its files and settings, the version of the index before and after the run.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.graphs import Graph
from app.store import graph_store
from components.access.principal import Principal, acting_as, current_principal
from components.answer import Answer, Stage, Status
from components.caching.answer_cache import AnswerCache, CacheError, Hit, Scope
from components.document_stores.fingerprint import version_of
from config.settings import settings

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

logger = logging.getLogger(__name__)

STAGE = "answer_cache"
FILE = "answers.sqlite"
PATIENCE_S = 2.0
"""Seconds for looking up, and for keeping; then the question goes on without."""
KEPT = {Status.ANSWERED, Status.DECLINED}
NOT_KEPT_FIELDS = {"question", "trace", "usage", "graph", "index_version", "degraded"}
HISTORY = "history"


def answer_cache() -> AnswerCache | None:
    """The cache of the settings; None where it is off."""
    here = settings()
    return _cache(here.index_dir / FILE, here.answer_cache_entries) if here.answer_cache_entries else None


def cache_file(max_entries: int = 1) -> AnswerCache:
    """The cache of the settings, on or off, for reading its state and clearing it."""
    return AnswerCache(settings().index_dir / FILE, max_entries)


@lru_cache(maxsize=4)
def _cache(path: Path, max_entries: int) -> AnswerCache:
    from components.caching.question_vectors import QuestionVectors

    return AnswerCache(path, max_entries, QuestionVectors())


def forget_answers() -> None:
    """Delete all entries, after the index changed: none of them can be found any more, and they hold what was removed."""
    try:
        cache_file().drop_all()
    except CacheError as error:
        logger.warning("the answer cache could not be cleared, and nothing in it is used: %s", error)


class Reuse:
    """One question's way past the cache: `find`, and `keep` where that found nothing.

    :param cache: where answers are kept.
    :param graph: what would answer.
    """

    def __init__(self, cache: AnswerCache, graph: Graph) -> None:
        self.cache, self.graph = cache, graph
        self.hit = False
        self._scope: Scope | None = None
        self._question = ""
        self._inputs: Mapping[str, Any] = {}
        self._stage = Stage(name=STAGE, type=__name__, ms=0.0)

    async def find(self, values: Mapping[str, Any]) -> Answer | None:
        """The kept answer for these inputs of the graph, for the current principal; the trace says what became of it.

        :param values: `question`, `filters` as resolved for the principal, and the other inputs.
        """
        from app.tracing import add_stage

        started = time.perf_counter()
        found: Answer | None = None
        try:
            found = await asyncio.wait_for(asyncio.to_thread(self._find, dict(values)), PATIENCE_S)
        except TimeoutError:
            self._off(f"no reply within {PATIENCE_S:g} s")
        except CacheError as error:
            self._off(str(error))
        self._stage.ms = round((time.perf_counter() - started) * 1000, 3)
        add_stage(self._stage)
        self.hit = found is not None
        return found

    def _off(self, reason: str) -> None:
        self._scope, self._stage.skipped = None, reason

    def _find(self, values: dict[str, Any]) -> Answer | None:
        self._question, self._inputs = str(values.pop("question")), values
        scope = self._scope_now()
        if isinstance(scope, str):
            self._off(scope)
            return None
        self._scope = scope
        hit = self.cache.get(scope, self._question)
        if hit is not None and self._sources(list(hit.sources)) != hit.sources:
            self.cache.drop(scope, self._question)
            self._stage.note = "miss: what the kept answer rests on has changed"
            hit = None
        self._count(scope, hit=hit is not None)
        if hit is None:
            self._stage.note = self._stage.note or "miss"
            return None
        self._stage.note = f"hit: an answer of {age(hit.age_s)} ago" + ("" if hit.cosine >= 1 else f", cosine of the questions {hit.cosine:.3f}")
        return self._answer(hit)

    def _answer(self, hit: Hit) -> Answer:
        try:
            return Answer.model_validate({**hit.answer, "question": self._question})
        except ValueError as error:
            raise CacheError("an entry is no answer") from error

    def _count(self, scope: Scope, *, hit: bool) -> None:
        try:
            self.cache.count(scope, self._question, hit=hit)
        except CacheError as error:
            logger.info("a lookup was not counted: %s", error)

    async def keep(self, answer: Answer, principal: Principal) -> None:
        """Keep an answer, unless it may not be; the trace says why not."""
        if self.hit or self._scope is None:
            return
        if answer.status not in KEPT or answer.degraded:
            self._stage.note = f"{self._stage.note}; not kept: {'degraded' if answer.degraded else answer.status.value}"
            return
        with acting_as(principal):
            try:
                said = await asyncio.wait_for(asyncio.to_thread(self._keep, answer), PATIENCE_S)
            except TimeoutError:
                said = f"not kept: no reply within {PATIENCE_S:g} s"
            except CacheError as error:
                said = f"not kept: {error}"
        self._stage.note = f"{self._stage.note}; {said}"

    def _keep(self, answer: Answer) -> str:
        if self._scope is None or self._scope_now() != self._scope:
            return "not kept: the index or the day changed meanwhile"
        ids = [item.id for item in answer.evidence]
        sources = self._sources(ids)
        if set(sources) != set(ids):
            return "not kept: its evidence is not all in the index"
        if self._scope_now() != self._scope:
            return "not kept: the index or the day changed meanwhile"
        kept = self.cache.put(self._scope, self._question, answer.model_dump(mode="json", exclude=NOT_KEPT_FIELDS), sources)
        return "kept" if kept else "not kept: it is too large"

    def _scope_now(self) -> Scope | str:
        """What the answer must be the same in, or why this question is none for the cache."""
        from components.access.access_filter import read_filter

        store = single_store(self.graph)
        rights = read_filter(current_principal())
        if self._inputs.get(HISTORY):
            return "a question within a conversation"
        if rights is None:
            return "the system asks"
        if store is None or not self.graph.identity:
            return "a graph without one index and an identity of its own"
        card = store.index_card()
        if card is None or not card.commit_id:
            return "an index without a commit id; the next `sakshya index` that changes something gives it one"
        try:
            inputs = json.dumps({key: value for key, value in self._inputs.items() if value is not None}, sort_keys=True)
        except (TypeError, ValueError):
            return "an input that has no JSON form"
        return Scope(
            place=f"{store.where} {store.index}",
            version=f"{version_of(store.index, card)} {card.commit_id}",
            rights=rights.model_dump_json(),
            graph=self.graph.identity,
            inputs=f"{inputs} {date.today()} {datetime.now(UTC).date()}",  # the local day as in the evidence, that of UTC as in filters
        )

    def _sources(self, ids: list[str]) -> dict[str, str]:
        """State of each of these passages that the current principal may read."""
        store = single_store(self.graph)
        found = store.get_documents_by_id(ids) if store and ids else []
        return {document.id: state_of(document.content, document.meta) for document in found}


def single_store(graph: Graph) -> SakshyaDocumentStore | None:
    """The store of a graph; None where it has none, or reads several."""
    store = graph_store(graph)
    for _, component in graph.pipeline.walk():
        for name in ("document_store", "_document_store"):
            other = getattr(component, name, None)
            if other is not None and other is not store:
                return None
    return store


def state_of(content: str | None, meta: Mapping[str, Any]) -> str:
    """Hash of all that is stored of a passage, who may read it included."""
    return hashlib.sha256(json.dumps([content, dict(meta)], sort_keys=True, default=str).encode()).hexdigest()


def age(seconds: float) -> str:
    """A duration in words.

    >>> age(4.2), age(190), age(7300)
    ('4 s', '3 min', '2 h')
    """
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"

"""The answer cache at the door: looked up before a graph runs, filled after it, and never a reason for a question to fail.

It is no node of the graph. A node that stands before retrieval would be part of what `search` and `evaluate retrieval` run, and would leave
them without documents on a hit; one that stands after it saves little. And no node knows what an answer must be the same in: the resolved
filters, the whole graph with its files and settings, the version of the index before and after the run.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.graphs import Graph
from app.store import graph_store
from components.access.principal import Principal, acting_as
from components.answer import Answer, Stage
from components.caching.answer_cache import AnswerCache, CacheError
from components.caching.kept_answer import KeptAnswer, NotForCache
from config.settings import settings

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

logger = logging.getLogger(__name__)

STAGE = "answer_cache"
FILE = "answers.sqlite"
PATIENCE_S = 2.0
"""Seconds for looking up, and for keeping; then the question goes on without."""
LATE = f"no reply within {PATIENCE_S:g} s"


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
    """One question's way past the cache: `find`, and `keep` where that found nothing. The trace says what became of it.

    :param cache: where answers are kept.
    :param graph: what would answer.
    """

    def __init__(self, cache: AnswerCache, graph: Graph) -> None:
        self.cache, self.graph = cache, graph
        self.hit = False
        self._kept: KeptAnswer | None = None
        self._stage = Stage(name=STAGE, type=__name__, ms=0.0)

    async def find(self, values: Mapping[str, Any]) -> Answer | None:
        """The kept answer for these inputs of the graph, for the current principal.

        :param values: `question`, `filters` as resolved for the principal, and the other inputs.
        """
        from app.tracing import add_stage

        started = time.perf_counter()
        inputs = {key: value for key, value in values.items() if key != "question"}
        kept = KeptAnswer(self.cache, single_store(self.graph), self.graph.identity, values["question"], inputs)
        found: Answer | None = None
        try:
            found, self._stage.note = await asyncio.wait_for(asyncio.to_thread(kept.find), PATIENCE_S)
            self._kept = kept
        except TimeoutError:
            self._stage.skipped = LATE
        except (NotForCache, CacheError) as reason:
            self._stage.skipped = str(reason)
        self._stage.ms = round((time.perf_counter() - started) * 1000, 3)
        add_stage(self._stage)
        self.hit = found is not None
        return found

    async def keep(self, answer: Answer, principal: Principal) -> None:
        """Keep an answer, unless it was found or may not be kept."""
        if self.hit or self._kept is None:
            return
        with acting_as(principal):
            try:
                said = await asyncio.wait_for(asyncio.to_thread(self._kept.keep, answer), PATIENCE_S)
            except TimeoutError:
                said = f"not kept: {LATE}"
            except CacheError as error:
                said = f"not kept: {error}"
        self._stage.note = f"{self._stage.note}; {said}"


def single_store(graph: Graph) -> SakshyaDocumentStore | None:
    """The store of a graph; None where it has none, or reads several."""
    store = graph_store(graph)
    for _, component in graph.pipeline.walk():
        for name in ("document_store", "_document_store"):
            other = getattr(component, name, None)
            if other is not None and other is not store:
                return None
    return store

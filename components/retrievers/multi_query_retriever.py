"""Retrieves for a question by several queries."""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.core.serialization import component_to_dict
from haystack.utils.deserialization import deserialize_component_inplace

from components.failure import Degradation
from components.joiners.query_merging import OWN, fused_queries, shared_places

STAGE = "retriever"
MERGES = ("fuse", "share")


class TextRetriever(Protocol):
    """Haystack's TextRetriever: a query in, documents out. `HybridRetriever` is one; it also takes a vector in the place of the query's own."""

    def run(self, query: str, filters: dict[str, Any] | None = None) -> dict[str, Any]:
        """Retrieve."""
        ...


Call = tuple[str, str, list[float] | None]
"""Name of a list, its query, and the vector that takes the place of the query's own."""


@component
class MultiQueryRetriever:
    """Retrieves for the question and for further queries, some at a time, and merges the lists.

    Haystack's MultiQueryTextRetriever sorts all lists together by score, though scores of different queries do not compare; loses the principal
    in its threads, so that whoever asks is a stranger there; knows no weight of the question; and one failing query fails them all. Here:

    - `merge: fuse`: by reciprocal rank; the question weighs at least as much as all further queries together, unless told otherwise.
    - `merge: share`: in turns, so that each query has its share of the first places: for the parts of a compound question.

    Scores and ranks of the legs in `meta["ranks"]` are those of the question; a passage that only a further query found has none, since a score
    for another text says nothing of this question.
    """

    def __init__(
        self, retriever: TextRetriever, top_k: int = 40, merge: str = "fuse", question_weight: float = 1.0, k: float = 60, max_concurrent: int = 2
    ) -> None:
        """Create the retriever.

        :param retriever: what retrieves for one query.
        :param top_k: documents returned, 1 or more.
        :param merge: `fuse` or `share`.
        :param question_weight: of `fuse`: weight of the question's list beside all others together, 0 or more; 1: as much as they; 0: it only
            fills up what they leave.
        :param k: constant of reciprocal rank fusion, 0 or more.
        :param max_concurrent: queries at once, 1 to 16.
        :raises ValueError: a value out of range.
        """
        if not isinstance(top_k, int) or top_k < 1:
            raise ValueError(f"MultiQueryRetriever.top_k={top_k!r}: accepted is a whole number of 1 or more")
        if merge not in MERGES:
            raise ValueError(f"MultiQueryRetriever.merge={merge!r}: accepted are {', '.join(MERGES)}")
        if question_weight < 0 or k < 0:
            raise ValueError(f"MultiQueryRetriever: question_weight={question_weight!r}, k={k!r}: accepted are numbers of 0 or more")
        if not 1 <= max_concurrent <= 16:
            raise ValueError(f"MultiQueryRetriever.max_concurrent={max_concurrent!r}: accepted is 1 to 16")
        self.retriever: Any = retriever
        self.top_k, self.merge, self.question_weight, self.k, self.max_concurrent = top_k, merge, question_weight, k, max_concurrent

    def to_dict(self) -> dict[str, Any]:
        """Serialise to plain data."""
        names = ("top_k", "merge", "question_weight", "k", "max_concurrent")
        held = component_to_dict(self.retriever, "retriever")
        return default_to_dict(self, retriever=held, **{name: getattr(self, name) for name in names})

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> MultiQueryRetriever:
        """Create from plain data; the retriever is created from its own."""
        if isinstance(data.get("init_parameters", {}).get("retriever"), dict):
            deserialize_component_inplace(data["init_parameters"], key="retriever")
        return default_from_dict(cls, data)

    def warm_up(self) -> None:
        """Load what the retriever needs."""
        if hasattr(self.retriever, "warm_up"):
            self.retriever.warm_up()

    @component.output_types(documents=list[Document], note=str, degraded=list[Degradation])
    def run(
        self,
        question: str,
        queries: list[str] | None = None,
        embedding: list[float] | None = None,
        filters: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Retrieve.

        :param question: self-contained. It is always retrieved for.
        :param queries: further queries; those that repeat one before (case and space aside) are left out.
        :param embedding: a further list: of the question with this vector in the place of its own. Empty: none.
        :param filters: as for the retriever.
        :returns: `documents`, best first, each once; exactly the question's own where nothing else was retrieved for. `note`: what was;
            `degraded`: what the retriever said, and further queries that failed.
        :raises Exception: whatever the retriever raises for the question itself.
        """
        calls = self._calls(question, queries, embedding)
        with ThreadPoolExecutor(self.max_concurrent) as pool:
            # a thread of a pool has no context of its own: the principal goes along in a copy
            waiting = [pool.submit(contextvars.copy_context().run, self._one, call, filters) for call in calls]
            results = [(job.exception() or job.result()) for job in waiting]
        return self._merged(calls, results)

    @component.output_types(documents=list[Document], note=str, degraded=list[Degradation])
    async def run_async(
        self,
        question: str,
        queries: list[str] | None = None,
        embedding: list[float] | None = None,
        filters: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """As `run`; tasks and `to_thread` carry the principal along by themselves."""
        calls = self._calls(question, queries, embedding)
        places = asyncio.Semaphore(self.max_concurrent)

        async def one(call: Call) -> Any:
            async with places:
                return await asyncio.to_thread(self._one, call, filters)

        return self._merged(calls, await asyncio.gather(*(one(call) for call in calls), return_exceptions=True))

    def _calls(self, question: str, queries: list[str] | None, embedding: list[float] | None) -> list[Call]:
        calls: list[Call] = [(OWN, question, None)]
        if embedding:
            calls.append(("vector", question, embedding))
        seen = {_key(question)}
        for query in queries or []:
            if _key(query) and _key(query) not in seen:
                seen.add(_key(query))
                calls.append((f"query_{len(seen) - 1}", query, None))
        return calls

    def _one(self, call: Call, filters: dict[str, Any] | None) -> dict[str, Any]:
        _, query, vector = call
        return self.retriever.run(query, filters, **({"embedding": vector} if vector else {}))

    def _merged(self, calls: list[Call], results: list[Any]) -> dict[str, Any]:
        if isinstance(results[0], BaseException):
            raise results[0]
        lists: dict[str, list[Document]] = {}
        degraded: list[Degradation] = []
        for (name, query, _), found in zip(calls, results, strict=True):
            if isinstance(found, Exception):
                degraded.append(Degradation(stage=STAGE, reason=f"nothing was retrieved for {query[:100]!r}: {type(found).__name__}"))
            elif isinstance(found, BaseException):
                raise found
            else:
                lists[name] = found["documents"]
                degraded += [entry for entry in found.get("degraded") or [] if entry not in degraded]
        if len(lists) == 1:
            documents = lists[OWN][: self.top_k]
        elif self.merge == "share":
            documents = shared_places(lists, self.top_k)
        else:
            documents = fused_queries(lists, self.question_weight, self.k, self.top_k)
        counts = ", ".join(f"{name}: {len(found)}" for name, found in lists.items())
        return {"documents": documents, "note": counts if len(lists) > 1 else "", "degraded": degraded}


def _key(query: str) -> str:
    return " ".join(query.casefold().split()).strip(" ?.!")

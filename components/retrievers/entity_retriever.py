"""Retrieval over the entity graph: from what a question names to chunks that hold it, or what is related to it."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict

from components.document_stores.entity_graph import EntityGraph
from components.failure import Degradation
from components.retrievers.entity_walk import bridged, candidate_keys, longest_only, rank_weights, walk

logger = logging.getLogger(__name__)

STAGE = "entities"
NO_GRAPH = "no entity graph: index with --graph index_entities"


@component
class EntityRetriever:
    """A third leg: the chunks that a walk over names reaches from the question's names and the first stage's best passages.

    Haystack has no graph retriever. Only chunks that the store gives the current principal are part of the graph that is walked; so nothing that
    is hidden lends weight, is found, or is named. Where nothing was extracted, or the question names nothing and no passage came, the leg is
    empty and says so.
    """

    def __init__(
        self, entity_graph: EntityGraph, top_k: int = 20, start_from: int = 10, bridges_from: int = 3, max_chunks: int = 1000, language: str = "en"
    ) -> None:
        """Create the retriever.

        :param entity_graph: the graph beside the collection.
        :param top_k: chunks returned, 1 or more.
        :param start_from: passages of the first stage that the walk starts from, 0 or more.
        :param bridges_from: only chunks about something that so many of the best passages, or the question, name are returned; 0: all that the walk
            comes to. Where the first stage found nothing, all are.
        :param max_chunks: chunks of the graph that is walked, at most, 10 or more; names that more chunks hold are left out.
        :param language: of the BM25 terms.
        :raises ValueError: a value out of range.
        """
        for name, value, least in (
            ("top_k", top_k, 1),
            ("start_from", start_from, 0),
            ("bridges_from", bridges_from, 0),
            ("max_chunks", max_chunks, 10),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ValueError(f"EntityRetriever.{name}={value!r}: accepted is a whole number >= {least}")
        self.entity_graph, self.top_k, self.start_from, self.bridges_from = entity_graph, top_k, start_from, bridges_from
        self.max_chunks, self.language = max_chunks, language

    def to_dict(self) -> dict[str, Any]:
        """Serialise to plain data."""
        own = {name: getattr(self, name) for name in ("top_k", "start_from", "bridges_from", "max_chunks", "language")}
        return default_to_dict(self, entity_graph=self.entity_graph.to_dict(), **own)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> EntityRetriever:
        """Create from plain data; the graph is created from its own."""
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document], degraded=list[Degradation], skipped=str, note=str)
    def run(self, question: str, documents: list[Document] | None = None, filters: dict[str, Any] | None = None) -> dict[str, Any]:
        """Walk.

        :param question: as it was asked.
        :param documents: passages of the first stage, best first.
        :param filters: narrows what is walked and returned.
        :returns: `documents`, best first, the probability of the walk as score; `note`: the names that it started from; `skipped` where there is no
            graph or nothing to start from; `degraded` where the graph could not be read.
        """
        try:
            return self._run(question, [d.id for d in documents or []][: self.start_from], filters)
        except Exception as error:  # noqa: BLE001 - the other legs have their passages still
            reason = f"the entity graph could not be read: {type(error).__name__}"
            logger.warning("%s: %s", reason, error)
            return {"documents": [], "degraded": [Degradation(stage=STAGE, reason=reason)], "skipped": "", "note": ""}

    def _run(self, question: str, passages: list[str], filters: dict[str, Any] | None) -> dict[str, Any]:
        graph = self.entity_graph
        rows = graph.rows
        if rows is None:
            return _nothing(NO_GRAPH)
        keys = candidate_keys(question, self.language)
        meant = graph.meanings(keys, filters)
        named = graph.holders([*keys, *(entity for entities in meant.values() for entity in entities)], self.max_chunks, filters)
        seeds = {key: named[key] for key in longest_only(named)}
        passages = graph.visible(passages, filters)
        if not seeds and not passages:
            return _nothing("the question names nothing that is known")
        near = list(dict.fromkeys([*passages, *(chunk for chunks in seeds.values() for chunk in chunks)]))[: self.max_chunks]
        beside = {mention.entity for _, mention in rows.mentions_of(near)}
        reached = graph.holders(sorted(beside), self.max_chunks - len(near), filters) if len(near) < self.max_chunks else {}
        chunks = list(dict.fromkeys([*near, *(chunk for found in reached.values() for chunk in found)]))
        mentions = rows.mentions_of(chunks)
        starts = {key: 1.0 / len(found) for key, found in seeds.items()}
        scores = walk(mentions, rows.relations_of(chunks), starts, rank_weights(passages))
        best = list(scores)[: self.top_k] if not self.bridges_from else bridged(scores, mentions, seeds, passages[: self.bridges_from])[: self.top_k]
        found = [_ranked(d, rank, round(scores[d.id], 6)) for rank, d in enumerate(graph.document_store.get_documents_by_id(best), start=1)]
        written = {mention.entity: mention.name for _, mention in reversed(mentions)}
        names = ", ".join(written.get(key, key) for key in seeds) or "no name"
        return {"documents": found, "degraded": [], "skipped": "", "note": f"from {names} and {len(passages)} passages: {len(chunks)} chunks walked"}


def _ranked(document: Document, rank: int, score: float) -> Document:
    ranks = {**(document.meta.get("ranks") or {}), STAGE: {"rank": rank, "score": score}}
    return replace(document, score=score, meta={**document.meta, "ranks": ranks})


def _nothing(skipped: str) -> dict[str, Any]:
    return {"documents": [], "degraded": [], "skipped": skipped, "note": ""}

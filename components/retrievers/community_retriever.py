"""For a question about all documents: a passage for each of their themes."""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from dataclasses import replace
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict

from components.access.principal import current_principal
from components.document_stores.entity_graph import EntityGraph
from components.failure import Degradation
from components.preprocessors.sentences import split_sentences
from components.retrievers.communities import Community, central_sentence, communities
from components.retrievers.entity_retriever import NO_GRAPH

logger = logging.getLogger(__name__)

STAGE = "communities"
_PAGE = 2000
_READ = 8
"""Chunks of a community that are read for its sentence."""
_KEPT = 16


@component
class CommunityRetriever:
    """The themes of what the current principal may read: communities of names, each with the passage that holds its most central sentence.

    The communities are made when they are asked for, over the visible part of the graph alone, and kept while index and rights stay the same: a
    summary made once for all readers would tell each what only some may read. Passages come from the store at every question, and names from
    those passages. Haystack has no such part.
    """

    def __init__(self, entity_graph: EntityGraph, themes: int = 6, max_chunks: int = 3000) -> None:
        """Create the retriever.

        :param entity_graph: the graph beside the collection.
        :param themes: passages returned, one a theme, 1 or more.
        :param max_chunks: chunks whose names are looked at, 10 or more; of more, so many by the order of their hashed ids.
        :raises ValueError: a value out of range.
        """
        for name, value, least in (("themes", themes, 1), ("max_chunks", max_chunks, 10)):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ValueError(f"CommunityRetriever.{name}={value!r}: accepted is a whole number >= {least}")
        self.entity_graph, self.themes, self.max_chunks = entity_graph, themes, max_chunks
        self._made: OrderedDict[str, tuple[list[Community], int]] = OrderedDict()

    def to_dict(self) -> dict[str, Any]:
        """Serialise to plain data."""
        return default_to_dict(self, entity_graph=self.entity_graph.to_dict(), themes=self.themes, max_chunks=self.max_chunks)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> CommunityRetriever:
        """Create from plain data; the graph is created from its own."""
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document], degraded=list[Degradation], skipped=str, note=str)
    def run(self, question: str, filters: dict[str, Any] | None = None) -> dict[str, Any]:
        """Find the themes.

        :param question: what is asked; the themes do not depend on it.
        :param filters: narrows what is looked at.
        :returns: `documents`: a passage a theme, the largest first, with `theme` (names) and `theme_sentence` in its meta; `note`; `skipped` where
            there is no graph; `degraded` where it could not be read.
        """
        try:
            return self._run(filters)
        except Exception as error:  # noqa: BLE001 - the answer then declines
            reason = f"the entity graph could not be read: {type(error).__name__}"
            logger.warning("%s: %s", reason, error)
            return {"documents": [], "degraded": [Degradation(stage=STAGE, reason=reason)], "skipped": "", "note": ""}

    def _run(self, filters: dict[str, Any] | None) -> dict[str, Any]:
        rows, store = self.entity_graph.rows, self.entity_graph.document_store
        if rows is None:
            return {"documents": [], "degraded": [], "skipped": NO_GRAPH, "note": ""}
        made, count = self._communities(filters)
        found: list[Document] = []
        for community in made:
            read = store.get_documents_by_id(self.entity_graph.visible(community.chunks[:_READ], filters))  # what this principal may read now
            texts = [[(d.content or "")[start:end] for start, end in split_sentences(d.content or "")] for d in read]
            place = central_sentence(texts)
            if place is None:
                continue
            document, sentence = read[place[0]], texts[place[0]][place[1]].strip()
            written = {mention.entity: mention.name for _, mention in reversed(rows.mentions_of([d.id for d in read]))}
            names = [written[entity] for entity in community.entities if entity in written][:4]
            ranks = {**(document.meta.get("ranks") or {}), "theme": {"rank": len(found) + 1, "score": None}}
            found.append(replace(document, score=None, meta={**document.meta, "ranks": ranks, "theme": names, "theme_sentence": sentence}))
        told = "; ".join(", ".join(document.meta["theme"]) for document in found)
        return {"documents": found, "degraded": [], "skipped": "", "note": f"{len(found)} themes of {count} chunks: {told}" if found else ""}

    def _communities(self, filters: dict[str, Any] | None) -> tuple[list[Community], int]:
        rows, store, principal = self.entity_graph.rows, self.entity_graph.document_store, current_principal()
        assert rows is not None  # noqa: S101 - for the type checker
        card = store.index_card()
        key = repr((card, principal, json.dumps(filters, sort_keys=True, default=str), rows.counts()))
        if key in self._made:
            self._made.move_to_end(key)
            return self._made[key]
        ids = rows.chunk_ids(principal.tenant)
        chunks: list[str] = []
        for start in range(0, len(ids), _PAGE):
            chunks += self.entity_graph.visible(ids[start : start + _PAGE], filters)
            if len(chunks) >= self.max_chunks:
                break
        chunks = chunks[: self.max_chunks]
        made = (communities(rows.mentions_of(chunks), rows.relations_of(chunks), self.themes), len(chunks))
        self._made[key] = made
        if len(self._made) > _KEPT:
            self._made.popitem(last=False)
        return made

"""Follows the cross-references of the best passages: "the offence under section 101" brings section 101."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from haystack import Document, component, default_from_dict, default_to_dict

from components.failure import Degradation

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

logger = logging.getLogger(__name__)
STAGE = "references"


@component
class ReferenceRetriever:
    """Add the sections that the best passages refer to, right behind the passage that refers to them.

    Haystack has no such part. A chunk's `references` (written by the indexing graph) are ids of sections of the same source; of each such section
    its first chunk is added. It is read through the store, so it is there only for a principal that may read it. What is added has
    `ranks["reference"]`, its place among what was followed, and `reached_from`, the id of the passage that refers to it; it has no score.
    """

    def __init__(self, document_store: SakshyaDocumentStore, max_references: int = 2, of_best: int = 3) -> None:
        """Create the retriever.

        :param max_references: sections followed at most, all together, >= 1.
        :param of_best: passages whose references are followed, the best ones, >= 1.
        :raises ValueError: a value outside these ranges.
        """
        for name, value in (("max_references", max_references), ("of_best", of_best)):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"ReferenceRetriever.{name}={value!r}: accepted is a whole number >= 1")
        self.document_store = document_store
        self.max_references = max_references
        self.of_best = of_best

    def to_dict(self) -> dict[str, Any]:
        """Serialise to plain data."""
        return default_to_dict(self, document_store=self.document_store.to_dict(), max_references=self.max_references, of_best=self.of_best)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ReferenceRetriever:
        """Create from plain data; the store is created from its own."""
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document], degraded=list[Degradation], skipped=str, note=str)
    def run(self, documents: list[Document]) -> dict[str, Any]:
        """Follow the references.

        :param documents: passages, best first; they are not changed.
        :returns: `documents`: the same in their order, with those reached among them; `skipped` where none refers to anything; `note`: how many
            were followed; `degraded`: the sections could not be read, the passages are as given.
        """
        present = {d.meta.get("parent_id") for d in documents}
        wanted: dict[str, str] = {}  # section id -> id of the passage that refers to it first
        for document in documents[: self.of_best]:
            for section in document.meta.get("references") or []:
                if section not in present:
                    wanted.setdefault(str(section), document.id)
        if not wanted:
            return {"documents": documents, "degraded": [], "skipped": "no reference in the best passages", "note": ""}
        try:
            found = self._first_chunks(list(wanted)[: self.max_references])
        except Exception as error:  # noqa: BLE001 - what was found is still there
            reason = f"references could not be followed: {' '.join(str(error).split())[:300]}"
            logger.warning(reason)
            return {"documents": documents, "degraded": [Degradation(stage=STAGE, reason=reason)], "skipped": "", "note": ""}
        known = {d.id for d in documents}
        reached: dict[str, list[Document]] = {}
        for place, chunk in enumerate((c for c in found if c.id not in known), start=1):
            origin = wanted[chunk.meta["parent_id"]]
            ranks = {"reference": {"rank": place, "score": None}}
            reached.setdefault(origin, []).append(replace(chunk, score=None, meta={**chunk.meta, "ranks": ranks, "reached_from": origin}))
        joined = [part for d in documents for part in (d, *reached.get(d.id, []))]
        count = sum(map(len, reached.values()))
        return {"documents": joined, "degraded": [], "skipped": "", "note": f"{count} reached by reference" if count else ""}

    def _first_chunks(self, sections: list[str]) -> list[Document]:
        """The first chunk of each section, in the order of the sections."""
        conditions = [
            {"field": "meta.kind", "operator": "==", "value": "chunk"},
            {"field": "meta.parent_id", "operator": "in", "value": sections},
        ]
        chunks = self.document_store.filter_documents({"operator": "AND", "conditions": conditions}, with_embeddings=False)
        first: dict[str, Document] = {}
        for chunk in sorted(chunks, key=lambda d: (d.meta.get("char_start", 0), d.id)):
            first.setdefault(chunk.meta["parent_id"], chunk)
        return [first[section] for section in sections if section in first]

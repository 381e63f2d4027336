"""Puts passages that say something else, or come from elsewhere, before more of the same."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from haystack import Document, component, default_from_dict, default_to_dict

from components.builders.duplicates import jaccard, normalised
from components.failure import Degradation
from components.rankers.diversity import capped, maximal_marginal_relevance, relevance_of

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

logger = logging.getLogger(__name__)
STAGE = "diversity"


@component
class DiversityRanker:
    """Order passages so that no source and no file of records crowds out the others, and near-repetitions come later. Nothing is dropped.

    Haystack's `SentenceTransformersDiversityRanker` embeds every passage anew for each question, scores relevance by that model alone
    whatever a ranker said before, and knows no sources; `MetaFieldGroupingRanker` groups and does not limit. Here the vectors are those that
    the index holds, read through the store.

    First MMR (Carbonell and Goldstein 1998) over the first `mmr_count` passages, then the limits: what is beyond them goes behind the rest,
    in its order. A passage without a vector is compared by its words.

    >>> rows = [Document(id=str(n), content=f"row {n}", meta={"container_id": "csv", "source_id": str(n)}) for n in range(3)]
    >>> page = Document(id="page", content="text", meta={"container_id": "page", "source_id": "page"})
    >>> [d.id for d in DiversityRanker(max_records=2).run([*rows, page])["documents"]]
    ['0', '1', 'page', '2']
    """

    def __init__(
        self,
        document_store: SakshyaDocumentStore | None = None,
        mmr_weight: float | None = None,
        mmr_count: int = 10,
        max_per_source: int | None = None,
        max_records: int | None = None,
    ) -> None:
        """Create the ranker.

        :param document_store: where vectors are read; `None`: passages are compared by their words.
        :param mmr_weight: lambda of MMR, in [0, 1]: 1 is relevance alone, 0 difference alone; `None`: no MMR.
        :param mmr_count: passages that MMR orders, >= 1; the others follow.
        :param max_per_source: passages of one source before those beyond go behind, >= 1; `None`: no limit.
        :param max_records: the same for the records of one file (rows of a table, lines of JSON), each of which is a source of its own.
        :raises ValueError: a value outside these ranges.
        """
        if mmr_weight is not None and (isinstance(mmr_weight, bool) or not 0 <= mmr_weight <= 1):
            raise ValueError(f"DiversityRanker.mmr_weight={mmr_weight!r}: accepted is null or a number from 0 to 1")
        for name, value in (("mmr_count", mmr_count), ("max_per_source", max_per_source), ("max_records", max_records)):
            optional = name != "mmr_count"
            if (value is None and not optional) or (value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1)):
                raise ValueError(f"DiversityRanker.{name}={value!r}: accepted is a whole number >= 1{', or null' if optional else ''}")
        self.document_store = document_store
        self.mmr_weight = mmr_weight
        self.mmr_count = mmr_count
        self.max_per_source = max_per_source
        self.max_records = max_records

    def to_dict(self) -> dict[str, Any]:
        """Serialise to plain data."""
        store = self.document_store.to_dict() if self.document_store else None
        numbers = {name: getattr(self, name) for name in ("mmr_weight", "mmr_count", "max_per_source", "max_records")}
        return default_to_dict(self, document_store=store, **numbers)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> DiversityRanker:
        """Create from plain data; the store is created from its own."""
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document], degraded=list[Degradation], skipped=str)
    def run(self, documents: list[Document]) -> dict[str, Any]:
        """Order the passages.

        :param documents: passages, best first; they are not changed.
        :returns: `documents`, the same ones; `degraded`: the vectors could not be read, so words were compared; `skipped`: nothing is set.
        """
        if self.mmr_weight is None and self.max_per_source is None and self.max_records is None:
            return {"documents": documents, "degraded": [], "skipped": "no limit and no mmr_weight"}
        ordered, degraded = list(documents), []
        if self.mmr_weight is not None and len(ordered) > 2:
            similarity, degraded = self._similarity(ordered)
            places = maximal_marginal_relevance(relevance_of([d.score for d in ordered]), similarity, self.mmr_weight, self.mmr_count)
            ordered = [ordered[i] for i in places]
        for most, group in ((self.max_per_source, _source), (self.max_records, _file_of_records)):
            if most is not None:
                within, beyond = capped([group(d) for d in ordered], most)
                ordered = [ordered[i] for i in (*within, *beyond)]
        return {"documents": ordered, "degraded": degraded, "skipped": ""}

    def _similarity(self, documents: list[Document]) -> tuple[Callable[[int, int], float], list[Degradation]]:
        vectors: dict[str, np.ndarray] = {d.id: np.asarray(d.embedding) for d in documents if d.embedding}
        degraded: list[Degradation] = []
        missing = [d.id for d in documents if d.id not in vectors]
        if missing and self.document_store is not None:
            try:
                found = self.document_store.get_documents_by_id(missing, with_embeddings=True)
                vectors |= {d.id: np.asarray(d.embedding) for d in found if d.embedding}
            except Exception as error:  # noqa: BLE001 - an order by words is still an order
                reason = f"vectors could not be read, passages were compared by their words: {' '.join(str(error).split())[:300]}"
                logger.warning(reason)
                degraded.append(Degradation(stage=STAGE, reason=reason))
        words = [normalised(d.content or "").split() for d in documents]

        def similarity(a: int, b: int) -> float:
            one, two = (vectors.get(documents[i].id) for i in (a, b))
            if one is None or two is None or one.shape != two.shape:
                return jaccard(words[a], words[b], 1)
            length = float(np.linalg.norm(one) * np.linalg.norm(two))
            return float(one @ two) / length if length else 0.0

        return similarity, degraded


def _source(document: Document) -> str | None:
    return document.meta.get("source_id") or None


def _file_of_records(document: Document) -> str | None:
    """The file, where the passage belongs to a record in it."""
    container, source = document.meta.get("container_id"), document.meta.get("source_id")
    return container if container and source and container != source else None

"""How much of the index a filter leaves, for whoever asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from components.document_stores.filter_fields import CHUNKS, Readable, all_of


@dataclass(frozen=True)
class Coverage:
    """What a filter leaves of the sources and chunks that the principal may read."""

    sources_left: int
    sources: int
    chunks_left: int
    chunks: int

    def __str__(self) -> str:
        left = f"{self.sources_left:,} of {self.sources:,} sources"
        return f"the filter leaves {left}" + (f" ({self.chunks_left:,} of {self.chunks:,} chunks)" if self.chunks_left else "")


def coverage(store: Readable, filters: dict[str, Any]) -> Coverage:
    """Count what a filter leaves; a file with records is one source.

    :param filters: a filter that the store takes.
    """
    every, left = store.facet("container_id", CHUNKS), store.facet("container_id", all_of([CHUNKS, filters]))
    return Coverage(len(left), len(every), sum(left.values()), sum(every.values()))

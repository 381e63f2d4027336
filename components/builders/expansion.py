"""What surrounds a passage in its section: the section itself, its neighbours, or the section once enough of it was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from haystack import Document

from components.builders.passage_ranges import char_range, expanded, own_range, section_key, stored_window, widened

Expand = Literal["none", "window", "auto", "section"]
EXPAND: tuple[Expand, ...] = ("none", "window", "auto", "section")


class Expansion:
    """Widens passages within their sections. Reads through the store, so only what the principal may read.

    Haystack's `SentenceWindowRetriever` and `AutoMergingRetriever` find neighbours and parents by meta that its own splitters write (`split_id`,
    `__children_ids`), join texts without offsets and return sections whole, whatever the budget; a parent that is missing raises. Here both go by
    offsets into the stored section, so that the text shown is exactly the stored one.

    :param store: a document store; `None`: nothing is widened.
    :param expand: `section`: the whole section; `window`: `window` chunks on each side; `auto`: the section, where the passages cover at least
        `merge_share` of its text. A window that a splitter stored with the chunk is shown in any case.
    """

    def __init__(self, store: Any, expand: Expand, window: int, merge_share: float) -> None:
        self._store, self._expand, self._window, self._share = store, expand, window, merge_share
        self.sections: dict[str, Document] = {}
        self._neighbours: dict[str, list[tuple[int, int]]] = {}
        self._whole: set[str] = set()

    def read(self, passages: Sequence[Document], best: int) -> None:
        """Read the sections that could be needed: all where passages are widened, else those that hold two passages.

        :param best: of so many first passages the share of a section is counted.
        """
        keys = [key for d in passages if (key := section_key(d))]
        wanted = keys if self._expand != "none" else [key for key in keys if keys.count(key) > 1]
        windows = [key for d in passages if stored_window(d) and (key := section_key(d))]
        ids = sorted({key[2] for key in [*wanted, *windows]})
        if not ids or self._store is None:
            return
        if hasattr(self._store, "get_documents_by_id"):
            found = self._store.get_documents_by_id(ids)
        else:
            found = self._store.filter_documents({"field": "id", "operator": "in", "value": ids})
        self.sections = {section.id: section for section in found}
        if self._expand == "window":
            self._neighbours = chunk_ranges(self._store, ids)
        if self._expand == "auto":
            self._whole = {i for i, section in self.sections.items() if covered_share(section, passages[:best]) >= self._share}

    def widened(self, passage: Document) -> Document | None:
        """The passage with what surrounds it; None where nothing is to be added or the section is not at hand."""
        key = section_key(passage)
        if key is None:
            return None
        if self._expand == "section" or (self._expand == "auto" and key[2] in self._whole):
            return expanded(passage, self.sections)
        if (window := stored_window(passage)) is not None:
            return widened(passage, self.sections, *window)
        if self._expand == "window":
            start, end = window_of(char_range(passage), self._neighbours.get(key[2], []), self._window)
            return widened(passage, self.sections, start, end)
        return None


def chunk_ranges(store: Any, section_ids: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
    """Where the chunks of each section stand in the source, in order."""
    of_these = {"field": "meta.parent_id", "operator": "in", "value": list(section_ids)}
    wanted = {"operator": "AND", "conditions": [{"field": "meta.kind", "operator": "==", "value": "chunk"}, of_these]}
    if hasattr(store, "peek"):
        metas = store.peek(wanted, 10_000, ["meta.parent_id", "meta.char_start", "meta.char_end"])
    else:
        metas = [d.meta for d in store.filter_documents(wanted)]
    ranges: dict[str, list[tuple[int, int]]] = {}
    for meta in metas:
        ranges.setdefault(str(meta["parent_id"]), []).append((meta["char_start"], meta["char_end"]))
    return {section: sorted(set(found)) for section, found in ranges.items()}


def window_of(own: tuple[int, int], chunks: Sequence[tuple[int, int]], size: int) -> tuple[int, int]:
    """From the beginning of the `size`-th chunk before to the end of the `size`-th behind.

    >>> window_of((10, 20), [(0, 10), (10, 20), (20, 30), (30, 40)], 1)
    (0, 30)
    """
    before = [c for c in chunks if c < own and c[0] < own[0]][-size:]
    behind = [c for c in chunks if c > own and c[1] > own[1]][:size]
    return min([own[0], *(c[0] for c in before)]), max([own[1], *(c[1] for c in behind)])


def covered_share(section: Document, passages: Iterable[Document]) -> float:
    """The part of a section's text, white space aside, that the passages of that section and version hold, in [0, 1]."""
    first, text = char_range(section)[0], section.content or ""
    held = bytearray(len(text))
    for passage in passages:
        if (key := section_key(passage)) and key == (section.meta.get("source_id"), str(section.meta.get("source_version", "")), section.id):
            start, end = own_range(passage) or (0, 0)
            start, end = max(start - first, 0), min(end - first, len(text))
            held[start:end] = b"\1" * max(end - start, 0)
    visible = [here for here, c in zip(held, text, strict=True) if not c.isspace()]
    return sum(visible) / len(visible) if visible else 0.0

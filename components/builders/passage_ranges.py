"""Passages as exact ranges of the stored text: joining neighbours, and showing the whole section."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from haystack import Document


def own_range(document: Document) -> tuple[int, int] | None:
    """The half-open range of a passage in the cleaned text of its source; None where its meta does not hold one that fits its content."""
    start, end = document.meta.get("char_start"), document.meta.get("char_end")
    if isinstance(start, int) and isinstance(end, int) and start >= 0 and end - start == len(document.content or ""):
        return start, end
    return None


def stored_window(document: Document) -> tuple[int, int] | None:
    """The half-open range that the splitter wants shown for a chunk (`SentenceWindowSplitter`); None where there is none that holds the chunk."""
    own, start, end = own_range(document), document.meta.get("window_start"), document.meta.get("window_end")
    if own is None or not isinstance(start, int) or not isinstance(end, int) or not 0 <= start <= own[0] or end < own[1]:
        return None
    return start, end


def char_range(document: Document) -> tuple[int, int]:
    """`own_range`, or `(0, length)` where there is none."""
    return own_range(document) or (0, len(document.content or ""))


def section_key(document: Document) -> tuple[str, str, str] | None:
    """Source, its version and the section of a chunk; None for a passage that is no chunk of a section."""
    source, parent = document.meta.get("source_id"), document.meta.get("parent_id")
    return (str(source), str(document.meta.get("source_version", "")), str(parent)) if source and parent and own_range(document) else None


def section_text(section: Document | None, start: int, end: int) -> str | None:
    """The section's text at [start, end) of its source; None where the section does not reach."""
    if section is None:
        return None
    first, last = char_range(section)
    return (section.content or "")[start - first : end - first] if first <= start <= end <= last else None


def covers(passage: Document, chunk: Document) -> bool:
    """Whether the passage already shows all of the chunk."""
    if section_key(passage) is None or section_key(passage) != section_key(chunk):
        return False
    (a, b), (c, d) = char_range(passage), char_range(chunk)
    return a <= c and d <= b


def overlap(one: Document, other: Document) -> bool:
    """Whether two passages show some of the same text of a section."""
    if section_key(one) is None or section_key(one) != section_key(other):
        return False
    (a, b), (c, d) = char_range(one), char_range(other)
    return a < d and c < b


def joined(passage: Document, chunk: Document, sections: Mapping[str, Document]) -> Document | None:
    """Two passages of one section as one, where they overlap, touch, or have only white space between them; else None.

    The text is that of the stored section, or of the two where they touch and the section is not at hand. It is checked against both:
    a section of another version joins nothing.

    :param passage: gives id, score and meta.
    :param sections: document id to section.
    """
    key = section_key(passage)
    if key is None or key != section_key(chunk):
        return None
    first, second = sorted((passage, chunk), key=lambda d: (char_range(d), d.id))
    (start, middle), (begin, end) = char_range(first), char_range(second)
    end = max(middle, end)
    one, two = first.content or "", second.content or ""
    section = sections.get(key[2])
    text = section_text(section, start, end)
    if section is None and begin <= middle:
        text = one + two[middle - begin :]
    if text is None or not text.startswith(one) or text[begin - start : begin - start + len(two)] != two:
        return None
    if begin > middle and text[middle - start : begin - start].strip():
        return None
    return _resized(passage, text, start, end, first, [*_ids(passage), *_ids(chunk)])


def expanded(chunk: Document, sections: Mapping[str, Document]) -> Document | None:
    """The whole section of a chunk under the chunk's id and score; None where it is not at hand or does not hold the chunk."""
    key = section_key(chunk)
    section = sections.get(key[2]) if key else None
    if section is None or section_text(section, *char_range(chunk)) != chunk.content:
        return None
    return _resized(chunk, section.content or "", *char_range(section), section, _ids(chunk))


def widened(chunk: Document, sections: Mapping[str, Document], start: int, end: int) -> Document | None:
    """The section's text at [start, end) of its source under the chunk's id and score; None where it is not at hand or does not hold the chunk."""
    key = section_key(chunk)
    section = sections.get(key[2]) if key else None
    own = char_range(chunk)
    if section is None or section_text(section, *own) != chunk.content or not (start <= own[0] and own[1] <= end):
        return None
    text = section_text(section, start, end)
    return None if text is None else _resized(chunk, text, start, end, chunk if start == own[0] else section, _ids(chunk))


def narrowed_to(passage: Document, start: int, end: int) -> Document:
    """The part [start, end) of a passage's content, with its place in the source."""
    first = char_range(passage)[0]
    text = (passage.content or "")[start:end]
    return replace(
        passage,
        content=text,
        meta={**passage.meta, "char_start": first + start, "char_end": first + end},
        embedding=None,
        sparse_embedding=None,
    )


def _ids(document: Document) -> list[str]:
    return document.meta.get("chunk_ids") or [document.id]


def _resized(passage: Document, text: str, start: int, end: int, first: Document, chunk_ids: list[str]) -> Document:
    meta = {**passage.meta, "char_start": start, "char_end": end, "chunk_ids": list(dict.fromkeys(chunk_ids))}
    if "page" in first.meta:
        meta["page"] = first.meta["page"]
    return replace(passage, content=text, meta=meta, embedding=None, sparse_embedding=None)

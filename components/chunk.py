"""The unit of the index: the meta of every point, and how its ids are made. Citations are built from nothing else."""

from __future__ import annotations

import hashlib
from typing import Literal, NotRequired, TypedDict

Kind = Literal["chunk", "section", "source"]
"""What a point is. `chunk`: embedded and retrieved. `section`: a chunk's parent, stored without vectors; the sections of a
source, in order, are its whole cleaned text. `source`: the manifest entry of a file, written last, so it marks the commit."""


class ChunkMeta(TypedDict):
    """Meta of a point (`Document.meta`). Dates are ISO 8601 text, `YYYY-MM-DD` or with time and offset."""

    kind: Kind
    source_id: str
    """Identity of the document: `source_id()`. A record of a file has its own."""
    container_id: str
    """`source_id` of the file that was read. Equals `source_id`, except for a record inside a file."""
    source_version: str
    tenant: str
    access: list[str]
    """Group names that may read it; `public` is everyone in the tenant. Never empty."""
    title: str
    uri: str
    """Path or URL as the user knows it; a record's ends in `#` and its key."""
    file_name: str
    mime_type: str
    heading_path: list[str]
    """Headings above the chunk, outermost first, without the title."""
    context_header: str
    """One line, `title > heading > heading`, embedded before the content. Empty where there is none."""
    page: int | None
    """Page of the chunk's first own character, from 1; None where the format has no pages."""
    char_start: int
    char_end: int
    """Half-open range in the cleaned text of this source version: content == text[char_start:char_end]."""
    language: NotRequired[str]
    created_at: NotRequired[str]
    modified_at: NotRequired[str]
    indexed_at: NotRequired[str]
    valid_from: NotRequired[str]
    """First day on which it is in force."""
    valid_to: NotRequired[str]
    """First day on which it is no longer in force (half-open, as char_end is)."""
    superseded_by: NotRequired[str]
    """What replaced it, in words or as a uri."""
    parent_id: NotRequired[str]
    """Document id of its section."""
    record_id: NotRequired[str]
    window_start: NotRequired[int]
    window_end: NotRequired[int]
    """Half-open range in the cleaned text, inside the chunk's section, that is shown where the chunk is found."""
    section_number: NotRequired[str]
    """Number of the innermost numbered heading, as `303`, `3.2`, `4A`, `XVII`."""
    references: NotRequired[list[str]]
    """Document ids of the sections of the same source that its text refers to."""


def _hash(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))  # length first: ("ab", "c") is not ("a", "bc")
        digest.update(data)
    return digest.hexdigest()


def source_id(tenant: str, alias: str, path: str) -> str:
    """Identity of a durable document, 32 hex digits: the same tenant, root alias and path (or URL) give the same id."""
    return _hash("source", tenant, alias, path)[:32]


def embedded_text(content: str, context_header: str) -> str:
    """What the embedders read: the context header on a line of its own, then the content."""
    return f"{context_header}\n{content}" if context_header else content


def point_id(kind: Kind, source_id: str, text: str, occurrence: int) -> str:
    """Document id of a point, 64 hex digits.

    :param text: the embedded text of a chunk, the content of a section, empty for a source.
    :param occurrence: 0 for the first point of this source with the same text, 1 for the second, and so on.
    """
    return _hash(kind, source_id, text, str(occurrence))

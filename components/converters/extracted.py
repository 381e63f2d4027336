"""What a reader of one format finds in a file."""

from __future__ import annotations

from dataclasses import dataclass, field

from components.converters.outcome import Parts


@dataclass
class Extracted:
    """The contents of a file, before it becomes a document.

    :param parts: blocks in reading order.
    :param title: the title that the document gives itself, else empty.
    :param language: its language code where it says one.
    :param notices: what a reader should know of how it was read, one line each.
    """

    parts: Parts
    title: str = ""
    language: str | None = None
    notices: list[str] = field(default_factory=list)

"""What a component of a query says of a passage that it leaves out, so that a search can be explained."""

from __future__ import annotations

from typing import TypedDict


class Dropped(TypedDict):
    """A passage that came in and does not go on. An output socket `dropped: list[Dropped]` is all that explaining needs.

    `id` is the document's, `reason` one line for a person: what was compared with what.
    """

    id: str
    reason: str

"""What a component says when something went wrong and the run goes on."""

from __future__ import annotations

from typing import TypedDict


class Failure(TypedDict):
    """A source that was not indexed. `reason` is one line for a person, without a traceback."""

    source: str
    reason: str


class Degradation(TypedDict):
    """A stage of a query that gave less than it should. `reason` is one line for a person."""

    stage: str
    reason: str

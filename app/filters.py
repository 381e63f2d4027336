"""A caller's filter at the door: its form, the fields it names, and how much of the index it leaves."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

from app.errors import UsageError
from app.graphs import Graph
from app.store import graph_store
from components.answer import Stage

if TYPE_CHECKING:
    from components.document_stores.filter_building import Filters

STAGE = "filters"


def read_filters(texts: list[str] | None) -> list[Any] | None:
    """The filters of the command line, their form checked: readable conditions as they are, a text that begins with `{` as JSON.

    :raises UsageError: one of them is neither.
    """
    if not texts:
        return None
    from app.serving.filters import checked_filters

    found = [_json(text) if text.lstrip().startswith("{") else text for text in texts]
    try:
        return checked_filters(found)
    except ValueError as error:
        raise UsageError(f"--{error}" if str(error).startswith("filter ") else f"--filter: {error}") from None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"--filter {text!r}: not JSON: {error.msg} at column {error.colno}") from None


async def resolved(graph: Graph, filters: Filters) -> tuple[dict[str, Any] | None, Stage | None]:
    """The filter as the graph's store takes it, for the current principal, and the stage that says what it leaves.

    :raises UsageError: a field that no readable document has, a condition that is none, or a graph that takes no filters.
    """
    if not filters:
        return None, None
    if not graph.inputs.get("filters"):
        raise UsageError(f"{graph.path.name} takes no filters: it declares no input `filters`")
    return await asyncio.to_thread(_resolved, graph, filters)


def _resolved(graph: Graph, filters: Filters) -> tuple[dict[str, Any] | None, Stage | None]:
    from haystack.errors import FilterError

    from components.document_stores.filter_building import FilterBuilder
    from components.document_stores.filter_conversion import to_qdrant
    from components.document_stores.filter_coverage import coverage
    from components.document_stores.filter_fields import IndexFields

    started = time.perf_counter()
    store = graph_store(graph)
    builder = FilterBuilder(IndexFields(store) if store else None)
    try:
        built = builder.build(filters)
        to_qdrant(built)
    except (ValueError, FilterError) as error:
        raise UsageError(str(error)) from None
    if built is None or store is None:
        return built, None
    left = coverage(store, built)
    ms = round((time.perf_counter() - started) * 1000, 3)
    note = "; ".join([str(left), *builder.notes])
    return built, Stage(name=STAGE, type=__name__, ms=ms, candidates_in=left.chunks, candidates_out=left.chunks_left, note=note)

"""From what a question asks for to a filter that leaves something: shared by the two ways of reading a question."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from components.document_stores.filter_building import FilterBuilder, Filters
from components.document_stores.filter_coverage import coverage
from components.document_stores.filter_fields import IndexFields, Readable, all_of
from components.document_stores.filter_language import ConditionError

Wanted = tuple[str, Filters]
"""How a condition is named to a person, and the condition."""


def narrowed(
    store: Readable, given: dict[str, Any] | None, wanted: Sequence[Wanted], now: datetime | None = None
) -> tuple[dict[str, Any] | None, list[str], list[str]]:
    """The caller's filter and as many of the wanted conditions as together leave something. A filter of the caller is never widened.

    :param given: the caller's filter, as the store takes it.
    :returns: the filter; what was applied, in words; what was left out, each with its reason.
    """
    applied: list[str] = []
    refused: list[str] = []
    filters = given
    for name, condition in wanted:
        try:
            built = FilterBuilder(IndexFields(store), now).build(condition)
        except ConditionError as error:
            refused.append(f"{name}: {error}")
            continue
        if not built:
            continue
        both = all_of([filters, built]) if filters else built
        if coverage(store, both).chunks_left:
            filters = both
            applied.append(name)
        else:
            refused.append(f"{name}: it leaves nothing")
    return filters, applied, refused


def said(store: Readable, filters: dict[str, Any] | None, applied: Sequence[str], refused: Sequence[str]) -> str:
    """What was done, in one line; empty where nothing was."""
    parts = [f"from the question: {', '.join(applied)}; {coverage(store, filters)}"] if applied and filters else []
    return "; ".join([*parts, *(f"not applied: {reason}" for reason in refused)])

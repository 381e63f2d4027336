"""How a retriever's own filter and the one of a call go together."""

from __future__ import annotations

from typing import Any

from haystack.document_stores.types import FilterPolicy


def combined(policy: FilterPolicy, own: dict[str, Any] | None, given: dict[str, Any] | None) -> dict[str, Any] | None:
    """MERGE: both must match. REPLACE: the given one counts, if there is one.

    Haystack's `apply_filter_policy` lets the given filter override the retriever's own on the same field, which widens it.
    """
    if not own or not given:
        return given or own or None
    return given if policy == FilterPolicy.REPLACE else {"operator": "AND", "conditions": [own, given]}

"""Haystack filters to Qdrant filters, where qdrant-haystack's own conversion answers something else than was asked.

qdrant-haystack turns `in []` into "everything" and `NOT(a, b)` into "neither a nor b", cannot compare with `None`, and refuses
`==` on a fraction. Here `in []` matches nothing, `NOT(a, b)` means "not both", and `None` means "has no value".
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from haystack.errors import FilterError
from qdrant_client.http import models as rest

from components.access.access_filter import NOTHING

EVERYTHING = rest.Filter(must=[])
_OUTSIDE_META = ("id", "content", "meta", "blob")


def to_qdrant(filters: dict[str, Any] | rest.Filter | None) -> rest.Filter | None:
    """Convert a Haystack filter; a Qdrant filter passes as it is, None and {} mean "no filter".

    :raises FilterError: the filter is malformed; the message names what is accepted.

    >>> to_qdrant({"field": "meta.kind", "operator": "in", "value": []}) is NOTHING
    True
    """
    if filters is None or isinstance(filters, rest.Filter):
        return filters
    if not isinstance(filters, dict):
        raise FilterError(f"a filter is a dict or a qdrant_client Filter, not {type(filters).__name__}")
    if not filters:
        return None
    condition = _condition(filters)
    return condition if isinstance(condition, rest.Filter) else rest.Filter(must=[condition])


def field_key(field: str) -> str:
    """Payload path of a field: `kind` and `meta.kind` are the same; `id` and `content` lie outside meta."""
    return field if field.startswith("meta.") or field in _OUTSIDE_META else f"meta.{field}"


def _condition(item: Any) -> Any:
    if not isinstance(item, dict):
        raise FilterError(f"a condition is a dict, not {type(item).__name__}")
    operator = item.get("operator")
    if operator is None:
        raise FilterError("a filter needs 'operator'")
    if operator in ("AND", "OR", "NOT"):
        return _logical(operator, item.get("conditions"))
    if operator not in _COMPARISONS:
        raise FilterError(f"unknown operator {operator!r}, accepted: AND, OR, NOT, {', '.join(_COMPARISONS)}")
    if "field" not in item or "value" not in item:
        raise FilterError(f"a comparison needs 'field' and 'value': {item!r}")
    if not isinstance(item["field"], str) or not item["field"]:
        raise FilterError(f"'field' is a name, not {item['field']!r}")
    return _COMPARISONS[operator](field_key(item["field"]), item["value"])


def _logical(operator: str, conditions: Any) -> rest.Filter:
    if not isinstance(conditions, list) or not conditions:
        raise FilterError(f"{operator!r} needs a non-empty list 'conditions'")
    parts = [_condition(c) for c in conditions]
    if operator == "OR":
        return rest.Filter(should=parts)
    together = rest.Filter(must=parts)
    return together if operator == "AND" else _negated(together)


def _negated(condition: Any) -> rest.Filter:
    return rest.Filter(must_not=[condition])


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, (date, datetime)) else value


def _equal(key: str, value: Any) -> Any:
    value = _plain(value)
    if value is None:
        return rest.IsEmptyCondition(is_empty=rest.PayloadField(key=key))
    if isinstance(value, (bool, int, str)):
        return rest.FieldCondition(key=key, match=rest.MatchValue(value=value))
    if isinstance(value, float):
        return rest.FieldCondition(key=key, range=rest.Range(gte=value, lte=value))
    raise FilterError(f"{key} == {value!r}: accepted values are text, numbers, true, false, dates and null")


def _any_of(key: str, values: Any) -> Any:
    if not isinstance(values, list):
        raise FilterError(f"{key} in {values!r}: accepted is a list")
    values = [_plain(v) for v in values]
    if not values:
        return NOTHING
    if all(isinstance(v, str) for v in values) or all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        return rest.FieldCondition(key=key, match=rest.MatchAny(any=values))
    return rest.Filter(should=[_equal(key, v) for v in values])


def _ordered(bound: str) -> Callable[[str, Any], Any]:
    def compare(key: str, value: Any) -> Any:
        value = _plain(value)
        if value is None:
            return NOTHING  # nothing is more or less than "no value"
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return rest.FieldCondition(key=key, range=rest.Range(**{bound: value}))
        if isinstance(value, str):
            try:
                moment = datetime.fromisoformat(value)
            except ValueError:
                raise FilterError(f"{key} compared with {value!r}: accepted are numbers and ISO 8601 dates") from None
            return rest.FieldCondition(key=key, range=rest.DatetimeRange(**{bound: moment}))
        raise FilterError(f"{key} compared with {value!r}: accepted are numbers and ISO 8601 dates")

    return compare


_COMPARISONS: dict[str, Callable[[str, Any], Any]] = {
    "==": _equal,
    "!=": lambda key, value: _negated(_equal(key, value)),
    "in": _any_of,
    "not in": lambda key, value: _negated(_any_of(key, value)),
    ">": _ordered("gt"),
    ">=": _ordered("gte"),
    "<": _ordered("lt"),
    "<=": _ordered("lte"),
}

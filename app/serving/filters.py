"""The shape of a caller's filter. What it may show is the store's matter: there a filter can only narrow."""

from __future__ import annotations

import math
import re
from typing import Any, TypeVar

T = TypeVar("T")
MAX_DEPTH = 8
MAX_ITEMS = 500
"""Conditions and values of one filter, all together."""
FIELD = re.compile(r"(?=.{1,128}\Z)[\w-]+(\.[\w-]+)*")
INT64 = 2**63


def checked_filters(filters: T) -> T:
    """The filter as it came.

    :param filters: a filter of Haystack, a readable condition (`modified_at >= P30D`), or a list of them.
    :raises ValueError: it is none, or larger or deeper than a question needs; one line.
    """
    from haystack.errors import FilterError

    from components.document_stores.filter_building import FilterBuilder
    from components.document_stores.filter_conversion import to_qdrant
    from components.document_stores.filter_language import ConditionError

    _check(filters, 0, [0])
    try:
        to_qdrant(FilterBuilder(None).build(filters))  # pyright: ignore[reportArgumentType]  what it is not is found out here
    except (FilterError, ConditionError) as error:
        raise ValueError(str(error)) from None
    except (ValueError, TypeError, OverflowError, AttributeError):
        raise ValueError("a condition is {field, operator, value}, or {operator: AND, OR or NOT, conditions: [...]}") from None
    return filters


def _check(value: Any, depth: int, count: list[int]) -> None:
    count[0] += 1
    if depth > MAX_DEPTH or count[0] > MAX_ITEMS:
        raise ValueError(f"a filter has {MAX_DEPTH} levels and {MAX_ITEMS} values at most")
    if isinstance(value, dict):
        if "field" in value and not (isinstance(value["field"], str) and FIELD.fullmatch(value["field"])):
            raise ValueError("a field is a name of letters, digits, _, - and dots, for instance meta.mime_type")
        for key, item in value.items():
            _check(key, depth, count)
            _check(item, depth + 1, count)
    elif isinstance(value, list):
        for item in value:
            _check(item, depth + 1, count)
    elif isinstance(value, str):
        if not is_text(value):
            raise ValueError("a filter holds text that is not valid Unicode")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("numbers must be finite")
    elif isinstance(value, int) and not -INT64 <= value < INT64:
        raise ValueError("whole numbers must fit 64 bits")


def is_text(value: str) -> bool:
    """Whether the text can be stored and sent: JSON can write half of a surrogate pair, UTF-8 cannot; and no NUL."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\0" not in value

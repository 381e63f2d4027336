"""The readable form of a filter: `FIELD OPERATOR VALUE`, for instance `modified_at >= last 30 days` or `type = pdf | docx`."""

from __future__ import annotations

import re
from dataclasses import dataclass

ACCEPTED = (
    "FIELD=VALUE, with = != < <= > >= between, and | between alternatives; for instance type=pdf|docx, modified_at>=P30D, heading=Leave > Notice"
)
_CONDITION = re.compile(r"\s*((?=[\w.-]{1,128}(?![\w.-]))[\w-]+(?:\.[\w-]+)*)\s*(!=|<=|>=|==|=|<|>)\s*(.*)", re.DOTALL)
_PART = re.compile(r"\"(?:[^\"\\]|\\.)*\"|[^|\"]+|\"|\|")
MAX_CHARS, MAX_VALUES = 2000, 100


class ConditionError(ValueError):
    """A filter that is none. One line: what, and what is accepted."""


@dataclass(frozen=True)
class Condition:
    """One comparison as written.

    :param operator: ==, !=, <, <=, > or >=.
    :param values: alternatives, at least one; each as text.
    """

    field: str
    operator: str
    values: tuple[str, ...]


def parse_condition(text: str) -> Condition:
    r"""Read one condition. A value that holds `|` or begins or ends with a space is written in double quotes, `\"` for a quote in it.

    :raises ConditionError: it is none; the message says what is accepted.

    >>> parse_condition('type = pdf | docx').values, parse_condition('title="a | b"').values
    (('pdf', 'docx'), ('a | b',))
    """
    found = _CONDITION.fullmatch(text) if len(text) <= MAX_CHARS else None
    if not found:
        raise ConditionError(f"filter {text[:200]!r}: accepted is {ACCEPTED}")
    field, operator, rest = found.groups()
    values = [_unquoted(value) for value in _alternatives(rest)]
    if any(not value for value in values):
        raise ConditionError(f"filter {text!r}: a value is missing; accepted is {ACCEPTED}")
    if operator in ("<", "<=", ">", ">=") and len(values) > 1:
        raise ConditionError(f"filter {text!r}: {operator} takes one value")
    if len(values) > MAX_VALUES:
        raise ConditionError(f"filter {text[:200]!r}: it has {len(values)} alternatives; accepted are {MAX_VALUES}")
    return Condition(field, "==" if operator == "=" else operator, tuple(values))


def _alternatives(text: str) -> list[str]:
    """The text cut at each `|` outside quotes."""
    values = [""]
    for part in _PART.findall(text):
        if part == "|":
            values.append("")
        else:
            values[-1] += part
    return [value.strip() for value in values]


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] == '"'
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if quoted else value

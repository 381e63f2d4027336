"""Whether a passage is in force on a day, and what to say when it is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Validity:
    """:param in_force: on the day asked about.
    :param note: one line for the reader; empty where there is nothing to say.
    """

    in_force: bool
    note: str = ""


def day_of(text: str) -> date:
    """The day of an ISO 8601 date or date and time, as written there (no conversion of time zones).

    :raises ValueError: it is neither.

    >>> day_of("2024-07-01T00:30:00+05:30")
    datetime.date(2024, 7, 1)
    """
    try:
        if len(text) > 10 and text[10] not in "Tt ":
            raise ValueError
        return date.fromisoformat(text[:10])
    except ValueError:
        raise ValueError(f"{text!r} is not a date; accepted is YYYY-MM-DD, or with a time") from None


def validity(meta: Mapping[str, Any], as_of: date) -> Validity:
    """Validity of a passage by its `valid_from` and `valid_to`: half-open days, a missing end is open.

    A date that cannot be read counts as missing, and the note says so.

    >>> validity({"valid_to": "2024-07-01", "superseded_by": "BNS 303"}, date(2024, 7, 1)).note
    'not in force since 2024-07-01; superseded by BNS 303'
    >>> validity({"valid_to": "2024-07-01"}, date(2024, 6, 30)).in_force
    True
    """
    unreadable: list[str] = []
    begin, end = _day(meta, "valid_from", unreadable), _day(meta, "valid_to", unreadable)
    notes: list[str] = []
    in_force = True
    if end is not None and as_of >= end:
        in_force = False
        notes.append(f"not in force since {end.isoformat()}")
    elif begin is not None and as_of < begin:
        in_force = False
        notes.append(f"in force from {begin.isoformat()}")
    if (successor := meta.get("superseded_by")) and (not in_force or end is None):  # while a known end lies ahead, it still stands alone
        notes.append(f"superseded by {successor}")
    return Validity(in_force, "; ".join(notes + unreadable))


def newer(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether `one` is the newer of two: the first of valid_from, modified_at, created_at on which both have a day and differ decides."""
    for field in ("valid_from", "modified_at", "created_at"):
        a, b = _day(one, field, []), _day(other, field, [])
        if a is not None and b is not None and a != b:
            return a > b
    return False


def _day(meta: Mapping[str, Any], field: str, unreadable: list[str]) -> date | None:
    value = meta.get(field)
    if value is None or value == "":
        return None
    try:
        return day_of(str(value))
    except ValueError:
        unreadable.append(f"{field} {str(value)[:40]!r} is not a date")
        return None


def in_force_first(passages: Sequence[T], in_force: Callable[[T], bool], limit: int, reserved: int) -> list[T]:
    """Order ranked passages so that a cut at `limit` keeps those in force, and still the best few that are not.

    A passage that is not in force keeps a place, behind those in force, if it ranks among the first `limit` and fewer than `reserved` better
    ones do: a question about the old rule must find it, and the old rule must not crowd out the new one.

    >>> in_force_first(["old1", "new1", "old2", "new2", "new3"], lambda p: p.startswith("new"), limit=3, reserved=1)
    ['new1', 'new2', 'old1', 'new3', 'old2']
    """
    current = [p for p in passages if in_force(p)]
    past = [p for p in passages if not in_force(p)]
    kept = min(reserved, sum(not in_force(p) for p in passages[:limit]))
    places = max(limit - kept, 0)
    return [*current[:places], *past[:kept], *current[places:], *past[kept:]]

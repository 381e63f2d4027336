"""Dates in a filter, fixed or relative to today, as half-open periods of UTC."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from dateutil.relativedelta import relativedelta

ACCEPTED = (
    "a day (2024-03-01), month (2024-03), quarter (2024-Q1), week (2024-W05), year (2024) or moment (2024-03-01T10:00Z); an ISO duration up to now "
    "(P30D, P6M, PT12H); today, yesterday, this or last week, month, quarter or year, last 30 days, 3 weeks ago; or two of them, FROM..TO"
)
UNITS = {"day": "days", "week": "weeks", "month": "months", "year": "years", "hour": "hours", "minute": "minutes"}
_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS = {word: n for n, word in enumerate(_COUNTED, start=1)} | {"a": 1, "an": 1}
_COUNT = rf"(\d{{1,4}}|{'|'.join(NUMBERS)})"
_UNIT = rf"({'|'.join(UNITS)})s?"
_DURATION = re.compile(
    r"-?P(?!$)(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?!$)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?", re.IGNORECASE
)
_LAST = re.compile(rf"(?:in |within |over |during )?(?:the )?(?:last|past|previous) {_COUNT} {_UNIT}")
_AGO = re.compile(rf"{_COUNT} {_UNIT} ago")
_CALENDAR = re.compile(r"(?:the )?(this|last|previous|current) (week|month|quarter|year)")
_YEAR, _MONTH = re.compile(r"\d{4}"), re.compile(r"(\d{4})-(\d{2})")
_QUARTER, _WEEK = re.compile(r"(\d{4})-?Q([1-4])", re.IGNORECASE), re.compile(r"(\d{4})-?W(\d{2})", re.IGNORECASE)


@dataclass(frozen=True)
class Period:
    """`start` <= moment < `end`, in UTC; None is open."""

    start: datetime | None
    end: datetime | None


def period(text: str, now: datetime | None = None) -> Period:
    """The period that a text names. A day, a week (from Monday) and so on are those of UTC.

    :param now: for what is relative; `None`: now.
    :raises ValueError: it names none; the message says what is accepted.

    >>> period("2024-03").end.isoformat()
    '2024-04-01T00:00:00+00:00'
    >>> period("last 2 days", datetime(2024, 3, 10, 12, tzinfo=UTC)).start.isoformat()
    '2024-03-08T00:00:00+00:00'
    """
    now = (now or datetime.now(UTC)).astimezone(UTC)
    words = " ".join(text.split())
    first, dots, last = words.partition("..")
    try:
        if dots:
            begin = _one(first.strip(), now) if first.strip() else Period(None, None)
            finish = _one(last.strip(), now) if last.strip() else Period(None, None)
            if begin is None or finish is None or (begin.start is None and finish.end is None):
                raise ValueError
            if begin.start and finish.end and begin.start >= finish.end:
                raise ValueError
            return Period(begin.start, finish.end)
        found = _one(words, now)
    except (ValueError, OverflowError):
        found = None
    if found is None:
        raise ValueError(f"{text!r} is no date; accepted: {ACCEPTED}")
    return found


def _one(text: str, now: datetime) -> Period | None:
    return _fixed(text) or _relative(text, now)


def _fixed(text: str) -> Period | None:
    if _YEAR.fullmatch(text):
        return _from(datetime(int(text), 1, 1, tzinfo=UTC), relativedelta(years=1))
    if found := _MONTH.fullmatch(text):
        return _from(datetime(int(found[1]), int(found[2]), 1, tzinfo=UTC), relativedelta(months=1))
    if found := _QUARTER.fullmatch(text):
        return _from(datetime(int(found[1]), 3 * int(found[2]) - 2, 1, tzinfo=UTC), relativedelta(months=3))
    if found := _WEEK.fullmatch(text):
        return _from(datetime.fromisocalendar(int(found[1]), int(found[2]), 1).replace(tzinfo=UTC), relativedelta(weeks=1))
    if not re.match(r"\d{4}-\d{2}-\d{2}", text):
        return None
    moment = datetime.fromisoformat(text)
    if len(text) <= 10:
        return _from(moment.replace(tzinfo=UTC), relativedelta(days=1))
    moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return _from(moment, relativedelta(seconds=1))


def _relative(text: str, now: datetime) -> Period | None:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    tomorrow = today + timedelta(days=1)
    if found := _DURATION.fullmatch(text):
        names = ("years", "months", "weeks", "days", "hours", "minutes", "seconds")
        amounts = {name: int(value) for name, value in zip(names, found.groups(), strict=True) if value}
        start = now - relativedelta(**amounts)  # pyright: ignore[reportArgumentType]
        return Period(start if amounts.keys() & {"hours", "minutes", "seconds"} else _midnight(start), None)
    words = text.casefold()
    if words == "today":
        return Period(today, tomorrow)
    if words == "yesterday":
        return Period(today - timedelta(days=1), today)
    if found := _CALENDAR.fullmatch(words):
        length = {
            "week": relativedelta(weeks=1),
            "month": relativedelta(months=1),
            "quarter": relativedelta(months=3),
            "year": relativedelta(years=1),
        }
        start = {
            "week": today - timedelta(days=today.weekday()),
            "month": today.replace(day=1),
            "quarter": today.replace(day=1, month=3 * ((today.month - 1) // 3) + 1),
            "year": today.replace(day=1, month=1),
        }[found[2]]
        return _from(start if found[1] in ("this", "current") else start - length[found[2]], length[found[2]])
    if found := _LAST.fullmatch(words):
        start = now - _amount(found[1], found[2])
        return Period(start if found[2] in ("hour", "minute") else _midnight(start), None)
    if found := _AGO.fullmatch(words):
        start = now - _amount(found[1], found[2])
        if found[2] in ("hour", "minute"):
            return _from(start.replace(second=0, microsecond=0), relativedelta(**{UNITS[found[2]]: 1}))  # pyright: ignore[reportArgumentType]
        return _from(_midnight(start), relativedelta(days=1))
    return None


def _amount(count: str, unit: str) -> relativedelta:
    return relativedelta(**{UNITS[unit]: int(NUMBERS.get(count, count))})  # pyright: ignore[reportArgumentType]


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _from(start: datetime, length: relativedelta) -> Period:
    return Period(start, start + length)

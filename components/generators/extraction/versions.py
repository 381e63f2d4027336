"""Questions about a past time ("in 2022", "until March 2024"): which versions of a rule were in force then, and the question without its time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import regex

from components.generators.extraction.units import Source, Unit, plain
from components.generators.extraction.words import Bag

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?:19|20)\d\d"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = rf"(?:{_YEAR}-\d\d-\d\d|(?:(?:{_ORDINAL}\s+(?:of\s+)?)?{_MONTH}\s+(?:{_ORDINAL},?\s+)?)?{_YEAR})(?!\d)"
_TIMES: tuple[tuple[str, regex.Pattern[str]], ...] = (
    ("range", regex.compile(rf"\b(?:between|from)\s+({_DATE})\s*(?:and|to|till|until|[-–—])\s*({_DATE})", regex.I)),
    ("before", regex.compile(rf"\b(?:before|until|till|up\s+to|prior\s+to)\s+(?:the\s+)?({_DATE})", regex.I)),
    (
        "in",
        regex.compile(
            rf"\b(?:back\s+in|in|during|throughout|on|as\s+of|for|at\s+the\s+(?:end|start|beginning)\s+of)\s+(?:the\s+year\s+)?({_DATE})", regex.I
        ),
    ),
)
_CHANGE = regex.compile(
    r"^(?:how|in\s+what\s+way)\s+(?:did|has|have|does|do)\s+(?P<a>.+?)\s+(?:changed?|differ(?:ed)?|develop(?:ed)?)\b"
    r"|^what\s+(?:has\s+)?changed\s+(?:in|about|with|for)\s+(?P<b>.+)",
    regex.I,
)
_PAST_BE = regex.compile(r"^(\s*(?:what|who|where|how\s+\p{L}+|which\s+\p{L}+)\s+)(was|were)\b", regex.I)
_EARLIER = regex.compile(r"\b(?:before|until|till|up\s+to|prior\s+to)\b", regex.I)


@dataclass(frozen=True)
class Past:
    """A time that a question is about, as half-open days; no beginning: any time before.

    :param text: the question without it, in the present tense, as the version of that time says it.
    :param years: as written in the question.
    """

    begin: date | None
    end: date
    text: str
    years: frozenset[str]
    is_change: bool = False
    """Whether it is asked how something changed."""


def past_of(text: str) -> Past | None:
    """The time that a question is about, None where it names none.

    >>> past = past_of("What was the guest fee until March 2024?")
    >>> past.begin, past.end.isoformat(), past.text
    (None, '2024-03-01', 'What is the guest fee?')
    >>> past_of("How did the rent change between 2020 and 2022?").text
    'what is the rent?'
    >>> past_of("Who has paid since 2020?")
    """
    for how, pattern in _TIMES:
        match = pattern.search(text)
        days = [day for written in match.groups() if (day := _days(written))] if match else []
        if match is None or not days:
            continue
        begin, end = (None, days[0][0]) if how == "before" else (days[0][0], days[-1][1])
        if begin is not None and begin >= end:
            continue
        bare = regex.sub(r"[\s,]+(?=[?.!]|$)", "", text[: match.start()] + text[match.end() :])
        bare = " ".join(bare.split()).strip(" ,")
        change = _CHANGE.match(bare)
        if change:
            bare = f"what is {change.group('a') or change.group('b').strip(' ?.')}?"
        bare = _PAST_BE.sub(lambda m: m.group(1) + ("is" if m.group(2).casefold() == "was" else "are"), bare)
        return Past(begin, end, bare, frozenset(regex.findall(_YEAR, match.group())), change is not None)
    return None


def _days(written: str) -> tuple[date, date] | None:
    """First day of a date, a month or a year, and the day after its last; None where there is no such day."""
    try:
        if regex.fullmatch(r"\d{4}-\d\d-\d\d", written):
            day = date.fromisoformat(written)
            return day, day + timedelta(days=1)
        year = int(regex.findall(_YEAR, written)[-1])
        month = regex.search(r"\p{L}{3,}", regex.sub(r"\bof\b|(?<=\d)(?:st|nd|rd|th)\b", "", written))
        if month is None:
            return date(year, 1, 1), date(year + 1, 1, 1)
        number = _MONTHS.index(month.group()[:3].casefold()) + 1
        if day_of_month := regex.search(r"(?<!\d)\d{1,2}(?!\d)", written):
            day = date(year, number, int(day_of_month.group()))
            return day, day + timedelta(days=1)
        return date(year, number, 1), date(year + number // 12, number % 12 + 1, 1)
    except ValueError:
        return None


def versions_of(past: Past, sources: Sequence[Source]) -> list[list[Source]]:
    """The passages in force at some time of the period: those that no longer are, then those that still are; each document of its own where it is
    asked how something changed. None where no passage is known to have been replaced.

    A passage in force without a first day counts where the period goes on behind the end of the one that names it as its successor, or of all.
    """
    ended = [s for s in sources if not s.in_force and s.valid_to]
    old = [s for s in ended if _overlaps(past, s.valid_from, s.valid_to)]
    current = [s for s in sources if s.in_force and (begin := _first_day(s, ended, old)) and _overlaps(past, begin, s.valid_to)]
    if not old and not (current and ended):
        return []
    if not past.is_change:
        return [group for group in (old, current) if group]
    groups: dict[str, list[Source]] = {}
    for source in (*sorted(old, key=lambda s: s.valid_to or date.max), *current):
        groups.setdefault(source.source_id, []).append(source)
    return list(groups.values())


def succeeds(source: Source, old: Source) -> bool:
    """Whether a passage is of the document that is named as the successor of another's."""
    title = plain(source.title)
    return source.in_force and not old.in_force and bool(title) and title in plain(old.superseded_by)


def _first_day(source: Source, ended: Sequence[Source], old: Sequence[Source]) -> date | None:
    if source.valid_from:
        return source.valid_from
    named = [s.valid_to for s in ended if s.valid_to and succeeds(source, s)]
    return max(named or [s.valid_to for s in old if s.valid_to], default=None)


def _overlaps(past: Past, begin: date | None, end: date | None) -> bool:
    return (begin is None or begin < past.end) and (end is None or past.begin is None or past.begin < end)


def tells_its_time(past: Past, units: Sequence[Unit]) -> bool:
    """Whether what was found speaks of the time itself: a sentence names it, or, where a time within it is asked, a heading."""
    for unit in units:
        if past.years <= unit.bag_of_text.numbers and (past.begin is not None or _EARLIER.search(unit.text)):
            return True
        if past.begin is not None and past.years <= Bag.of(unit.source.title, *unit.source.headings).numbers:
            return True
    return False

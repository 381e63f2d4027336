"""Numbers and dates as a text writes them, as values that compare. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from components.embedders.bm25_tokenizer import normalize


def _list(text: str) -> list[str]:
    return text.split()


_SMALL = _list("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
_TENS = _list("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
}
_SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "k": 1e3,
    "lakh": 1e5,
    "lakhs": 1e5,
    "million": 1e6,
    "millions": 1e6,
    "mn": 1e6,
    "crore": 1e7,
    "crores": 1e7,
    "billion": 1e9,
    "billions": 1e9,
    "bn": 1e9,
    "trillion": 1e12,
}
_WORD_VALUES = {word: float(value) for value, word in enumerate(_SMALL)} | {word: 20.0 + 10 * i for i, word in enumerate(_TENS)}
_UNIT_NAMES = {
    "%": "% percent percentage",
    "€": "€ euro euros eur",
    "$": "$ dollar dollars usd",
    "£": "£ pound pounds gbp",
    "₹": "₹ rupee rupees rs inr re",
    "second": "second seconds sec secs",
    "minute": "minute minutes min mins",
    "hour": "hour hours hr hrs h",
    "day": "day days",
    "week": "week weeks",
    "month": "month months",
    "year": "year years yr yrs",
    "mm": "mm millimetre millimetres millimeter millimeters",
    "cm": "cm centimetre centimetres centimeter centimeters",
    "m": "m metre metres meter meters",
    "km": "km kilometre kilometres kilometer kilometers",
    "mile": "mile miles",
    "foot": "foot feet ft",
    "g": "g gram grams",
    "kg": "kg kilogram kilograms kilo kilos",
    "tonne": "tonne tonnes ton tons",
    "litre": "litre litres liter liters l",
    "mb": "mb megabyte megabytes",
    "gb": "gb gigabyte gigabytes",
    "kb": "kb kilobyte kilobytes",
    "degree": "degree degrees °",
}
_UNITS = {name: unit for unit, names in _UNIT_NAMES.items() for name in names.split()}
_CALENDAR = {"second", "minute", "hour", "day", "week", "month", "year"}

_MONTH_NAMES = _list("january february march april may june july august september october november december")
_MONTHS = {name: i for i, name in enumerate(_MONTH_NAMES, 1)} | {name[:3]: i for i, name in enumerate(_MONTH_NAMES, 1)} | {"sept": 9}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR = r"(?P<y>(?:1[0-9]|20|21)\d\d)"
_DAY = r"(?P<d>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_DATES = [
    regex.compile(rf"(?i)(?<![\d-]){_YEAR}[-/.](?P<m>1[0-2]|0?[1-9])[-/.]{_DAY}(?!\d)"),
    regex.compile(rf"(?i)(?<!\d){_DAY}\s+(?:day\s+)?(?:of\s+)?(?P<name>{_MONTH})\b\.?(?:,?\s+(?:of\s+)?{_YEAR})?(?!\d)"),
    regex.compile(rf"(?i)\b(?P<name>{_MONTH})\b\.?\s+{_DAY}(?!\d)(?:,?\s+{_YEAR}(?!\d))?"),
    regex.compile(rf"(?i)\b(?P<name>{_MONTH})\b\.?,?\s+(?:of\s+)?{_YEAR}(?!\d)"),
]
_SLASHED = regex.compile(rf"(?<![\d/.-])(?P<a>\d{{1,2}})[-/.](?P<b>\d{{1,2}})[-/.]{_YEAR}(?!\d)")

_NUMBER = regex.compile(
    r"(?P<currency>[€$£₹]|\b(?:rs|inr|usd|eur|gbp)\b\.?)?\s*"
    r"(?<![\p{L}\p{N}_.,-])(?P<sign>-)?(?P<digits>\d{1,3}(?:,\d{2,3})+(?:\.\d+)?|\d{1,3}(?:[   ]\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?)"
    r"(?:st|nd|rd|th)?(?![\p{L}_]*\d)(?P<rest>\s?%|\s?°|[\s-]?\p{L}+)?(?:\s+(?P<after>\p{L}+))?",
    regex.I,
)
_SPELT = regex.compile(
    rf"(?i)(?<![\p{{L}}-])(?:(?P<tens>{'|'.join(_TENS)})(?:[\s-](?P<unit>{'|'.join(_SMALL[1:10])}))?|(?P<small>{'|'.join(_SMALL)}|an?(?=\s+(?:{'|'.join(_SCALES)})\b)))"
    rf"(?![\p{{L}}])(?:[\s-](?P<rest>\p{{L}}+))?(?:\s+(?P<after>\p{{L}}+))?"
)
_ORDINAL = regex.compile(rf"(?i)\b(?P<word>{'|'.join(_ORDINALS)})\b")
_ROUGH = regex.compile(r"(?i)\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|over|more than|less than|under|some|circa|c\.|~)\s*$")


@dataclass(frozen=True)
class Quantity:
    """A number in a text.

    :param value: its value, scale words included.
    :param unit: a known unit, empty otherwise.
    :param text: as written, with the unit.
    :param spelt: whether it is written in words.
    :param rough: whether the text gives it as an approximation.
    """

    value: float
    unit: str
    text: str
    spelt: bool = False
    rough: bool = False


@dataclass(frozen=True)
class Day:
    """A date, or a part of one; 0 for what is not said. `text` is how it is written."""

    year: int
    month: int
    day: int
    text: str

    def is_told_by(self, other: Day) -> bool:
        """Whether the other date says all that this one does.

        >>> Day(2024, 7, 0, "July 2024").is_told_by(Day(2024, 7, 1, "1 July 2024"))
        True
        """
        return all(mine in (0, theirs) for mine, theirs in ((self.year, other.year), (self.month, other.month), (self.day, other.day)))


def dates(text: str) -> list[Day]:
    """Dates with a month, in several forms; one of figures only, as 01/07/2024, is read both ways.

    >>> [(d.year, d.month, d.day) for d in dates("From 1 July 2024 to 2025-01-31, not in May 2026 or on March 3rd.")]
    [(2025, 1, 31), (2024, 7, 1), (0, 3, 3), (2026, 5, 0)]
    """
    return [day for _, day in _found_dates(normalize(text))]


def _found_dates(text: str) -> list[tuple[tuple[int, int], Day]]:
    found: list[tuple[tuple[int, int], Day]] = []

    def is_free(start: int, end: int) -> bool:
        return all(end <= left or start >= right for (left, right), _ in found)

    for pattern in _DATES:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            if is_free(*match.span()) and not (groups.get("name", "").casefold() == "may" and match.group("name").islower()):
                month = _MONTHS[groups["name"].casefold()] if groups.get("name") else int(groups["m"])
                found.append((match.span(), Day(int(groups.get("y") or 0), month, int(groups.get("d") or 0), match.group().strip())))
    for match in _SLASHED.finditer(text):
        if is_free(*match.span()):
            first, second, year = int(match.group("a")), int(match.group("b")), int(match.group("y"))
            for day, month in dict.fromkeys(((first, second), (second, first))):
                if 1 <= month <= 12 and 1 <= day <= 31:
                    found.append((match.span(), Day(year, month, day, match.group())))
    return found


def without_dates(text: str) -> str:
    """The normalised text with its dates blanked."""
    text = normalize(text)
    for (start, end), _ in _found_dates(text):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def quantities(text: str) -> list[Quantity]:
    """Numbers in figures and in words. A number inside a code or a reference such as 2(1) is none of its own.

    >>> [(q.value, q.unit) for q in quantities("Rs 1,00,000, 3.5 million people, 20 per cent and twenty-five days")]
    [(100000.0, '₹'), (3500000.0, ''), (20.0, '%'), (25.0, 'day')]
    """
    text = regex.sub(r"(?i)\bper\s+cent\b", "percent", normalize(text))
    return [*_in_figures(text), *_in_words(text)]


def _unit(word: str | None) -> str:
    return _UNITS.get((word or "").strip(" -").casefold(), "")


def _in_figures(text: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text):
        value = float(regex.sub(r"[,\s]", "", match.group("digits")))
        rest, after = (match.group("rest") or "").strip(" -").casefold(), match.group("after")
        scaled = rest in _SCALES
        if scaled:
            value *= _SCALES[rest]
        currency = match.group("currency")
        unit = _unit(currency.rstrip(".") if currency else None) or (_unit(after) if scaled else _unit(rest))
        shown = match.group("digits") + (f" {rest}" if scaled or _unit(rest) else "")
        yield Quantity(value, unit, f"{currency or ''}{' ' if currency and currency[-1].isalpha() else ''}{shown}", rough=_is_rough(text, match))


def _in_words(text: str) -> Iterator[Quantity]:
    for match in _SPELT.finditer(text):
        small = (match.group("small") or "").casefold()
        value = 1.0 if small in ("a", "an") else _WORD_VALUES.get(small, 0.0)
        if match.group("tens"):
            value = _WORD_VALUES[match.group("tens").casefold()] + _WORD_VALUES.get((match.group("unit") or "").casefold(), 0.0)
        rest = (match.group("rest") or "").casefold()
        scaled = rest in _SCALES
        unit = _unit(match.group("after")) if scaled else _unit(rest)
        shown = match.group().split()[: 2 if unit or scaled else 1]
        yield Quantity(value * _SCALES.get(rest, 1.0), unit, " ".join(shown), spelt=True, rough=_is_rough(text, match))


def _is_rough(text: str, match: regex.Match) -> bool:
    return _ROUGH.search(text[max(0, match.start() - 20) : match.start()]) is not None


def all_values(text: str) -> set[float]:
    """Every value that a text names, numbers inside dates, codes and references and ordinals in words included."""
    text = normalize(text)
    values = {quantity.value for quantity in quantities(text)} | {
        float(digits) for digits in regex.findall(r"\d+(?:\.\d+)?", text) if len(digits) < 16
    }
    return values | {float(_ORDINALS[match.group("word").casefold()]) for match in _ORDINAL.finditer(text)}


def is_period(unit: str) -> bool:
    """Whether a unit measures time."""
    return unit in _CALENDAR

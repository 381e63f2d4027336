"""Rows that hold for a range of amounts: whether an amount falls into it. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable

import regex

_N = r"(?P<{0}>\d[\d,.   ]*)"
_UNIT = r"\s*(?:[\p{Sc}%]|[A-Za-z]{1,9}\b)?"
_FORMS: tuple[tuple[str, regex.Pattern[str]], ...] = (
    ("between", regex.compile(rf"(?i)(?:between\s+)?[\p{{Sc}}]?{_N.format('low')}{_UNIT}\s*(?:to|until|and|[-–—])\s*[\p{{Sc}}]?{_N.format('high')}")),
    (
        "from",
        regex.compile(
            rf"(?i)[\p{{Sc}}]?{_N.format('low')}{_UNIT}\s*(?:and|or)\s+(?:more|above|over|up(?:wards)?|higher|longer|older)|{_N.format('plus')}\+"
        ),
    ),
    ("from", regex.compile(rf"(?i)(?:from|at\s+least|minimum(?:\s+of)?|≥|>=)\s*[\p{{Sc}}]?{_N.format('low')}")),
    ("over", regex.compile(rf"(?i)(?:over|above|more\s+than|longer\s+than|>)\s*[\p{{Sc}}]?{_N.format('low')}")),
    ("under", regex.compile(rf"(?i)(?:under|below|less\s+than|fewer\s+than|<)\s*[\p{{Sc}}]?{_N.format('high')}")),
    (
        "to",
        regex.compile(
            rf"(?i)(?:up\s+to|at\s+most|maximum(?:\s+of)?|until|≤|<=)\s*[\p{{Sc}}]?{_N.format('high')}|[\p{{Sc}}]?{_N.format('top')}{_UNIT}\s*(?:and|or)\s+(?:less|below|under|fewer)"
        ),
    ),
)


def amount(text: str) -> float | None:
    """A number as written, with its thousands separated by commas, spaces or points; None where it is none.

    >>> amount("4,999"), amount("2 000"), amount("12.5"), amount("1.000.000")
    (4999.0, 2000.0, 12.5, 1000000.0)
    """
    plain = regex.sub(r"[\s   ]", "", text).strip(".,")
    plain = regex.sub(r"(?<=\d)[.,](?=\d{3}(?:\D|$))", "", plain).replace(",", ".")
    try:
        return float(plain)
    except ValueError:
        return None


def admits(cell: str, asked: float) -> bool | None:
    """Whether a cell that is a range of amounts holds for an amount; None where it is no range.

    >>> admits("2000 to 4999 EUR", 3000), admits("5000 EUR and more", 3000), admits("up to 1,999 EUR", 600), admits("Basic plan", 3)
    (True, False, True, None)
    """
    text = " ".join(cell.split())
    for form, pattern in _FORMS:
        match = pattern.fullmatch(text) or regex.fullmatch(
            rf"(?i)(?:{pattern.pattern.removeprefix('(?i)')}){_UNIT}(?:\s*(?:a|per|each)\s+\w+)?", text
        )
        if match is None:
            continue
        ends = {name: amount(value) for name, value in match.groupdict().items() if value}
        low, high = ends.get("low", ends.get("plus")), ends.get("high", ends.get("top"))
        if low is None and high is None:
            return None
        above = low is None or (asked > low if form == "over" else asked >= low)
        below = high is None or (asked < high if form == "under" else asked <= high)
        return above and below
    return None


def row_admits(row: str, asked: float) -> bool | None:
    """Whether a row of a table holds for an amount, by its first cell: what the row is about. None where that is no range.

    >>> row_admits("5000 EUR and more | 15 %", 3000), row_admits("Plus plan | 10 to 15 days", 3)
    (False, None)
    """
    cells = [cell for cell in row.split("|") if cell.strip()]
    return admits(cells[0], asked) if len(cells) > 1 else None


def is_row_of_another_range(row: str, rows: Iterable[str], quantities: Iterable[str]) -> bool:
    """Whether the one amount of a question falls out of a row's range and into that of another row of the table."""
    asked = [value for quantity in quantities if (value := amount(quantity)) is not None]
    return len(asked) == 1 and row_admits(row, asked[0]) is False and any(row_admits(other, asked[0]) for other in rows)

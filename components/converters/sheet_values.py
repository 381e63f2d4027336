"""A cell's value as a person sees it in the sheet: number formats, dates, durations."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Any

GENERAL = "General"
BUILT_IN = {  # ECMA-376 Part 1, 18.8.30; dates are left out, for they arrive as dates
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    37: "#,##0;(#,##0)",
    38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)",
    44: '"$"#,##0.00',
}
_TOKEN = re.compile(r'"([^"]*)"?|\\(.)|_(.)|\*(.)|\[([^\]]*)\]|(General)|([0#?.,]+)|(%)|(.)', re.IGNORECASE | re.DOTALL)
_SECTION = re.compile(r'(?:"[^"]*"?|\\.|\[[^\]]*\]|[^;])*', re.DOTALL)


def shown(value: Any, number_format: str = GENERAL) -> str:
    """The text of a cell. Days are ISO dates, whatever the locale of the file; line breaks become spaces.

    :param value: what the reader of the file gave: text, number, bool, date, time, duration or None.
    :param number_format: the format code of a number; one that is not understood counts as General.

    >>> shown(0.125, "0.0%"), shown(-1234.5, "#,##0.00"), shown(42.0), shown(date(2024, 3, 1))
    ('12.5%', '-1,234.50', '42', '2024-03-01')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return _number(value, number_format)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds" if value.second else "minutes")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.isoformat("seconds" if value.second else "minutes")
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
    return re.sub(r"\s+", " ", str(value)).strip()


def _number(value: float, number_format: str) -> str:
    if not math.isfinite(value):
        return str(value)
    sections = _sections(number_format)
    if value < 0 and len(sections) > 1:
        section, magnitude, sign = sections[1], -value, ""
    elif value == 0 and len(sections) > 2:
        section, magnitude, sign = sections[2], 0.0, ""
    else:
        section, magnitude, sign = sections[0], abs(value), "-" if value < 0 else ""
    text = _formatted(magnitude, section)
    if text is None:
        return _general(value)
    return f"{sign}{text}" if not sign or re.search("[1-9]", text) else text


def _general(value: float) -> str:
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return format(value, ".10g")


@lru_cache(maxsize=512)
def _sections(number_format: str) -> list[str]:
    sections: list[str] = []
    position = 0
    while position <= len(number_format):
        match = _SECTION.match(number_format, position)
        end = match.end() if match else len(number_format)
        sections.append(number_format[position:end])
        position = end + 1
    return sections


@lru_cache(maxsize=2048)
def _tokens(section: str) -> tuple[str, str, str, int] | None:
    """Text before the digits, the digit placeholders, the text after them, and the number of percent signs; None: not understood."""
    before, digits, after, percents = "", "", "", 0
    for match in _TOKEN.finditer(section):
        _, _, _, _, _, general, places, percent, _ = match.groups()
        if general or (places and re.search(r"[0#?]", places)):
            if digits:
                return None  # a fraction, a telephone number
            digits = GENERAL if general else places
            continue
        literal = _literal(*match.groups())
        if literal is None:
            return None
        percents += bool(percent)
        before, after = (before, after + literal) if digits else (before + literal, after)
    return before, digits, after, percents


def _literal(
    quoted: str | None,
    escaped: str | None,
    space: str | None,
    fill: str | None,
    bracket: str | None,
    general: str | None,
    places: str | None,
    percent: str | None,
    other: str | None,
) -> str | None:
    """What a part of a format that is no digit shows; None: it makes more of the format than a number with text around it."""
    if bracket is not None:
        if re.match(r"[<>=]|[hms]+$", bracket, re.IGNORECASE):
            return None  # a condition, a duration
        return bracket[1:].split("-", maxsplit=1)[0] if bracket.startswith("$") else ""
    if other and re.match(r"[dmyhsEb/@]", other, re.IGNORECASE):
        return None  # a date, an exponent, a fraction, text
    if space:
        return " "
    return "" if fill else quoted or escaped or general or places or percent or other or ""


def _formatted(value: float, section: str) -> str | None:
    tokens = _tokens(section)
    if tokens is None:
        return None
    before, digits, after, percents = tokens
    if digits == GENERAL:
        number = _general(value)
    elif not digits:
        number = ""
    else:
        scaled = value * 100**percents
        while digits.endswith(","):
            digits, scaled = digits[:-1], scaled / 1000
        whole, _, fraction = digits.partition(".")
        most, least = len(re.sub(r"[^0#?]", "", fraction)), fraction.count("0") + fraction.count("?")
        number = format(scaled, f"{',' if ',' in whole else ''}.{most}f")
        if most > least:
            head, _, tail = number.partition(".")
            kept = tail[:least] + tail[least:].rstrip("0")
            number = f"{head}.{kept}" if kept else head
        zeros = whole.count("0")
        head, dot, tail = number.partition(".")
        number = head.zfill(zeros) + dot + tail if "," not in head else number
        if zeros == 0 and head == "0" and tail:
            number = dot + tail
    return re.sub(r"\s+", " ", before + number + after).strip()

"""Which column means what, and dates as ISO text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime

from components.converters.outcome import UnreadableError
from components.converters.record_reading import Record

FieldMap = Mapping[str, "str | Sequence[str]"]
"""Meta name to the column, or columns, that it is read from."""

DATES = ("valid_from", "valid_to", "created_at", "modified_at")
OF_THE_FILE = {
    "tenant",
    "source_id",
    "container_id",
    "source_version",
    "file_name",
    "uri",
    "path",
    "alias",
    "blocks",
    "kind",
    "mime_type",
    "indexed_at",
}
ID_NAMES = ("id", "_id", "record_id", "uid", "uuid", "identifier", "key", "code", "sku", "slug", "number", "no", "ref", "reference", "section")
TITLE_NAMES = ("title", "name", "heading", "headline", "subject", "question", "label", "caption")
TEXT_NAMES = ("text", "content", "body", "description", "answer", "abstract", "summary", "note", "notes", "comment", "details", "message")
NUMBER_NAMES = ("section", "article", "clause", "rule", "regulation", "paragraph", "number", "no")
FOUND_BY_NAME = ("valid_from", "valid_to", "superseded_by")
LONG = 80  # characters; a column whose values are as long on average is read as text


def check_field_map(field_map: FieldMap) -> dict[str, list[str]]:
    """The map with every value as a list of columns.

    :raises ValueError: a name that belongs to the file, or a value that is no column name.
    """
    checked: dict[str, list[str]] = {}
    for name, columns in field_map.items():
        if name in OF_THE_FILE:
            raise ValueError(f"field_map: {name!r} comes from the file and cannot be read from a column; taken are {', '.join(sorted(OF_THE_FILE))}")
        listed = [columns] if isinstance(columns, str) else list(columns) if isinstance(columns, list | tuple) else []
        if not listed or any(not isinstance(column, str) or not column for column in listed):
            raise ValueError(f"field_map: {name!r} needs a column name or a list of column names, not {columns!r}")
        checked[str(name)] = listed
    return checked


def resolve(field_map: dict[str, list[str]], records: Sequence[Record]) -> dict[str, list[str]]:
    """Complete the map by sensible names found in the records; what the map says stands.

    :raises UnreadableError: the map names a column that no record has; the message lists those there are.
    """
    columns = _lengths(records)
    for name, wanted in field_map.items():
        for column in wanted:
            if column not in columns:
                raise UnreadableError(f"field_map reads {name} from the column {column!r}, which is not there; columns: {', '.join(columns)}")
    by_name = {_plain(name): name for name in reversed(columns)}
    found = dict(field_map)
    if "record_id" not in found:
        for wanted in ID_NAMES:
            column = by_name.get(wanted)
            if column and columns[column][0] == len(records) and len({record[column] for record in records}) == len(records):
                found["record_id"] = [column]
                break
    if "title" not in found:
        column = next((by_name[name] for name in TITLE_NAMES if name in by_name), None)
        if column:
            found["title"] = [column]
    for name in FOUND_BY_NAME:
        if name not in found and name in columns:
            found[name] = [name]
    if "content" not in found:
        taken = {column for name, wanted in found.items() if name in ("record_id", "title") for column in wanted}
        found["content"] = [
            name
            for name, (count, total, longest) in columns.items()
            if name not in taken and (_plain(name) in TEXT_NAMES or total / count >= LONG or longest >= 4 * LONG)
        ]
    return found


def _lengths(records: Sequence[Record]) -> dict[str, tuple[int, int, int]]:
    """For each column: the records that have it, its characters in all, and in its longest value."""
    columns: dict[str, tuple[int, int, int]] = {}
    for record in records:
        for name, value in record.items():
            count, total, longest = columns.get(name, (0, 0, 0))
            columns[name] = (count + 1, total + len(value), max(longest, len(value)))
    return columns


def number_column(records: Sequence[Record]) -> str | None:
    """The column whose value belongs beside the title, as a section's number does: short, and named so."""
    names = {_plain(name): name for record in records[:100] for name in record}
    column = next((names[name] for name in NUMBER_NAMES if name in names), None)
    if column and all(len(record.get(column, "")) <= 12 for record in records):
        return column
    return None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "_", name.strip().lower())


# ---- dates
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_ISO_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
_NUMERIC = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")
_YEAR_FIRST = re.compile(r"(\d{4})([./])(\d{1,2})\2(\d{1,2})")
_NAMED = re.compile(r"(?=.*\d{4})(?=.*[A-Za-z]{3})")


def day_first(values: Iterable[str]) -> bool | None:
    """Whether a column writes the day before the month; None where no value tells.

    >>> day_first(["03/04/2024", "31/12/2024"])
    True
    """
    pairs = [(int(m[1]), int(m[3])) for m in map(_NUMERIC.fullmatch, map(str.strip, values)) if m]
    first, second = any(a > 12 for a, _ in pairs), any(b > 12 for _, b in pairs)
    return None if first == second else first


def iso_date(value: str, *, day_is_first: bool | None = None) -> str:
    """A date as ISO 8601: `YYYY-MM-DD`, or with time and offset where the value has them. A time without offset is UTC.

    :param value: ISO, `1 July 2024`, `July 1, 2024`, `2024/07/01`, `31.12.2024`, or Unix seconds or milliseconds.
    :param day_is_first: how to read `03/04/2024`; None: such a value is refused.
    :raises UnreadableError: no date, or one that can be read in two ways.

    >>> iso_date("1 July 2024")
    '2024-07-01'
    """
    text = value.strip()
    refused = UnreadableError(f"{value!r} is not a date; accepted: YYYY-MM-DD, with or without time, or a date with the month as a word")
    try:
        if _ISO.fullmatch(text):
            return date.fromisoformat(text).isoformat()
        if _ISO_TIME.match(text):
            return _with_offset(datetime.fromisoformat(text))
        if re.fullmatch(r"\d{10}|\d{13}", text):
            return datetime.fromtimestamp(int(text[:10]), UTC).isoformat()
        if match := _YEAR_FIRST.fullmatch(text):
            return date(int(match[1]), int(match[3]), int(match[4])).isoformat()
        if match := _NUMERIC.fullmatch(text):
            a, b, year = int(match[1]), int(match[3]), int(match[4])
            if a > 12 or b > 12 or a == b:
                day_is_first = a > 12
            if day_is_first is None:
                raise UnreadableError(f"{value!r} can be read as day/month or month/day; write it as YYYY-MM-DD")
            return date(year, b if day_is_first else a, a if day_is_first else b).isoformat()
        if _NAMED.match(text):
            return _named(text)
    except UnreadableError:
        raise
    except (ValueError, OverflowError, OSError):
        raise refused from None
    raise refused


def _named(text: str) -> str:
    """A date with its month as a word. Two defaults tell what the text leaves open: a missing day must not become today's."""
    from dateutil import parser

    one = parser.parse(text, default=datetime(2000, 1, 1))
    if one.date() != parser.parse(text, default=datetime(2001, 2, 2)).date():
        raise ValueError("day, month or year is missing")
    return _with_offset(one) if re.search(r"\d:\d", text) else one.date().isoformat()


def _with_offset(moment: datetime) -> str:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()

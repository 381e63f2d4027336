"""CSV, TSV, JSON and JSON Lines as flat records: column name to text, in the order of the file."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator
from typing import Any

from components.converters.outcome import UnreadableError

Record = dict[str, str]
_DELIMITERS = (",", "\t", ";", "|")
_SAMPLE_ROWS = 200

csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # the default of 128 kB is smaller than a long text field


def read_records(text: str, mime_type: str) -> Iterator[Record | UnreadableError]:
    """Read records one by one.

    :param text: the decoded file.
    :param mime_type: `text/csv`, `text/tab-separated-values`, `application/json` or `application/jsonl`.
    :returns: records with empty fields left out; an `UnreadableError` in the place of a line that is not valid JSON. A blank
        row is no record.
    :raises UnreadableError: the file as a whole cannot be read.

    >>> list(read_records("name;days\\nSick leave;12", "text/csv"))
    [{'name': 'Sick leave', 'days': '12'}]
    """
    text = text.lstrip("\ufeff")
    if mime_type == "application/json":
        try:
            data = _load(text)
        except (ValueError, RecursionError) as error:
            raise UnreadableError(f"not valid JSON: {error or 'nested too deeply'}") from None
        for item in json_items(data):
            yield flatten(item)
    elif mime_type == "application/jsonl":
        yield from _json_lines(text)
    else:
        yield from _table(text, "\t" if mime_type == "text/tab-separated-values" else None)


def _load(text: str) -> Any:
    return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)  # numbers and NaN as they are written


def _json_lines(text: str) -> Iterator[Record | UnreadableError]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield flatten(_load(line))
        except (ValueError, RecursionError) as error:
            yield UnreadableError(f"line {number} is not valid JSON: {error}")


def json_items(data: Any) -> list[Any]:
    """The records of a JSON value: a list's items, the one list of objects that an object holds, else the value itself."""
    if isinstance(data, list):
        return data
    if isinstance(data, dict):
        lists = [v for v in data.values() if isinstance(v, list) and v and all(isinstance(i, dict) for i in v)]
        if len(lists) == 1:
            return lists[0]
    return [data]


def flatten(value: Any, prefix: str = "") -> Record:
    """A JSON value as one flat record: nested names joined by dots, lists of plain values by commas, others numbered from 1.

    >>> flatten({"a": {"b": True}, "tags": ["x", "y"], "parts": [{"n": "1"}], "none": None})
    {'a.b': 'true', 'tags': 'x, y', 'parts.1.n': '1'}
    """
    if isinstance(value, dict):
        pairs = ((f"{prefix}.{key}" if prefix else str(key), inner) for key, inner in value.items())
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        pairs = ((f"{prefix}.{n}" if prefix else str(n), inner) for n, inner in enumerate(value, start=1))
    else:
        text = ", ".join(filter(None, map(_scalar, value))) if isinstance(value, list) else _scalar(value)
        return {prefix or "value": text} if text else {}
    record: Record = {}
    for name, inner in pairs:
        record.update(flatten(inner, name))
    return record


def _scalar(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).replace("\0", "").strip()


def _table(text: str, delimiter: str | None) -> Iterator[Record | UnreadableError]:
    delimiter = delimiter or find_delimiter(text)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    names: list[str] | None = None
    caption = ""
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            filled = sum(map(bool, cells))
            if not filled:
                continue
            if names is None:
                if filled == 1 and len(cells) > 1 and not caption:  # a caption above the header: one filled cell; each record names it
                    caption = "".join(cells)
                    continue
                names = _unique(cells)
                continue
            names += [f"column {n}" for n in range(len(names) + 1, len(cells) + 1)]
            record = {name: cell for name, cell in zip(names, cells, strict=False) if cell}
            yield {**record, "table": caption} if caption and "table" not in names else record
    except csv.Error as error:
        raise UnreadableError(f"row {rows.line_num} is not valid CSV: {error}") from None


def _unique(cells: list[str]) -> list[str]:
    names: list[str] = []
    taken: set[str] = set()
    for position, cell in enumerate(cells, start=1):
        base = " ".join(cell.split()) or f"column {position}"
        name, n = base, 1
        while name in taken:
            n += 1
            name = f"{base} ({n})"
        taken.add(name)
        names.append(name)
    return names


def find_delimiter(text: str) -> str:
    """The delimiter that splits most rows of the beginning into the same number of columns, at least two; else a comma that splits none.

    `csv.Sniffer` fails on fields with long text, so rows are parsed with each candidate instead.

    >>> find_delimiter("a;b\\n1,5;2\\n")
    ';'
    """
    sample = text[:200_000]
    best, best_score = "\x1f", (0.0, 0)  # a separator that no text holds: a single column
    for delimiter in _DELIMITERS:
        widths: list[int] = []
        try:
            for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter, skipinitialspace=True):
                if any(cell.strip() for cell in row):
                    widths.append(len(row))
                if len(widths) >= _SAMPLE_ROWS:
                    break
        except csv.Error:
            continue
        if len(text) > len(sample) and len(widths) > 1:
            widths.pop()  # cut off in the middle
        if not widths or widths[0] < 2:
            continue
        score = (round(widths.count(widths[0]) / len(widths), 2), widths[0])
        if score[0] >= 0.6 and score > best_score:
            best, best_score = delimiter, score
    return best

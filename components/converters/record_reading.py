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
_LOOK_AHEAD = 50  # lines that a row behind an unclosed quotation mark may take
_RESCANS = 20  # how often, on average, a line may be read again; beyond it, all quotation marks are characters
_KINDS = {list: "a list", str: "a string", float: "a number", bool: "true or false", type(None): "null"}

csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # the default of 128 kB is smaller than a long text field


def read_records(text: str, mime_type: str, notices: list[str] | None = None) -> Iterator[Record | UnreadableError]:
    """Read records one by one.

    :param text: the decoded file.
    :param mime_type: `text/csv`, `text/tab-separated-values`, `application/json` or `application/jsonl`.
    :param notices: a list that gets a line for what was read otherwise than it is written.
    :returns: records with empty fields left out; an `UnreadableError` in the place of a line that is no JSON object.
        A blank row is no record.
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
        yield from _table(text, "\t" if mime_type == "text/tab-separated-values" else None, [] if notices is None else notices)


def _load(text: str) -> Any:
    return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)  # numbers and NaN as they are written


def _json_lines(text: str) -> Iterator[Record | UnreadableError]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield flatten(json_object(line, number))
        except UnreadableError as error:
            yield error


def json_object(line: str, number: int) -> dict[str, Any]:
    """The object that a line of JSON Lines holds.

    :param line: the line.
    :param number: its place in the file, from 1, for the error.
    :raises UnreadableError: not valid JSON, or not an object; the reason begins with `line N`.
    """
    try:
        value = _load(line)
        if isinstance(value, dict):
            return value
        kind = _KINDS[type(json.loads(line, parse_int=float))]  # an integer may have more digits than int() takes
    except json.JSONDecodeError as error:
        raise UnreadableError(f"line {number}: not valid JSON: {error.msg} (column {error.colno})") from None
    except RecursionError:
        raise UnreadableError(f"line {number}: not valid JSON: nested too deeply") from None
    raise UnreadableError(f"line {number}: {kind}, accepted: an object")


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


def _table(text: str, delimiter: str | None, notices: list[str]) -> Iterator[Record | UnreadableError]:
    delimiter = delimiter or find_delimiter(text)
    names: list[str] | None = None
    caption = ""
    unclosed: list[int] = []
    try:
        for row in _rows(text, delimiter, unclosed):
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
            if len(cells) > len(names):
                names = _unique([*names, *[""] * (len(cells) - len(names))])
            record = {name: cell for name, cell in zip(names, cells, strict=False) if cell}
            yield {**record, "table": caption} if caption and "table" not in names else record
    except csv.Error as error:
        raise UnreadableError(f"not valid CSV: {error}") from None
    if len(unclosed) == 1:
        notices.append(f"a quotation mark that is never closed (line {unclosed[0]}) was taken as a character")
    elif unclosed:
        more = f" and {len(unclosed) - 5} more" if len(unclosed) > 5 else ""
        notices.append(f"quotation marks that are never closed (lines {', '.join(map(str, unclosed[:5]))}{more}) were taken as characters")


def _rows(text: str, delimiter: str, unclosed: list[int], *, cut: bool = False) -> Iterator[list[str]]:
    """The rows of a table. A quotation mark that is never closed is a character: `csv` would take what follows as one cell.

    :param unclosed: gets the numbers of the lines that begin with such a mark, from 1.
    :param cut: the text is the beginning of a longer one, so that a cell may be open at its end.
    """
    lines = list(io.StringIO(text, newline=""))
    start, width, rescanned = 0, 0, 0
    while start < len(lines):
        quoting = csv.QUOTE_MINIMAL if rescanned <= _RESCANS * len(lines) else csv.QUOTE_NONE
        rows = csv.reader((lines[n] for n in range(start, len(lines))), delimiter=delimiter, skipinitialspace=True, quoting=quoting)
        begin = start
        for found in rows:
            row, end = found, start + rows.line_num
            last = end == len(lines)
            suspect = quoting == csv.QUOTE_MINIMAL and (not cut if last else end - begin > 1)
            if suspect and _is_unclosed(lines, begin, end, delimiter, width, row):
                rescanned += end - begin
                row, end = _literal(lines[begin], delimiter, width), begin + 1
                unclosed.append(end)
            if not width and sum(bool(cell.strip()) for cell in row) > 1:
                width = len(row)
            yield row
            begin = end
            if end < start + rows.line_num:
                break
        start = begin


def _is_unclosed(lines: list[str], begin: int, end: int, delimiter: str, width: int, row: list[str]) -> bool:
    """Whether the row of lines `begin` to `end` is open at the end of the file, or misquoted and over a line that is a row by itself."""
    try:
        next(csv.reader(lines[begin:end], delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error as error:
        if "unexpected end" in str(error):
            return True
    else:
        if len(row) == width:
            return False
    return width > 1 and any(_width(lines[n : n + _LOOK_AHEAD], delimiter) == width for n in range(begin + 1, end))


def _width(lines: list[str], delimiter: str) -> int:
    """How many cells the first row has; -1 where its quotation marks do not pair."""
    try:
        return len(next(csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)))
    except csv.Error:
        return -1


def _literal(line: str, delimiter: str, width: int) -> list[str]:
    """The cells of a line with an unclosed quotation mark: the last mark whose loss leaves a whole row, else every mark, is a character."""
    places = [n for n, c in enumerate(line) if c == '"']
    for place in reversed(places[-_LOOK_AHEAD:]):
        candidate = f"{line[:place]}\0{line[place + 1 :]}"  # decoded text holds no NUL
        if _width([candidate], delimiter) == width:
            return [cell.replace("\0", '"') for cell in next(csv.reader([candidate], delimiter=delimiter, skipinitialspace=True))]
    return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True, quoting=csv.QUOTE_NONE))


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
            for row in _rows(sample, delimiter, [], cut=len(text) > len(sample)):
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

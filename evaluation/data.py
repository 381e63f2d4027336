"""Reads data sets of JSON lines; every fault is named with its file and line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


class DataError(ValueError):
    """A data set that cannot be used. The message reads `file:line: what; accepted: what`."""


def read_text(path: Path | str) -> str:
    """The text of a file in UTF-8, unpacked where its name ends in `.gz`.

    :raises DataError: it cannot be read.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{path}: not readable as gzip: {error}") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 at byte {error.start}; accepted: UTF-8") from error


def read_jsonl(path: Path | str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number from 1, object) for every line that is not blank.

    :raises DataError: no such file, not UTF-8, or a line that is not a JSON object.
    """
    for number, line in enumerate(read_text(path).split("\n"), start=1):  # splitlines would also split at U+2028 inside a string
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(f"{path}:{number}: not JSON: {error.msg} at column {error.colno}; accepted: a JSON object on each line") from error
        if not isinstance(row, dict):
            raise DataError(f"{path}:{number}: {type(row).__name__} found; accepted: a JSON object on each line")
        yield number, row


def read_set(path: Path | str, make: Callable[[dict[str, Any]], T], key: Callable[[T], str] | None = None) -> list[T]:
    """Read a whole set, an item a line.

    :param make: turns a row into an item; raises ValueError with the reason where it cannot.
    :param key: identity of an item, which must occur once only; None where items have none.
    :raises DataError: a line that cannot be read or made, an identity used twice, or no item at all.
    """
    items: list[T] = []
    seen: dict[str, int] = {}
    for number, row in read_jsonl(path):
        try:
            item = make(row)
        except ValueError as error:
            raise DataError(f"{path}:{number}: {error}") from error
        if key is not None:
            name = key(item)
            if name in seen:
                raise DataError(f"{path}:{number}: id {name!r} was used on line {seen[name]}; accepted: every id once")
            seen[name] = number
        items.append(item)
    if not items:
        raise DataError(f"{path}: empty; accepted: at least one line")
    return items

"""What may be said of a source: its access groups, its validity, the user's own fields; and the ids made from them."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from components.access.principal import PUBLIC
from components.chunk import point_id

RESERVED = frozenset(
    {
        "kind", "source_id", "container_id", "source_version", "meta_version", "heading_path", "context_header", "page", "char_start", "char_end",
        "indexed_at", "parent_id", "record_id", "blocks", "complete", "chunks", "sections",
        "window_start", "window_end", "manifest", "notices", "content_mismatch",
    }
)  # fmt: skip
"""Fields that the indexing graph itself writes; a user's meta or a path rule cannot set them."""

DATES = ("valid_from", "valid_to", "created_at", "modified_at")
VOLATILE = frozenset({"modified_at", "source_id", "container_id", "source_version", "fetched_at", "etag", "final_url", "content_type", "charset"})
"""Fields that do not count for `meta_version`: a file that was only touched, or a URL fetched again, has not changed."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].+)?")


UNREAD = "unread_reason"
"""Meta key: why a source could not be read, where whoever hands it over knows already. It is read and not stored: the source fails with it."""
MOVED_FROM = "moved_from"
"""Meta key, read and not stored: `containers`, ids of sources that had the same bytes and whose file is gone, the one this file was first;
`access`, which takes readers away where the source comes without access and never adds any."""


def entry_id(container_id: str) -> str:
    """Document id of the manifest entry of a source."""
    return point_id("source", container_id, "", 0)


def printable(text: str) -> str:
    r"""Text that can be stored: the bytes of a file name that are not UTF-8 become escapes.

    >>> printable("caf\udce9.txt")
    'caf\\udce9.txt'
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def check_access(value: Any) -> list[str]:
    """Access groups, sorted and without repeats.

    >>> check_access(["legal", "hr", "hr"])
    ['hr', 'legal']

    :raises ValueError: anything but a non-empty list of non-empty strings.
    """
    if not isinstance(value, list | tuple) or not value or any(not isinstance(group, str) or not group.strip() for group in value):
        raise ValueError(f"access={value!r} is not accepted: it must be a non-empty list of group names, for instance [public] or [hr, legal]")
    return sorted(set(value))


def narrowed_access(stored: list[str], asked: list[str]) -> list[str]:
    """Access where two say something: what was asked takes readers of what is stored away, and adds none while any is left.

    >>> narrowed_access(["public"], ["hr"]), narrowed_access(["hr"], ["public"]), narrowed_access(["hr", "it"], ["it", "legal"])
    (['hr'], ['hr'], ['it'])
    """
    if PUBLIC in stored:
        return asked
    if PUBLIC in asked:
        return stored
    return sorted(set(stored) & set(asked)) or asked


def iso_date(field: str, value: Any) -> str:
    """A date as ISO 8601 text.

    :raises ValueError: not `YYYY-MM-DD`, with or without time and offset.
    """
    text = value.isoformat() if isinstance(value, date) else value
    try:
        if not isinstance(text, str) or not _DATE.fullmatch(text):
            raise ValueError
        datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{field}={value!r} is not accepted: it must be a date, YYYY-MM-DD with or without time") from None
    return text


def check_validity(meta: Mapping[str, Any]) -> None:
    """Refuse a validity that ends before it begins.

    :raises ValueError: `valid_from` is not before `valid_to`.
    """
    start, end = meta.get("valid_from"), meta.get("valid_to")
    if start and end and _moment(start) >= _moment(end):
        raise ValueError(f"valid_from={start!r} must be before valid_to={end!r} (valid_to is the first day on which it is no longer in force)")


def _moment(text: str) -> datetime:
    value = datetime.fromisoformat(text)
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def check_fields(meta: Mapping[str, Any], *, allowed: Iterable[str] = ()) -> dict[str, Any]:
    """The fields as plain JSON data: access sorted, dates as text, everything else as given.

    :param allowed: reserved fields that are accepted all the same.
    :raises ValueError: a field of `RESERVED`, a wrong access list or date, or a value that JSON cannot hold; the field is named.
    """
    checked: dict[str, Any] = {}
    for field, value in meta.items():
        if not isinstance(field, str) or not field:
            raise ValueError(f"meta field {field!r} is not accepted: a name must be a non-empty string")
        if field in RESERVED and field not in allowed:
            raise ValueError(f"meta field {field!r} is not accepted: the indexing graph writes it itself")
        if field == "access":  # before None: an empty access must never become the default
            checked[field] = check_access(value)
        elif value is None:
            continue
        elif field in DATES:
            checked[field] = iso_date(field, value)
        else:
            checked[field] = _plain(field, value)
    return checked


def _plain(field: str, value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"meta field {field!r}={value!r} is not accepted: numbers must be finite")
    if isinstance(value, str) and printable(value) != value:
        raise ValueError(f"meta field {field!r}={value!r} is not accepted: it is not valid Unicode")
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(f"{field}.{key}", item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(field, item) for item in value]
    raise ValueError(f"meta field {field!r} holds a {type(value).__name__}: accepted are text, numbers, true and false, dates, lists and mappings")


def source_version(data: bytes, graph_version: str) -> str:
    """Hash of a source's bytes and of the graph that shapes its chunks, 32 hex digits."""
    return hashlib.sha256(graph_version.encode() + b"\0" + data).hexdigest()[:32]


def byte_digest(data: bytes) -> str:
    """Hash of a source's bytes, 32 hex digits: the same for two files of the same bytes."""
    return hashlib.sha256(data).hexdigest()[:32]


def meta_version(meta: Mapping[str, Any]) -> str:
    """Hash of what a chunk's payload takes over from its source: access, validity, uri, the user's fields. 32 hex digits."""
    lasting = {key: value for key, value in meta.items() if key not in VOLATILE}
    return hashlib.sha256(json.dumps(lasting, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()[:32]

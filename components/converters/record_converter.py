"""CSV, TSV, JSON and JSON Lines to documents, one a record."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.chunk import source_id
from components.converters.decoding import read_text
from components.converters.file_converter import FileConverter
from components.converters.outcome import Parts, UnreadableError, build_document, failure, one_line, readable_name, source_name
from components.converters.record_fields import DATES, check_field_map, day_first, iso_date, number_column, resolve
from components.converters.record_reading import Record, read_records
from components.failure import Failure
from components.routers.content_sniffer import sniff

_SPECIAL = {"title", "content", "record_id", "access", "url"}


def read(source: ByteStream, *, columns: dict[str, list[str]]) -> tuple[list[Document], list[Failure]]:
    """Read a file of records, a document for each.

    :param columns: see `check_field_map`.
    :returns: the documents, the first of which carries the notices of the file, and failures of single records (`file#key`).
    :raises UnreadableError: no record could be read.
    """
    documents: list[Document] = []
    failed: list[Failure] = []
    meta = source.meta or {}
    mime_type = source.mime_type or meta.get("mime_type") or sniff(source.data, str(meta.get("file_name") or "")).mime_type
    name = source_name(source)
    text, notices = read_text(source.data)
    records: list[Record] = []
    numbers: list[int] = []
    for number, item in enumerate(read_records(text, str(mime_type), notices), start=1):
        if isinstance(item, UnreadableError):
            failed.append(failure(f"{name}#row-{number}", item))
        elif not item:
            failed.append(failure(f"{name}#row-{number}", "no text: the record has no filled field"))
        else:
            records.append(item)
            numbers.append(number)
    if not records:
        why = f": {failed[0]['reason']}" if failed else ""
        raise UnreadableError(f"no text: the file holds no record that could be read{why}")
    fields = resolve(columns, records)
    order = {field: day_first(r[c] for r in records for c in fields[field] if c in r) for field in DATES if field in fields}
    numbered = None if "title" in columns else number_column(records)
    seen: dict[str, int] = {}
    for number, record in zip(numbers, records, strict=True):
        key = _unique_key(_joined(record, fields.get("record_id", ())) or f"row-{number}", seen)
        try:
            documents.append(_document(source, record, key, fields, order, numbered, str(mime_type)))
        except UnreadableError as error:
            failed.append(failure(f"{name}#{key}", error))
    if documents and notices:  # they concern the file; the first record carries them, so that each is said once
        documents[0].meta["notices"] = [*(documents[0].meta.get("notices") or []), *notices]
    return documents, failed


@component
class RecordConverter(FileConverter):
    """Makes a document of each record of a table or JSON file.

    Haystack's `CSVToDocument` and `JSONConverter` know neither a record's identity nor its dates, and need a jq schema or one
    content column; here each record is a source of its own that can be updated, cited and restricted alone.

    The text begins with the long fields as paragraphs, then lists the others as `name: value`; each filled field is there once.

    ```python
    out = RecordConverter().run([ByteStream(b"id,title,text\\n7,Leave,Twenty days.", mime_type="text/csv", meta={"path": "a.csv"})])
    out["documents"][0].meta["record_id"]  # '7'
    ```
    """

    read = staticmethod(read)

    def __init__(self, field_map: dict[str, str | list[str]] | None = None, timeout_s: float = 120.0, max_memory_mb: int = 1024) -> None:
        """Read records.

        :param field_map: what is read from which column: `title`, `content` (a list), `record_id`, `valid_from`, `valid_to`, `superseded_by`,
            `created_at`, `modified_at`, `access` (group names, by comma or semicolon; an empty cell keeps the file's), `url`, `language`, and
            any further meta name. Nested JSON names are joined by dots. Empty: sensible names are found.
        :param timeout_s: seconds that reading one file may take, more than 0.
        :param max_memory_mb: megabytes that it may take, 64 or more.
        :raises ValueError: a name that belongs to the file, such as `tenant`, a value that is no column name, or one out of range.
        """
        FileConverter.__init__(self, timeout_s=timeout_s, max_memory_mb=max_memory_mb)
        self.field_map = field_map
        self._map = check_field_map(field_map or {})

    def options(self) -> dict[str, Any]:
        """Keyword arguments of `read`."""
        return {"columns": self._map}


def _unique_key(wanted: str, seen: dict[str, int]) -> str:
    """The key, or with `#2`, `#3` … where it was taken."""
    wanted = one_line(wanted)[:200]
    key, count = wanted, seen.get(wanted, 0)
    while True:
        count += 1
        key = wanted if count == 1 else f"{wanted}#{count}"
        if key == wanted or key not in seen:
            break
    seen[wanted] = count
    if key != wanted:
        seen[key] = 1
    return key


def _joined(record: Record, columns: Sequence[str]) -> str:
    return " ".join(record[column] for column in columns if column in record)


def _document(
    source: ByteStream, record: Record, key: str, fields: dict[str, list[str]], order: dict[str, bool | None], numbered: str | None, mime_type: str
) -> Document:
    meta = source.meta or {}
    path = str(meta.get("path") or meta.get("file_name") or meta.get("uri") or "")
    found: dict[str, Any] = {
        "record_id": key,
        "source_id": source_id(str(meta.get("tenant") or "default"), str(meta.get("alias") or ""), f"{path}#{key}"),
        "uri": f"{meta.get('uri') or path}#{key}",
    }
    for name, columns in fields.items():
        value = _joined(record, columns)
        if not value or (name in _SPECIAL and name not in ("access", "url")):
            continue
        if name in DATES:
            try:
                found[name] = iso_date(value, day_is_first=order.get(name))
            except UnreadableError as error:
                raise UnreadableError(f"{name}: {error}") from None
        elif name == "access":
            groups = sorted({group.strip() for group in re.split(r"[,;]", value) if group.strip()})
            if groups:
                found["access"] = groups
        else:
            found[name] = value
    return build_document(source, _parts(record, fields), title=_title(source, record, key, fields, numbered), mime_type=mime_type, **found)


def _title(source: ByteStream, record: Record, key: str, fields: dict[str, list[str]], numbered: str | None) -> str:
    title = one_line(_joined(record, fields.get("title", ())))
    if not title:
        return f"{readable_name(source)} {key}"
    number = record.get(numbered, "") if numbered else ""
    if number and numbered not in fields.get("title", ()) and number not in title.split():
        return f"{title} ({numbered} {number})"
    return title


def _parts(record: Record, fields: dict[str, list[str]]) -> Parts:
    """Long fields as paragraphs, then one block of `name: value` lines that begins with the title and the id."""
    content = [column for column in fields.get("content", ()) if column in record]
    parts: Parts = []
    for column in content:
        text = record[column]
        pieces = re.split(r"\n\s*\n", text)
        if len(pieces) == 1 and len(text) > 500:
            pieces = text.split("\n")
        parts += [(piece.strip(), {"kind": "paragraph"}) for piece in pieces]
    first = [column for name in ("title", "record_id") for column in fields.get(name, ())]
    rest = [c for c in dict.fromkeys([*first, *record]) if c in record and c not in content]
    if rest:
        parts.append(("\n".join(f"{column}: {record[column]}" for column in rest), {"kind": "paragraph"}))
    return parts

"""What a file is, by its content: signatures first, then by trying to decode and to parse, and the extension last."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass

from components.converters.decoding import NotTextError, decode
from components.converters.outcome import UnreadableError
from components.converters.record_reading import json_object
from components.routers.container_types import OLE2, ole2_type, zip_type
from components.routers.file_types import (
    ACCEPTED,
    ALIKE,
    CSV,
    DOCX,
    EXTENSIONS,
    JSON,
    JSONL,
    MAIL,
    ROUTES,
    RTF,
    TSV,
    ZIP,
    Route,
    UnsupportedError,
    extension_of,
    unsupported,
)

__all__ = ["ACCEPTED", "DOCX", "Sniffed", "UnsupportedError", "file_type", "sniff"]

_HTML = re.compile(r"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_HTML_TAG = re.compile(r"</(?:p|div|span|table|ul|ol|h[1-6]|a|li)\s*>", re.IGNORECASE)
_PROLOG = re.compile(r"(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>)*", re.DOTALL | re.IGNORECASE)
_ROOT = re.compile(r"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)[\s/>]")
_FIRST_FIELD = re.compile(r"[A-Za-z][A-Za-z-]*:[ \t]|From \S+@\S+ ")
_MAIL_FIELD = re.compile(r"(?mi)^(from|to|subject|date|mime-version|received|message-id|return-path|content-type):[ \t]")
_MAIL_MACHINERY = {"mime-version", "received", "message-id", "return-path", "content-type"}


@dataclass(frozen=True)
class Sniffed:
    """What was found.

    :param mime_type: IANA name; `application/jsonl` for one JSON value a line.
    :param route: which converter reads it.
    :param mismatch: one line where the extension says something else, else empty.
    """

    mime_type: str
    route: Route
    mismatch: str = ""


def sniff(data: bytes, file_name: str = "") -> Sniffed:
    """Find out what the bytes are and who reads them.

    :param data: the whole file.
    :param file_name: its name; only the extension is used, and only where the content leaves a choice.
    :raises UnsupportedError: empty, binary of another kind, a suspicious archive, an encrypted Office file, or a zip folder, whose files
        are read one by one.

    >>> sniff(b"plain words", "report.pdf").mismatch
    'named .pdf, but the content is text/plain and was read as that'
    """
    found = file_type(data, file_name)
    if found not in ROUTES:
        raise UnsupportedError(f"{found} is a folder of files and was not unpacked; unpack it and index its files")
    extension = extension_of(file_name)
    expected = EXTENSIONS.get(extension)
    mismatch = ""
    if expected is not None and expected != found and not any({expected, found} <= kinds for kinds in ALIKE):
        mismatch = f"named {extension}, but the content is {found} and was read as that"
    return Sniffed(found, ROUTES[found], mismatch)


def file_type(data: bytes, file_name: str = "") -> str:
    """The type of a file: a key of `file_types.ROUTES`, or `application/zip`.

    :raises UnsupportedError: no converter reads it.
    """
    if not data.strip():
        raise UnsupportedError("the file is empty")
    extension = extension_of(file_name)
    return _binary_type(data) or _text_type(_text(data, extension), extension, EXTENSIONS.get(extension))


def _binary_type(data: bytes) -> str | None:
    """The type by signature; None where it may be text."""
    if data.startswith(OLE2):
        return ole2_type(data)
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK00PK\x03\x04")):
        return zip_type(data)
    if b"%PDF-" in data[:1024]:  # readers accept a header within the first kilobyte
        return "application/pdf"
    if data.lstrip()[:5] == b"{\\rtf":
        return RTF
    import filetype

    kind = filetype.guess(data)
    if kind is None:
        return None
    if kind.mime in ROUTES or kind.mime == ZIP:
        return str(kind.mime)
    raise unsupported(f"the type {kind.mime}")


def _text(data: bytes, extension: str) -> str:
    try:
        text, _ = decode(data)
    except NotTextError:
        raise unsupported(f"binary content{f' (named {extension})' if extension else ''}") from None
    if not text.strip():
        raise UnsupportedError("the file is empty: it holds white space only")
    return text


def _text_type(text: str, extension: str, expected: str | None) -> str:
    """The type of a decoded text."""
    head = text.lstrip("\ufeff \t\n")[:4096]
    if expected in (CSV, TSV, "text/markdown", "application/yaml"):
        return _table_or_markup(text, head, expected)
    if _is_mail(head, extension, expected):
        return MAIL
    if head.startswith("<") and (found := _markup_type(text, head, expected)):
        return found
    if head[:1] in "{[":  # before HTML: a field may hold a page
        if _is_json(text):
            return JSON
        if _is_jsonl(text):
            return JSONL
    if expected == JSONL and any(_is_object(line) for line in text.lstrip("\ufeff").split("\n")):
        return JSONL
    if _HTML.search(head[:1024]) or (expected == "text/html" and _HTML_TAG.search(text)):
        return "text/html"
    if expected == JSONL:
        raise UnsupportedError(f"named {extension}, but no line is a JSON object: {_first_line_error(text)}")
    if expected == JSON:
        raise UnsupportedError(f"named {extension}, but the content is not valid JSON: {_json_error(text)}")
    if not extension and _is_table(text):
        return TSV if "\t" in text.split("\n", 1)[0] else CSV
    return "text/plain"


def _table_or_markup(text: str, head: str, expected: str) -> str:
    """What the extension says, unless a whole table is something else: a row or a page may begin with a brace or a tag."""
    if expected in (CSV, TSV) and _HTML.match(head):
        return "text/html"
    return JSON if expected in (CSV, TSV) and _is_json(text) else expected


def _markup_type(text: str, head: str, expected: str | None) -> str:
    """HTML or XML by the first element; empty where the text is neither."""
    root = _root(text)
    if root == "html" or (root and expected == "text/html") or _HTML.match(head):
        return "text/html"
    if expected == "application/xml" or (root and head.startswith("<?xml")):
        return "application/xml"
    return ""


def _root(text: str) -> str:
    """The name of the first element behind declarations and comments, in small letters; empty where none is."""
    root = _ROOT.match(text, _prolog_end(text))
    return root.group(1).lower() if root else ""


def _prolog_end(text: str) -> int:
    match = _PROLOG.match(text.lstrip("\ufeff")[:200_000])
    return (match.end() if match else 0) + len(text) - len(text.lstrip("\ufeff"))


def _is_mail(head: str, extension: str, expected: str | None) -> bool:
    """Whether a text begins with the fields of a mail. Under another name it needs one that only mail programs write."""
    if not _FIRST_FIELD.match(head):
        return False
    fields = {m.group(1).lower() for m in _MAIL_FIELD.finditer(head.split("\n\n", maxsplit=1)[0])}
    if expected == MAIL or not extension:
        return len(fields) >= 2 or (expected == MAIL and bool(fields))
    return len(fields) >= 3 and "from" in fields and bool(fields & _MAIL_MACHINERY)


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text.lstrip("\ufeff")), dict | list)
    except (ValueError, RecursionError):
        return False


def _is_jsonl(text: str) -> bool:
    """Most of the first lines are JSON objects: a broken one is a record that fails, not another format."""
    lines = [line for line in text.lstrip("\ufeff").split("\n") if line.strip()][:9]
    return bool(lines) and 2 * sum(_is_object(line) for line in lines) > len(lines)


def _is_object(line: str) -> bool:
    if not line.lstrip().startswith("{"):
        return False
    try:
        json_object(line, 1)
    except UnreadableError:
        return False
    return True


def _first_line_error(text: str) -> str:
    """Why the first line that is not blank is no record; none of the lines is one."""
    number, line = next((n, line) for n, line in enumerate(text.lstrip("\ufeff").split("\n"), start=1) if line.strip())
    try:
        json_object(line, number)
    except UnreadableError as error:
        return str(error)
    return f"accepted: {JSONL}, one object a line"


def _json_error(text: str) -> str:
    try:
        json.loads(text.lstrip("\ufeff"))
    except RecursionError:
        return "it is nested too deeply"
    except ValueError as error:
        return str(error)
    return "accepted: an object, a list of objects, or one object a line"


def _is_table(text: str) -> bool:
    """Whether text without an extension is a table: at least three rows of the same two or more columns."""
    lines = [line for line in text.split("\n")[:50] if line.strip()]
    for delimiter in (",", "\t", ";"):
        widths = {len(row) for row in csv.reader(lines, delimiter=delimiter)}
        if len(lines) >= 3 and len(widths) == 1 and widths.pop() >= 2:
            return True
    return False

"""What a file is, by its content: signatures first, then by trying to decode and to parse, and the extension last."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from components.converters.decoding import NotTextError, decode

Route = Literal["text", "pdf", "records"]

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ROUTES: dict[str, Route] = {
    "text/plain": "text",
    "text/markdown": "text",
    "text/html": "text",
    "message/rfc822": "text",
    "application/vnd.ms-outlook": "text",
    DOCX: "text",
    "application/pdf": "pdf",
    "text/csv": "records",
    "text/tab-separated-values": "records",
    "application/json": "records",
    "application/jsonl": "records",
}
EXTENSIONS = {
    ".txt": "text/plain",
    ".text": "text/plain",
    ".log": "text/plain",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".eml": "message/rfc822",
    ".msg": "application/vnd.ms-outlook",
    ".docx": DOCX,
    ".pdf": "application/pdf",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".tab": "text/tab-separated-values",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".ndjson": "application/jsonl",
}
ACCEPTED = "txt, md, html, docx, eml, msg, pdf, csv, tsv, json, jsonl"
MAX_UNPACKED_BYTES = 200_000_000
MAX_RATIO = 100  # unpacked to packed; text in a real document packs to about a tenth
_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML = re.compile(r"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_HTML_TAG = re.compile(r"</(?:p|div|span|table|ul|ol|h[1-6]|a|li)\s*>", re.IGNORECASE)
_MAIL_FIELD = re.compile(r"(?mi)^(from|to|subject|date|mime-version|received|message-id|return-path|content-type):[ \t]")


class UnsupportedError(ValueError):
    """A file that no converter reads. The message says what it is and what is accepted."""


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
    """Find out what the bytes are.

    :param data: the whole file.
    :param file_name: its name; only the extension is used, and only where the content leaves a choice.
    :raises UnsupportedError: empty, binary of another kind, a suspicious archive, or an encrypted Office file.

    >>> sniff(b"plain words", "report.pdf").mismatch
    'named .pdf, but the content is text/plain and was read as that'
    """
    if not data.strip():
        raise UnsupportedError("the file is empty")
    extension = PurePosixPath(file_name.replace("\\", "/")).suffix.lower()
    expected = EXTENSIONS.get(extension)
    found = _binary_type(data, extension) or _text_type(_text(data, extension), extension, expected)
    mismatch = ""
    if expected is not None and expected != found and not {expected, found} <= {"application/json", "application/jsonl"}:
        mismatch = f"named {extension}, but the content is {found} and was read as that"
    return Sniffed(found, ROUTES[found], mismatch)


def _unsupported(what: str) -> UnsupportedError:
    return UnsupportedError(f"{what} is not supported; accepted: {ACCEPTED}")


def _binary_type(data: bytes, extension: str) -> str | None:
    """The type by signature; None where it may be text."""
    if data.startswith(_OLE2):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise UnsupportedError("the Office file is encrypted with a password; save it without one")
        if "__substg1.0_".encode("utf-16-le") in data:
            return "application/vnd.ms-outlook"
        raise _unsupported("an old binary Office file (doc, xls, ppt)")
    if data.startswith(b"PK\x03\x04"):
        return _zip_type(data)
    if b"%PDF-" in data[:1024]:  # readers accept a header within the first kilobyte
        return "application/pdf"
    if data.startswith(b"{\\rtf"):
        raise _unsupported("rich text (RTF)")
    import filetype

    kind = filetype.guess(data)
    if kind is not None:
        raise _unsupported(f"the type {kind.mime}")
    return None


def _zip_type(data: bytes) -> str:
    """The type of an archive by what it holds."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            unpacked, packed = sum(e.file_size for e in entries), sum(e.compress_size for e in entries)
            if unpacked > MAX_UNPACKED_BYTES or (unpacked > 10_000_000 and unpacked > MAX_RATIO * max(packed, 1)):
                raise UnsupportedError(
                    f"the archive would unpack to {unpacked / 1e6:.0f} MB from {len(data) / 1e6:.1f} MB, which is refused; "
                    f"accepted: up to {MAX_UNPACKED_BYTES // 1_000_000} MB and {MAX_RATIO} times the packed size"
                )
            names = {e.filename for e in entries}
            if "[Content_Types].xml" not in names:
                kind = archive.read("mimetype").decode("ascii", "replace") if "mimetype" in names else "application/zip"
                raise _unsupported(f"the type {kind}")
            types = archive.read("[Content_Types].xml").decode("utf-8", "replace")
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise UnsupportedError("the file is a damaged zip archive (docx files are such archives)") from error
    if "wordprocessingml.document.main+xml" in types or "document.macroEnabled.main+xml" in types:
        return DOCX
    for part, name in (("spreadsheetml", "an Excel workbook (save the sheet as csv)"), ("presentationml", "a PowerPoint file")):
        if part in types:
            raise _unsupported(name)
    raise _unsupported("this kind of Office file")


def _text(data: bytes, extension: str) -> str:
    try:
        text, _ = decode(data)
    except NotTextError:
        raise _unsupported(f"binary content{f' (named {extension})' if extension else ''}") from None
    if not text.strip():
        raise UnsupportedError("the file is empty: it holds white space only")
    return text


def _text_type(text: str, extension: str, expected: str | None) -> str:
    """The type of a decoded text."""
    head = text.lstrip("\ufeff \t\n")[:4096]
    if expected in ("text/csv", "text/tab-separated-values", "text/markdown"):
        candidates = ()  # a row or a page of these may begin with a brace or a tag
        if expected != "text/markdown" and (_HTML.match(head) or _is_json(text)):
            candidates = ("text/html" if _HTML.match(head) else "application/json",)
        return candidates[0] if candidates else expected
    if _HTML.search(head[:1024]) or (expected == "text/html" and _HTML_TAG.search(text)):
        return "text/html"
    if head[:1] in "{[":
        if _is_json(text):
            return "application/json"
        if _is_jsonl(text):
            return "application/jsonl"
    if expected in ("application/json", "application/jsonl"):
        raise UnsupportedError(f"named {extension}, but the content is not valid JSON: {_json_error(text)}")
    if len({m.group(1).lower() for m in _MAIL_FIELD.finditer(head.split("\n\n")[0])}) >= 2 and extension in (".eml", ""):
        return "message/rfc822"
    if not extension and _is_table(text):
        return "text/tab-separated-values" if "\t" in text.split("\n", 1)[0] else "text/csv"
    return "text/plain"


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text.lstrip("\ufeff")), dict | list)
    except (ValueError, RecursionError):
        return False


def _is_jsonl(text: str) -> bool:
    """Most of the first lines are JSON each: a broken one is a record that fails, not another format."""
    lines = [line for line in text.lstrip("\ufeff").split("\n") if line.strip()][:9]
    return bool(lines) and 2 * sum(_is_json(line) for line in lines) > len(lines)


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

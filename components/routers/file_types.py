"""The kinds of files that are read: their types, their extensions, and which converter takes them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Literal

Route = Literal["text", "pdf", "records", "sheets", "images"]

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XLSB = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
DOC = "application/msword"
PPT = "application/vnd.ms-powerpoint"
XLS = "application/vnd.ms-excel"
MSG = "application/vnd.ms-outlook"
ODT = "application/vnd.oasis.opendocument.text"
ODP = "application/vnd.oasis.opendocument.presentation"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
EPUB = "application/epub+zip"
RTF = "application/rtf"
ZIP = "application/zip"
MAIL = "message/rfc822"
CSV = "text/csv"
TSV = "text/tab-separated-values"
JSON = "application/json"
JSONL = "application/jsonl"

ROUTES: dict[str, Route] = {
    "text/plain": "text",
    "text/markdown": "text",
    "text/html": "text",
    "application/xml": "text",
    "application/yaml": "text",
    MAIL: "text",
    MSG: "text",
    DOCX: "text",
    DOC: "text",
    PPTX: "text",
    PPT: "text",
    ODT: "text",
    ODP: "text",
    RTF: "text",
    EPUB: "text",
    "application/pdf": "pdf",
    CSV: "records",
    TSV: "records",
    JSON: "records",
    JSONL: "records",
    XLSX: "sheets",
    XLSB: "sheets",
    XLS: "sheets",
    ODS: "sheets",
    "image/png": "images",
    "image/jpeg": "images",
    "image/tiff": "images",
    "image/bmp": "images",
    "image/webp": "images",
    "image/gif": "images",
}
_EXTENSIONS_OF = {
    "text/plain": "txt text log",
    "text/markdown": "md markdown mdown mkd",
    "text/html": "html htm xhtml",
    "application/xml": "xml",
    "application/yaml": "yaml yml",
    MAIL: "eml mht mhtml",
    MSG: "msg",
    DOCX: "docx docm dotx dotm",
    DOC: "doc dot",
    PPTX: "pptx pptm potx potm ppsx ppsm",
    PPT: "ppt pot pps",
    XLSX: "xlsx xlsm xltx xltm",
    XLSB: "xlsb",
    XLS: "xls xlt",
    ODT: "odt ott",
    ODP: "odp otp",
    ODS: "ods ots",
    RTF: "rtf",
    EPUB: "epub",
    ZIP: "zip",
    "application/pdf": "pdf",
    CSV: "csv",
    TSV: "tsv tab",
    JSON: "json",
    JSONL: "jsonl ndjson",
    "image/png": "png",
    "image/jpeg": "jpg jpeg jpe",
    "image/tiff": "tif tiff",
    "image/bmp": "bmp",
    "image/webp": "webp",
    "image/gif": "gif",
}
EXTENSIONS = {f".{extension}": mime_type for mime_type, names in _EXTENSIONS_OF.items() for extension in names.split()}
ACCEPTED = (
    "txt, md, html, xml, yaml, pdf, docx, doc, pptx, ppt, xlsx, xls, csv, tsv, json, jsonl, rtf, odt, ods, odp, epub, eml, msg, zip, "
    "png, jpg, tiff, bmp, webp, gif"
)
ALIKE = ({JSON, JSONL}, {XLSX, XLSB}, {"application/xml", "text/html"})
"""Types whose extensions are used for each other; no reader is surprised by the other one."""


class UnsupportedError(ValueError):
    """A file that no converter reads. The message says what it is and what is accepted."""


def unsupported(what: str) -> UnsupportedError:
    """The error for a kind of file that is not read."""
    return UnsupportedError(f"{what} is not supported; accepted: {ACCEPTED}")


def extension_of(file_name: str) -> str:
    """The extension with its dot, in small letters; empty where there is none."""
    return PurePosixPath(file_name.replace("\\", "/")).suffix.lower()

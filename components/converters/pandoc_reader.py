"""RTF, OpenDocument text and epub to HTML, by pandoc."""

from __future__ import annotations

import re
import tempfile
from itertools import pairwise
from pathlib import Path

from components.converters.programs import run_program
from components.routers.file_types import EPUB, ODT, RTF

FORMATS = {RTF: "rtf", ODT: "odt", EPUB: "epub"}
_CODE_PAGES = {1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258, 874}
"""Code pages of one byte a character that pandoc's RTF reader does not know; it knows 1252 and Unicode escapes."""
_STATED = re.compile(rb"\\ansicpg(\d+)")
_ESCAPES = re.compile(rb"\\u-?\d+ ?(?:\\'[0-9a-fA-F]{2}|\?)?|((?:\\'[0-9a-fA-F]{2})+)")
_TITLE_BLOCK = re.compile(r'<header id="title-block-header">.*?</header>', re.DOTALL)
_NO_TITLE = re.compile(r"<title>(?:source|untitled(?: document)?)</title>", re.IGNORECASE)
_ROW = re.compile(rb"\\row(?![a-z])")


def to_html(data: bytes, mime_type: str, *, timeout_s: float) -> str:
    """Convert a file to an HTML page, title in its head, footnotes in a section at its end.

    pandoc keeps headings, lists, tables and footnotes of all three formats in one form; `unstructured` calls it too, for RTF and epub, and its
    own reader of odt goes through docx. It runs with `--sandbox`, so a file can name no other file and no address.

    :raises UnreadableError: damaged, or longer than the time limit.
    """
    import pypandoc

    if mime_type == RTF:
        data = prepare_rtf(data)
    with tempfile.TemporaryDirectory(prefix="pandoc-") as name:
        folder = Path(name)
        source = folder / f"source.{FORMATS[mime_type]}"
        source.write_bytes(data)
        command = [pypandoc.get_pandoc_path(), "--sandbox", "--standalone", "--wrap=none", "--from", FORMATS[mime_type], "--to", "html", source]
        page = run_program(command, timeout_s=timeout_s, folder=folder).decode("utf-8", "replace")
    page = _TITLE_BLOCK.sub("", page, count=1)  # it repeats the title of the head, or what pandoc puts there for want of one
    return _NO_TITLE.sub("<title></title>", page, count=1)


def prepare_rtf(data: bytes) -> bytes:
    """Write characters of other code pages as Unicode escapes, and repeat the definition of a row where it is left out.

    >>> prepare_rtf(rb"{\\rtf1\\ansi\\ansicpg1251 \\'c4\\'e0}")
    b'{\\\\rtf1\\\\ansi\\\\ansicpg1252 {\\\\uc1\\\\u1044?\\\\u1072?}}'
    """
    stated = _STATED.search(data)
    page = int(stated.group(1)) if stated else 1252
    if page in _CODE_PAGES:

        def escaped(match: re.Match[bytes]) -> bytes:
            if not match.group(1):
                return match.group()
            text = bytes.fromhex(match.group(1).replace(b"\\'", b"").decode()).decode(f"cp{page}", "replace")
            return b"{\\uc1" + b"".join(b"\\u%d?" % ord(character) for character in text) + b"}"

        data = _STATED.sub(b"\\\\ansicpg1252", _ESCAPES.sub(escaped, data), count=1)
    rows = list(_ROW.finditer(data))
    pieces, position = [], 0
    for row, following in pairwise(rows):
        pieces.append(data[position : row.end()])
        position = row.end()
        if b"\\trowd" not in data[row.end() : following.start()]:
            pieces.append(b"\\trowd")
            if data[position : position + 1].isalnum():
                pieces.append(b" ")
    return b"".join([*pieces, data[position:]])

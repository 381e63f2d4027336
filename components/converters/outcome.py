"""What every converter makes of a source: a document with blocks, or a failure with its reason."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from haystack import Document
from haystack.dataclasses import ByteStream

from components.blocks import join_blocks
from components.failure import Failure

Parts = list[tuple[str, dict[str, Any]]]
"""(text, block fields) in reading order, as `join_blocks` takes them."""


class UnreadableError(ValueError):
    """A source that cannot be converted. The message is one line for a person."""


def locked(what: str, passwords: tuple[str, ...]) -> UnreadableError:
    """The error of something encrypted that none of the passwords opens; none of them is named."""
    none = "SAKSHYA_FILE_PASSWORDS names none; give it there, or save the file without one"
    tried = "no password of SAKSHYA_FILE_PASSWORDS opens it" if passwords else none
    return UnreadableError(f"{what} is encrypted with a password: {tried}")


def source_name(source: ByteStream) -> str:
    """How a source is named in messages: its uri, else its file name or path."""
    meta = source.meta or {}
    for key in ("uri", "file_name", "path", "file_path"):
        if meta.get(key):
            return str(meta[key])
    return "<unnamed source>"


def failure(source: ByteStream | str, reason: object) -> Failure:
    """A failure with its reason on one line."""
    name = source if isinstance(source, str) else source_name(source)
    return Failure(source=name, reason=re.sub(r"\s+", " ", str(reason)).strip()[:500])


def readable_name(source: ByteStream) -> str:
    """The file name as a title: without folder and extension, `_` and `-` as spaces, first letter large.

    >>> readable_name(ByteStream(b"", meta={"file_name": "leave_policy-2024.txt"}))
    'Leave policy 2024'
    """
    meta = source.meta or {}
    name = str(meta.get("file_name") or meta.get("path") or urlsplit(str(meta.get("uri") or "")).path or "")
    stem = PurePosixPath(unquote(name.replace("\\", "/"))).stem
    words = re.sub(r"[\s_\-]+", " ", stem).strip() or "Untitled"
    return words[0].upper() + words[1:]


def first_heading(parts: Parts) -> str:
    """The text of the title block, else of the first heading of level 1; empty where there is neither."""
    for wanted in ("title", "heading"):
        for text, fields in parts:
            if fields["kind"] == wanted and fields.get("level", 1) == 1 and text.strip():
                return one_line(text)
    return ""


def one_line(text: str) -> str:
    """The text with every run of white space as one space."""
    return re.sub(r"\s+", " ", text).strip()


def build_document(source: ByteStream, parts: Parts, *, title: str, mime_type: str | None = None, **meta: Any) -> Document:
    """Make the document of a source: its meta, title, mime type, blocks and joined text.

    :param source: the source; its meta is copied.
    :param parts: the blocks.
    :param title: title found in the document; empty: the file name made readable. One that the source's meta gives, by a path rule for
        instance, wins; a record has its own.
    :param mime_type: where the source does not say.
    :param meta: further meta; None values are left out.
    :raises UnreadableError: the parts hold no visible text.
    """
    content, blocks = join_blocks(parts)
    if not content:
        raise UnreadableError("no text: the file holds none that could be read")
    kept = dict(source.meta or {})
    kept["mime_type"] = kept.get("mime_type") or source.mime_type or mime_type
    given = "" if "record_id" in meta else str(kept.get("title") or "")
    kept["title"] = one_line(given or title) or readable_name(source)
    kept.update({key: value for key, value in meta.items() if value is not None})
    kept["blocks"] = blocks
    return Document(content=content, meta=kept)

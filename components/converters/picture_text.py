"""Text in the pictures of a document that is no picture itself: screenshots, scans and diagrams in docx, pptx, odt, epub and html."""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import re
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

from components.converters.extracted import Extracted
from components.converters.ocr import OcrOptions, read_image
from components.converters.outcome import Parts, UnreadableError, one_line
from components.routers.file_types import DOCX, PPTX

MIN_SIDES = (200, 40)  # pixels, the longer and the shorter; smaller pictures are icons and rules
MIN_LETTERS = 12  # less is a logo or a label
MAX_PICTURES = 30  # of one document
_MAX_BYTES = 30_000_000  # of one picture, unpacked
_PICTURE = re.compile(r"\.(?:png|jpe?g|tiff?|bmp|webp|gif)$", re.IGNORECASE)
_DATA_URI = re.compile(r"data:image/(?:png|jpe?g|tiff|bmp|webp|gif);base64,([A-Za-z0-9+/=\s]{200,})")
_ANCHOR = 80  # characters of the text before a picture by which its place is found


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a document: its bytes, its page where there are pages, and the text that stands before it."""

    data: bytes
    page: int | None = None
    after: str = ""


def add_picture_text(found: Extracted, data: bytes, mime_type: str, *, time_s: float, options: OcrOptions | None = None) -> None:
    """Put the text of a document's pictures where they stand, in blocks with `from_image`.

    :param found: what was read of the document; changed.
    :param data: the file: docx, pptx, or another zip package with picture files (odt, odp, epub); HTML with `data:` URIs as UTF-8.
    :param time_s: seconds after which no further picture is begun.
    """
    begun = time.monotonic()
    read, late = 0, 0
    seen: set[bytes] = set()
    cursor = 0
    for picture in _pictures(data, mime_type):
        key = hashlib.sha256(picture.data).digest()
        if key in seen or not _holds_text(picture.data):
            continue
        seen.add(key)
        if read + late >= MAX_PICTURES or time.monotonic() - begun > time_s:
            late += 1
            continue
        parts = _text_of(picture, options or OcrOptions())
        if parts:
            read += 1
            cursor = _insert(found.parts, parts, picture, cursor)
    if read:
        found.notices.append(f"the text of {read} picture{'s' if read != 1 else ''} was read by OCR")
    if late:
        found.notices.append(f"{late} picture{'s' if late != 1 else ''} left out: only {MAX_PICTURES}, in {time_s:.0f} s, are looked at for text")


def _text_of(picture: Picture, options: OcrOptions) -> Parts:
    try:
        parts = read_image(picture.data, options).parts
    except UnreadableError:
        return []  # most pictures hold no text
    if sum(c.isalnum() for text, _ in parts for c in text) < MIN_LETTERS:
        return []
    out: Parts = []
    for text, fields in parts:  # headings of a picture are none of the document
        kind = fields["kind"] if fields["kind"] in ("list", "table") else "paragraph"
        out.append((text, {"kind": kind, "from_image": True, **({"page": picture.page} if picture.page else {})}))
    return out


def _insert(parts: Parts, new: Parts, picture: Picture, cursor: int) -> int:
    """Put blocks behind the text before the picture, or at the end of its page, or else at the end; returns where to look for the next."""
    place = len(parts)
    if picture.page is not None:
        place = max((n + 1 for n, (_, fields) in enumerate(parts) if (fields.get("page") or 0) <= picture.page), default=0)
    elif picture.after:
        found = next((n for n in range(cursor, len(parts)) if picture.after in one_line(parts[n][0])), None)
        if found is not None:
            cursor, place = found, found + 1
            while place < len(parts) and parts[place][1].get("from_image"):
                place += 1
    if picture.page is None and place and "page" in parts[place - 1][1]:
        new = [(text, {**fields, "page": parts[place - 1][1]["page"]}) for text, fields in new]
    parts[place:place] = new
    return cursor


def _holds_text(data: bytes) -> bool:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as image:
            return max(image.size) >= MIN_SIDES[0] and min(image.size) >= MIN_SIDES[1]
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return False


def _pictures(data: bytes, mime_type: str) -> Iterator[Picture]:
    if mime_type == DOCX:
        yield from _of_word(data)
    elif mime_type == PPTX:
        yield from _of_slides(data)
    elif mime_type == "text/html":
        yield from data_uris(data.decode("utf-8", "replace"))
    elif zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for item in archive.infolist():
                if _PICTURE.search(item.filename) and item.file_size <= _MAX_BYTES:
                    yield Picture(archive.read(item))


def data_uris(html: str) -> Iterator[Picture]:
    """Pictures that an HTML text carries in itself."""
    for match in _DATA_URI.finditer(html):
        try:
            yield Picture(base64.b64decode(match.group(1)))
        except binascii.Error:
            continue


def _of_word(data: bytes) -> Iterator[Picture]:
    import docx

    document = docx.Document(io.BytesIO(data))
    before = ""
    for element in document.element.body.iter("{*}p", "{*}blip"):
        if element.tag.endswith("}p"):
            text = one_line("".join(t.text or "" for t in element.iter("{http://schemas.openxmlformats.org/wordprocessingml/2006/main}t")))
            before = text[:_ANCHOR] or before
            continue
        relation = document.part.rels.get(element.get("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed") or "")
        if relation is not None and not relation.is_external and _PICTURE.search(str(relation.target_part.partname)):
            yield Picture(relation.target_part.blob, after=before)


def _of_slides(data: bytes) -> Iterator[Picture]:
    import pptx

    for number, slide in enumerate(pptx.Presentation(io.BytesIO(data)).slides, start=1):
        for relation in slide.part.rels.values():
            if relation.reltype.endswith("/image") and not relation.is_external and _PICTURE.search(str(relation.target_part.partname)):
                yield Picture(relation.target_part.blob, page=number)

"""PDF to documents, by the places of its words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.file_converter import FileConverter
from components.converters.outcome import UnreadableError, build_document, first_heading, locked, one_line
from components.converters.pdf_structure import structure
from components.converters.pdf_words import Page, read_page
from config.settings import settings

if TYPE_CHECKING:
    import pypdfium2


def read(source: ByteStream, *, max_pages: int, passwords: tuple[str, ...] = ()) -> list[Document]:
    """Read a PDF.

    :param passwords: tried in turn where it is encrypted.
    :raises UnreadableError: encrypted, damaged, of more than `max_pages` pages, or without text.
    """
    pages, title, broken = read_pages(source.data, max_pages, passwords)
    empty = [page.number for page in pages if not page.words and not page.rotated and page.has_image]
    hidden = sum(page.hidden for page in pages)
    parts = structure(pages)
    if not parts:
        raise UnreadableError(_no_text(pages, hidden, broken))
    notices = [f"{len(empty)} of {len(pages)} pages are images without text and were left out"] if empty else []
    if broken:
        notices.append(f"{len(broken)} of {len(pages) + len(broken)} pages are damaged and were left out")
    document = build_document(
        source,
        parts,
        title=_sensible(title) or first_heading(parts),
        mime_type="application/pdf",
        pages=len(pages) + len(broken),
        pages_without_text=empty or None,
        pages_unreadable=broken or None,
        hidden_characters=hidden or None,
        notices=notices or None,
    )
    return [document]


@component
class PdfConverter(FileConverter):
    """Reads PDF files that hold text: headings, paragraphs and tables with their pages, in reading order.

    Haystack's `PyPDFToDocument` and `PDFMinerToDocument` give one string: marginal notes, line numbers and running heads stand in the
    middle of sentences, and pages and headings are lost. Here PDFium gives characters with places, and general rules of
    typesetting (position, repetition, type size) do the rest; no rule knows a particular document.

    Text that nobody can see (white on nothing, transparent, off the page, under 1.5 points) is left out. Scanned pages
    need OCR, which is not built in: a document of such pages fails and says so; of a mixed one the pages are named in the meta
    `pages_without_text`.
    """

    read = staticmethod(read)
    modules = ("pypdfium2",)

    def __init__(self, timeout_s: float = 300.0, max_memory_mb: int = 1024, max_pages: int = 5000) -> None:
        """Create a converter.

        :param timeout_s: seconds that reading one PDF may take, more than 0.
        :param max_memory_mb: megabytes that it may take, 64 or more.
        :param max_pages: a PDF of more pages is refused, 1 or more.
        :raises ValueError: a value out of range.
        """
        FileConverter.__init__(self, timeout_s=timeout_s, max_memory_mb=max_memory_mb)
        if max_pages < 1:
            raise ValueError(f"max_pages={max_pages!r} is not accepted: a number of pages, 1 or more")
        self.max_pages = max_pages

    def options(self) -> dict[str, Any]:
        """Keyword arguments of `read`."""
        return {"max_pages": self.max_pages, "passwords": settings().passwords}


def open_pdf(data: bytes, passwords: tuple[str, ...] = ()) -> pypdfium2.PdfDocument:
    """Open a PDF, where it is encrypted with one of the passwords.

    :raises UnreadableError: encrypted with another password, or broken.
    """
    import pypdfium2

    for password in (None, *passwords):
        try:
            return pypdfium2.PdfDocument(data, password=password)
        except pypdfium2.PdfiumError as error:
            if "password" not in str(error).lower():
                raise UnreadableError(f"the PDF is damaged or cut off and cannot be opened ({_reason(error)})") from None
    raise locked("the PDF", passwords)


def read_pages(data: bytes, max_pages: int, passwords: tuple[str, ...] = ()) -> tuple[list[Page], str, list[int]]:
    """Open a PDF and read its pages.

    :returns: pages with their words, the title that the file states, and the numbers of pages that could not be read.
    :raises UnreadableError: encrypted, broken, of more than `max_pages` pages, or without one that can be read.
    """
    import pypdfium2

    document = open_pdf(data, passwords)
    try:
        if len(document) > max_pages:
            raise UnreadableError(f"the PDF has {len(document)} pages; accepted: up to max_pages={max_pages}")
        pages: list[Page] = []
        broken: list[int] = []
        for index in range(len(document)):
            try:
                page = document[index]
                pages.append(read_page(page, index + 1))
                page.close()
            except pypdfium2.PdfiumError:
                broken.append(index + 1)
        title = document.get_metadata_dict().get("Title") or ""
    finally:
        document.close()
    if not pages:
        raise UnreadableError(f"the PDF is damaged: none of its {len(broken)} pages can be read")
    return pages, title, broken


def _reason(error: Exception) -> str:
    match = re.search(r"PDFium: ([^)]*?)\.?\)", str(error))
    return match.group(1).lower() if match else one_line(str(error))


def _no_text(pages: list[Page], hidden: int, broken: list[int]) -> str:
    images = sum(page.has_image for page in pages)
    count = f"{len(pages)} page{'s' if len(pages) != 1 else ''}"
    if hidden:
        return f"no text: all characters on the PDF's {count} are invisible"
    if images:
        return f"no text: the PDF has {count} of images and needs OCR, which is not built in yet"
    if broken:
        return f"no text: {len(broken)} pages of the PDF are damaged and the others are empty"
    return f"no text: the PDF has {count} without any text; if something is to be seen there, it is drawn and needs OCR, which is not built in yet"


def _sensible(title: str) -> str:
    """A title from the file's properties, unless it is the name of a file or of a program."""
    words = one_line(title)
    poor = re.search(r"(?i)^(untitled|microsoft|document\d*$)|\.[a-z]\w{1,3}$|[\\/]", words)
    return "" if poor or " " not in words or not any(c.isalpha() for c in words) else words

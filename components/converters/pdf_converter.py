"""PDF to documents, by the places of its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.file_converter import FileConverter
from components.converters.ocr import OcrOptions, numbered
from components.converters.outcome import UnreadableError, build_document, first_heading, locked, one_line
from components.converters.pdf_ocr import PdfOcr, Recognised, recognise_pages
from components.converters.pdf_structure import structure
from components.converters.pdf_words import Page, read_page
from config.settings import settings

if TYPE_CHECKING:
    import pypdfium2


_TAIL = 2048  # bytes at the end of a file, in which its end mark stands


def read(source: ByteStream, *, max_pages: int, passwords: tuple[str, ...] = (), ocr: PdfOcr | None = None) -> list[Document]:
    """Read a PDF.

    :param passwords: tried in turn where it is encrypted.
    :param ocr: how pages that are pictures are recognised; None: not at all.
    :raises UnreadableError: encrypted, damaged, of more than `max_pages` pages, or without text.
    """
    pages, title, broken, recognised = read_pages(source.data, max_pages, passwords, ocr or PdfOcr(None))
    hidden = sum((page.hidden for page in pages), Counter())
    parts = structure(pages)
    if not parts:
        raise UnreadableError(_no_text(pages, hidden, broken, recognised))
    notices = recognised.notices()
    count = len(pages) + len(broken)
    if broken:
        notices.append(f"{numbered(broken)} of {count} {'is' if len(broken) == 1 else 'are'} damaged and left out")
    if b"%%EOF" not in source.data[-_TAIL:]:
        notices.append(f"the file is cut off: it has no end; {len(pages)} page{'s' if len(pages) != 1 else ''} could be read")
    if hidden:
        notices.append(f"hidden text was removed: {_named(hidden)}")
    document = build_document(
        source,
        parts,
        title=_sensible(title) or first_heading(parts),
        mime_type="application/pdf",
        pages=count,
        pages_without_text=[page.number for page in pages if not page.words and not page.rotated and page.has_image] or None,
        pages_recognised=[number for number, reading in recognised.readings.items() if reading.page.lines] or None,
        pages_unreadable=broken or None,
        hidden_characters=hidden.total() or None,
        notices=notices or None,
    )
    return [document]


@component
class PdfConverter(FileConverter):
    """Reads PDF files that hold text: headings, paragraphs and tables with their pages, in reading order.

    Haystack's `PyPDFToDocument` and `PDFMinerToDocument` give one string: marginal notes, line numbers and running heads stand in the
    middle of sentences, and pages and headings are lost. Here PDFium gives characters with places, and general rules of
    typesetting (position, repetition, type size) do the rest; no rule knows a particular document.

    Text that nobody can see (in the colour of its background, transparent, not drawn, covered, off the page, under 1.5 points) is left out and
    named in a notice; what was recognised on a scan before stays. Pages that are pictures are recognised (`pdf_ocr.py`), and a notice says
    which and how certainly.
    """

    read = staticmethod(read)
    modules = ("pypdfium2",)

    def __init__(
        self,
        timeout_s: float = 900.0,
        max_memory_mb: int = 3072,
        max_pages: int = 5000,
        ocr: bool = True,
        ocr_dpi: int = 200,
        max_ocr_pages: int = 200,
        ocr_languages: Sequence[str] = (),
        ocr_min_confidence: float = 0.75,
    ) -> None:
        """Create a converter.

        :param timeout_s: seconds that reading one PDF may take, more than 0. Recognition stops before that and names the pages that are missing;
            a page takes some 5 to 15 s of one processor.
        :param max_memory_mb: megabytes that it may take, 64 or more; recognition takes some 1000.
        :param max_pages: a PDF of more pages is refused, 1 or more.
        :param ocr: whether pages that are pictures are recognised.
        :param ocr_dpi: dots per inch at which they are drawn, 72 to 600.
        :param max_ocr_pages: at most so many pages of one PDF are recognised, 1 or more; the others are named.
        :param ocr_languages: two-letter codes (ISO 639-1) or Tesseract's own; empty: told from the page.
        :param ocr_min_confidence: from 0 to 1; a recognised page of less counts as unreadable.
        :raises ValueError: a value out of range.
        """
        FileConverter.__init__(self, timeout_s=timeout_s, max_memory_mb=max_memory_mb)
        if max_pages < 1:
            raise ValueError(f"max_pages={max_pages!r} is not accepted: a number of pages, 1 or more")
        if max_ocr_pages < 1:
            raise ValueError(f"max_ocr_pages={max_ocr_pages!r} is not accepted: a number of pages, 1 or more; ocr=false recognises none")
        if not 72 <= ocr_dpi <= 600:
            raise ValueError(f"ocr_dpi={ocr_dpi!r} is not accepted: dots per inch, 72 to 600")
        self.max_pages = max_pages
        self.ocr = ocr
        self.ocr_dpi = ocr_dpi
        self.max_ocr_pages = max_ocr_pages
        self.ocr_languages = list(ocr_languages)
        self.ocr_min_confidence = ocr_min_confidence
        options = OcrOptions(tuple(ocr_languages), ocr_min_confidence)
        self._how = PdfOcr(options if ocr else None, ocr_dpi, max_ocr_pages, timeout_s)

    def options(self) -> dict[str, Any]:
        """Keyword arguments of `read`."""
        return {"max_pages": self.max_pages, "passwords": settings().passwords, "ocr": self._how}


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


def read_pages(
    data: bytes, max_pages: int, passwords: tuple[str, ...] = (), ocr: PdfOcr | None = None
) -> tuple[list[Page], str, list[int], Recognised]:
    """Open a PDF and read its pages.

    :returns: pages with their words, the title that the file states, the numbers of pages that could not be read, and what was recognised.
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
        recognised = recognise_pages(document, pages, ocr or PdfOcr(None))
    finally:
        document.close()
    if not pages:
        raise UnreadableError(f"the PDF is damaged: none of its {len(broken)} pages can be read")
    return pages, title, broken, recognised


def _reason(error: Exception) -> str:
    match = re.search(r"PDFium: ([^)]*?)\.?\)", str(error))
    return match.group(1).lower() if match else one_line(str(error))


def _no_text(pages: list[Page], hidden: Counter[str], broken: list[int], recognised: Recognised) -> str:
    count = f"{len(pages)} page{'s' if len(pages) != 1 else ''}"
    problems = [reading.problem for reading in recognised.readings.values() if reading.problem]
    if problems:
        return f"no text: the PDF has {count} of images, and {Counter(problems).most_common(1)[0][0]}"
    if recognised.not_tried:
        return f"no text: the PDF has {count} of images without text, and {recognised.reason}"
    if hidden:
        return f"no text: all characters on the PDF's {count} are hidden ({_named(hidden)})"
    if broken:
        return f"no text: {len(broken)} pages of the PDF are damaged and the others are empty"
    return f"no text: the PDF has {count}, all empty"


def _named(hidden: Counter[str]) -> str:
    return ", ".join(f"{count} character{'s' if count != 1 else ''} {why}" for why, count in hidden.most_common())


def _sensible(title: str) -> str:
    """A title from the file's properties, unless it is the name of a file or of a program."""
    words = one_line(title)
    poor = re.search(r"(?i)^(untitled|microsoft|document\d*$)|\.[a-z]\w{1,3}$|[\\/]", words)
    return "" if poor or " " not in words or not any(c.isalpha() for c in words) else words

"""Images to documents, by recognising their text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.file_converter import FileConverter
from components.converters.ocr import OcrOptions, read_image
from components.converters.outcome import build_document


def read(source: ByteStream, *, options: OcrOptions, time_s: float) -> list[Document]:
    """Read an image.

    :param time_s: seconds after which no further page of it is begun.
    :raises UnreadableError: damaged, too large, or without text that can be read.
    """
    found = read_image(source.data, options, time_s)
    return [build_document(source, found.parts, title=found.title, notices=found.notices or None)]


@component
class ImageConverter(FileConverter):
    """Reads pictures of text by OCR: PNG, JPEG, TIFF with its pages, BMP, WebP, and the first frame of a GIF.

    Haystack's `LLMDocumentContentExtractor` asks a vision model. Here PP-OCRv6 reads in this machine, with models that come with the package
    `rapidocr`; lines go through the same rules of layout as those of a PDF. A picture whose text cannot be made out fails and says why.

    ```python
    ImageConverter(languages=["hi"]).run([ByteStream(Path("scan.png").read_bytes())])  # Hindi needs Tesseract
    ```
    """

    read = staticmethod(read)

    def __init__(self, languages: Sequence[str] = (), min_confidence: float = 0.75, timeout_s: float = 900.0, max_memory_mb: int = 3072) -> None:
        """Create a converter.

        :param languages: two-letter codes (ISO 639-1) or Tesseract's own; empty: told from the image. Others than those of Latin letters,
            Chinese and Japanese need Tesseract with that language.
        :param min_confidence: from 0 to 1; an image of less counts as unreadable.
        :param timeout_s: seconds that reading one file may take, more than 0. No page is begun after four fifths of it.
        :param max_memory_mb: megabytes that it may take, 64 or more; the models take some 1000.
        :raises ValueError: a value out of range.
        """
        FileConverter.__init__(self, timeout_s=timeout_s, max_memory_mb=max_memory_mb)
        self.languages = list(languages)
        self.min_confidence = min_confidence
        self._options = OcrOptions(tuple(languages), min_confidence)

    def options(self) -> dict[str, Any]:
        """Keyword arguments of `read`."""
        return {"options": self._options, "time_s": 0.8 * self.timeout_s}

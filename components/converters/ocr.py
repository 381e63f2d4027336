"""Optical character recognition: what page images and pictures say, with an honest account of what could not be read.

The built-in models read Latin letters, Chinese and Japanese. A page of another script gives few marks, and those with little certainty: then
Tesseract reads it, where it is installed with a language of that script; otherwise the page counts as unreadable.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from components.converters import ocr_tesseract
from components.converters.extracted import Extracted
from components.converters.ocr_engine import SeenPage, recognise
from components.converters.ocr_pages import even_out, page_of
from components.converters.outcome import UnreadableError, first_heading
from components.converters.pdf_structure import structure

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

    from components.converters.pdf_words import Page

LINE_CONFIDENCE = 0.5  # a line of less is not text, or not readable
MAX_PIXELS = 50_000_000  # of one image, before it is decoded; A4 at 600 dots per inch has 35 million
MAX_FRAMES = 200  # pages of one TIFF
WORK_PIXELS = 12_000_000  # a larger image is made smaller first; A3 at 240 dots per inch
MIN_SIDE = 40  # pixels; a smaller picture holds no text
_BUILT_IN = "af az ca cs cy da de en es et eu fi fr ga gl hr hu id is it ja la lb lt lv ms mt nb nl nn no oc pl pt ro sk sl sq sv sw tr zh"
BUILT_IN = frozenset(_BUILT_IN.split())
"""Two-letter codes of languages that the built-in models read."""


@dataclass(frozen=True, slots=True)
class OcrOptions:
    """How to recognise.

    :param languages: two-letter codes (ISO 639-1) or Tesseract's own; empty: told from the page.
    :param min_confidence: from 0 to 1; a page of less counts as unreadable. Pages of a script that the models know have .9 and more,
        of one that they do not know less than .7.
    """

    languages: tuple[str, ...] = ()
    min_confidence: float = 0.75

    def __post_init__(self) -> None:
        """Validate.

        :raises ValueError: the confidence is out of range, or a language is no code.
        """
        if not 0 <= self.min_confidence <= 1:
            raise ValueError(f"min_confidence={self.min_confidence!r} is not accepted: from 0 to 1")
        for language in self.languages:
            if not isinstance(language, str) or not 2 <= len(language) <= 12 or not language.replace("_", "").isalpha():
                raise ValueError(f"languages: {language!r} is not accepted: a two-letter code such as `hi`, or Tesseract's own such as `hin`")


@dataclass(slots=True)
class Reading:
    """What an image says.

    :param page: recognised lines that are certain enough.
    :param problem: why the image as a whole is not readable; then there are no lines.
    :param left_out: lines that could not be made out, of an image that is otherwise readable.
    :param by: who read it.
    """

    page: SeenPage
    problem: str = ""
    left_out: int = 0
    by: str = "PP-OCRv6"
    confidence: float = 0.0


def read_pixels(image: np.ndarray, options: OcrOptions, dpi: int = 200) -> Reading:
    """Recognise one image.

    :param image: height × width × 3, 8 bits, red, green, blue.
    :param dpi: pixels per inch, as far as known.
    """
    wanted = [ocr_tesseract.code(language) for language in options.languages if language.lower() not in BUILT_IN]
    able = [language for language in wanted if language in ocr_tesseract.installed()]
    if able and len(wanted) == len(options.languages):
        return _by_tesseract(image, able, dpi, 0, options)
    page = recognise(image)
    confidence = page.confidence
    unsure = [line for line in page.lines if line.confidence < LINE_CONFIDENCE]
    doubtful = confidence < options.min_confidence or sum(line.width for line in unsure) + page.unread > 0.25 * page.extent
    if not doubtful:
        page.lines = [line for line in page.lines if line.confidence >= LINE_CONFIDENCE]
        return Reading(page, left_out=len(unsure), confidence=confidence)
    script, turned = ocr_tesseract.script_of(image)
    known = able or [code for code in ocr_tesseract.SCRIPTS.get(script, "").split() if code in ocr_tesseract.installed()][:1]
    if known:
        other = _by_tesseract(image, [*known, *({"eng"} & ocr_tesseract.installed())], dpi, turned, options)
        if not other.problem and other.confidence > confidence:
            return other
    if confidence >= options.min_confidence:
        page.lines = [line for line in page.lines if line.confidence >= LINE_CONFIDENCE]
        return Reading(page, left_out=len(unsure), confidence=confidence)
    had_lines = page.extent > 0
    page.lines = []
    return Reading(page, _problem(had_lines, confidence, script, wanted), confidence=confidence)


def _by_tesseract(image: np.ndarray, languages: list[str], dpi: int, turned: int, options: OcrOptions) -> Reading:
    page = ocr_tesseract.recognise(image, languages, dpi, turned)
    by, confidence = f"Tesseract ({'+'.join(languages)})", page.confidence
    kept = [line for line in page.lines if line.confidence >= LINE_CONFIDENCE]
    left_out = len(page.lines) - len(kept)
    had_lines = page.extent > 0
    page.lines = kept if confidence >= options.min_confidence else []
    problem = "" if page.lines else _problem(had_lines, confidence, "", [])
    return Reading(page, problem, left_out, by, confidence)


def _problem(had_lines: bool, confidence: float, script: str, wanted: Sequence[str]) -> str:
    if not had_lines:
        return "OCR finds no text in it"
    reason = f"OCR cannot read its writing (confidence {confidence:.2f})"
    missing = [code for code in wanted if code not in ocr_tesseract.installed()]
    if not missing and script in ocr_tesseract.SCRIPTS:
        missing = ocr_tesseract.SCRIPTS[script].split()[:1]
        reason += f"; it looks like {script}"
    if missing:
        return f"{reason}; Tesseract with the language {missing[0]!r} may read it, and is not installed here"
    return f"{reason}; it is too poor, or in a script that neither the built-in models nor Tesseract's languages here know"


def read_image(data: bytes, options: OcrOptions | None = None, time_s: float = math.inf) -> Extracted:
    """What a picture file says, as blocks: columns in order, headings, lists and tables as far as their places tell.

    :param data: PNG, JPEG, TIFF (all pages), BMP, WebP or GIF (the first frame).
    :param time_s: seconds after which no further page is begun; a notice names those that are missing.
    :raises UnreadableError: damaged, too large, or without text that can be read.
    """
    options, begun = options or OcrOptions(), time.monotonic()
    readings: list[tuple[int, Reading]] = []
    pages: list[Page] = []
    late: list[int] = []
    number = 0
    for number, frame in enumerate(_frames(data), 1):
        if number > 1 and time.monotonic() - begun > time_s:
            late.append(number)
            continue
        dpi = _dpi(frame)
        readings.append((number, read_pixels(_pixels(frame), options, dpi)))
        if readings[-1][1].page.lines:
            pages.append(page_of(readings[-1][1].page, number, 72 / dpi))
    if not pages:
        raise UnreadableError(f"no text: {next((reading.problem for _, reading in readings if reading.problem), 'OCR finds no text in it')}")
    even_out(pages)
    parts = structure(pages)
    if number == 1:
        for _, fields in parts:
            fields.pop("page", None)
    told = notices(readings, "page" if number > 1 else "image")
    if late:
        told.append(f"{numbered(late)} left out: the time for recognition was used up")
    return Extracted(parts, first_heading(parts), notices=told)


def notices(readings: Sequence[tuple[int, Reading]], what: str = "page") -> list[str]:
    """What a reader should know of recognised pages: which they are, how certain, and what was left out.

    :param readings: each with the number of its page.
    :param what: `page`, or `image` where it is the only one.
    """
    out: list[str] = []
    for by in dict.fromkeys(reading.by for _, reading in readings):
        read = [(number, reading) for number, reading in readings if reading.page.lines and reading.by == by]
        if read:
            least = min(reading.confidence for _, reading in read)
            which = "the image was" if what == "image" else f"{numbered([n for n, _ in read])} {'was' if len(read) == 1 else 'were'}"
            out.append(f"{which} read by OCR ({by}, confidence {least:.2f}{' or more' if len(read) > 1 else ''})")
    for problem in dict.fromkeys(reading.problem for _, reading in readings if reading.problem):
        out.append(f"{numbered([n for n, reading in readings if reading.problem == problem])} left out: {problem}")
    left_out = [(number, reading.left_out) for number, reading in readings if reading.left_out and reading.page.lines]
    if left_out:
        count = sum(lines for _, lines in left_out)
        where = "" if what == "image" else f" of {numbered([n for n, _ in left_out])}"
        out.append(f"{count} line{'s' if count != 1 else ''}{where} could not be made out and {'were' if count != 1 else 'was'} left out")
    return out


def numbered(pages: Sequence[int]) -> str:
    """Page numbers as a person writes them.

    >>> numbered([1, 2, 3, 7])
    'pages 1–3, 7'
    """
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    texts = [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return f"page{'s' if len(pages) > 1 else ''} {', '.join(texts)}"


def _frames(data: bytes) -> Iterator[Image.Image]:
    """Pages of an image file one after the other, upright by what the camera noted."""
    import warnings

    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own limit is lower
            image = Image.open(BytesIO(data), formats=("PNG", "JPEG", "TIFF", "BMP", "WEBP", "GIF"))
        count = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
        if count > MAX_FRAMES:
            raise UnreadableError(f"the image has {count} pages; accepted: up to {MAX_FRAMES}")
        for number in range(count):
            image.seek(number)
            width, height = image.size
            if width * height > MAX_PIXELS:
                raise UnreadableError(f"the image has {width} × {height} pixels; accepted: up to {MAX_PIXELS // 1_000_000} million")
            yield _plain(ImageOps.exif_transpose(image))
    except UnreadableError:
        raise
    except Image.DecompressionBombError as error:
        raise UnreadableError(f"the image is too large: {error}") from None
    except (OSError, ValueError, SyntaxError, EOFError) as error:
        raise UnreadableError(f"the image is damaged or cut off: {error}") from None


def _plain(image: Image.Image) -> Image.Image:
    """On white, in three colours, and no larger than it need be."""
    from PIL import Image

    dpi = image.info.get("dpi")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    elif image.mode.startswith("I;16"):
        image = image.point(lambda value: value / 256, "L")
    image = image.convert("RGB")
    pixels = image.size[0] * image.size[1]
    if pixels > WORK_PIXELS:
        scale = (WORK_PIXELS / pixels) ** 0.5
        image = image.resize((max(1, round(image.size[0] * scale)), max(1, round(image.size[1] * scale))), Image.Resampling.BOX)
        dpi = None
    image.info["dpi"] = dpi
    return image


def _dpi(image: Image.Image) -> int:
    """Pixels per inch: what the file says where that is sensible, else such that the longer side is eleven inches."""
    said = image.info.get("dpi") or (0, 0)
    return round(float(said[0])) if 100 <= float(said[0]) <= 1200 else max(72, round(max(image.size) / 11))


def _pixels(image: Image.Image) -> np.ndarray:
    import numpy as np

    return np.asarray(image)

"""Pages of a PDF that are pictures: which they are, and their words, recognised."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from components.converters import ocr
from components.converters.ocr_pages import even_out, page_of
from components.converters.pdf_words import Page, Word

FEW = 200  # characters; a page with fewer and a picture on much of it is looked at: a stamp over a scan, a figure with a caption
PICTURE = 0.3  # of the page, that pictures cover
_MADE_UP = 0.3  # of the characters; a text layer with more that mean nothing is garbage
_RESERVE = 0.85  # of the time limit, that recognition may use


@dataclass(frozen=True, slots=True)
class PdfOcr:
    """Whether and how to recognise pages.

    :param options: of the recognition; None: no page is recognised.
    :param dpi: dots per inch at which pages are drawn.
    :param max_pages: at most so many pages are recognised, the first ones.
    :param time_s: seconds that may have passed since the file was opened when the last page is begun.
    """

    options: ocr.OcrOptions | None
    dpi: int = 200
    max_pages: int = 200
    time_s: float = math.inf


@dataclass(slots=True)
class Recognised:
    """What became of the pages that are pictures.

    :param readings: of each page that was looked at, by its number.
    :param not_tried: numbers of the pages for which there was no time or that were too many.
    :param garbled: numbers of the pages whose own text meant nothing.
    """

    readings: dict[int, ocr.Reading]
    not_tried: list[int]
    garbled: list[int]
    reason: str = ""

    def notices(self) -> list[str]:
        """One line each."""
        out = ocr.notices(sorted(self.readings.items()))
        if self.not_tried:
            out.append(f"{ocr.numbered(self.not_tried)} left out: images without text, and {self.reason}")
        if self.garbled:
            out.append(f"{ocr.numbered(self.garbled)}: the text in the file means nothing and was replaced")
        return out


def is_picture(page: Page) -> bool:
    """Whether a page needs recognition: nothing to read but something to see, text that means nothing, or few words on a picture."""
    if page.rotated and not page.words:
        return False
    letters = sum(len(word.text) for word in page.words)
    if not letters:
        return page.has_image or page.drawn
    return is_garbled(page.words) or (letters < FEW and page.pictures >= PICTURE and not page.layer)


def is_garbled(words: Sequence[Word]) -> bool:
    """Whether words are what a font without a table of characters gives: replacement marks, private and unassigned characters, controls."""
    text = "".join(word.text for word in words)
    odd = sum(not c.isprintable() or c == "\ufffd" or "\ue000" <= c <= "\uf8ff" for c in text)
    return bool(text) and odd > _MADE_UP * len(text)


def recognise_pages(document: Any, pages: list[Page], how: PdfOcr) -> Recognised:
    """Give pages that are pictures their recognised words.

    :param document: the open `pypdfium2.PdfDocument`.
    :param pages: changed in place; words that a page has already stay, and what was recognised at their place is left out.
    """
    found = Recognised({}, [], [])
    wanted = [place for place, page in enumerate(pages) if is_picture(page)]
    if how.options is None:
        found.not_tried = [pages[place].number for place in wanted if not pages[place].words and pages[place].has_image]
        found.reason = "ocr is off"
        return found
    begun = time.monotonic()
    fresh: list[Page] = []
    for count, place in enumerate(wanted):
        page = pages[place]
        late = time.monotonic() - begun > _RESERVE * how.time_s
        if count >= how.max_pages or late:
            found.not_tried += [pages[n].number for n in wanted[count:] if not pages[n].words]
            found.reason = "the time for recognition was used up" if late else f"only max_ocr_pages={how.max_pages} pages are recognised"
            break
        garbled = is_garbled(page.words)
        reading, new = _read(document[page.number - 1], page, how.dpi, how.options)
        new.hidden = page.hidden
        if garbled and new.words:
            found.garbled.append(page.number)
        own = bool(page.words) and not garbled
        if own and not _same_place(page, new, reading.page.turned):
            own = len(new.words) <= len(page.words)  # it was turned: the fuller one is the page
            new.words = [] if own else new.words
        elif own:
            new.words = _elsewhere(new.words, page.words)
        if own and not new.words:
            continue
        found.readings[page.number] = reading
        if new.words:
            fresh.append(new)
            pages[place] = page if own else new
    even_out(fresh)
    for new in fresh:
        page = next(p for p in pages if p.number == new.number)
        if page is not new:
            _merge(page, new)
    return found


def _read(pdf_page: Any, page: Page, dpi: int, options: ocr.OcrOptions) -> tuple[ocr.Reading, Page]:
    """Draw a page and recognise it."""
    width, height = pdf_page.get_size()
    scale = min(dpi / 72, math.sqrt(ocr.WORK_PIXELS / max(1.0, width * height)))
    bitmap = pdf_page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False, fill_color=(255, 255, 255, 255))
    image = bitmap.to_numpy()[:, :, :3].copy()
    bitmap.close()
    pdf_page.close()
    reading = ocr.read_pixels(image, options, round(scale * 72))
    return reading, page_of(reading.page, page.number, 1 / scale)


def _same_place(page: Page, new: Page, turned: int) -> bool:
    return turned == 0 and abs(page.width - new.width) < 2 and abs(page.height - new.height) < 2


def _elsewhere(words: Sequence[Word], known: Sequence[Word]) -> list[Word]:
    """Words that do not stand where known ones do."""
    return [w for w in words if not any(k.x0 < (w.x0 + w.x1) / 2 < k.x1 and k.top < (w.top + w.bottom) / 2 < k.bottom for k in known)]


def _merge(page: Page, new: Page) -> None:
    start = max((word.run for word in page.words), default=-1) + 1
    for word in new.words:
        word.run += start
    page.words = sorted([*page.words, *new.words], key=lambda word: word.run)

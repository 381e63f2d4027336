"""Recognised lines to pages of words with places, so that images go through the same rules of layout as PDFs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from components.converters.ocr_engine import SeenLine, SeenPage
from components.converters.pdf_words import Page, Word

ASCENT, DESCENT = 0.89, 0.21  # of the type size, above and below the base line; PDFium's boxes are about as high
_RUN_GAP = 1.2  # of the type size: a wider gap between words parts columns or cells
_NEAR = 0.12  # sizes that differ by less are one: the height of letters is told to a pixel or two
_BOLD = 1.3  # of the usual width of strokes


def page_of(seen: SeenPage, number: int, scale: float) -> Page:
    """A page of the recognised words.

    :param number: of the page, from 1.
    :param scale: points per pixel.
    """
    words: list[Word] = []
    run = 0
    for line in sorted(seen.lines, key=lambda item: (item.base, item.words[0].x0)):
        words += _words(line, run, scale)
        run = words[-1].run + 1
    return Page(number, seen.width * scale, seen.height * scale, words, has_image=True)


def _words(line: SeenLine, run: int, scale: float) -> list[Word]:
    out: list[Word] = []
    size, base = line.size * scale, line.base * scale
    for word in line.words:
        x0, x1 = word.x0 * scale, word.x1 * scale
        if out and x0 - out[-1].x1 > _RUN_GAP * size:
            run += 1
        out.append(Word(word.text, x0, x1, base - ASCENT * size, base + DESCENT * size, size, False, False, run))
    return out


def even_out(pages: Sequence[Page]) -> None:
    """Make sizes of type that are nearly alike the same, so that a line is not taken for another kind of text by a pixel.

    :param pages: pages of recognised words only; their words are changed in place.
    """
    letters: Counter[int] = Counter()  # by sizes in tenths of a point
    for page in pages:
        for word in page.words:
            letters[round(word.size * 10)] += len(word.text)
    usual: dict[int, float] = {}
    while letters:
        centre = max(letters, key=lambda size: sum(count for other, count in letters.items() if abs(other - size) <= _NEAR * size))
        near = sorted(size for size in letters if abs(size - centre) <= _NEAR * centre)
        middle = median(size for size in near for _ in range(letters[size])) / 10
        for size in near:
            usual[size] = middle
            del letters[size]
    for page in pages:
        for word in page.words:
            size = usual[round(word.size * 10)]
            word.top += (word.size - size) * ASCENT
            word.bottom += (size - word.size) * DESCENT
            word.size = size

"""Captions and footnotes of a PDF page, by their words, place and type size."""

from __future__ import annotations

import re
from collections.abc import Sequence

from components.converters.pdf_lines import SMALL
from components.converters.pdf_paragraphs import CAPTION, Para

_NOTE = re.compile(r"(?!\d{3}\.)(?:\d{1,3}|[*∗†‡§¶⁰¹²³⁴-⁹])[.)]?\s?[^\W\d_]|(?:\d{1,3}|[*∗†‡§¶])\s+\S")
_LOW = 0.5  # of the page's height: a footnote begins below
_LONGEST = 600  # characters of a caption


def mark_captions(paras: Sequence[Para]) -> None:
    """Call paragraphs captions that begin with "Figure 3:", "Table 2." and the like."""
    for para in paras:
        if para.kind == "paragraph" and len(para.text) <= _LONGEST and CAPTION.match(para.text):
            para.kind = "caption"


def mark_footnotes(paras: Sequence[Para], height: float, body: float) -> None:
    """Call the last paragraphs of a page or column footnotes that are set smaller than the body and begin with a number or mark.

    Lines of the same small type below such a one go on with it.

    :param paras: paragraphs of one page, in reading order.
    :param height: of the page, in points.
    :param body: type size of most of the text.
    """
    letters = sum(len(line.text) for para in paras for line in para.lines)
    if sum(len(line.text) for para in paras for line in para.lines if line.size < SMALL * body) > 0.5 * letters:
        return  # the page is set small: a bibliography, an index
    noted: Para | None = None
    for para in paras:
        small = para.kind == "paragraph" and para.size < SMALL * body and para.top > _LOW * height
        if small and _NOTE.match(para.lines[0].text) and any(c.isalpha() for c in para.lines[0].text):
            para.kind, noted = "footnote", para
        elif small and noted is not None and abs(para.size - noted.size) < 0.3 and abs(para.lines[0].x0 - noted.frame.left) < 2 * body:
            noted.lines.extend(para.lines)
            para.lines = []
        else:
            noted = None

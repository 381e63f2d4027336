"""Paragraphs that begin with marks of a list to one block a list."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from components.converters.pdf_marks import Mark, item_mark
from components.converters.pdf_paragraphs import Para

_LONG = 300  # characters; numbered paragraphs that are usually longer are text with numbers, not items
_DASHES = ("-", "–", "*")


def join_lists(paras: Sequence[Para]) -> list[Para]:
    """Join neighbouring items to lists, one line an item.

    An item begins with a bullet, or with a number or letter whose neighbour in the count is an item beside it. A dash alone may
    begin anything, so it takes two. Nested items stay in the list around them; a list ends with its page, so that every item's page is right.
    """
    out: list[Para] = []
    run: list[tuple[Para, Mark]] = []
    for para in paras:
        mark = item_mark(para.text) if para.kind == "paragraph" else None
        if mark is None or (run and run[-1][0].page != para.page):
            out += _lists(run)
            run = []
        if mark is None:
            out.append(para)
        else:
            run.append((para, mark))
    return out + _lists(run)


def _lists(run: list[tuple[Para, Mark]]) -> list[Para]:
    """Lists and paragraphs from neighbours that all begin with a mark."""
    numbered = [para for para, mark in run if mark.readings]
    long = bool(numbered) and median(len(para.text) for para in numbered) > _LONG
    out: list[Para] = []
    for position, (para, mark) in enumerate(run):
        others = [other for number, (_, other) in enumerate(run) if number != position]
        if mark.readings:
            item = not long and any(mark.follows(other) or other.follows(mark) for other in others)
        else:
            item = mark.text not in _DASHES or mark in others
        if item and out and out[-1].kind == "list":
            out[-1].text += f"\n{para.text}"
            out[-1].lines += para.lines
        else:
            para.kind = "list" if item else "paragraph"
            out.append(para)
    return out

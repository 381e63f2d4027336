"""Puts spans that were cut without regard to headings under the sections of their text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from components.blocks import Block
from components.preprocessors.chunk_layout import ChunkSpan, SectionChunks
from components.preprocessors.sections import Section, find_sections


class Span(NamedTuple):
    """`text[start:end]`; `own` is the first character that is not repeated from the span before."""

    start: int
    end: int
    own: int


def under_sections(text: str, blocks: list[Block], title: str, spans: Sequence[Span], most: int) -> list[SectionChunks]:
    """The sections of a text, each with the spans whose own text begins in it. Headers are left empty.

    A bare heading belongs to the section that follows. A section longer than `most` characters is cut where spans begin, so it is longer only
    where one span is.
    """
    sections: list[Section] = []
    for section in find_sections(text, blocks, title):
        if sections and sections[-1].is_bare_heading:
            section = replace(section, start=sections[-1].start, blocks=[*sections.pop().blocks, *section.blocks])  # noqa: PLW2901
        sections.append(section)
    places = [span.own for span in spans]
    laid: list[SectionChunks] = []
    for section in sections:
        inside = places[bisect_right(places, section.start) : bisect_left(places, section.end)]
        starts = [section.start, *_cuts(section, inside, most), section.end]
        for start, end in pairwise(starts):
            own = spans[bisect_left(places, start) : bisect_left(places, end)]
            path = section.heading_path
            chunks = [ChunkSpan(span.start, span.end, path, "", span.own if span.own > span.start else None) for span in own]
            laid.append((ChunkSpan(start, end, path, ""), chunks))
    return laid


def _cuts(section: Section, places: Sequence[int], most: int) -> list[int]:
    """Places that cut a section into stretches of at most `most` characters, where the places allow it."""
    cuts: list[int] = []
    start = section.start
    for place, following in pairwise([*places, section.end]):
        if following - start > most and place > start:
            cuts.append(place)
            start = place
    return cuts

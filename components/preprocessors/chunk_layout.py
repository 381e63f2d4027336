"""Lays sections and chunks over a text: ranges only, no documents."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from components.blocks import Block
from components.chunk import embedded_text
from components.preprocessors.context_header import columns_suffix, context_header
from components.preprocessors.long_units import Count
from components.preprocessors.packing import pack
from components.preprocessors.runs import Cut, packed
from components.preprocessors.sections import Section, find_sections, one_line
from components.preprocessors.units import Unit, fit_units, units_of

HEADER_SHARE = 0.4
COLUMNS_SHARE = 0.2


@dataclass(frozen=True)
class Layout:
    """How to cut one document.

    :param max_tokens: tokens of a chunk with its context header, without what the model adds to every text.
    :param section_max_chars: characters of a section.
    :param cut: which units make a chunk; they are filled up to `max_tokens` where it does not say.
    :param join_if_short: a document that fits one chunk is not cut at its headings.
    :param language: of the text, for its abbreviations.
    """

    max_tokens: int
    section_max_chars: int
    cut: Cut = field(default_factory=packed)
    join_if_short: bool = False
    language: str | None = None


@dataclass(frozen=True)
class ChunkSpan:
    """A section or a chunk: `text[start:end]`.

    :param own: first character that is not repeated from the chunk before; None: the first.
    :param window: the range that is shown where this chunk is found; None: its own.
    """

    start: int
    end: int
    heading_path: tuple[str, ...]
    context_header: str
    own: int | None = None
    window: tuple[int, int] | None = None

    @property
    def own_start(self) -> int:
        """First character that is not repeated from the chunk before."""
        return self.start if self.own is None else self.own


SectionChunks = tuple[ChunkSpan, list[ChunkSpan]]
"""A section and its chunks."""
Outline = tuple[list[Section], list[Unit]]
"""Sections that tile a text, and its units."""


def lay_out(text: str, blocks: list[Block], title: str, layout: Layout, count: Count, outline: Outline | None = None) -> list[SectionChunks]:
    """The sections of a text in order, each with its chunks.

    A section that is a bare heading has no chunk if the context header of the next section with text names it.

    :param outline: sections and units found in another way than at headings and sentences.
    """

    def fits(share: float):
        return lambda line: count([line])[0] <= share * layout.max_tokens

    sections, units = outline or (find_sections(text, blocks, title), units_of(text, blocks, layout.language))
    units = _no_longer_than(text, units, layout.section_max_chars)
    units = [replace(unit, size=size) for unit, size in zip(units, count([text[u.start : u.end] for u in units]), strict=True)]
    if layout.join_if_short and len(sections) > 1:
        whole = embedded_text(text.strip(), context_header(title, (), fits(HEADER_SHARE)))
        if count([whole])[0] <= layout.max_tokens:
            sections = [Section(0, len(text), (), blocks)]
    sections = _bounded(text, sections, units, layout.section_max_chars)
    headers = [context_header(title, section.heading_path, fits(HEADER_SHARE)) for section in sections]
    columns = {row: columns_suffix(row, fits(COLUMNS_SHARE)) for row in {unit.header_row for unit in units} if row}

    packings: list[_Packing] = []
    for index, (section, header) in enumerate(zip(sections, headers, strict=True)):
        own = [] if _named_below(text, title, sections, headers, index) else _within(units, section)
        packings.append(_Packing(text, section, own, header, columns, layout, count))
    _shrink_until_they_fit(packings, layout.max_tokens, count)
    return [(ChunkSpan(p.section.start, p.section.end, p.section.heading_path, p.header), p.spans) for p in packings]


class _Packing:
    """The chunks of one section."""

    def __init__(self, text: str, section: Section, units: list[Unit], header: str, columns: dict[str, str], layout: Layout, count: Count) -> None:
        self.text, self.section, self.units, self.header, self.columns, self.layout, self.count = text, section, units, header, columns, layout, count
        self.header_size = count([header])[0] if header else 0
        self.columns_size = dict(zip(columns, count(list(columns.values())), strict=True))
        self.slack = 0
        self.spans: list[ChunkSpan] = []
        self.cut()

    def limit(self, unit: Unit) -> int:
        return max(1, self.layout.max_tokens - self.header_size - self.columns_size.get(unit.header_row, 0) - self.slack)

    def cut(self) -> None:
        units = fit_units(self.text, self.units, self.limit, self.count)
        self.spans = []
        for piece in self.layout.cut(units, self.limit) if units else []:
            header = (self.header + self.columns.get(piece.header_row, "")).removeprefix(" | ")
            own = piece.own if piece.own > piece.start else None
            self.spans.append(ChunkSpan(piece.start, piece.end, self.section.heading_path, header, own, piece.window))

    def embedded(self) -> list[str]:
        return [embedded_text(self.text[span.start : span.end], span.context_header) for span in self.spans]


def _shrink_until_they_fit(packings: list[_Packing], max_tokens: int, count: Count) -> None:
    """Sizes of parts need not add up to the size of the whole with every tokenizer: count the wholes, cut again what is too large."""
    pending = packings
    while pending:
        texts = [packing.embedded() for packing in pending]
        sizes = iter(count([text for group in texts for text in group]))
        over = [(packing, max((next(sizes) for _ in group), default=0) - max_tokens) for packing, group in zip(pending, texts, strict=True)]
        pending = []
        for packing, excess in over:
            if excess > 0:
                packing.slack += excess
                if packing.slack >= max_tokens:
                    raise ValueError(f"no chunk of {max_tokens} tokens can be cut at {packing.section.start}-{packing.section.end}")
                packing.cut()
                pending.append(packing)


def _within(units: Sequence[Unit], section: Section) -> list[Unit]:
    first, last = (bisect_left(units, place, key=lambda unit: unit.start) for place in (section.start, section.end))
    return list(units[first:last])


def _named_below(text: str, title: str, sections: list[Section], headers: list[str], index: int) -> bool:
    """Whether a bare heading stands in the context header of the next section that has text."""
    section = sections[index]
    if not section.is_bare_heading:
        return False
    below = next((i for i in range(index + 1, len(sections)) if not sections[i].is_bare_heading), None)
    if below is None:
        return False
    depth = len(section.heading_path)
    names = [one_line(text[block["start"] : block["end"]]) for block in section.blocks]
    known = {one_line(title).casefold(), *(name.casefold() for name in sections[below].heading_path)}
    return (
        sections[below].heading_path[:depth] == section.heading_path
        and all(name.casefold() in known for name in names)
        and all(name.casefold() in headers[below].casefold() for name in names)
    )


def _no_longer_than(text: str, units: list[Unit], most: int) -> list[Unit]:
    """Cut units that are longer than a section may be."""

    def length(texts: Sequence[str]) -> list[int]:
        return [len(part) + 1 for part in texts]

    return fit_units(text, [replace(unit, size=unit.end - unit.start + 1) for unit in units], lambda _: most, length)


def _bounded(text: str, sections: list[Section], units: list[Unit], most: int) -> list[Section]:
    """Cut sections that are longer than `most` characters, at blocks where that can be; no unit is longer."""
    bounded: list[Section] = []
    for section in sections:
        if section.end - section.start <= most:
            bounded.append(section)
            continue
        own = _within(units, section)
        starts = [section.start, *(unit.start for unit in own[1:]), section.end]
        runs = pack([right - left for left, right in pairwise(starts)], [u.bound for u in own], [u.key for u in own], lambda _: most)
        bounded.extend(replace(section, start=starts[first], end=starts[last]) for first, last in runs)
    return bounded

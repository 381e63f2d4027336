"""Splits documents into small chunks under large parents."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from haystack import component

from components.preprocessors.chunk_layout import ChunkSpan, Layout, SectionChunks, lay_out
from components.preprocessors.long_units import key_of
from components.preprocessors.packing import Bound, pack
from components.preprocessors.runs import packed
from components.preprocessors.sections import Section, find_sections
from components.preprocessors.splitter import SourceText, Splitter
from components.preprocessors.units import Unit, fit_units, units_of


@component
class ParentChildSplitter(Splitter):
    """Makes small chunks, which are found exactly, under parents of many tokens, which are shown.

    Haystack's `HierarchicalDocumentSplitter` counts words, cuts across headings, and needs a store of its own for the parents; here the parents are
    the sections that every index here keeps: a query graph shows them with `EvidenceBuilder(expand: section)`.

    Chunks are packed as by `HeadingSplitter`: whole sentences, a proviso with its rule, none across a heading. Parents are whole
    sections joined up to `parent_tokens`, chapter by chapter where that can be; a section that is longer is cut at blocks.

    ```python
    from haystack import Document
    from components.preprocessors.parent_child_splitter import ParentChildSplitter

    out = ParentChildSplitter(max_tokens=32, parent_tokens=256).run([Document(content="Twenty days of leave a year.\\n\\n" * 20)])
    assert len(out["sections"]) == 1 and len(out["documents"]) > 4
    ```

    :param max_tokens: tokens of a chunk, context header and special tokens included; 32 to 8192, and no more than the model reads.
    :param parent_tokens: tokens of a parent, at most; from `max_tokens` to 32,768. No model reads a parent.
    :param model: whose tokenizer counts: `packaged`, a folder or a hub name; None is the embedding model of the settings.
    :raises ValueError: a value outside these bounds.
    """

    def __init__(self, max_tokens: int = 96, parent_tokens: int = 1024, model: str | None = None) -> None:
        self.parent_tokens = self.checked("parent_tokens", parent_tokens, 1, 32768)
        Splitter.__init__(self, max_tokens, 12000, model)
        if parent_tokens < max_tokens:
            raise ValueError(
                f"ParentChildSplitter: parent_tokens={parent_tokens} is not accepted; accepted: a whole number from max_tokens={max_tokens} to 32768"
            )

    def lay_out(self, source: SourceText) -> list[SectionChunks]:
        """Chunks as at headings, under joined sections."""
        text, count = source.text, self.counter.count
        units = units_of(text, source.blocks, source.language)
        units = [replace(unit, size=size) for unit, size in zip(units, count([text[u.start : u.end] for u in units]), strict=True)]
        units = fit_units(text, units, lambda _: self.parent_tokens, count)
        sections = bounded(find_sections(text, source.blocks, source.title), units, self.parent_tokens)
        layout = Layout(self.max_tokens - self.counter.overhead, len(text) + 1, packed(), join_if_short=source.is_record)
        laid = lay_out(text, source.blocks, source.title, layout, count, (sections, units))
        return joined(text, laid, count([text[section.start : section.end] for section, _ in laid]), self.parent_tokens)


def bounded(sections: Sequence[Section], units: Sequence[Unit], most: int) -> list[Section]:
    """Cut sections whose units have more than `most` tokens, at blocks where that can be."""
    found: list[Section] = []
    for section in sections:
        first, last = (bisect_left(units, place, key=lambda unit: unit.start) for place in (section.start, section.end))
        own = units[first:last]
        runs = pack([u.size for u in own], [u.bound for u in own], [u.key for u in own], lambda _: most)
        starts = [section.start, *(own[begin].start for begin, _ in runs[1:]), section.end]
        found.extend(replace(section, start=left, end=right) for left, right in pairwise(starts))
    return found


def joined(text: str, laid: Sequence[SectionChunks], sizes: Sequence[int], most: int) -> list[SectionChunks]:
    """Neighbouring sections as one, up to a number of tokens, with the headings that they have in common."""
    bounds = [Bound.BLOCK if len(section.heading_path) <= 1 else Bound.LINE for section, _ in laid]
    keys = [key_of(text[section.start : section.end]) for section, _ in laid]
    parents: list[SectionChunks] = []
    for first, last in pack([min(size, most) for size in sizes], bounds, keys, lambda _: most):
        members = [section for section, _ in laid[first:last]]
        path = common_path([section.heading_path for section in members])
        parent = ChunkSpan(members[0].start, members[-1].end, path, members[0].context_header)
        if len(members) > 1:
            parent = replace(parent, context_header="")
        parents.append((parent, [chunk for _, chunks in laid[first:last] for chunk in chunks]))
    return parents


def common_path(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The headings that all paths begin with.

    >>> common_path([("1", "1.1"), ("1", "1.2")])
    ('1',)
    """
    shared: list[str] = []
    for names in zip(*paths, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return tuple(shared)

"""The evidence cut into what can be quoted: sentences, list items with their introduction, table rows with their header, record fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

import regex
from haystack import Document

from components.builders.injection import instruction_ranges
from components.builders.validity import day_of
from components.generators.extraction.answering import answer_of, is_question, tell_answers
from components.generators.extraction.words import Bag
from components.preprocessors.provisos import begins_proviso, introduces_list
from components.preprocessors.sentences import split_sentences
from components.rankers.identifiers import without_rows

WHOLE_RECORD = 400
"""Characters up to which a record or a list is quoted whole; longer ones give the line asked for and the line that names it."""
LABEL_WORDS = 8
"""Words up to which a line on its own without a full stop counts as a heading."""
LONGEST_LIST = 900
"""Characters of a list quoted after its introduction."""

_ITEM = regex.compile(r"\s*(?:[-*•▪◦‣–]\s+|\(?(?:\p{Nd}{1,3}|\p{L}|[ivxl]{1,5})[.)]\s+)")
_FIELD = regex.compile(r"\s*[\p{L}][\p{L}\p{M}\p{N} _/().&'-]{0,48}:\s+\S")
_ENDS = regex.compile(r"[.!?;:।。！？][\"'”’)\]]*\s*$")
_NUMBERED_FIELD = regex.compile(r"\s*(?:[\p{L}_]*[ _])?(?:section|article|rule|clause|number|no|code|paragraph)\s*:", regex.I)
_CELLS = regex.compile(r"\|.*\||\S[ \t]+\|[ \t]+\S|\S\t+\S")
"""A line with cells: two bars, one bar between spaces, or a tab inside."""
_RULE = regex.compile(r"^[\s|:+=-]+$")
_CONTINUES = regex.compile(r"\s*(?:otherwise|(?:every|any)one\s+else|all\s+others?|others|in\s+(?:all|any)\s+other\s+cases?|the\s+rest)\b", regex.I)
_DEPENDS = regex.compile(
    r"\s*(?:it|they|this|these|those|he|she|such|both|its|their|his|her|in\s+that\s+case|the\s+(?:same|latter|former))\b", regex.I
)


class Shape(StrEnum):
    """What a unit is in its passage."""

    SENTENCE = "sentence"
    ITEM = "item"
    ROW = "row"
    FIELD = "field"


@dataclass(eq=False)
class Unit:
    """Something that can be quoted: `source.text[start:end]`."""

    source: Source
    start: int
    end: int
    shape: Shape
    index: int
    lead: Unit | None = None
    """Introduction of an item, header of a row, naming line of a field."""
    block: int = 0
    """Units of one list, table or record share a number."""
    question: Unit | None = None
    """The question of the document itself that it answers."""

    @property
    def text(self) -> str:
        """The unit word for word."""
        return self.source.text[self.start : self.end]

    @cached_property
    def full_text(self) -> str:
        """The unit with what it cannot be understood without: the question that it answers, its lead, the list that it introduces, or the
        sentence that "it" refers to."""
        asked = f"{self.question.text} " if self.question else ""
        if self.lead:
            return f"{asked}{self.lead.text} {self.text}" if self.lead is not self.question else f"{asked}{self.text}"
        before = self.source.unit(self.index - 1)
        if self.depends and before is not None and before.shape == Shape.SENTENCE and not before.asks and adjacent(before, self):
            return f"{asked}{before.text} {self.text}"
        return asked + self.source.text[self.start : listed_end(self)]

    @cached_property
    def bag(self) -> Bag:
        """Words of `full_text`."""
        return Bag.of(self.full_text)

    @cached_property
    def bag_of_text(self) -> Bag:
        """Words of the unit alone."""
        return Bag.of(self.text)

    @cached_property
    def is_label(self) -> bool:
        """Whether it is only a heading, a caption or the header of a table: context for its neighbours, no answer."""
        own = plain(self.text)
        if own in {plain(h) for h in (*self.source.headings, self.source.title)}:
            return True
        if self.shape == Shape.ROW:
            after = self.source.unit(self.index + 1)
            return self.lead is None and after is not None and after.block == self.block
        if self.shape != Shape.SENTENCE or _ITEM.match(self.text) or _ENDS.search(self.text) or len(self.text.split()) > LABEL_WORDS:
            return False
        return len([u for u in self.source.units if u.block == self.block]) == 1 and len(self.source.units) > 1

    @property
    def introduces(self) -> bool:
        """Whether a list follows that belongs to it."""
        after = self.source.unit(self.index + 1)
        return introduces_list(self.text) and after is not None and (after.lead is self or after.shape == Shape.ITEM)

    @cached_property
    def asks(self) -> bool:
        """Whether it is a question: what follows it is what answers."""
        return self.shape in {Shape.SENTENCE, Shape.FIELD} and is_question(self.text)

    @property
    def is_proviso(self) -> bool:
        """Whether it begins as an exception or condition of what stands before it."""
        return begins_proviso(self.text) or bool(_CONTINUES.match(self.text))

    @property
    def depends(self) -> bool:
        """Whether it begins with a word that stands for something said before."""
        return bool(_DEPENDS.match(self.text))


@dataclass(eq=False)
class Source:
    """A passage of the evidence, cut up."""

    n: int
    rank: int
    """0 for the best passage."""
    text: str
    char_start: int
    source_id: str
    title: str
    headings: tuple[str, ...]
    in_force: bool
    note: str
    record_id: str
    valid_from: date | None = None
    valid_to: date | None = None
    """The day from which it is not in force."""
    superseded_by: str = ""
    units: list[Unit] = field(default_factory=list)
    lent: set[str] = field(default_factory=set)
    """Names that another passage tells for this one."""

    def lend(self, name: str) -> None:
        """Let a name count as one of its headings."""
        self.lent.add(name)
        self.__dict__.pop("heading_bag", None)
        self.__dict__.pop("bag", None)

    def unit(self, index: int) -> Unit | None:
        """The unit at a place, None outside."""
        return self.units[index] if 0 <= index < len(self.units) else None

    @cached_property
    def instructions(self) -> list[tuple[int, int]]:
        """Where the text instructs a language model: nothing there is quoted."""
        return instruction_ranges(self.text)

    @cached_property
    def heading_bag(self) -> Bag:
        """Words of title, headings and record number; a row's place in its table is no number of its own."""
        return Bag.of(without_rows(self.title).replace("_", " "), *self.headings, without_rows(self.record_id), *self.lent)

    @cached_property
    def bag(self) -> Bag:
        """Words of the whole passage with its headings."""
        return Bag.of(self.text) | self.heading_bag

    @property
    def label(self) -> str:
        """The nearest heading, else the title."""
        return self.headings[-1] if self.headings else self.title.replace("_", " ")


def plain(text: str) -> str:
    """A text for comparing headings: letters and digits only, without case."""
    return "".join(ch for ch in text.casefold() if ch.isalnum())


def sources_of(evidence: Sequence[Document]) -> list[Source]:
    """The passages, cut into units; instructions to a model are left out of them."""
    found: list[Source] = []
    for rank, document in enumerate(evidence):
        meta = document.meta
        text = document.content or ""
        label = meta.get("label")
        source = Source(
            n=label if isinstance(label, int) else rank + 1,
            rank=rank,
            text=text,
            char_start=int(meta.get("char_start") or 0),
            source_id=str(meta.get("source_id") or document.id),
            title=str(meta.get("title") or ""),
            headings=tuple(str(h) for h in meta.get("heading_path") or []),
            in_force=bool(meta.get("in_force", True)),
            note=str(meta.get("validity_note") or ""),
            record_id=str(meta.get("record_id") or ""),
            valid_from=_day(meta.get("valid_from")),
            valid_to=_day(meta.get("valid_to")),
            superseded_by=str(meta.get("superseded_by") or ""),
        )
        for start, end in _blocks(text):
            _cut_block(source, start, end)
        tell_answers(source.units)
        found.append(source)
    return found


def _day(value: object) -> date | None:
    try:
        return day_of(str(value)) if value else None
    except ValueError:
        return None


def _blocks(text: str) -> list[tuple[int, int]]:
    """Stretches between blank lines."""
    return [(m.start(), m.end()) for m in regex.finditer(r"\S(?:(?!\n[ \t]*\n).)*", text, flags=regex.S)]


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    lines = []
    for match in regex.finditer(r"[^\n]+", text, pos=start, endpos=end):
        part = match.group()
        if part.strip():
            lines.append((match.start() + len(part) - len(part.lstrip()), match.start() + len(part.rstrip())))
    return lines


def _add(source: Source, start: int, end: int, shape: Shape, lead: Unit | None, block: int) -> Unit | None:
    text = source.text[start:end]
    if not any(c.isalnum() for c in text) or any(start < b and a < end for a, b in source.instructions):
        return None
    unit = Unit(source, start, end, shape, len(source.units), lead, block)
    source.units.append(unit)
    return unit


def _cut_block(source: Source, start: int, end: int) -> None:
    text = source.text
    lines = _lines(text, start, end)
    block = start + 1
    for before, table, after in _tables(text, lines, start, end):
        if before[0] < before[1]:
            _cut_block(source, *before)
        _cut_table(source, table)
        if after[0] < after[1]:
            _cut_block(source, *after)
        return
    asks = not source.record_id and any(is_question(text[a:b]) for a, b in lines)  # "Q: ..." and "A: ..." are prose
    is_record = not asks and len(lines) >= 2 and sum(bool(_FIELD.match(text[a:b])) for a, b in lines) >= max(2, 0.7 * len(lines))
    if is_record:
        head = _add(source, *lines[0], Shape.FIELD, None, block)
        for line in lines[1:]:
            _add(source, *line, Shape.FIELD, head, block)
    else:
        _cut_prose(source, start, end, block)


def _tables(
    text: str, lines: list[tuple[int, int]], start: int, end: int
) -> Iterator[tuple[tuple[int, int], list[tuple[int, int]], tuple[int, int]]]:
    """The first run of two or more lines with cells: what stands before it, its lines, what stands after it; nothing where there is none."""
    first = 0
    while first < len(lines):
        last = first
        while last < len(lines) and _CELLS.search(text[lines[last][0] : lines[last][1]]):
            last += 1
        if last - first >= 2:
            run = lines[first:last]
            yield (start, lines[first - 1][1] if first else start), run, (lines[last][0] if last < len(lines) else end, end)
            return
        first = max(last, first + 1)


def _cut_table(source: Source, lines: list[tuple[int, int]]) -> None:
    rows = [line for line in lines if not _RULE.match(source.text[line[0] : line[1]])]
    block = lines[0][0] + 1
    head = _add(source, *rows[0], Shape.ROW, None, block) if rows else None
    for row in rows[1:]:
        _add(source, *row, Shape.ROW, head, block)


def _cut_prose(source: Source, start: int, end: int, block: int) -> None:
    """Sentences; an item of a list gets the introduction before it, also over a blank line."""
    text = source.text
    last = source.units[-1] if source.units else None
    intro = last if last is not None and introduces_list(last.text) else None
    if last is not None and last.shape == Shape.ITEM and last.lead is not None:
        intro = last.lead
    for a, b in split_sentences(text[start:end]):
        begin, stop = start + a, start + b
        if not text[begin:stop].strip():
            continue
        at_line = text.rfind("\n", 0, begin) + 1
        is_item = bool(_ITEM.match(text[at_line:stop])) and not text[at_line:begin].strip()
        inside_item = intro is not None and bool(source.units) and source.units[-1].shape == Shape.ITEM and text[at_line:begin].strip() != ""
        if (is_item or inside_item) and intro is not None:
            _add(source, begin, stop, Shape.ITEM, intro, intro.start + 1)
            continue
        unit = _add(source, begin, stop, Shape.SENTENCE, None, block)
        intro = unit if unit is not None and introduces_list(unit.text) else None


def is_bare_item(unit: Unit) -> bool:
    """Whether a unit is an item of a list without an introduction, as under a heading."""
    return unit.shape == Shape.SENTENCE and bool(_ITEM.match(unit.text))


def span_of(unit: Unit) -> list[tuple[int, int]]:
    """What is quoted when a unit is chosen: with its introduction or header, its list, the exception that follows, and what it refers back to.

    :returns: half-open ranges in the passage, in order, not overlapping.
    """
    source = unit.source
    if source.record_id and len(source.text.strip()) <= WHOLE_RECORD and all(adjacent(a, b) for a, b in pairwise(source.units)):
        return [(source.units[0].start, source.units[-1].end)]
    same = [u for u in source.units if u.block == unit.block and u.shape in {Shape.ROW, Shape.FIELD, Shape.ITEM}]
    if unit.shape in {Shape.ROW, Shape.FIELD}:
        whole = same[-1].end - same[0].start <= WHOLE_RECORD and all(adjacent(a, b) for a, b in pairwise(same))
        if unit.shape == Shape.FIELD and whole:
            return [(same[0].start, same[-1].end)]
        ranges = [(unit.start, unit.end)] if unit.lead is None else [(unit.lead.start, unit.lead.end), (unit.start, unit.end)]
        return _merged(source.text, ranges)
    if unit.shape == Shape.ITEM and unit.lead is not None:
        return _merged(source.text, [(unit.lead.start, unit.lead.end), (unit.start, _with_provisos(unit))])
    if unit.introduces:
        return [(unit.start, listed_end(unit))]
    if answer := answer_of(unit, WHOLE_RECORD):
        return [answer]
    start = unit.start
    before = source.unit(unit.index - 1)
    if (unit.depends or unit.is_proviso) and before is not None and before.shape == Shape.SENTENCE and not before.asks and adjacent(before, unit):
        start = before.start
    return [(start, _with_provisos(unit))]


def label_of(unit: Unit) -> Unit | None:
    """What names a unit in its passage, if anything does: of a record the field with its number, else the heading line above."""
    source = unit.source
    own = Bag.of(without_rows(source.title), without_rows(source.record_id)).numbers if source.record_id else set()
    numbered = [u for u in source.units if u.shape == Shape.FIELD and own & Bag.of(u.text).numbers]
    if numbered:
        return next((u for u in numbered if not own - Bag.of(u.text).numbers and _NUMBERED_FIELD.match(u.text)), numbered[0])
    return next((u for u in reversed(source.units[: unit.index]) if u.is_label and u.shape == Shape.SENTENCE), None)


def listed_end(unit: Unit) -> int:
    """End of the list that a unit introduces, `LONGEST_LIST` characters at most; its own end where it introduces none."""
    end = unit.end
    for item in unit.source.units[unit.index + 1 :]:
        if item.lead is not unit or unit.source.text[end : item.start].strip() or item.end - unit.start > LONGEST_LIST:
            break
        end = item.end
    return end


def adjacent(before: Unit, after: Unit) -> bool:
    """Whether only white space stands between two units: an instruction that was left out there must not be quoted with them."""
    return not before.source.text[before.end : after.start].strip()


def _with_provisos(unit: Unit) -> int:
    """End of the unit with at most two exceptions that follow it directly."""
    end = unit.end
    for offset in (1, 2):
        after = unit.source.unit(unit.index + offset)
        if after is None or after.shape != Shape.SENTENCE or not after.is_proviso or unit.source.text[end : after.start].strip():
            break
        end = after.end
    return end


def _merged(text: str, ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges in order; neighbours with only white space between them become one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and not text[merged[-1][1] : start].strip() and start >= merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
        elif merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged

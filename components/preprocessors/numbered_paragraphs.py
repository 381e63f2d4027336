"""Which numbered paragraphs of a text open a section, by the numbers of the others: arithmetic on blocks, no text is changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import regex

from components.blocks import Block
from components.preprocessors.numbering import Number, opening_number

MIN_COUNT = 3
"""Numbers of one kind that must be there: fewer may be a list."""
MIN_ORDER = 0.8
"""Share of steps from one number to the next that must go up by one to three, or down to an outer number."""
MAX_STEP = 3
MAX_TITLE = 120
"""Characters of a title."""
_DASH_TITLE = regex.compile(r"\s*(?P<title>[\p{Lu}\p{Lo}\"“(][^\n—–]{2,117}?)\s*(?P<end>\.?\s*[—–]+-?|\.-{1,2}|:)(?=\s*\S)")
_SENTENCE_TITLE = regex.compile(r"\s*(?P<title>[\p{Lu}\p{Lo}][^\n.;:?!]{2,78})(?P<end>\.)(?=\s+[\p{Lu}\p{Lo}(\"“])")
_ENDS_SENTENCE = regex.compile(r"[.;,:!]$")


@dataclass(frozen=True)
class Opening:
    """A heading inside the text.

    :param block: index of its block.
    :param start: first character of the heading in the text; :param end: the character behind its last.
    :param level: of the heading, from 1, without what stands above it.
    """

    block: int
    start: int
    end: int
    level: int


@dataclass(frozen=True)
class _Candidate:
    block: int
    start: int
    number: Number
    title_end: int
    """With what closes the title; 0: the paragraph has no title of its own."""
    is_alone: bool = False
    """The title is the whole paragraph."""

    @property
    def kind(self) -> tuple[str, int]:
        return self.number.label, self.number.depth


def find_openings(text: str, blocks: Sequence[Block]) -> list[Opening]:
    """Headings of numbered sections that stand in paragraphs, in order.

    A number counts where it is one of at least three of its kind (label and depth) that follow one another, and the paragraph is a short
    title alone ("3.2 Scope"), or begins with a title ("12. Fees.—A fee …", "4. Term. This agreement …"), or stands among paragraphs of
    which most do. A list of short items is no series of sections, for no text follows its items.
    """
    candidates = [c for i, block in enumerate(blocks) if block["kind"] == "paragraph" and (c := _candidate(text, i, block)) is not None]
    kinds = {candidate.kind for candidate in candidates}
    sections = {kind for kind in kinds if _is_series(text, blocks, [c for c in candidates if c.kind == kind])}
    depths = {kind: level for level, kind in enumerate(_by_first(candidates, sections), start=1)}
    return [_opening(c, depths[c.kind]) for c in candidates if c.kind in sections and (not c.is_alone or _has_text(text, blocks, c))]


def _candidate(text: str, index: int, block: Block) -> _Candidate | None:
    paragraph = text[block["start"] : block["end"]]
    lead = len(paragraph) - len(paragraph.lstrip())
    line = paragraph[lead:].split("\n", 1)[0]
    number = opening_number(line)
    if number is None:
        return None
    start = block["start"] + lead
    rest = paragraph[lead + number.end :]
    alone = paragraph.strip() == line.strip() and len(line) <= MAX_TITLE and not _ENDS_SENTENCE.search(line.strip()[number.end :])
    if alone:
        return _Candidate(index, start, number, block["end"], is_alone=True)
    match = _DASH_TITLE.match(rest) or _SENTENCE_TITLE.match(rest)
    return _Candidate(index, start, number, start + number.end + match.end("end") if match else 0)


def _is_series(text: str, blocks: Sequence[Block], members: list[_Candidate]) -> bool:
    """Whether candidates of one kind follow one another, mostly have titles, and have text below them."""
    if len(members) < MIN_COUNT:
        return False
    parts = [c.number.parts for c in members]
    steps = [_follows(a, b) for a, b in pairwise(parts) if a and b]
    if steps and sum(steps) < MIN_ORDER * len(steps):
        return False
    titled = sum(c.title_end > 0 for c in members)
    with_text = sum(_has_text(text, blocks, c) for c in members)
    return 2 * titled >= len(members) and 2 * with_text >= len(members)


def _follows(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether a number may follow another of the same depth: 3.1 → 3.2, 3.4 → 4.1, 7 → 8."""
    for a, b in zip(one, other, strict=False):
        if a != b:
            return 0 < b - a <= MAX_STEP
    return False


def _has_text(text: str, blocks: Sequence[Block], candidate: _Candidate) -> bool:
    """Whether something stands below the heading before the next numbered line: the rest of its paragraph, or another block."""
    block = blocks[candidate.block]
    if candidate.title_end and not candidate.is_alone:
        return True
    if not candidate.title_end:
        return block["end"] - candidate.start > MAX_TITLE
    following = blocks[candidate.block + 1] if candidate.block + 1 < len(blocks) else None
    if following is None or following["kind"] in ("heading", "title"):
        return False
    below = opening_number(text[following["start"] : following["end"]].lstrip().split("\n", 1)[0])
    return below is None or below.depth > candidate.number.depth or following["end"] - following["start"] > MAX_TITLE


def _by_first(candidates: Sequence[_Candidate], sections: set[tuple[str, int]]) -> list[tuple[str, int]]:
    """The kinds from the outermost: labels in the order of their first number, then dotted numbers by depth."""
    order = list(dict.fromkeys(c.kind for c in candidates if c.kind in sections))
    return sorted(order, key=lambda kind: (kind[0] == "", kind[1] if kind[0] == "" else order.index(kind)))


def _opening(candidate: _Candidate, level: int) -> Opening:
    end = candidate.title_end or candidate.start + candidate.number.end
    return Opening(candidate.block, candidate.start, end, level)

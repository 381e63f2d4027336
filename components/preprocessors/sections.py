"""Cuts the blocks of a document into sections that tile its text."""

from __future__ import annotations

from dataclasses import dataclass, field

import regex

from components.blocks import Block
from components.preprocessors.numbering import opening_number

_CLOSING = regex.compile(r"(?<=[\p{L}\p{M})\"”])\s*(?:\.?\s*[—–]+-?|\.-{1,2}|[.:])$")


@dataclass(frozen=True)
class Section:
    """A stretch of text under one heading, with what separates it from the next one.

    :param start: first character; :param end: the character behind the last. Sections in order tile the text.
    :param heading_path: headings above and of this section, outermost first, without the document's title.
    """

    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    blocks: list[Block] = field(default_factory=list)

    @property
    def is_bare_heading(self) -> bool:
        """Nothing but headings."""
        return all(block["kind"] in ("title", "heading") for block in self.blocks)


def one_line(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())


def heading_name(text: str) -> str:
    """A heading on one line, without what closes a numbered title that stands at the head of its paragraph.

    >>> heading_name("12. Fees.—"), heading_name("Who pays the fees, etc.")
    ('12. Fees', 'Who pays the fees, etc.')
    """
    name = one_line(text)
    return _CLOSING.sub("", name) if opening_number(name) else name


def find_sections(text: str, blocks: list[Block], title: str = "") -> list[Section]:
    """Cut at every heading; a heading begins its own section. Blank text gives no section.

    A heading of level n closes every heading of level n or deeper. Blocks of kind `title` count as level 0. The title itself is left out of
    the paths, also where the first heading repeats it.
    """
    if not blocks:
        return []
    title = one_line(title)
    path: list[tuple[int, str]] = []
    groups: list[tuple[tuple[str, ...], list[Block]]] = []
    for number, block in enumerate(blocks):
        if block["kind"] in ("title", "heading"):
            level = 0 if block["kind"] == "title" else max(1, block.get("level") or 1)
            name = heading_name(text[block["start"] : block["end"]])
            path = [entry for entry in path if entry[0] < level]
            is_title = name.casefold() == title.casefold() or (level == 0 and number == 0)
            if not (is_title and not path):
                path.append((level, name))
            groups.append((tuple(entry[1] for entry in path), [block]))
        elif groups:
            groups[-1][1].append(block)
        else:
            groups.append(((), [block]))
    starts = [0, *(group[1][0]["start"] for group in groups[1:]), len(text)]
    return [Section(starts[i], starts[i + 1], path, members) for i, (path, members) in enumerate(groups)]

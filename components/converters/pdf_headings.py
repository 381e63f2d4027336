"""Which paragraphs of a PDF are headings, and how deep, by position and type; numbered sections with their marginal notes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from components.converters.pdf_furniture import Note
from components.converters.pdf_marks import BULLET
from components.converters.pdf_paragraphs import LABEL, Para, is_capitals

NUMBERED = re.compile(r"(\d{1,4}[A-Z]{0,2})\s*[.)]\s*(?=\S)")
_INLINE_TITLE = re.compile(r"\s*([^.—–]{3,120}?)\s*(?:\.?\s*[—–]|[.:]\s?--?\s?(?=[(\[“\"A-Z]))")
_MAX_HEADING = 200  # characters
_MAX_LEVEL = 6


def match_notes(paras: Sequence[Para], notes: Sequence[Note], pitch: float) -> tuple[dict[int, Note], list[Note]]:
    """Give each marginal note the numbered paragraph that it stands beside.

    :param paras: paragraphs of one page.
    :param pitch: usual distance between base lines, in points; a note begins at most one and a half away from its paragraph's first line.
    :returns: note by `id` of its paragraph, and the notes that stand beside no numbered paragraph.
    """
    matched: dict[int, Note] = {}
    left: list[Note] = []
    sides = Counter(note.before for note in notes)
    # titles stand on one side of a page; the few notes on the other refer to something
    notes = sorted(notes, key=lambda note: (-sides[note.before], -sum(c.isalpha() for line in note.lines for c in line.text)))
    numbered = [para for para in paras if para.kind == "paragraph" and NUMBERED.match(para.lines[0].text)]
    for note in notes:
        near = min((p for p in numbered if id(p) not in matched), key=lambda p: abs(p.top - note.top), default=None)
        if near is not None and abs(near.top - note.top) <= 1.5 * pitch:
            matched[id(near)] = note
        else:
            left.append(note)
    return matched, left


def mark_headings(paras: Sequence[Para], body: float) -> None:
    """Set kind and level of the paragraphs that are headings.

    A heading is short, and set larger than the body, or wholly bold, or centred in capitals or italics. Styles are ranked by size,
    then capitals, then weight; a level deeper for each.
    """
    marked: dict[int, tuple[float, int, int, int]] = {}
    for para in paras:
        if para.kind == "paragraph" and is_heading(para, body):
            para.kind = "heading"
            label = LABEL.match(para.text) if len(para.lines) > 1 else None
            if label and LABEL.fullmatch(para.lines[0].text.strip()):  # "CHAPTER II" on a line of its own, the title below
                first = para.lines[0].text.strip()
                para.text = f"{first.rstrip('.:')}: {para.text[len(first) :].lstrip()}"
            marked[id(para)] = style(para, body)
    ranks = sorted(set(marked.values()), reverse=True)
    for para in paras:
        if id(para) in marked:
            para.level = min(1 + ranks.index(marked[id(para)]), _MAX_LEVEL - 2)


def is_heading(para: Para, body: float) -> bool:
    """Whether a paragraph is set as a heading."""
    text = para.text
    letters = [c for c in text if c.isalpha()]
    if not len(letters) >= 2 or len(text) > _MAX_HEADING or len(para.lines) > 4 or text.endswith((",", ";", ":—", "-")):
        return False
    if not any(c.isupper() or not c.islower() for c in letters) or BULLET.match(text):
        return False
    capitals = is_capitals(text)
    if para.size >= 1.15 * body:
        return not text.endswith(".") or len(text) < 80
    if para.size < 0.9 * body and not capitals:
        return False
    if all(line.bold for line in para.lines):
        return len(para.lines) <= 2 or para.centred
    if para.centred and text[:1] not in "([":
        italic = all(line.italic for line in para.lines)
        return capitals or bool(LABEL.fullmatch(text)) or (italic and " " in text and text[:1].isalpha() and not text.endswith((".", ":", "—")))
    return False


def style(para: Para, body: float) -> tuple[float, int, int, int]:
    """How a heading is set, larger for a higher one: size against the body, label, capitals, weight."""
    capitals = is_capitals(para.text)
    size = max(1.0, round(para.size / body * 10) / 10)
    return size, int(capitals or bool(LABEL.match(para.text))), int(all(line.bold for line in para.lines)), 0


def merge_labels(paras: list[Para]) -> list[Para]:
    """Join a label that stands alone ("CHAPTER XVII") with the heading below it."""
    out: list[Para] = []
    for para in paras:
        last = out[-1] if out else None
        if (
            last is not None
            and last.kind == para.kind == "heading"
            and LABEL.fullmatch(last.text)
            and not LABEL.fullmatch(para.text)
            and (para.page == last.page + 1 or (para.page == last.page and para.top - last.lines[-1].bottom < 3 * last.size))
        ):
            last.text = f"{last.text.rstrip('.:')}: {para.text}"
            last.lines += para.lines
            last.level = min(last.level, para.level)
        else:
            out.append(para)
    return out


def section_headings(paras: list[Para], titles: dict[int, str]) -> list[Para]:
    """Put a heading before each numbered paragraph that begins a section.

    A paragraph begins a section if a marginal note stands beside it. Where no note does, its number must be bold, or be followed by
    a title that is bold or ends in a dash, and continue the count: one to three above the section before it.

    :param titles: text of the marginal note by `id` of the paragraph.
    """
    level = min(_MAX_LEVEL - 1, 1 + max((p.level for p in paras if p.kind == "heading"), default=0))
    # a number that opens other paragraphs too stands at the indent of sections only by chance: those with a note tell the indent
    indents = [p.lines[0].x0 - p.frame.left for p in paras if id(p) in titles]
    usual = median(indents) if indents else None
    out: list[Para] = []
    count = 0
    for para in paras:
        match = NUMBERED.match(para.text) if para.kind == "paragraph" else None
        if match:
            number = int(re.sub(r"\D", "", match.group(1)))
            title = titles.get(id(para), "")
            begins = bool(title)
            if not begins and 1 <= number - count <= 3 and (usual is None or abs(para.lines[0].x0 - para.frame.left - usual) < para.size):
                title = _own_title(para, match.end())
                begins = bool(title) or (para.lines[0].words[0].bold and not all(line.bold for line in para.lines))
            if begins:
                count = number
                heading = f"{match.group(1)}. {title}" if title else f"{match.group(1)}."
                out.append(Para(para.lines[:1], para.page, para.frame, [], "heading", level, heading))
        out.append(para)
    return _below_sections(out, level)


def _below_sections(paras: list[Para], level: int) -> list[Para]:
    """Put headings that stand inside a section below it: set as body type without a label, and followed by text, not by a section."""
    inside = False
    for position, para in enumerate(paras):
        if para.kind != "heading":
            continue
        if para.level == level:
            inside = True
            continue
        following = next((p for p in paras[position + 1 :] if p.kind not in ("header", "footer")), None)
        if inside and not LABEL.match(para.text) and (following is None or following.kind != "heading"):
            para.level = level + 1
        else:
            inside = False
    return paras


def _own_title(para: Para, start: int) -> str:
    """The title that a section's first line holds: what stands before a dash, else its bold words after the number.

    A dash ends the title even where bold type goes on to the words behind it, or ends before the last word of the title.
    """
    words = para.lines[0].words
    bold = 0
    while bold < len(words) and words[bold].bold:
        bold += 1
    number = words[0].text
    match = _INLINE_TITLE.match(para.text[start:])
    if match and match.group(1)[:1].isupper() and len(number) <= 6 and len(para.text) > start + match.end() + 20:
        return match.group(1).strip()
    if words[0].bold and bold > 1 and (bold < len(words) or len(para.lines) > 1):
        text = " ".join(w.text for w in words[:bold])
        own = NUMBERED.match(text + " x")
        return re.split(r"[—–]", text[len(own.group(0)) :])[0].strip(" .:-") if own else ""
    return ""

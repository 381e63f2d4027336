"""Words of a PDF to its blocks: furniture out, marginal notes to headings, columns in order, paragraphs across pages joined."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from components.converters.outcome import Parts
from components.converters.pdf_furniture import Note, drop_line_numbers, furniture, split_notes, take_notes
from components.converters.pdf_grids import RuledTable, take_tables
from components.converters.pdf_headings import NUMBERED, mark_headings, match_notes, merge_labels, section_headings
from components.converters.pdf_lines import Frame, Line, body_size, find_frames, leading, merge_rows, reading_order, segments
from components.converters.pdf_lists import join_lists
from components.converters.pdf_notes import mark_captions, mark_footnotes
from components.converters.pdf_paragraphs import ENUMERATOR, Para, column_frame, find_tables, join_lines, paragraphs, vocabulary
from components.converters.pdf_words import Page

_NUMBER = re.compile(r"\d+")
_OPEN_END = re.compile(r"[\w,–-]$")


def structure(pages: Sequence[Page]) -> Parts:
    """Blocks of a document, in reading order.

    A paragraph that runs over a page break is one block, with its first page. Running heads and feet stay as blocks of kind
    `header` and `footer` at the first place where each stands; line numbers go.

    :param pages: the pages with their words; the words are changed in place.
    """
    pages = [page for page in pages if page.words or page.rotated]
    body = body_size(pages)
    known = vocabulary(word for page in pages for word in page.words)
    tables = _without_repeats([take_tables(page, known) for page in pages])
    frames = find_frames(pages, body)
    drop_line_numbers(pages, frames)
    notes = [take_notes(page, frame, body) for page, frame in zip(pages, frames, strict=True)]
    pieces = [(page, segments(page.words, page.number)) for page in pages]
    marked = furniture(pieces)
    pitch = leading([merge_rows([s for s in lines if id(s) not in marked], page.number) for page, lines in pieces], body)
    paras: list[Para] = []
    titles: dict[int, str] = {}
    seen: set[tuple[str, str]] = set()
    for (page, lines), frame, beside, ruled in zip(pieces, frames, notes, tables, strict=True):
        edge = {"header": [], "footer": []}
        for line in lines:
            kind = marked.get(id(line))
            key = (kind or "", _NUMBER.sub("#", line.text))
            if kind and key not in seen and any(c.isalpha() for c in line.text):
                edge[kind].append(Para([line], page.number, frame or column_frame([line]), [], kind, 0, line.text))
            if kind:
                seen.add(key)
        found = _page_paragraphs([s for s in lines if id(s) not in marked], ruled, frame, pitch, body)
        mark_footnotes(found, page.height, body)
        found = [para for para in found if para.lines]
        tops = [p.top for p in found if p.kind == "paragraph" and NUMBERED.match(p.lines[0].text)]
        matched, others = match_notes(found, split_notes(beside, tops), pitch)
        titles.update({key: _note_title(note, known) for key, note in matched.items()})
        paras += [*edge["header"], *_with_notes(found, others, frame), *edge["footer"]]
        if page.rotated:
            line = replace(lines[0]) if lines else Line([], 0, 0, 0, 0, body, page.number)
            paras.append(Para([line], page.number, Frame(0, page.width), [], "footer", 0, page.rotated))
    paras = _joined_over_pages(paras, titles, body)
    for para in paras:
        if not para.text:
            para.text = "\n".join(para.rows) if para.kind == "table" else join_lines([line.text for line in para.lines], known)
    paras = [para for para in paras if any(c.isalnum() for c in para.text)]
    mark_captions(paras)
    mark_headings([para for para in paras if id(para) not in titles], body)
    paras = join_lists(section_headings(merge_labels(paras), titles))
    return [(_clean(para.text), _fields(para)) for para in paras]


def _without_repeats(tables: list[list[RuledTable]]) -> list[list[RuledTable]]:
    """Tables but for those that stand at the same place of three pages with the same text, digits aside: a ruled head stays once."""
    count = Counter(_place(table) for page in tables for table in page)
    seen: set[tuple[str, int]] = set()
    out: list[list[RuledTable]] = []
    for page in tables:
        out.append([table for table in page if count[_place(table)] < 3 or _place(table) not in seen])
        seen |= {_place(table) for table in page}
    return out


def _place(table: RuledTable) -> tuple[str, int]:
    return _NUMBER.sub("#", str(table.rows)), round(table.top / 6)


def _page_paragraphs(lines: list[Line], tables: list[RuledTable], frame: Frame | None, pitch: float, body: float) -> list[Para]:
    """Paragraphs and tables of a page in reading order; a ruled table takes part in it by a line for each of its rows."""
    stands: dict[int, RuledTable] = {}
    rest = list(lines)
    for table in tables:
        step = (table.bottom - table.top) / len(table.rows)
        for number in range(len(table.rows)):
            top = table.top + number * step
            rest.append(Line([], table.x0, table.x1, top, top + step, body, table.page))
            stands[id(rest[-1])] = table
    out: list[Para] = []
    for column in reading_order(rest):
        own = column_frame(column)
        if frame is not None and own.width > 0.6 * frame.width:
            own = frame
        here = sorted({id(stands[id(s)]): stands[id(s)] for s in column if id(s) in stands}.values(), key=lambda table: table.top)
        text = [line for line in column if id(line) not in stands]
        for table in here:
            above = [line for line in text if (line.top + line.bottom) / 2 < table.top]
            beside = [line for line in text if table.top <= (line.top + line.bottom) / 2 <= table.bottom]
            text = [line for line in text if (line.top + line.bottom) / 2 > table.bottom]
            out += [*_text_paragraphs(above, own, pitch, body), _ruled(table), *_text_paragraphs(beside, own, pitch, body)]
        out += _text_paragraphs(text, own, pitch, body)
    return _once(out)


def _ruled(table: RuledTable) -> Para:
    line = Line(table.words, table.x0, table.x1, table.top, table.bottom, table.words[0].size, table.page)
    return Para([line], table.page, Frame(table.x0, table.x1), [" | ".join(row) for row in table.rows], "table")


def _once(paras: list[Para]) -> list[Para]:
    """Paragraphs without a table that columns have given twice."""
    seen: set[int] = set()
    out: list[Para] = []
    for para in paras:
        key = id(para.lines[0].words) if para.kind == "table" else 0
        if not key or key not in seen:
            out.append(para)
        seen.add(key)
    return out


def _text_paragraphs(lines: list[Line], frame: Frame, pitch: float, body: float) -> list[Para]:
    out: list[Para] = []
    for part in find_tables(lines, pitch) if lines else []:
        if isinstance(part, Para):
            part.frame = frame
            out.append(part)
        else:
            out += paragraphs(part, frame, pitch, body)
    return out


def _note_title(note: Note, known: Counter[str]) -> str:
    return join_lines([line.text for line in note.lines], known).rstrip(" .:—")


def _with_notes(paras: list[Para], notes: list[Note], frame: Frame | None) -> list[Para]:
    """Put notes beside unnumbered text behind the paragraph that they stand beside."""
    for note in sorted(notes, key=lambda n: n.top):
        own = frame or column_frame(note.lines)
        position = 0
        for index, para in enumerate(paras):
            if para.lines[0].top <= note.top + note.lines[0].size:
                position = index + 1
        paras.insert(position, Para(note.lines, note.page, own, [], "note"))
    return paras


def _joined_over_pages(paras: list[Para], titles: dict[int, str], body: float) -> list[Para]:
    """Join a paragraph with its continuation on the next page, or in the next column."""
    out: list[Para] = []
    for para in paras:
        last = next((p for p in reversed(out) if p.kind not in ("header", "footer", "note", "footnote")), None)
        if last is not None and id(para) not in titles and _continues(last, para, body):
            last.lines.extend(para.lines)
        else:
            out.append(para)
    for para in out:
        if para.kind == "note":
            para.kind = "paragraph"
    return out


def _continues(last: Para, para: Para, body: float) -> bool:
    """Whether a paragraph goes on in another: same type, in another place, the first not ended, the second beginning small."""
    if last.kind != "paragraph" or para.kind != "paragraph" or abs(last.size - para.size) > 0.1 * body:
        return False
    moved = para.page != last.page or para.top < last.lines[-1].top
    before, after = last.lines[-1].text.rstrip(), para.lines[0].text.lstrip()
    if not moved or last.lines[-1].bold != para.lines[0].bold or para.centred or last.centred:
        return False
    if ENUMERATOR.match(after):
        return False
    return bool(after[:1].islower() and not before.endswith((";", ".", ":", "—"))) or bool(_OPEN_END.search(before) and _fills(last))


def _fills(para: Para) -> bool:
    """Whether the last line of a paragraph reaches the right edge, so that it may go on."""
    return para.lines[-1].x1 > para.frame.right - 0.08 * para.frame.width


def _clean(text: str) -> str:
    return text.replace("\uf0b7", "•")


def _fields(para: Para) -> dict[str, object]:
    fields: dict[str, object] = {"kind": para.kind, "page": para.page}
    if para.kind == "heading":
        fields["level"] = para.level
    return fields

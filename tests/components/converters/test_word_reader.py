import io
import re

import docx
import pytest
from docx.document import Document as Word
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from components.converters.word_numbering import format_number
from components.converters.word_reader import read_word


def saved(document: Word) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def texts(document: Word) -> list[tuple[str, str]]:
    return [(fields["kind"], text) for text, fields in read_word(saved(document)).parts]


def add_xml(document: Word, xml: str) -> None:
    document.element.body.insert(len(document.element.body) - 1, parse_xml(re.sub(r"^<(w:\w+)", rf"<\1 {nsdecls('w')}", xml)))


NUMBERING = (
    f"<w:abstractNum {nsdecls('w')} w:abstractNumId='77'>"
    "<w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl>"
    "<w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='%1.%2)'/></w:lvl></w:abstractNum>"
)


def numbered(document: Word, text: str, level: int, style: str = "") -> None:
    paragraph = document.add_paragraph(text, style=style or None)
    number = f"<w:numPr {nsdecls('w')}><w:ilvl w:val='{level}'/><w:numId w:val='77'/></w:numPr>"
    paragraph._p.get_or_add_pPr().append(parse_xml(number))


def test_numbers_that_word_writes_by_itself_are_written_out():
    document = docx.Document()
    root = document.part.numbering_part._element
    root.insert(0, parse_xml(NUMBERING))
    root.append(parse_xml(f"<w:num {nsdecls('w')} w:numId='77'><w:abstractNumId w:val='77'/></w:num>"))
    numbered(document, "Scope", 0, "Heading 1")
    numbered(document, "Staff and trainees.", 1)
    numbered(document, "Nobody else.", 1)
    numbered(document, "Leave", 0, "Heading 1")
    numbered(document, "Twenty days.", 1)
    assert texts(document) == [
        ("heading", "1. Scope"),
        ("list", "  1.a) Staff and trainees.\n  1.b) Nobody else."),
        ("heading", "2. Leave"),
        ("list", "  2.a) Twenty days."),
    ]


@pytest.mark.parametrize(
    ("number", "style", "text"), [(28, "lowerLetter", "bb"), (1994, "upperRoman", "MCMXCIV"), (11, "ordinal", "11th"), (0, "upperRoman", "0")]
)
def test_format_number(number, style, text):
    assert format_number(number, style) == text


def test_hidden_text_is_left_out_and_named():
    document = docx.Document()
    document.add_paragraph("Seen. ").add_run("Hidden order.").font.hidden = True
    white = document.add_paragraph("Also seen. ").add_run("White order.")
    white.font.color.rgb = docx.shared.RGBColor(255, 255, 255)  # pyright: ignore[reportAttributeAccessIssue]
    document.add_paragraph().add_run("Tiny order.").font.size = docx.shared.Pt(1)  # pyright: ignore[reportAttributeAccessIssue]
    read = read_word(saved(document))
    assert [text for text, _ in read.parts] == ["Seen.", "Also seen."]
    assert read.notices == ["hidden text left out: 2 words", "text too small to see left out: 2 words", "white text left out: 2 words"]


def test_white_text_on_a_dark_cell_is_seen():
    document = docx.Document()
    run = document.add_table(1, 1).cell(0, 0).paragraphs[0].add_run("White on dark")
    run.font.color.rgb = docx.shared.RGBColor(255, 255, 255)  # pyright: ignore[reportAttributeAccessIssue]
    assert texts(document) == [("paragraph", "White on dark")]


def test_revisions_are_accepted_and_wrappers_opened():
    document = docx.Document()
    add_xml(document, "<w:p><w:r><w:t xml:space='preserve'>Twenty </w:t></w:r><w:del><w:r><w:delText>old </w:delText></w:r></w:del>"
            "<w:ins><w:r><w:t>new </w:t></w:r></w:ins><w:sdt><w:sdtContent><w:r><w:t>days</w:t></w:r></w:sdtContent></w:sdt></w:p>")  # fmt: skip
    add_xml(document, "<w:sdt><w:sdtContent><w:p><w:r><w:t>In a control.</w:t></w:r></w:p></w:sdtContent></w:sdt>")
    read = read_word(saved(document))
    assert [text for text, _ in read.parts] == ["Twenty new days", "In a control."]
    assert read.notices == ["deleted revisions left out: 1"]


def test_comments_are_named():
    document = docx.Document()
    run = document.add_paragraph("Twenty days.").runs[0]
    document.add_comment(run, text="Is this so?", author="A")
    read = read_word(saved(document))
    assert [text for text, _ in read.parts] == ["Twenty days."]
    assert read.notices == ["comments left out: 1"]


def test_captions_text_boxes_and_merged_cells():
    document = docx.Document()
    document.add_paragraph("Table 1. Days", style="Caption")
    table = document.add_table(3, 3)
    for row, values in zip(table.rows, (("Grade", "Days", "Hours"), ("A", "20", "160"), ("", "25", "")), strict=True):
        for cell, value in zip(row.cells, values, strict=True):
            cell.text = value
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(2, 1).merge(table.cell(2, 2))
    add_xml(
        document,
        "<w:p><w:r><w:t>Beside.</w:t></w:r><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent></w:pict></w:r></w:p>",
    )
    assert texts(document) == [
        ("caption", "Table 1. Days"),
        ("table", "Grade | Days | Hours\nA | 20 | 160\nA | 25 | "),
        ("paragraph", "Beside."),
        ("paragraph", "In a box."),
    ]


def test_footnotes_follow_what_refers_to_them():
    document = docx.Document()
    add_xml(document, "<w:p><w:r><w:t>Twenty days</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r><w:r><w:t>.</w:t></w:r></w:p>")
    document.add_paragraph("More.")
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part

    notes = f"<w:footnotes {nsdecls('w')}><w:footnote w:id='2'><w:p><w:r><w:t>Of full time.</w:t></w:r></w:p></w:footnote></w:footnotes>"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    part = Part(PackURI("/word/footnotes.xml"), kind, notes.encode(), document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    assert texts(document) == [("paragraph", "Twenty days¹."), ("footnote", "¹ Of full time."), ("paragraph", "More.")]


def test_pages_are_counted_at_breaks():
    document = docx.Document()
    document.add_paragraph("One.")
    document.add_page_break()
    document.add_paragraph("Two.")
    assert [fields["page"] for _, fields in read_word(saved(document)).parts] == [1, 2]

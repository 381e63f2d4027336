"""Ruled tables and tables without rules, in PDFs made here with fpdf2."""

from collections import Counter

import pytest
from fpdf import FPDF
from haystack import Document
from haystack.dataclasses import ByteStream
from hypothesis import given
from hypothesis import strategies as st

from components.converters.pdf_converter import PdfConverter
from components.converters.pdf_grids import take_tables
from components.converters.pdf_rules import Rule, join_rules
from components.converters.pdf_words import Page, Word

HEAD = ["Shelf", "Lent for", "Fee for each day of delay"]
BODY = [
    ["Novels and tales", "21 days", "five cents"],
    ["Maps", "3 days", "one crown, and the cost of the repair where a map comes back torn"],
    ["Reference works that stand behind the desk", "not lent", "none"],
    ["Journals", "7 days", "ten cents"],
]
TEXT = "The library lends its books to every reader who lives in the town and has paid the yearly fee at the desk. "


def new(size: float = 11) -> FPDF:
    pdf = FPDF(format="A4")
    pdf.set_auto_page_break(True, margin=20)
    pdf.add_page()
    pdf.set_font("helvetica", size=size)
    return pdf


def text(pdf: FPDF, words: str, style: str = "", size: float = 11) -> None:
    pdf.set_font("helvetica", style, size)
    pdf.multi_cell(0, 6, words, align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.ln(3)


def table(pdf: FPDF, cells: list[list[str]], **options) -> None:
    pdf.set_font("helvetica", size=10)
    with pdf.table(line_height=6, **options) as made:
        for line in cells:
            row = made.row()
            for cell in line:
                row.cell(cell)
    pdf.ln(3)


def blocks(pdf: FPDF) -> list[tuple[str, int, str]]:
    out = PdfConverter().run([ByteStream(bytes(pdf.output()), meta={"uri": "a.pdf", "file_name": "a.pdf"})])
    assert not out["failed"], out["failed"]
    (document,) = out["documents"]
    assert isinstance(document, Document)
    assert document.content
    return [(b["kind"], b["page"], document.content[b["start"] : b["end"]]) for b in document.meta["blocks"]]


def piped(cells: list[list[str]]) -> str:
    return "\n".join(" | ".join(row) for row in cells)


@pytest.mark.parametrize("layout", ["ALL", "HORIZONTAL_LINES", "INTERNAL", "MINIMAL", "SINGLE_TOP_LINE", "NO_HORIZONTAL_LINES"])
@pytest.mark.parametrize("align", ["TOP", "MIDDLE", "BOTTOM"])
def test_wrapped_cells_in_every_border_layout(layout, align):
    if layout in ("SINGLE_TOP_LINE", "NO_HORIZONTAL_LINES", "MINIMAL") and align != "TOP":
        pytest.skip("without a rule below each row, only the first column tells where one begins")
    pdf = new()
    text(pdf, "Lending times", "B", 15)
    text(pdf, TEXT * 3)
    table(pdf, [HEAD, *BODY], borders_layout=layout, v_align=align, col_widths=(30, 20, 40))
    text(pdf, TEXT)
    found = blocks(pdf)
    assert [b[0] for b in found] == ["heading", "paragraph", "table", "paragraph"]
    assert found[2][2] == piped([HEAD, *BODY])


def test_a_table_without_rules():
    pdf = new()
    text(pdf, TEXT * 2)
    cells = [["Shelf", "Days", "Fee"], ["Novels", "21", "5"], ["Maps", "3", "100"], ["Journals", "7", "10"]]
    table(pdf, cells, borders_layout="NONE")
    text(pdf, TEXT)
    assert [b[2] for b in blocks(pdf) if b[0] == "table"] == [piped(cells)]


def test_merged_header_cells_stand_in_their_first_column():
    pdf = new()
    text(pdf, TEXT * 2)
    pdf.set_font("helvetica", size=10)
    with pdf.table(line_height=6, num_heading_rows=2) as made:
        row = made.row()
        row.cell("Shelf", rowspan=2)
        row.cell("Lent to", colspan=2)
        for line in (["readers", "schools"], ["Novels", "21 days", "60 days"], ["Maps", "3 days", "10 days"]):
            row = made.row()
            for cell in line:
                row.cell(cell)
    found = [b[2] for b in blocks(pdf) if b[0] == "table"]
    assert found == ["Shelf | Lent to | \nShelf | readers | schools\nNovels | 21 days | 60 days\nMaps | 3 days | 10 days"]


def test_each_page_of_a_table_is_a_block_with_its_page():
    pdf = new()
    text(pdf, TEXT * 2)
    cells = [[f"Shelf {n}", f"{n} days", f"{n} cents"] for n in range(1, 70)]
    table(pdf, [HEAD, *cells])
    found = [b for b in blocks(pdf) if b[0] == "table"]
    assert [b[1] for b in found] == [1, 2]
    assert all(b[2].startswith("Shelf | Lent for") for b in found)  # fpdf2 sets the header again
    assert [line for b in found for line in b[2].split("\n")[1:]] == [" | ".join(row) for row in cells]


@pytest.mark.parametrize("left", [True, False])
def test_a_table_beside_a_paragraph(left):
    pdf = new()
    text(pdf, TEXT * 2)
    y = pdf.get_y()
    pdf.set_font("helvetica", size=10)
    with pdf.table(line_height=6, width=80, align="LEFT" if left else "RIGHT") as made:
        for line in (["Shelf", "Days"], ["Novels", "21"], ["Maps", "3"], ["Journals", "7"]):
            row = made.row()
            for cell in line:
                row.cell(cell)
    end = pdf.get_y()
    pdf.set_xy(100 if left else 10, y + 1)
    pdf.set_font("helvetica", size=11)
    pdf.multi_cell(90, 5, TEXT, align="L")
    pdf.set_y(end + 10)
    text(pdf, TEXT)
    found = blocks(pdf)
    assert [b[2] for b in found if b[0] == "table"] == ["Shelf | Days\nNovels | 21\nMaps | 3\nJournals | 7"]
    assert [b[2] for b in found if b[0] == "paragraph"] == [(TEXT * 2).strip(), TEXT.strip(), TEXT.strip()]


def test_shaded_cells_without_lines():
    pdf = new()
    text(pdf, TEXT * 2)
    pdf.set_font("helvetica", size=10)
    for n, line in enumerate([["Shelf", "Days"], ["Novels and tales", "21"], ["Maps", "3"]]):
        pdf.set_fill_color(200 + 20 * (n % 2))
        for cell in line:
            pdf.cell(60, 7, cell, fill=True)
        pdf.ln(7)
    assert [b[2] for b in blocks(pdf) if b[0] == "table"] == ["Shelf | Days\nNovels and tales | 21\nMaps | 3"]


def test_boxes_charts_and_page_rules_are_no_tables():
    pdf = new()
    text(pdf, "Borrowing", "B", 15)
    pdf.line(10, pdf.get_y(), 200, pdf.get_y())
    text(pdf, TEXT * 3)
    pdf.line(10, pdf.get_y(), 200, pdf.get_y())
    pdf.ln(3)
    pdf.multi_cell(0, 6, "Mind the opening hours: " + TEXT, border=1, align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.ln(5)
    top = pdf.get_y()
    for n in range(6):  # a chart: axes with marks, grid lines, labels outside
        pdf.line(30, top + 10 * n, 130, top + 10 * n)
        pdf.line(30 + 20 * n, top, 30 + 20 * n, top + 50)
        pdf.text(20, top + 10 * n + 2, f"{50 - 10 * n}")
        pdf.text(29 + 20 * n, top + 56, f"{n}")
    assert "table" not in {b[0] for b in blocks(pdf)}


def test_two_columns_of_text_between_rules_are_no_table():
    pdf = new()
    pdf.line(10, 20, 200, 20)
    pdf.line(10, 25, 200, 25)
    for x in (10, 110):
        pdf.set_xy(x, 30)
        pdf.multi_cell(88, 5, TEXT * 8, align="J")
    pdf.line(10, 200, 200, 200)
    assert {b[0] for b in blocks(pdf)} == {"paragraph"}


def test_a_ruled_head_of_every_page_stays_once():
    class Headed(FPDF):
        def header(self) -> None:
            self.set_font("helvetica", size=9)
            for cell in ("Library rules", f"page {self.page_no()}"):
                self.cell(60, 6, cell, border=1)
            self.ln(6)
            for cell in ("In force", "all readers"):
                self.cell(60, 6, cell, border=1)
            self.ln(12)

    pdf = Headed(format="A4")
    for _ in range(4):
        pdf.add_page()
        text(pdf, TEXT * 3)
    assert [b[1] for b in blocks(pdf) if b[0] == "table"] == [1]


def test_underlined_words_in_two_columns_are_no_table():
    pdf = new()
    for n in range(12):
        for x in (10, 110):
            pdf.set_xy(x, 30 + 7 * n)
            pdf.set_font("helvetica", "U", 11)
            pdf.cell(90, 7, f"The shelf with the number {n} holds old maps", align="L")
    assert "table" not in {b[0] for b in blocks(pdf)}


def test_a_booktabs_table_has_a_row_for_each_line():
    pdf = new()
    text(pdf, TEXT * 2)
    cells = [["Shelf", "Days", "Fee"], ["Novels and tales", "21", "5.0"], ["Maps", "3", "100.0"], ["Journals", "7", "10.5"], ["All", "31", "115.5"]]
    pdf.set_font("helvetica", size=10)
    for n, row in enumerate(cells):
        if n in (0, 1, 4):
            pdf.line(10, pdf.get_y(), 130, pdf.get_y())
        for cell in row:
            pdf.cell(40, 5, cell)
        pdf.ln(5)
    pdf.line(10, pdf.get_y(), 130, pdf.get_y())
    assert [b[2] for b in blocks(pdf) if b[0] == "table"] == [piped(cells)]


def test_a_label_beside_several_rows_is_given_in_each():
    pdf = new()
    text(pdf, TEXT * 2)
    pdf.set_font("helvetica", size=10)
    top = pdf.get_y()
    for y in (0, 6, 16, 31):
        pdf.line(10, top + y, 130, top + y)
    for x, y, words in [
        (10, 4, "Who"), (40, 4, "Shelf"), (80, 4, "Days"), (110, 4, "Fee"),
        (10, 12, "Readers"), (40, 9.5, "Novels"), (80, 9.5, "21"), (110, 9.5, "5"), (40, 14.5, "Maps"), (80, 14.5, "3"), (110, 14.5, "100"),
        (10, 25, "Schools"), (40, 20, "Novels"), (80, 20, "60"), (110, 20, "1"), (40, 25, "Maps"), (80, 25, "9"), (110, 25, "2"),
        (40, 30, "Tales"), (80, 30, "30"), (110, 30, "3"),
    ]:  # fmt: skip
        pdf.text(10 + x - 10, top + y, words)
    rows = ["Who | Shelf | Days | Fee", "Readers | Novels | 21 | 5", "Readers | Maps | 3 | 100"]
    rows += ["Schools | Novels | 60 | 1", "Schools | Maps | 9 | 2", "Schools | Tales | 30 | 3"]
    assert [b[2] for b in blocks(pdf) if b[0] == "table"] == ["\n".join(rows)]


def word(content: str, x: float, y: float) -> Word:
    return Word(content, x, x + 5 * len(content), y - 10, y, 10, False, False, 0)


@given(st.integers(2, 5), st.integers(2, 6), st.integers(0, 3))
def test_every_word_of_a_grid_is_in_its_cell(width, height, shift):
    xs = [50 + 60.0 * n for n in range(width + 1)]
    ys = [100 + 20.0 * n for n in range(height + 1)]
    rules = [Rule(True, y + shift % 2, xs[0], xs[-1]) for y in ys] + [Rule(False, x, ys[0] - shift, ys[-1] + shift) for x in xs]
    words = [word(f"r{r}c{c}", xs[c] + 4, ys[r] + 15) for r in range(height) for c in range(width)]
    for number, item in enumerate(words):
        item.run = number
    page = Page(1, 500, 500, [*words, word("outside", 50, 90)], rules=rules)
    (found,) = take_tables(page, Counter())
    assert found.rows == [[f"r{r}c{c}" for c in range(width)] for r in range(height)]
    assert [w.text for w in page.words] == ["outside"]


def test_broken_rules_are_joined_and_short_ones_go():
    rules = join_rules([(0, 10, 50, 10), (53, 10.4, 90, 10.4), (0, 30, 3, 30), (7, 0, 7, 40), (7, 60, 7, 90)])
    assert [(r.horizontal, r.start, r.end) for r in rules] == [(True, 0, 90), (False, 0, 40), (False, 60, 90)]

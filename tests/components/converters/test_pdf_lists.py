"""Lists in PDFs made here with fpdf2, and the marks of items."""

import pytest
from fpdf import FPDF
from haystack import Document
from haystack.dataclasses import ByteStream

from components.converters.pdf_converter import PdfConverter
from components.converters.pdf_marks import is_mark, item_mark

TEXT = "The library lends its books to every reader who lives in the town and has paid the yearly fee at the desk."
LONG = "a card with the name of the reader, which the desk keeps for as long as any book of the library is out, and gives back after that"


def new() -> FPDF:
    pdf = FPDF(format="A4")
    pdf.add_page()
    pdf.set_font("helvetica", size=11)
    pdf.core_fonts_encoding = "windows-1252"
    return pdf


def blocks(pdf: FPDF) -> list[tuple[str, str]]:
    out = PdfConverter().run([ByteStream(bytes(pdf.output()), meta={"uri": "a.pdf", "file_name": "a.pdf"})])
    assert not out["failed"], out["failed"]
    (document,) = out["documents"]
    assert isinstance(document, Document)
    assert document.content
    return [(b["kind"], document.content[b["start"] : b["end"]]) for b in document.meta["blocks"]]


def item(pdf: FPDF, mark: str, text: str, indent: float = 6, left: float = 10) -> None:
    """An item with a hanging indent, as word processors set them: the mark, a gap, and the text beside it."""
    pdf.set_x(left)
    pdf.cell(indent, 6, mark)
    pdf.multi_cell(180 - left - indent, 6, text, align="L", new_x="LMARGIN", new_y="NEXT")


def plain(pdf: FPDF, text: str) -> None:
    pdf.multi_cell(0, 6, text, align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.ln(3)


MARKS = [("•",) * 4, ("-",) * 4, ("–",) * 4, ("1.", "2.", "3.", "4."), ("(a)", "(b)", "(c)", "(d)"), ("i)", "ii)", "iii)", "iv)")]


@pytest.mark.parametrize("marks", MARKS, ids=lambda m: m[0])
@pytest.mark.parametrize("indent", [6.5, 8, 10])
@pytest.mark.parametrize("end", [",", ".", ""])
def test_hanging_lines_join_their_item(marks, indent, end):
    pdf = new()
    plain(pdf, TEXT)
    texts = [f"{t}{end}" for t in ("a book", LONG, "two maps in a tube", LONG)]
    for mark, text in zip(marks, texts, strict=True):
        item(pdf, mark, text, indent)
    pdf.ln(3)
    plain(pdf, TEXT)
    assert blocks(pdf) == [
        ("paragraph", TEXT),
        ("list", "\n".join(f"{mark} {text}" for mark, text in zip(marks, texts, strict=True))),
        ("paragraph", TEXT),
    ]


@pytest.mark.parametrize("mark", ["-", "•"])
def test_items_without_hanging_indent(mark):
    pdf = new()
    plain(pdf, TEXT)
    texts = ["a book,", LONG + ",", "a map."]
    for text in texts:
        pdf.multi_cell(0, 6, f"{mark} {text}", align="L", new_x="LMARGIN", new_y="NEXT")
    assert blocks(pdf)[1:] == [("list", "\n".join(f"{mark} {text}" for text in texts))]


def test_nested_items_stay_in_one_list():
    pdf = new()
    plain(pdf, TEXT)
    for mark, text, left in [
        ("•", "books", 10),
        ("–", LONG, 18),
        ("–", "tales", 18),
        ("•", "maps", 10),
        ("1.", "of the town", 18),
        ("2.", "of the sea", 18),
    ]:
        item(pdf, mark, text, 6, left)
    assert blocks(pdf)[1:] == [("list", f"• books\n– {LONG}\n– tales\n• maps\n1. of the town\n2. of the sea")]


def test_a_lone_dash_or_number_makes_no_list():
    pdf = new()
    plain(pdf, TEXT)
    plain(pdf, "- spoken at the opening.")
    plain(pdf, TEXT)
    plain(pdf, "7. Of this the desk decides.")
    assert [kind for kind, _ in blocks(pdf)] == ["paragraph"] * 4


def test_long_numbered_paragraphs_are_text():
    pdf = new()
    for n in (1, 2, 3):
        plain(pdf, f"({n}) " + " ".join([TEXT] * 4))
    assert [kind for kind, _ in blocks(pdf)] == ["paragraph"] * 3


def test_a_wrapped_heading_is_one():
    pdf = new()
    pdf.set_font("helvetica", "B", 16)
    title = "How books are lent to readers who live outside the town and cannot come to the desk by themselves"
    pdf.multi_cell(0, 10, title, align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("helvetica", "", 11)
    pdf.ln(4)
    for _ in range(3):
        pdf.multi_cell(0, 5, " ".join([TEXT] * 3), align="L", new_x="LMARGIN", new_y="NEXT")
        pdf.ln(3)
    assert [text for kind, text in blocks(pdf) if kind == "heading"] == [title]


@pytest.mark.parametrize(("one", "two", "follows"), [("• a", "• b", True), ("1. a", "2. b", True), ("1. a", "3. b", False), ("(h) a", "(i) b", True)])
def test_marks_that_follow(one, two, follows):
    first, second = item_mark(one), item_mark(two)
    assert first is not None
    assert second is not None
    assert second.follows(first) is follows


@pytest.mark.parametrize(
    ("text", "mark"), [("•", True), ("(iv)", True), ("12.", True), ("12", False), ("0(a)", False), ("-5", False), ("Mr.", False)]
)
def test_what_is_a_mark(text, mark):
    assert is_mark(text) is mark

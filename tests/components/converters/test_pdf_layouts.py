"""Acts, contracts and standards in layouts other than those the rules were first written for: numbers and titles become headings.

Each layout is set here with its truth, from words that mean nothing, so that no rule can know them.
"""

import itertools
import random
import re
from collections.abc import Iterator

import pytest
from fpdf import FPDF
from haystack.dataclasses import ByteStream
from rapidfuzz.distance import Levenshtein

from components.converters.pdf_converter import read

_TEXT = (
    "authority water meter keeper owner shall give notice in writing before any work begins on a line that serves more than one house unless the "
    "district officer has waived it for reasons that are recorded and sent to each owner who asked for them within the time that the rules allow"
)
WORDS = _TEXT.split()
Truth = dict[str, tuple[str, str]]
"""Title and text of each section by its number."""


class Layout(FPDF):
    head = ""
    foot = ""

    def __init__(self, seed: int, head: str = "", foot: str = "") -> None:
        self.head, self.foot = head, foot
        super().__init__(unit="pt", format="A4")
        self.set_auto_page_break(True, 60)
        self.core_fonts_encoding = "windows-1252"
        self.set_margins(70, 60, 70)
        self.random = random.Random(seed)
        self.add_page()

    def header(self) -> None:
        if self.head:
            self.set_font("Times", "I", 9)
            self.cell(0, 12, self.head, align="C")
            self.ln(24)

    def footer(self) -> None:
        if self.foot:
            self.set_y(-40)
            self.set_font("Times", "", 9)
            self.cell(0, 12, self.foot.replace("#", str(self.page_no())), align="C")

    def words(self, count: int) -> str:
        start = self.random.randrange(len(WORDS))
        text = " ".join(WORDS[(start + i * self.random.choice((1, 1, 3))) % len(WORDS)] for i in range(count))
        return text[0].upper() + text[1:]

    def centre(self, text: str, size: float = 11, style: str = "", below: float = 20) -> None:
        self.set_font("Times", style, size)
        self.cell(0, 15, text, align="C")
        self.ln(below)

    def para(self, text: str, indent: float = 0, size: float = 11) -> None:
        self.set_font("Times", "", size)
        self.set_x(70 + indent)
        self.multi_cell(0, 1.25 * size, text, align="J")
        self.ln(4)


def act_with_titles_in_bold(dash: str = ".—", style: str = "B") -> tuple[FPDF, Truth]:
    """ "12. Title.—(1) …", chapters, running head, page numbers, a schedule with a table."""
    pdf, truth, number = Layout(1, "THE WATER METERS ACT, 2021", "#"), {}, itertools.count(1)
    pdf.centre("THE WATER METERS ACT, 2021", 14, "B", 30)
    for roman, chapter in zip(("I", "II", "III"), ("PRELIMINARY", "METERS AND LINES", "OFFENCES"), strict=True):
        pdf.centre(f"CHAPTER {roman}", below=16)
        pdf.centre(chapter, below=22)
        for n in itertools.islice(number, 8):
            title = pdf.words(3 + n % 4)
            body = (
                [pdf.words(30) + "."]
                if n % 3 == 0
                else [f"(1) {pdf.words(35)}.", f"(2) {pdf.words(28)}—", f"(a) {pdf.words(9)};", f"(b) {pdf.words(12)}."]
            )
            pdf.set_x(90)
            pdf.set_font("Times", style, 11)
            pdf.write(14, f"{n}. {title}{dash}")
            pdf.set_font("Times", "", 11)
            pdf.write(14, body[0])
            pdf.ln(18)
            for text in body[1:]:
                pdf.para(text, 40 if text[1] in "ab" else 20)
            truth[str(n)] = title, " ".join(body)
    pdf.centre("THE SCHEDULE")
    with pdf.table(col_widths=(10, 40, 20)) as table:
        for row in [("No.", "Kind of meter", "Fee"), *((str(n), pdf.words(4), f"Rs. {n}00") for n in range(1, 9))]:
            table.row(row)
    return pdf, truth


def act_with_titles_in_plain_type() -> tuple[FPDF, Truth]:
    return act_with_titles_in_bold(".-", "")


def act_with_bold_numbers_in_the_margin() -> tuple[FPDF, Truth]:
    """Number and title on a line of their own, the number hanging."""
    pdf, truth, number = Layout(2), {}, itertools.count(1)
    for part in (1, 2, 3):
        pdf.centre(f"PART {part}", 13, below=18)
        pdf.centre(pdf.words(3).upper(), 13, below=24)
        for n in itertools.islice(number, 5):
            title, body = pdf.words(4), [f"({i}) {pdf.words(30)}." for i in (1, 2)]
            pdf.set_font("Times", "B", 11)
            pdf.cell(30, 15, str(n))
            pdf.cell(0, 15, title)
            pdf.ln(18)
            for text in body:
                pdf.para(text, 15)
            truth[str(n)] = title, " ".join(body)
    return pdf, truth


def regulation_with_articles() -> tuple[FPDF, Truth]:
    """ "Article 5" in the middle, its title below."""
    pdf, truth, number = Layout(3), {}, itertools.count(1)
    for chapter in ("I", "II"):
        pdf.centre(f"CHAPTER {chapter}", style="B", below=16)
        pdf.centre(pdf.words(2).upper(), style="B", below=22)
        for n in itertools.islice(number, 6):
            title, body = pdf.words(3), [f"{i}. {pdf.words(30)}." for i in (1, 2)]
            pdf.centre(f"Article {n}", style="I", below=16)
            pdf.centre(title, style="B")
            for text in body:
                pdf.para(text)
            truth[f"Article {n}"] = title, " ".join(body)
    return pdf, truth


def contract_with_nested_clauses() -> tuple[FPDF, Truth]:
    """1., 1.1, (a), (i); only the first level has titles."""
    pdf, truth = Layout(4, foot="Page #"), {}
    pdf.centre("SERVICE AGREEMENT", 15, "B", 30)
    pdf.para(f"This agreement is made between {pdf.words(25)}.", size=10)
    for n in range(1, 9):
        title, body = pdf.words(1 + n % 3).title(), []
        pdf.set_font("Times", "B", 12)
        pdf.multi_cell(0, 16, f"{n}.  {title}")
        pdf.ln(2)
        for m in (1, 2, 3):
            items = [(34, f"({mark})", pdf.words(14) + ";") for mark in "ab"] if m == 2 else []
            items += [(58, f"({mark})", pdf.words(8) + ";") for mark in ("i", "ii")] if m == 2 else []
            for indent, mark, text in [(0, f"{n}.{m}", pdf.words(28) + (":" if m == 2 else ".")), *items]:
                pdf.set_font("Times", "", 10)
                pdf.set_x(70 + indent)
                pdf.cell(34 if m and not indent else 24, 13, mark)
                pdf.multi_cell(0, 13, text)
                pdf.ln(4)
                body.append(f"{mark} {text}")
        truth[f"{n}."] = title, " ".join(body)
    return pdf, truth


def standard_in_two_columns() -> tuple[FPDF, Truth]:
    """Two columns, every fifth line numbered in the margin, head and foot, decimal headings."""
    pdf, truth, lines = Layout(5), {}, itertools.count(1)
    pdf.set_auto_page_break(False)
    items: list[tuple[str, str, float]] = []
    for number in (f"{a}{b}" for a in range(1, 7) for b in ("", ".1", ".2", ".2.1", ".2.2", ".3")):
        title, body = pdf.words(3), pdf.words(45) + "."
        truth[number] = title, body
        items += [("B", f"{number}  {title}", 11.0 - number.count(".")), ("", body, 9.0)]
    for column, part in _columns(pdf, items):
        for y, style, text, size in part:
            pdf.set_font("Helvetica", style, size)
            pdf.text(70 + column * 240, y, text)
            count = next(lines) if column == 0 else 0
            if count and count % 5 == 0:
                pdf.set_font("Helvetica", "", 6)
                pdf.text(45, y, str(count))
    return pdf, truth


def _columns(pdf: FPDF, items: list[tuple[str, str, float]]) -> Iterator[tuple[int, list[tuple[float, str, str, float]]]]:
    column, y, part = 0, 80.0, []
    for style, text, size in items:
        pdf.set_font("Helvetica", style, size)
        lines = pdf.multi_cell(220, 12, text, dry_run=True, output="LINES")
        y += 8 if style else 0
        for line in lines:
            if y > (740 if style else 770):
                yield column, part
                column, y, part = 1 - column, 80.0, []
                if column == 0:
                    pdf.add_page()
            if not part and column == 0:
                pdf.set_font("Helvetica", "", 8)
                pdf.text(60, 40, "ISO/TS 99999:2020(E)")
                pdf.text(290, 810, str(pdf.page_no()))
            part.append((y, style, line, size))
            y += 12
        y += 4
    yield column, part


LAYOUTS = [
    act_with_titles_in_bold,
    act_with_titles_in_plain_type,
    act_with_bold_numbers_in_the_margin,
    regulation_with_articles,
    contract_with_nested_clauses,
    standard_in_two_columns,
]


def sections(pdf: FPDF) -> list[tuple[str, str]]:
    """Headings, each with the text up to the next."""
    (document,) = read(ByteStream(bytes(pdf.output()), meta={"file_name": "layout.pdf"}), max_pages=100)
    out: list[tuple[str, str]] = []
    for block in document.meta["blocks"]:
        text = document.content[block["start"] : block["end"]]
        if block["kind"] == "heading":
            out.append((text, ""))
        elif block["kind"] not in ("header", "footer") and out:
            out[-1] = (out[-1][0], f"{out[-1][1]} {text}")
    return out


def norm(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_nine_of_ten_sections_are_right(layout):
    pdf, truth = layout()
    found = sections(pdf)
    right = []
    for number, (title, body) in truth.items():
        wanted = norm(f"{number} {title}")
        for heading, text in found:
            tokens = norm(text)
            own = tokens[len(wanted) :] if tokens[: len(wanted)] == wanted else tokens  # a title that stands in its section's first line stays there
            if norm(heading) == wanted and Levenshtein.normalized_similarity(own, norm(body)) >= 0.9:
                right.append(number)
                break
    missing = [number for number in truth if number not in right]
    assert len(right) >= 0.9 * len(truth), (missing, [heading for heading, _ in found])


def test_footnotes_and_captions_are_kinds_and_a_sentence_goes_on_behind_a_footnote():
    pdf = Layout(6)
    pdf.para(" ".join(pdf.words(40) + "." for _ in range(6)))
    pdf.para("Figure 2: Meters by year", size=10)
    pdf.set_y(600)
    pdf.para(
        "The keeper of a meter shall, when it is found to be broken, and in any case before the end of the month, send it in its own box and with the form",
        size=11,
    )
    pdf.set_y(720)
    pdf.para("1 Act No. 4 of 1923, as amended; see the second schedule.", size=8)
    pdf.add_page()
    pdf.para("that came with it to the works, where it is read once more.")
    pdf.para(" ".join(pdf.words(40) + "." for _ in range(6)))
    (document,) = read(ByteStream(bytes(pdf.output()), meta={"file_name": "notes.pdf"}), max_pages=9)
    blocks = [(b["kind"], document.content[b["start"] : b["end"]]) for b in document.meta["blocks"]]
    assert ("caption", "Figure 2: Meters by year") in blocks
    assert ("footnote", "1 Act No. 4 of 1923, as amended; see the second schedule.") in blocks
    assert any("with the form that came with it to the works" in text for _, text in blocks)

"""PDFs are set here word by word with fpdf2, so that each rule of the layout meets exactly what it is for."""

import io
import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from fpdf import FPDF
from haystack import Pipeline
from haystack.dataclasses import ByteStream

from components.converters.pdf_converter import PdfConverter, _sensible
from components.converters.pdf_paragraphs import join_lines

PHRASE = "whoever without lawful excuse takes any movable thing out of the keeping of another person and carries it away shall be held to answer"
WORDS = [*PHRASE.split(), "for", "it"]
LEFT, RIGHT, STEP = 130, 470, 13


def new() -> FPDF:
    pdf = FPDF(unit="pt", format="A4")
    pdf.set_auto_page_break(False)
    pdf.set_compression(False)
    pdf.core_fonts_encoding = "windows-1252"  # has the dash
    return pdf


def put(pdf: FPDF, x: float, y: float, text: str, size: float = 10, style: str = "") -> None:
    pdf.set_font("Times", style, size)
    pdf.text(x, y, text)


def centre(pdf: FPDF, y: float, text: str, size: float = 10, style: str = "") -> None:
    pdf.set_font("Times", style, size)
    put(pdf, (LEFT + RIGHT - pdf.get_string_width(text)) / 2, y, text, size, style)


def fill(
    pdf: FPDF, y: float, text: str, *, left: float = LEFT, right: float = RIGHT, indent: float = 24, size: float = 10, bold_start: str = ""
) -> float:
    """Set a justified paragraph; returns the height below it."""
    x, line, first = left + indent, [], True

    def flush(last: bool) -> None:
        nonlocal y, x, first
        pdf.set_font("Times", "", size)
        widths = [pdf.get_string_width(w) for w in line]
        room = 2.5 if last or len(line) < 2 else (right - x - sum(widths)) / (len(line) - 1)
        for word, width in zip(line, widths, strict=True):
            put(pdf, x, y, word, size, "B" if first and word == bold_start else "")
            x += width + room
        y, x, first = y + STEP, left, False
        line.clear()

    for word in text.split():
        pdf.set_font("Times", "", size)
        if x + pdf.get_string_width(" ".join([*line, word])) > right:
            flush(False)
        line.append(word)
    flush(True)
    return y


def sentence(n: int, words: int = 40) -> str:
    body = " ".join(WORDS[(n + i) % len(WORDS)] for i in range(words))
    return f"{body[0].upper()}{body[1:]} {n}."


def run(*data: bytes | FPDF, name: str = "kb/act.pdf"):
    sources = [
        ByteStream(bytes(d.output()) if isinstance(d, FPDF) else d, meta={"uri": name, "tenant": "t", "file_name": "the_act.pdf"}) for d in data
    ]
    return PdfConverter().run(sources)


def blocks(pdf: FPDF):
    out = run(pdf)
    assert not out["failed"], out["failed"]
    (document,) = out["documents"]
    return document, [(b["kind"], b.get("level"), b["page"], document.content[b["start"] : b["end"]]) for b in document.meta["blocks"]]


def act(pages: int = 4) -> FPDF:
    """Sections with notes on alternating sides, line numbers on the other, a running head and a page number."""
    pdf, number = new(), 0
    for page in range(pages):
        pdf.add_page()
        centre(pdf, 50, f"{page + 1}")
        put(pdf, LEFT, 65, "THE COMMON LIBRARY RULES")
        note_x, line_x = (60, 480) if page % 2 else (480, 110)
        y = 100.0
        if page == 0:
            centre(pdf, y, "CHAPTER I")
            centre(pdf, y + 20, "OF THE LENDING OF BOOKS")
            y += 45
        for _ in range(3):
            number += 1
            put(pdf, note_x, y, "Lending of", 8)
            put(pdf, note_x, y + 9, f"kind {number}.", 8)
            y = fill(pdf, y, f"{number}. (1) {sentence(number)}", bold_start=f"{number}.") + 8
            y = fill(pdf, y, f"(2) {sentence(number + 5)}") + 8
        for n in range(5, 45, 5):
            put(pdf, line_x, 100 + n * STEP, str(n), 8)
    return pdf


def test_marginal_notes_become_headings_of_their_sections():
    _, found = blocks(act())
    headings = [(level, page, text) for kind, level, page, text in found if kind == "heading"]
    assert headings[0][2] == "CHAPTER I: OF THE LENDING OF BOOKS"
    sections = headings[1:]
    assert [text for _, _, text in sections] == [f"{n}. Lending of kind {n}" for n in range(1, 13)]
    assert [page for _, page, _ in sections] == [1 + n // 3 for n in range(12)]
    assert {level for level, _, _ in sections} == {headings[0][0] + 1}
    for n, position in enumerate((i for i, b in enumerate(found) if b[0] == "heading" and b[3][0].isdigit()), start=1):
        assert found[position + 1][3] == f"{n}. (1) {sentence(n)}"
        assert found[position + 2][3] == f"(2) {sentence(n + 5)}"


def test_line_numbers_and_furniture_are_no_text():
    document, found = blocks(act())
    body = " ".join(text for kind, *_, text in found if kind not in ("header", "footer", "heading"))
    assert [kind for kind, *_, text in found if text == "THE COMMON LIBRARY RULES"] == ["header"]
    numbers = Counter(re.findall(r"(?<![\w(])\d+(?![\w.)])", body))
    assert not numbers, numbers
    assert document.meta["pages"] == 4


def test_a_title_that_the_running_head_repeats_is_no_furniture():
    pdf = new()
    for page in range(3):
        pdf.add_page()
        put(pdf, LEFT, 50, "Rules of the library", 9 if page else 18, "" if page else "B")
        fill(pdf, 100, sentence(page))
    _, found = blocks(pdf)
    assert next(b[0] for b in found if b[3] == "Rules of the library") == "heading"


def test_a_note_beside_unnumbered_text_is_kept():
    pdf = act(1)
    put(pdf, 60, 300, "9 of 1958.", 8)
    _, found = blocks(pdf)
    assert ("paragraph", None, 1, "9 of 1958.") in found


def test_a_note_beyond_the_other_edge_does_not_take_the_title():
    pdf = act(1)
    put(pdf, 60, 145, "11 of 1958.", 8)
    _, found = blocks(pdf)
    assert "1. Lending of kind 1" in [b[3] for b in found]


def test_a_column_of_numbers_in_a_table_is_kept():
    pdf = new()
    pdf.add_page()
    y = fill(pdf, 100, sentence(1)) + 10
    for n in range(1, 7):
        for x, text in ((LEFT, str(n)), (LEFT + 120, f"kind {n}"), (LEFT + 260, f"{n}0 days")):
            put(pdf, x, y, text)
        y += STEP
    fill(pdf, y + 20, sentence(2))
    _, found = blocks(pdf)
    assert [b[3] for b in found if b[0] == "table"] == ["\n".join(f"{n} | kind {n} | {n}0 days" for n in range(1, 7))]


def test_a_table_with_wrapped_cells():
    pdf = new()
    pdf.add_page()
    y = fill(pdf, 100, sentence(1)) + 20
    for n in range(4):
        for x, lines in ((LEFT, [f"{n}(a)"]), (LEFT + 80, ["Taking a book", f"of kind {n}."]), (LEFT + 230, ["Fine."])):
            for row, text in enumerate(lines):
                put(pdf, x, y + row * 11, text, 9)
        y += 32
    _, found = blocks(pdf)
    assert [b[3] for b in found if b[0] == "table"] == ["\n".join(f"{n}(a) | Taking a book of kind {n}. | Fine." for n in range(4))]


def test_two_columns_are_read_one_after_the_other():
    pdf = new()
    pdf.add_page()
    centre(pdf, 60, "Lending in two columns", 18, "B")
    y = fill(pdf, 100, sentence(0, 50), left=60, right=530) + 20
    for side, start in ((60, 10), (310, 20)):
        height = y
        for n in range(3):
            height = fill(pdf, height, sentence(start + n), left=side, right=side + 220, indent=12) + 6
    document, found = blocks(pdf)
    assert [b[3] for b in found] == ["Lending in two columns", *(sentence(n, 50 if n == 0 else 40) for n in (0, 10, 11, 12, 20, 21, 22))]
    assert document.meta["title"] == "Lending in two columns"


def test_columns_written_row_by_row_are_read_the_same():
    pdf = new()
    pdf.add_page()
    for row in range(12):
        put(pdf, 60, 100 + row * STEP, f"left column row number {row} with words enough")
        put(pdf, 310, 100 + row * STEP, f"right column row number {row} with words too")
    document, _ = blocks(pdf)
    assert document.content.index("left column row number 11") < document.content.index("right column row number 0")


def test_a_paragraph_over_a_page_break_is_one_block_of_its_first_page():
    pdf = new()
    for page in range(2):
        pdf.add_page()
        words = sentence(3, 60).split()
        if page == 0:
            fill(pdf, 700, "The lender " + " ".join(words[1:-1]) + " " + " ".join(WORDS[:7]))
            whole = "The lender " + " ".join(words[1:-1]) + " " + " ".join(WORDS[:7])
        else:
            y = fill(pdf, 80, "of every kind.", indent=0)
            fill(pdf, y + 8, sentence(9))
    _, found = blocks(pdf)
    assert found[0][2:] == (1, whole + " of every kind.")
    assert found[1][2:] == (2, sentence(9))


def test_words_cut_at_line_ends():
    known = Counter({"sub-section": 2})
    assert join_lines(["out of the posses-", "sion under sub-", "section two", "of Franco-", "British make"], known) == (
        "out of the possession under sub-section two of Franco-British make"
    )


def test_headings_by_size_and_weight():
    pdf = new()
    pdf.add_page()
    put(pdf, LEFT, 80, "Lending policy", 20, "B")
    put(pdf, LEFT, 110, "Who may borrow", 14, "B")
    y = fill(pdf, 130, sentence(1)) + 10
    put(pdf, LEFT, y + 8, "Members", 10, "B")
    fill(pdf, y + 26, sentence(2))
    document, found = blocks(pdf)
    assert [(kind, level, text) for kind, level, _, text in found if kind == "heading"] == [
        ("heading", 1, "Lending policy"),
        ("heading", 2, "Who may borrow"),
        ("heading", 3, "Members"),
    ]
    assert document.meta["title"] == "Lending policy"


def test_numbered_sections_without_notes():
    pdf = new()
    pdf.add_page()
    y = 100.0
    for n in range(1, 5):
        y = fill(pdf, y, f"{n}. Duty of kind {n}.— {sentence(n)}") + 8
        y = fill(pdf, y, f"(a) {sentence(n + 6, 20)}", left=LEFT + 20) + 8
    _, found = blocks(pdf)
    assert [b[3] for b in found if b[0] == "heading"] == [f"{n}. Duty of kind {n}" for n in range(1, 5)]


def test_a_table_of_contents_makes_no_sections():
    pdf = new()
    pdf.add_page()
    for n in range(1, 12):
        put(pdf, LEFT, 100 + 20 * n, f"{n}. Lending of kind {n}.")
    _, found = blocks(pdf)
    assert not [b for b in found if b[0] == "heading"]


def test_text_that_nobody_sees_is_left_out():
    pdf = new()
    pdf.add_page()
    fill(pdf, 100, sentence(1))
    pdf.set_text_color(255, 255, 255)
    put(pdf, LEFT, 200, "white on nothing")
    put(pdf, -300, 300, "off the page")
    pdf.set_fill_color(0, 0, 80)
    pdf.rect(LEFT, 380, 200, 40, style="F")
    put(pdf, LEFT + 10, 400, "white on blue")
    pdf.set_text_color(0, 0, 0)
    put(pdf, LEFT, 500, "too small to read", 1)
    document, _ = blocks(pdf)
    assert "white on blue" in document.content
    assert not [t for t in ("white on nothing", "off the page", "too small") if t in document.content]
    assert document.meta["hidden_characters"] > 20
    (notice,) = document.meta["notices"]
    assert re.fullmatch(
        r"hidden text was removed: \d+ characters in the colour of its background, 14 characters too small to read, \d+ .* off the page", notice
    )


def test_text_in_the_colour_of_an_area_or_under_one_is_hidden():
    pdf = new()
    pdf.add_page()
    fill(pdf, 100, sentence(1))
    pdf.set_fill_color(0, 0, 80)
    pdf.rect(LEFT, 380, 200, 40, style="F")
    pdf.set_text_color(2, 2, 82)
    put(pdf, LEFT + 10, 400, "blue on blue")
    pdf.set_text_color(0, 0, 0)
    put(pdf, LEFT + 10, 500, "under a box")
    pdf.set_fill_color(200, 200, 200)
    pdf.rect(LEFT, 480, 200, 40, style="F")
    put(pdf, LEFT + 10, 515, "on the box")
    document, _ = blocks(pdf)
    assert "on the box" in document.content
    assert "blue on blue" not in document.content
    assert "under" not in document.content
    assert "in the colour of its background" in document.meta["notices"][0]
    assert "covered by something" in document.meta["notices"][0]


def test_a_cut_off_file_is_named_as_partial():
    data = bytes(act(1).output())
    (document,) = run(data[: data.rindex(b"%%EOF")])["documents"]
    assert document.meta["notices"] == ["the file is cut off: it has no end; 1 page could be read"]


def test_a_rotated_page_is_read_upright():
    pdf = new()
    pdf.add_page()
    for n in range(5):
        with pdf.rotation(90, 300, 400):
            put(pdf, 200, 300 + 14 * n, f"line number {n} of the rotated page")
    document, _ = blocks(pdf)
    positions = [document.content.index(f"line number {n}") for n in range(5)]
    assert positions == sorted(positions)


def image_pdf(pages: int, text: bool = False) -> FPDF:
    from PIL import Image

    pdf = new()
    for _ in range(pages):
        pdf.add_page()
        pdf.image(Image.new("RGB", (60, 60), "grey"), 50, 50, 400, 500)
    if text:
        pdf.add_page()
        fill(pdf, 100, sentence(1))
    return pdf


def test_without_ocr_scans_fail_and_mixed_files_name_their_pages():
    converter = PdfConverter(ocr=False)
    scans = [ByteStream(bytes(pdf.output()), meta={"uri": "kb/act.pdf"}) for pdf in (image_pdf(3), image_pdf(2, text=True))]
    out = converter.run(scans)
    assert out["failed"] == [{"source": "kb/act.pdf", "reason": "no text: the PDF has 3 pages of images without text, and ocr is off"}]
    (document,) = out["documents"]
    assert document.meta["pages_without_text"] == [1, 2]
    assert document.meta["notices"] == ["pages 1–2 left out: images without text, and ocr is off"]
    assert document.meta["blocks"][0]["page"] == 3


def test_encrypted_and_broken_files_fail_and_the_rest_goes_on():
    locked = new()
    locked.add_page()
    put(locked, 100, 100, "words")
    locked.set_encryption(owner_password="o", user_password="u")
    good = bytes(act(1).output())
    out = run(locked, b"%PDF-1.4 nothing", good[: len(good) // 3], good)
    assert len(out["documents"]) == 1
    reasons = [f["reason"] for f in out["failed"]]
    assert "password" in reasons[0]
    assert all("damaged" in reason and "\n" not in reason for reason in reasons[1:])
    assert len(reasons) == 3


def test_meta_is_copied_and_the_title_falls_back_to_the_file_name():
    pdf = new()
    pdf.add_page()
    fill(pdf, 100, sentence(1))
    document, _ = blocks(pdf)
    assert (document.meta["tenant"], document.meta["title"], document.meta["mime_type"]) == ("t", "The act", "application/pdf")


@pytest.mark.parametrize(("stated", "title"), [("Lending rules", "Lending rules"), ("report final.docx", ""), ("Microsoft Word - a b", "")])
def test_stated_titles(stated, title):
    assert _sensible(stated) == title


def test_yaml_round_trip(monkeypatch):
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("converter", PdfConverter())
    assert Pipeline.loads(pipeline.dumps()).get_component("converter") is not None


SHARED = (Path(__file__).resolve().parents[3] / "../shared").resolve() / "data/statutes"


def _similarity(one: str, two: str) -> float:
    a, b = (Counter(re.findall(r"\w+", text.lower())) for text in (one, two))
    return 2 * sum((a & b).values()) / max(1, sum(a.values()) + sum(b.values()))


@pytest.mark.long
@pytest.mark.skipif(not SHARED.is_dir(), reason="the statutes that serve measuring are not beside this clone")
@pytest.mark.parametrize("act_name", ["BNS", "BNSS"])
def test_the_sections_of_real_acts(act_name):
    data = (SHARED / f"pdf/{act_name}_2023_as_passed_by_Lok_Sabha.pdf").read_bytes()
    (document,) = run(data)["documents"]
    sections: dict[str, list[list]] = defaultdict(list)
    current = None
    for block in document.meta["blocks"]:
        text = document.content[block["start"] : block["end"]]
        if block["kind"] == "heading" and (match := re.match(r"(\d+)\. (.*)", text)):
            current = [match[2], "", block["page"], block["level"]]
            sections[match[1]].append(current)
        elif block["kind"] == "heading" and current and block["level"] < current[3]:
            current = None
        elif current and block["kind"] not in ("header", "footer"):
            current[1] += " " + text
    lines = io.StringIO((SHARED / f"{act_name.lower()}_sections.jsonl").read_text())
    wrong = [
        record["section"]
        for record in map(json.loads, lines)
        if not any(_similarity(re.sub(r"^\s*\d+\.", "", c[1]), record["text"]) >= 0.9 for c in sections[record["section"]])
    ]
    assert not wrong
    if act_name == "BNS":
        assert [(c[0], c[2]) for c in sections["303"]] == [("Theft", 92)]

import pytest
from haystack import Document

from components.blocks import join_blocks
from components.converters.plain_text import plain_text_parts
from components.preprocessors.heading_splitter import HeadingSplitter
from components.preprocessors.numbered_sections import NumberedSections
from components.preprocessors.numbering import opening_number
from components.preprocessors.sections import find_sections


def headings(text: str, mime_type: str = "text/plain") -> list[tuple[int, str]]:
    content, blocks = join_blocks(plain_text_parts(text))
    meta = {"blocks": blocks, "mime_type": mime_type}
    document = NumberedSections().run([Document(content=content, meta=meta)])["documents"][0]
    assert document.content == content
    marked = document.meta["blocks"]
    assert "".join(content[b["start"] : b["end"]] for b in marked).replace("\n", "") == content.replace("\n", "")
    return [(b["level"], content[b["start"] : b["end"]]) for b in marked if b["kind"] == "heading"]


@pytest.mark.parametrize(
    ("line", "value", "label"),
    [
        ("3.2 Scope", "3.2", ""),
        ("303. Theft", "303", ""),
        ("4A. Whoever", "4A", ""),
        ("Section 12: Fees", "12", "section"),
        ("§ 5 Haftung", "5", "section"),
        ("CHAPTER XVII: OF THEFT", "XVII", "chapter"),
        ("Annex B Forms", "B", "annex"),
        ("धारा 303 चोरी", "303", "section"),
    ],
)
def test_a_number_opens_a_section(line, value, label):
    number = opening_number(line)
    assert number is not None
    assert (number.value, number.label) == (value, label)


@pytest.mark.parametrize(
    "line", ["1999 was a good year", "Section 12 applies to all.", "A man went home", "Sections", "Part of the deal", "I went", ""]
)
def test_a_sentence_does_not(line):
    assert opening_number(line) is None


def test_an_act_whose_titles_end_in_a_dash():
    text = "\n\n".join(
        f"{number}. {title}.—(1) Whoever keeps a {title.lower()} shall pay a fee of {number} coins to the warden of the town."
        for number, title in enumerate(["Dog", "Cat", "Horse", "Goat"], 11)
    )
    assert headings(text) == [(1, "11. Dog.—"), (1, "12. Cat.—"), (1, "13. Horse.—"), (1, "14. Goat.—")]
    content, blocks = join_blocks(plain_text_parts(text))
    document = NumberedSections().run([Document(content=content, meta={"blocks": blocks})])["documents"][0]
    assert [s.heading_path for s in find_sections(content, document.meta["blocks"])][1] == ("12. Cat",)


def test_clauses_under_a_heading_and_dotted_ones_below_them():
    text = "SERVICE AGREEMENT\n\n" + "\n\n".join(
        f"{n}. {title}\n\n{n}.1 Rule. The first rule of this part says what is to be done.\n\n{n}.2 Limit. The second rule says what is not."
        for n, title in enumerate(["Scope", "Term", "Fees"], 1)
    )
    found = headings(text)
    assert found[0] == (1, "SERVICE AGREEMENT")
    assert [name for level, name in found if level == 2] == ["1. Scope", "2. Term", "3. Fees"]
    assert [name for level, name in found if level == 3][:2] == ["1.1 Rule.", "1.2 Limit."]


def test_articles():
    text = "\n\n".join(f"Article {n}\n\nEvery member has the right number {n}, and may use it at any time of the day." for n in range(1, 5))
    assert headings(text) == [(1, f"Article {n}") for n in range(1, 5)]


@pytest.mark.parametrize(
    "text",
    [
        "Shopping list\n\n1. Apples\n\n2. Pears\n\n3. Plums",
        "1. Apples\n2. Pears\n3. Plums\n4. Figs",
        "2019. A year.\n\nIt was followed by others.\n\n12. Rain fell on that day and the river rose.",
        "7. Nine. It began late in the year.\n\n3. Two. It ended soon after that.\n\n9. Four. Nothing came of it at all.\n\n1. One. That was it then.",
    ],
)
def test_a_list_or_stray_numbers_are_no_sections(text):
    assert headings(text) == []


def test_records_and_pdfs_pass_unchanged():
    text = "\n\n".join(f"{n}. Part. This part says what number {n} is about." for n in range(1, 5))
    assert headings(text, "application/pdf") == []
    record = Document(content=text, meta={"record_id": "7"})
    assert NumberedSections().run([record])["documents"][0] is record


def test_chunks_carry_the_number_in_their_path():
    text = "\n\n".join(f"{n}. Part. This part says what number {n} is about, at some length so that it stands alone." for n in range(1, 5))
    document = NumberedSections().run([Document(content=text, meta={"source_id": "s"})])["documents"]
    chunks = HeadingSplitter(max_tokens=40).run(document)["documents"]
    assert [c.meta["heading_path"] for c in chunks] == [[f"{n}. Part"] for n in range(1, 5)]

import pytest
from haystack import Document

from components.preprocessors.reference_linker import ReferenceLinker
from components.preprocessors.references import references


def own(text: str) -> list[str]:
    return [r.value for r in references(text) if not r.document]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("as described in section 3.2", ["3.2"]),
        ("the offence under section 101 or section 103", ["101", "103"]),
        ("sections 5, 6 and 7 of this Act", ["5", "6", "7"]),
        ("articles 10 to 13", ["10", "11", "12", "13"]),
        ("§§ 4 und 5", ["4", "5"]),
        ("sub-section (2) of section 193", ["193"]),
        ("clause 4 of section 12", ["12"]),
        ("clause 7 of the Agreement", ["7"]),
        ("see 4.1.2, above", ["4.1.2"]),
        ("Annexes C and D", ["C", "D"]),
        ("धारा 303 के तहत", ["303"]),
        ("The rate rose in 3.5 % of cases, by 2.5 million", []),
        ("section 12 of the Penal Code, 1860", []),
        ("Article 7 GDPR", []),
        ("section 4 of that Act", []),
        ("the intersection 5 miles on", []),
    ],
)
def test_references_are_found(text, values):
    assert own(text) == values


def test_a_reference_into_another_document_names_it():
    assert [r.document for r in references("under section 12 of the Penal Code, 1860")] == ["Penal Code, 1860"]


def section(identity: str, heading: str, source: str = "s", **meta) -> Document:
    return Document(id=identity, content="", meta={"source_id": source, "heading_path": ["Part I", heading], **meta})


def chunk(content: str, parent: str, heading: str, source: str = "s", **meta) -> Document:
    return Document(content=content, meta={"source_id": source, "heading_path": ["Part I", heading], "parent_id": parent, **meta})


def test_links_lead_to_sections_of_the_same_source_alone():
    sections = [section("a", "1. Entry"), section("b", "2. Fees"), section("c", "2. Other", source="t")]
    out = ReferenceLinker().run([chunk("As in section 2, and section 9.", "a", "1. Entry"), chunk("Section 2 says so.", "b", "2. Fees")], sections)
    first, second = out["documents"]
    assert first.meta["references"] == ["b"]
    assert "references" not in second.meta  # its own section
    assert [d.meta["section_number"] for d in out["documents"]] == ["1", "2"]
    assert [d.meta["section_number"] for d in out["sections"]] == ["1", "2", "2"]


def test_a_number_that_two_sections_bear_is_not_guessed():
    sections = [section("a", "1. Entry"), section("b", "1. Exit"), section("c", "2. Fees")]
    assert "references" not in ReferenceLinker().run([chunk("See section 1.", "c", "2. Fees")], sections)["documents"][0].meta


def test_a_label_tells_chapters_from_sections():
    sections = [section("a", "Chapter 2: Travel"), section("b", "2. Fees"), section("c", "3. End")]
    out = ReferenceLinker().run([chunk("See chapter 2.", "c", "3. End"), chunk("See section 2.", "c", "3. End")], sections)["documents"]
    assert [d.meta["references"] for d in out] == [["a"], ["b"]]


def test_the_parts_of_a_long_section_are_one_target():
    sections = [section("a", "1. Entry"), section("a2", "1. Entry"), section("b", "2. Fees")]
    assert ReferenceLinker().run([chunk("See section 1.", "b", "2. Fees")], sections)["documents"][0].meta["references"] == ["a"]


def test_records_of_a_file_refer_to_each_other():
    def record(identity: str, key: str, title: str, file: str = "act.jsonl") -> dict:
        return {"source": identity, "record_id": key, "uri": f"{file}#{key}", "title": title}

    sections = [section("a", "", **record("x", "act-1", "Entry (section 1)")), section("b", "", **record("y", "2", "Fees"))]
    sections.append(section("c", "", **record("z", "2", "Other", "other.jsonl")))
    out = ReferenceLinker().run([chunk("As in section 2.", "a", "", **record("x", "act-1", "Entry (section 1)"))], sections)["documents"]
    assert out[0].meta["references"] == ["b"]
    assert out[0].meta["section_number"] == "1"


@pytest.mark.parametrize("value", [0, 1001, True, "3"])
def test_bounds(value):
    with pytest.raises(ValueError, match="max_references"):
        ReferenceLinker(value)

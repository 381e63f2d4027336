"""The example corpus holds what its questions ask for, and can be made again from its text."""

import csv
import html
import json
import re
from collections import Counter
from pathlib import Path

import docx
import pypdfium2
import pytest
import yaml

from components.routers.path_rules import PathRules
from evaluation.answer_checks import holds
from evaluation.questions import read_questions

EXAMPLES = Path(__file__).parents[2] / "examples"
DOCUMENTS = EXAMPLES / "documents"
FILES = sorted(path for path in DOCUMENTS.rglob("*") if path.is_file())
QUESTIONS = read_questions(EXAMPLES / "questions.jsonl")
STATUTES = (EXAMPLES / "../../shared/data/statutes").resolve()


def text_of(path: Path) -> str:
    """The words of a document, without the project's own converters."""
    if path.suffix == ".docx":
        document = docx.Document(str(path))
        cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
        return "\n".join([paragraph.text for paragraph in document.paragraphs] + cells)
    if path.suffix == ".pdf":
        with pypdfium2.PdfDocument(path) as document:
            return "\n".join(page.get_textpage().get_text_range() for page in document)
    text = path.read_text(encoding="utf-8")
    return html.unescape(re.sub(r"<[^>]+>", " ", text)) if path.suffix == ".html" else text


TEXTS = {path.name: text_of(path) for path in FILES}


def test_there_are_documents_of_each_format_with_names_of_their_own():
    formats = Counter(path.suffix for path in FILES)
    assert set(formats) == {".md", ".html", ".docx", ".pdf", ".csv"}
    assert all(count >= 2 for count in formats.values())
    assert len(TEXTS) == len(FILES)


def test_sixty_questions_a_third_to_be_declined():
    assert len(QUESTIONS) == 60
    assert sum(not question.answerable for question in QUESTIONS) == 20
    assert len({question.question for question in QUESTIONS}) == 60
    assert all(question.kind for question in QUESTIONS)


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.answerable], ids=lambda q: q.id)
def test_the_facts_stand_in_the_gold_documents(question):
    assert set(question.gold_sources) <= set(TEXTS)
    assert question.answer_must_include
    for fact in question.answer_must_include:
        assert any(holds(TEXTS[name], fact) for name in question.gold_sources), fact
    if question.needs_all_sources:  # each document has a part in it
        for name in question.gold_sources:
            assert any(holds(TEXTS[name], fact) for fact in question.answer_must_include), name
    else:  # one document is enough
        assert any(all(holds(TEXTS[name], fact) for fact in question.answer_must_include) for name in question.gold_sources)


@pytest.mark.parametrize("word", ["vacation", "holiday", "annual leave", "adultery", "XR-17C", "ERR-1004", "Enterprise", "section 359", "Nepal"])
def test_what_must_be_declined_stands_nowhere(word):
    assert [name for name, text in TEXTS.items() if word.lower() in text.lower()] == []


def test_the_old_code_is_marked_by_a_path_rule():
    rules = PathRules(yaml.safe_load((EXAMPLES / "rules.yml").read_text()))
    marked = {path.name: fields for path in FILES if (fields := rules.fields(path.relative_to(DOCUMENTS).as_posix()))}
    assert marked == {"penal-code-1860.docx": {"valid_to": "2024-07-01", "superseded_by": "Bharatiya Nyaya Sanhita, 2023"}}


def test_every_page_of_the_guide_says_that_it_is_no_legal_advice():
    pages = [path for path in FILES if path.is_relative_to(DOCUMENTS / "law") and path.suffix != ".csv"]
    assert len(pages) == 6
    for path in pages:
        assert "software example" in TEXTS[path.name] and "legal advice" in TEXTS[path.name].replace("\r\n", " "), path.name


def test_the_documents_are_made_again_byte_for_byte(tmp_path):
    pytest.importorskip("fpdf", reason="fpdf2 is not installed")
    from examples.make_documents import make

    made = make(tmp_path)
    assert {path.name for path in made} == {path.name for path in FILES if path.suffix in (".docx", ".pdf")}
    for path in made:
        committed = DOCUMENTS / path.relative_to(tmp_path)
        assert text_of(path) == text_of(committed), path.name
    again = make(tmp_path / "again")
    assert [path.read_bytes() for path in made] == [path.read_bytes() for path in again]


@pytest.mark.skipif(not STATUTES.is_dir(), reason="the shared statutes are not here")
def test_the_table_agrees_with_the_statutes():
    known: dict[str, set[str]] = {}
    with (STATUTES / "ipc_bns_map.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            known.setdefault(row["ipc_ref"], set()).update({row["bns_ref"] or "none"})
    with (DOCUMENTS / "law/correspondence.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 40
    for row in rows:
        old, new = row["old_section"].removeprefix("IPC "), row["new_section"].removeprefix("BNS ")
        references = known["" if old == "none" else old]
        assert new in references or new.split("(")[0] in references, row


@pytest.mark.skipif(not STATUTES.is_dir(), reason="the shared statutes are not here")
def test_no_sentence_is_taken_from_the_statutes():
    length = 7

    def phrases(text: str) -> set[tuple[str, ...]]:
        words = re.findall(r"\w+", text.lower())
        return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}

    statutes: set[tuple[str, ...]] = set()
    for name in ("bns", "bnss", "ipc"):
        for line in (STATUTES / f"{name}_sections.jsonl").read_text(encoding="utf-8").splitlines():
            statutes |= phrases(json.loads(line)["text"])
    shared = {name: phrases(text) & statutes for name, text in TEXTS.items()}
    assert {name: found for name, found in shared.items() if found} == {}

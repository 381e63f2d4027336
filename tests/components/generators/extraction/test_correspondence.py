"""A row that says what became of a section leads to the section, of the document that the row names and of no other."""

import pytest
from haystack import Document

from components.builders.evidence_prompt_builder import EvidencePromptBuilder
from components.generators.extraction.correspondence import pointers
from components.generators.extractive_generator import ExtractiveGenerator

ROW = "pbr_ref: 41\nnbr_ref: 7(2)\npbr_label: Keys of lockers\nnbr_title: Lost keys\nrelation: corresponds"
OTHER_ROW = "pbr_ref: 41\nnbr_ref: 8\npbr_label: Keys of lockers\nnbr_title: Deposits for keys\nrelation: corresponds"
STRANGE_ROW = "pbr_ref: 12\nnbr_ref: 30\npbr_label: Steam baths\nnbr_title: Hours of the steam bath"


def passage(label, text, **meta):
    return Document(id=str(label), content=text, meta={"label": label, "source_id": f"s{label}", "title": "", "char_start": 0, **meta})


def asked(question, *evidence):
    messages = EvidencePromptBuilder().run(question, list(evidence))["messages"]
    reply = ExtractiveGenerator().run(messages)["replies"][0]
    return [span["n"] for span in reply.meta["spans"]], reply.text


LOST = passage(3, "Whoever loses a key of a locker pays 30 euros.", title="Lost keys", record_id="NBR_7")
DEPOSIT = passage(4, "A deposit of 5 euros is paid for each key.", title="Deposits for keys", record_id="NBR_8")
ELSEWHERE = passage(5, "Whoever swims at night pays 9 euros.", title="Swimming at night", record_id="PBR_7")


def row(label, text, number):
    return passage(label, text, title=f"map row-{number}", record_id=f"row-{number}")


def test_the_row_the_other_row_of_the_same_thing_and_their_sections():
    spans, text = asked(
        "Which NBR section now corresponds to PBR 41 (keys of lockers)?", row(1, ROW, 3), row(2, OTHER_ROW, 4), LOST, DEPOSIT, ELSEWHERE
    )
    assert sorted(spans) == [1, 2, 3, 4] and "pays 30 euros" in text and "at night" not in text


def test_the_place_of_a_row_in_its_table_is_no_number_of_it():
    spans, _ = asked("Which NBR section now corresponds to PBR 41 (keys of lockers)?", row(1, ROW, 3), row(2, STRANGE_ROW, 41))
    assert spans == [1]


def test_only_where_the_question_asks_what_became_of_something():
    spans, _ = asked("What is the title of PBR 41, keys of lockers?", row(1, ROW, 3), LOST)
    assert 3 not in spans


@pytest.mark.parametrize(
    ("text", "found"), [("nbr_ref: 7(2)(a)", [("nbr", "7")]), ("clause no: 4.1", [("clause", "4.1")]), ("price: 7", []), ("ref: 7", [])]
)
def test_fields_that_point(text, found):
    assert pointers(text) == found

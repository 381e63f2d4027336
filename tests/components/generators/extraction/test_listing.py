"""Rows by the yes or no in the column that a question asks about, and a sign where not all are shown."""

import pytest
from haystack import Document

from components.builders.evidence_prompt_builder import EvidencePromptBuilder
from components.generators.extraction.listing import asks_no, fits_column, members
from components.generators.extraction.parts import parts_of
from components.generators.extraction.units import sources_of
from components.generators.extractive_generator import ExtractiveGenerator

TABLE = "Drum | Hides | Waterproof | Vegan\nSnare drum | goat | yes | no\nBass drum | none | no | yes\nTabor | goat | no | no"


def rows_for(question, row):
    [source] = sources_of([Document(content=TABLE)])
    part = parts_of(question, lambda word: 0.6)[0]
    return [u.text.split(" |")[0] for u in members(part, source.units[row])]


@pytest.mark.parametrize(
    ("question", "row", "named"),
    [
        ("Which drums are waterproof?", 1, ["Snare drum"]),
        ("Which drums are not waterproof?", 2, ["Bass drum", "Tabor"]),
        ("Which drums have hides of goat?", 1, ["Snare drum", "Tabor"]),  # the no under "Vegan" denies nothing
    ],
)
def test_rows_that_fit(question, row, named):
    assert rows_for(question, row) == named


def test_a_cell_that_denies_by_itself_counts():
    [source] = sources_of(
        [Document(content="Ticket | Rule\nDay | not refundable\nWeek | not refundable, unless ill\nYear | refundable, less a tenth")]
    )
    part = parts_of("Which tickets are not refundable?", lambda word: 0.6)[0]
    assert [u.text.split(" |")[0] for u in members(part, source.units[2])] == ["Day", "Week"]


def test_a_column_asked_about_by_its_opposite():
    part = parts_of("Which seats are unavailable?", lambda word: 0.6)[0]
    assert asks_no(part, "available at noon")
    assert not asks_no(part, "unavailable at noon")


def test_without_a_column_of_yes_and_no_nothing_is_decided():
    [source] = sources_of([Document(content=TABLE)])
    part = parts_of("Which drums have hides of goat?", lambda word: 0.6)[0]
    assert fits_column(part, source.units[1]) is None


@pytest.mark.parametrize(("count", "open_end"), [(6, False), (12, False), (14, True)])
def test_all_rows_or_a_sign_that_there_are_more(count, open_end):
    rows = ["Tune | Hours | Played at dances", *(f"Tune {chr(65 + n)} | {n} | yes\nOther {chr(65 + n)} | {n} | no" for n in range(count))]
    messages = EvidencePromptBuilder().run("Which tunes are played at dances?", [Document(content="\n".join(rows), meta={"label": 1})])["messages"]
    reply = ExtractiveGenerator().run(messages)["replies"][0]
    assert (reply.text or "").count("| yes") == min(count, 12)
    assert ("whether there are more" in reply.meta["missing"]) == open_end

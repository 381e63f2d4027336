"""A row that holds for a range of amounts answers only for those."""

import pytest
from haystack import Document

from components.builders.evidence_prompt_builder import EvidencePromptBuilder
from components.generators.extraction.ranges import admits, amount, is_row_of_another_range, row_admits
from components.generators.extractive_generator import ExtractiveGenerator

TABLE = "Monthly turnover | Discount\nup to 1999 EUR | 5 %\n2000 to 4999 EUR | 10 %\n5000 EUR and more | 15 %"


@pytest.mark.parametrize(("turnover", "discount"), [("600", "5 %"), ("3000", "10 %"), ("7500", "15 %")])
def test_the_row_of_the_amount_answers(turnover, discount):
    table = Document(content=TABLE, meta={"label": 1, "source_id": "s", "title": "Discounts", "char_start": 0})
    messages = EvidencePromptBuilder().run(f"Which discount do I get with a monthly turnover of {turnover} EUR?", [table])["messages"]
    reply = ExtractiveGenerator().run(messages)["replies"][0]
    rows = [line for line in TABLE.splitlines()[1:] if line in (reply.text or "")]
    assert rows == [line for line in TABLE.splitlines() if line.endswith(f"| {discount}")]


@pytest.mark.parametrize(
    ("cell", "asked", "holds"),
    [
        ("2,000–4,999 EUR", 3000, True),
        ("between 2 and 4 years", 5, False),
        ("less than 10 kg", 10, False),
        ("at most 10 kg", 10, True),
        ("18 years and older", 17, False),
        ("65+", 70, True),
        ("€100 or less", 80, True),
        ("from 5 days", 5, True),
        ("over 5 days", 5, False),
        ("303 Theft", 303, None),
        ("2023-01-01", 5, None),
        ("", 1, None),
    ],
)
def test_ranges_as_people_write_them(cell, asked, holds):
    assert admits(cell, asked) is holds


def test_only_what_a_row_is_about_counts_and_only_where_another_row_fits():
    rows = TABLE.splitlines()[1:]
    assert is_row_of_another_range(rows[2], rows, ["3000"]) and not is_row_of_another_range(rows[1], rows, ["3000"])
    assert not is_row_of_another_range(rows[2], rows[2:], ["3000"])
    assert not is_row_of_another_range(rows[2], rows, ["3000", "2"]) and row_admits("Plus | 10 to 15 days", 3) is None
    assert amount("x") is None

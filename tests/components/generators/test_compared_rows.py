"""Superlatives and bounds over a column of one table, and what is not counted."""

import pytest
from haystack import Document

from components.builders.evidence_prompt_builder import EvidencePromptBuilder
from components.generators.extractive_generator import ExtractiveGenerator

TRIPS = """Trip | Nights | Price
Vienna by rail | 3 nights | 410 francs
Lake walk | 1 night | 95 francs
Alpine loop | 6 nights | 780 francs
Old towns | 6 nights | 640 francs"""
KIOSK = """Snack | Adults | Children
Soup | 7.50 € | 5 €
Pretzel | 2 € | 1.50 €"""


def ask(question, *texts):
    evidence = [
        Document(content=text, meta={"label": n, "title": title, "char_start": 0, "source_id": title})
        for n, (title, text) in enumerate(texts or (("Trips of the club", TRIPS), ("Kiosk", KIOSK)), start=1)
    ]
    [reply] = ExtractiveGenerator().run(EvidencePromptBuilder().run(question, evidence)["messages"])["replies"]
    return reply.text or "", bool(reply.meta["declined"]), str(reply.meta["missing"])


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which trip is the cheapest?", {"Lake walk"}),
        ("Which trip is the most expensive?", {"Alpine loop"}),
        ("What is the highest price of a trip?", {"Alpine loop"}),
        ("Which trip costs the least?", {"Lake walk"}),
        ("Which trip is the longest?", {"Alpine loop", "Old towns"}),
        ("What is the lowest price for adults at the kiosk?", {"Pretzel"}),
        ("Which trips cost more than 500 francs?", {"Alpine loop", "Old towns"}),
        ("Which trips cost under 100 francs?", {"Lake walk"}),
        ("Which trips are longer than 2 nights?", {"Vienna", "Alpine loop", "Old towns"}),
    ],
)
def test_the_rows_that_have_it_are_quoted_and_no_others(question, rows):
    reply, declined, missing = ask(question)
    assert not declined and missing == "", reply
    assert {name for name in ("Vienna", "Lake walk", "Alpine loop", "Old towns", "Soup", "Pretzel") if name in reply} == rows


@pytest.mark.parametrize(
    "question",
    [
        "How many trips are in the list?",
        "Which snack is the cheapest?",  # for adults or for children
        "Which trips cost more than 900 francs?",
        "Which hotel is the cheapest?",
    ],
)
def test_what_the_table_cannot_tell_is_declined(question):
    reply, declined, _ = ask(question)
    assert declined, reply


def test_rows_that_may_be_elsewhere_are_told_or_make_it_decline():
    long = "Trip | Nights | Price\n" + "\n".join(f"Round tour number {chr(65 + i)} | {i + 1} nights | {100 + 10 * i} francs" for i in range(12))
    reply, declined, missing = ask("Which trip is the cheapest?", ("Trips of the club", long))
    assert not declined and "tour number A" in reply and "more than the quoted" in missing
    rest = "Short tour | 1 night | 60 francs\nLong tour | 9 nights | 900 francs"
    assert ask("Which trip is the cheapest?", ("Trips of the club", TRIPS), ("Trips of the club", rest))[1]

"""Kinds of answer, coverage, and what a unit cannot vouch for."""

import pytest
from haystack import Document

from components.generators.extraction.matching import coverage_of, greatest_gap, kind_fit, refuses
from components.generators.extraction.questions import parts_of
from components.generators.extraction.units import sources_of


def part(question):
    return parts_of(question, lambda _: 0.5)[0]


def unit(content, **meta):
    return sources_of([Document(content=content, meta={"label": 1, **meta})])[0].units[0]


@pytest.mark.parametrize(
    ("question", "text", "fits"),
    [
        ("How long does it take?", "It takes five days.", True),
        ("How long does it take?", "It takes effort.", False),
        ("How many books may I borrow?", "You may borrow ten books.", True),
        ("How many books may I borrow?", "Books are lent to all.", False),
        ("How many excise officers are there?", "An officer may search for one year.", False),
        ("How much is the fee?", "The fee is 3 euros.", True),
        ("How much is the fee?", "The fee is due within 3 days.", False),
        ("When is it open?", "It is open from 8:00.", True),
        ("When is it open?", "It is open to all.", False),
        ("Who is the manager?", "Write to the manager, Dr. Lena Ostrow.", True),
        ("Who is the manager?", "Write to the manager.", False),
        ("What phone number do I call?", "Call 555 0142.", True),
        ("What phone number do I call?", "Call within 2 days.", False),
        ("Is it open?", "Anything.", True),
    ],
)
def test_kind_fit(question, text, fits):
    assert (kind_fit(part(question), text) == 1.0) is fits


def test_coverage_falls_with_distance():
    source = sources_of(
        [
            Document(
                content="Dogs need consent. It is free. Quiet hours hold. Cats sleep. Keys are returned.",
                meta={"title": "Lease", "heading_path": ["Pets"]},
            )
        ]
    )[0]
    question = part("Do dogs as pets need consent?")
    values = [coverage_of(question, u)["dog"] for u in source.units]
    assert values[0] == 1.0 and values[1] == 1.0 and 0 < values[2] < 1.0 and values[4] < values[2]
    assert coverage_of(question, source.units[4])["pet"] == 0.95


def test_gap():
    question = part("How do I cancel the gold plan?")
    assert greatest_gap(question, {t.stem: 1.0 for t in question.terms}) == 0
    assert greatest_gap(question, {t.stem: float(t.stem != "cancel") for t in question.terms}) == 0.5


@pytest.mark.parametrize(
    ("question", "lacking"),
    [
        ("What does section 303 say?", ""),
        ("What does section 103 say?", "103"),
        ("What does section 303 of the BNS say?", ""),
        ("What does section 303 of the IPC say?", "IPC"),
        ('What is "snatching" in section 303?', "snatching"),
        ("What does Lovelace say about section 303?", "Lovelace"),
    ],
)
def test_what_must_be_there(question, lacking):
    found = unit("303. Whoever takes property commits theft.", title="Bharatiya Nyaya Sanhita", heading_path=["303. Theft"])
    assert refuses(part(question), found, found.source.bag) == lacking


def test_a_mere_reference_is_not_the_provision():
    found = unit("It is punished under section 303 of the code.", title="Code", heading_path=["21. Fines"])
    assert refuses(part("What does section 303 say?"), found, found.source.bag) == "303"
    assert refuses(part("What is punished under section 303?"), found, found.source.bag) == ""

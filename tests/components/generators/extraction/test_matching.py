"""Kinds of answer, coverage, and what a unit cannot vouch for."""

import pytest
from haystack import Document

from components.generators.extraction.fitting import kind_fit
from components.generators.extraction.matching import coverage_of, field_fits, greatest_gap, refuses
from components.generators.extraction.parts import parts_of
from components.generators.extraction.terms import Term, in_bag
from components.generators.extraction.units import sources_of
from components.generators.extraction.words import Bag, initials_of


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


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("the Bharatiya Nagarik Suraksha Sanhita, 2023", {"bnss"}),
        ("act: BNSS\nact_title: Bharatiya Nyaya Sanhita", {"bns"}),
        ("Under the Indian Penal Code the fine was small", {"uipc"}),
        ("The Code of Civil Procedure, and the Bharatiya Nyaya Sanhita", {"tccp", "bns"}),
        ("nothing here", set()),
        ("", set()),
    ],
)
def test_initials_are_those_of_a_whole_name(text, runs):
    assert initials_of(text) == runs


def test_an_acronym_is_not_the_beginning_of_a_longer_name():
    term = Term("BNS", "bns", 1.0, is_name=True)
    assert in_bag(term, Bag.of("Bharatiya Nyaya Sanhita, 2023")) == 1.0
    assert in_bag(term, Bag.of("Bharatiya Nagarik Suraksha Sanhita, 2023")) == 0.0


def test_a_number_in_a_record_belongs_to_the_field_it_stands_in():
    record = "ipc_ref: 303\nbns_ref: 104\nnote: see 303"
    assert field_fits("IPC", "303", record)
    assert not field_fits("BNS", "303", "ipc_ref: 303\nbns_ref: 104")
    assert field_fits("BNS", "104", record)
    assert field_fits("GST", "303", record)

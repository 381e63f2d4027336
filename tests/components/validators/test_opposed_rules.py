"""Allowed and forbidden, free and charged: a conflict where it is sure, and never between rules that only look alike."""

import pytest
from haystack import Document
from haystack.dataclasses import ChatMessage

from components.builders.cited_answer_builder import CitedAnswerBuilder
from components.validators.conflict_finder import MARK, ConflictFinder
from components.validators.opposed_rules import opposed

OPPOSED = [
    ("Dogs are allowed in the reading room.", "Dogs are not allowed in the reading room."),
    ("Dogs are allowed in the reading room.", "In the reading room, dogs are forbidden."),
    ("Visitors may park in the yard.", "Visitors must not park in the yard."),
    ("Visitors may park in the yard.", "Visitors can't park in the yard."),
    ("Unused tickets are refundable.", "Unused tickets are non-refundable."),
    ("Attendance at the drill is mandatory.", "Attendance at the drill is optional."),
    ("A receipt is needed for taxi rides.", "No receipt is needed for taxi rides."),
    ("Overtime of interns is paid.", "Overtime of interns is unpaid."),
    ("Parking at the office is free.", "Parking at the office costs 25 EUR a month."),
    ("The shuttle bus is free of charge.", "The fee for the shuttle bus is 4 euros."),
    ("The locker key costs nothing.", "The locker key costs 5 euros."),
]
ALIKE = [
    ("Refunds are allowed after the trial.", "Chargebacks are not allowed after the trial."),
    ("Dogs are allowed in the reading room.", "Cats are not allowed in the reading room."),
    ("Dogs are allowed in the reading room.", "Dogs are not allowed in the reading room unless they are guide dogs."),
    ("Dogs are allowed in the reading room.", "Dogs are not allowed in the reading room after noon."),
    ("Dogs are allowed in the reading room.", "Not all dogs are allowed in the reading room."),
    ("Dogs are allowed in the reading room.", "Dogs are not only allowed in the reading room."),
    ("Dogs are allowed in the reading room.", "Dogs are allowed in the reading rooms."),
    ("The pool opens at nine in the morning.", "The pool closes at nine in the morning."),
    ("Parking at the office is free.", "Parking at the station costs 25 EUR a month."),
    ("Parking at the office is free for guests.", "Parking at the office costs 25 EUR a month."),
    ("Parking at the office is free.", "Parking at the office is free of charge."),
    ("The bread is free of nuts.", "The bread costs 3 euros."),
    ("Meals of up to 20 euros are paid.", "Meals of up to 30 euros are not paid."),
    ("Dogs are not forbidden in the hall.", "Dogs are allowed in the hall."),
    ("It is allowed.", "It is not allowed."),
    ("", "Dogs are not allowed."),
]


@pytest.mark.parametrize(("one", "other"), OPPOSED)
def test_opposed(one, other):
    assert opposed(one, other) and opposed(other, one)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_alike(one, other):
    assert not opposed(one, other) and not opposed(other, one)


def passage(n, content, title, heading, **meta):
    place = {"label": n, "title": title, "heading_path": [heading], "source_id": title, "char_start": 10 * n}
    return Document(id=f"p{n}", content=content, meta={**place, **meta})


FREE = passage(1, "Parking is free. Ask at the gate.", "Welcome guide", "Parking", modified_at="2024-01-01")


@pytest.mark.parametrize(
    ("other", "marked"),
    [
        (passage(2, "Parking costs 25 EUR a month.", "Car park order", "Parking", modified_at="2025-01-01"), True),
        (passage(2, "Parking costs 25 EUR a month.", "Station order", "Station car park"), False),
        (passage(2, "Parking costs 25 EUR a month.", "Car park order", "Parking", in_force=False, validity_note="superseded"), False),
        (passage(2, "Parking costs 25 EUR a month. However, guests park free.", "Car park order", "Parking"), False),
        (passage(2, "Parking costs 25 EUR a month.", "Welcome guide", "Parking"), False),
    ],
)
def test_free_against_a_fee_in_two_documents(other, marked):
    evidence = [FREE, other]
    answer = CitedAnswerBuilder().run("Is parking free?", [ChatMessage.from_assistant("Parking is free. [1]")], evidence)["answer"]
    text = ConflictFinder().run(answer, evidence)["answer"].answer
    assert (MARK in text) == marked and ("25 EUR" in text) == marked

"""A question word alone, of the question before: what that one asks for stays in it, and where it cannot, nothing is guessed."""

import pytest

from components.query.bare_question_word import asked_with
from components.query.follow_up import resolved

WHY = {
    "How long do refunds take for premium customers?": "Why do refunds take that long for premium customers?",
    "How much does a locker cost?": "Why does a locker cost that much?",
    "What does a locker cost?": "Why does a locker cost that?",
    "What is the refund window?": "Why is the refund window as it is?",
    "What's the refund window?": "Why is the refund window as it is?",
    "What are the opening hours?": "Why are the opening hours as they are?",
    "How many contractors are there?": "Why are there that many contractors?",
    "How many employees are insured?": "Why are that many employees insured?",
    "Which contractors may work remotely?": "Why may those contractors work remotely?",
    "What percentage of salary is paid during sick leave?": "Why is that percentage of salary paid during sick leave?",
    "In which cases is a refund refused?": "Why is a refund refused in those cases?",
    "For how long are records kept?": "Why are records kept for that long?",
    "When may a tenant leave?": "Why may a tenant leave?",
    "What must I do when I lose my badge?": "Why must I do that when I lose my badge?",
    "Must not tenants sublet?": "Why must not tenants sublet?",
}
UNCLEAR = [
    "Who signs purchase orders?",
    "Whom may I ask?",
    "What happens if I am late?",
    "Annual leave for contractors?",
    "Tell me about leave",
    "Can you tell me how long refunds take?",
    "How much is the deposit and when is it returned?",
    "Employees get how many days off?",
    "",
]


@pytest.mark.parametrize(("before", "expected"), WHY.items())
def test_why(before, expected):
    assert asked_with("why", before) == expected


@pytest.mark.parametrize("before", UNCLEAR)
def test_what_cannot_be_written_is_not_guessed(before):
    assert asked_with("why", before) is None


def test_a_second_thing_cannot_be_asked_for():
    assert asked_with("who", "What is the fee?") is None and asked_with("how much", "When is the fee due?") is None
    assert asked_with("how long", "Can employees work from abroad?") == "How long can employees work from abroad?"


def test_why_after_an_elliptic_turn_asks_about_what_that_turn_meant():
    earlier = ["How many days of annual leave do employees get?", "and for contractors?"]
    assert resolved("why?", earlier).question == "Why do contractors get that many days of annual leave?"
    assert resolved("and since when?", earlier).question == "Since when do contractors get that many days of annual leave?"
    assert (
        resolved("why?", ["How long is the notice period?", "and for contractors?"]).question == "Why is the notice period for contractors that long?"
    )


def test_what_is_unclear_stays_and_is_not_what_the_next_question_refers_to():
    earlier = ["Who approves travel in Spain?"]
    found = resolved("why?", earlier)
    assert found.question == "why?" and found.how == "" and "“why?” cannot be read" in found.unclear and "travel in Spain" in found.unclear
    assert resolved("and in France?", [*earlier, "why?"]).question == "Who approves travel in France?"


def test_people_that_are_asked_about_give_way_to_others():
    assert resolved("and for contractors?", ["Which employees may work remotely?"]).question == "Which contractors may work remotely?"
    assert resolved("and for contractors?", ["How much leave do employees get?"]).question == "How much leave do contractors get?"
    assert resolved("and for contractors?", ["Who approves travel?"]).question == "Who approves travel for contractors?"

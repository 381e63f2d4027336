from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.caching.question_form import question_form
from evaluation.near_twins import again, ask_one, twin

DIFFERENT = [
    ("What is section 303?", "What is section 103?"),
    ("What is section 303?", "What is section 30.3?"),
    ("What is section 303?", "What is section 303A?"),
    ("Can I leave with notice?", "Can I leave without notice?"),
    ("Can I leave?", "Can I not leave?"),
    ("Can I leave?", "Can't I leave?"),
    ("No members may enter?", "No, members may enter?"),
    ("Does Ann owe Bob?", "Does Bob owe Ann?"),
    ("Does Ann pay?", "Does Bob pay?"),
    ("Who files before the hearing?", "Who files after the hearing?"),
    ("What was the fee in 2023?", "What was the fee in 2024?"),
    ("Must a driver stop?", "May a driver stop?"),
    ("What does the employer pay?", "What does the employee pay?"),
    ("Who is in charge of the child?", "Who is in the charge of the child?"),
    ("Do few members vote?", "Do a few members vote?"),
    ("Which securities are needed?", "Which security is needed?"),
    ("What does the US pay?", "What does the us pay?"),
    ('What is "net worth"?', "What is net worth?"),
    ("Is the fee 5,000?", "Is the fee 5.000?"),
    ("Is it 5² m?", "Is it 52 m?"),
    ("Is it -5?", "Is it 5?"),
    ("Who is chair?", "Who was chair?"),
    ("What is C++?", "What is C#?"),
    ("What is the right?", "What is right?"),
    ("Wer hat die Rechte?", "Wer hat die Rechts?"),
    ("चोरी की सज़ा क्या है?", "चोरी की सज़ा क्या थी?"),
]
SAME = [
    ("What is the penalty for theft?", "what's the penalty for theft"),
    ("How many days of leave do employees get?", "How many days of leave does an employee get?"),
    ("What is the fee?", "Please tell me what is the fee"),
    ("Who doesn’t  pay?", "Who does not pay"),
    ("चोरी की सज़ा क्या है?", " चोरी की  सज़ा क्या है"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_changes_the_answer_is_kept_apart(one: str, other: str) -> None:
    assert question_form(one) != question_form(other)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_changes_nothing_may_differ(one: str, other: str) -> None:
    assert question_form(one) == question_form(other)


@given(st.integers(0, 10**9))
def test_twins_of_every_kind_differ(seed: int) -> None:
    rng = random.Random(seed)
    one = ask_one(rng)
    other = twin(one, rng)
    assert (question_form(one.text) == question_form(other.text)) <= (one.meaning == other.meaning)


def test_most_wordings_of_a_question_are_one() -> None:
    rng = random.Random(0)
    asked = [ask_one(rng) for _ in range(200)]
    same = sum(question_form(one.text) == question_form(again(one, rng).text) for one in asked)
    assert same > 170


@given(st.text(max_size=200))
def test_any_text_has_a_form(text: str) -> None:
    assert question_form(text) == question_form(f" {text} ")

"""Elliptic follow-ups and the turns after them: replaced by kind, asked back where nothing is of its kind, and never piled up."""

import pytest

from components.query.ellipsis import fragment
from components.query.follow_up import resolved
from components.query.noun_phrases import pieces_of, words_of

CHAINS = [
    [
        ("What is the rental price of the Loon 480?", None),
        ("is it cheaper than the Duo?", "Is the rental price of the Loon 480 cheaper than the Duo?"),
        ("who coaches Sea skills?", "who coaches Sea skills?"),
    ],
    [
        ("How much does the Duo 440 cost per day?", None),
        ("and the deposit?", "What is the deposit for the Duo 440?"),
        ("and the Loon?", "What is the deposit for the Loon?"),
        ("and the Sprint 300?", "What is the deposit for the Sprint 300?"),
        ("what colour are the paddles?", "what colour are the paddles?"),
    ],
    [
        ("What is the cost per day of the Duo 440?", None),
        ("and the deposit?", "What is the deposit of the Duo 440?"),
        ("and the Loon?", "What is the deposit of the Loon?"),
        ("and for the Sprint 300?", "What is the deposit for the Sprint 300?"),
    ],
    [
        ("who is the treasurer?", None),
        ("and the safety officer?", "Who is the safety officer?"),
        ("and the president?", "Who is the president?"),
    ],
    [
        ("Who is the head of procurement?", None),
        ("and the treasurer?", "Who is the treasurer?"),
        ("and the head of sales?", "Who is the head of sales?"),
    ],
    [("Who is the treasurer of the choir?", None), ("and the secretary?", "Who is the secretary of the choir?")],
    [
        ("What is the fee for the course?", None),
        ("and the exam?", "What is the fee for the exam?"),
        ("and the conditions?", "What are the conditions for the exam?"),
    ],
    [
        ("What does BNS section 303 say?", None),
        ("and 304?", "What does BNS section 304 say?"),
        ("and section 305?", "What does BNS section 305 say?"),
    ],
    [
        ("What is the phone number of the clinic?", None),
        ("and the address?", "What is the address of the clinic?"),
        ("and its deposit?", "What is the deposit of the clinic?"),
    ],
    [("What time does the pool open?", None), ("and the gym?", "What time does the gym open?")],
    [("Who is the treasurer?", None), ("What is her email address?", "What is the email address of the treasurer?")],
    [("Who teaches rolling?", None), ("and sea skills?", "Who teaches sea skills?"), ("and expenses?", "Who teaches expenses?")],
    [("What does section 12 of the Rent Act say?", None), ("and section 14?", "What does section 14 of the Rent Act say?")],
    [("What does the Duo 440 weigh?", None), ("and the Loon?", "What does the Loon weigh?"), ("and the length?", "What is the length for the Loon?")],
    [("How much is a court per hour?", None), ("and per week?", "How much is a court per week?")],
    [
        ("When is the library open?", None),
        ("on holidays?", "When is the library open on holidays?"),
        ("and for children?", "When is the library open for children?"),
        ("and the pool?", "When is the pool open for children?"),
        ("and in Spain?", "When is the pool open in Spain?"),
    ],
    [
        ("How do I appeal a parking fine?", None),
        ("What is the deadline?", "What is the deadline for: appeal a parking fine?"),
        ("What is the penalty?", "What is the penalty for: appeal a parking fine?"),
    ],
]


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: chain[0][0])
def test_each_turn_of_a_conversation(chain):
    asked = [question for question, _ in chain]
    read = [resolved(question, asked[:i]).question for i, question in enumerate(asked)]
    assert read[1:] == [expected for _, expected in chain[1:]]


@pytest.mark.parametrize(
    ("before", "asked", "next_one", "then"),
    [
        ("Is the Loon cheaper than the Duo?", "and the Sprint?", "what about the price?", None),
        ("How long is the notice period?", "and the fee?", "in Spain?", "How long is the notice period in Spain?"),
        ("Who teaches rolling?", "and the fee?", "on Sundays?", "Who teaches rolling on Sundays?"),
    ],
)
def test_what_has_no_like_is_asked_back_and_nothing_is_built_on_it(before, asked, next_one, then):
    found = resolved(asked, [before])
    assert found.question == asked and "cannot be read with certainty" in found.unclear
    if then:
        assert resolved(next_one, [before, asked]).question == then


@pytest.mark.parametrize(
    "question", ["who coaches Sea skills?", "Where beavers live?", "who else mends paddles", "why taxes rise?", "when otters breed?"]
)
def test_a_question_word_with_its_own_subject_is_never_touched(question):
    for before in ("Is the Loon cheaper than the Duo?", "Can contractors work from abroad?", "How long is the notice period?"):
        assert resolved(question, [before]).question == question


def test_words_and_pieces():
    assert [w.kind for w in words_of("who coaches rowing")] == ["wh", "verb", "noun"]
    assert [w.text for w in words_of("What does the tent weigh?") if w.kind == "verb"] == ["weigh"]
    assert [(p.preposition, p.text) for p in pieces_of("What is the cost per day of the Duo 440?")] == [("", "the cost"), ("of", "the Duo 440")]
    assert fragment("What is the fee?", "Who pays?", "Who pays?") is None

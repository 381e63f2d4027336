import pytest

from components.query.hop_reply import read_reply

QUESTION = "Who heads the office that gives fishing permits?"


@pytest.mark.parametrize(
    "text", ["ANSWERABLE", "answerable.", "**Answerable**", '{"answerable": true}', "- ANSWERABLE\nbecause of [1]", "No further question."]
)
def test_answerable_in_many_shapes(text):
    assert read_reply(text, QUESTION, []) == (True, None)


@pytest.mark.parametrize(
    "text",
    [
        "Who heads the Lake Office?",
        "Next question: Who heads the Lake Office?",
        '"Who heads the Lake Office?"',
        "1. Who heads the Lake Office?\n2. Where is it?",
        '```json\n{"answerable": false, "question": "Who heads the Lake Office?"}\n```',
        '["Who heads the Lake Office?"]',
    ],
)
def test_the_next_question_in_many_shapes(text):
    assert read_reply(text, QUESTION, []) == (False, "Who heads the Lake Office?")


@pytest.mark.parametrize("text", ["", "   ", "{", "[[[[", "???", "x " * 5000, "<think>", QUESTION, "who heads the office that gives FISHING permits"])
def test_what_says_neither_is_no_question(text):
    assert read_reply(text, QUESTION, []) == (False, None)


def test_what_was_asked_already_is_not_asked_again():
    assert read_reply("Who heads the Lake Office?", QUESTION, ["the Lake Office heads"]) == (False, None)

"""Simple questions go one way and hard ones the other; the note says why."""

import pytest
from haystack import Pipeline
from haystack.components.joiners import BranchJoiner

from components.routers.difficulty_router import DifficultyRouter, signs_of_difficulty

SIMPLE = [
    "What is the notice period?",
    "How long do premium refunds take?",
    "What does section 303 of the BNS say?",
    "May I bring a dog and a cat?",
    "Who is the chair?",
    "किराया कब देना है?",
    "",
]
HARD = {
    "How long is the trial, and who may extend it?": "two questions",
    "What is a deposit? When is it paid back?": "two questions",
    "What is the difference between theft and robbery?": "comparison",
    "Which gateway lasts longer than the XR-12?": "comparison",
    "Who chairs the board that approves the budget?": "through something else",
    "How did the fee change from 2020 to now?": "a change",
    "List all leave types.": "a list of all",
    "I lent my neighbour a ladder in May and he says that he gave it to his cousin who lost it at work: whom do I ask for the money now?": "long",
}


@pytest.mark.parametrize("question", SIMPLE)
def test_simple(question):
    assert DifficultyRouter().run(question) == {"simple": question, "note": "simple"}


@pytest.mark.parametrize(("question", "sign"), HARD.items())
def test_hard(question, sign):
    out = DifficultyRouter().run(question)
    assert sign in out["note"] and out["hard"] == question and "simple" not in out


def test_how_many_signs_it_takes_is_a_parameter():
    question = "Who wrote the book that inspired the film, and when did it appear?"
    assert len(signs_of_difficulty(question)) == 2
    assert "hard" in DifficultyRouter(hard_from=2).run(question)
    assert DifficultyRouter(hard_from=3).run(question)["note"] == "simple, though: two questions, through something else"


@pytest.mark.parametrize("value", [0, 7, True, 1.5])
def test_values_out_of_range_are_refused(value):
    with pytest.raises(ValueError, match="hard_from"):
        DifficultyRouter(hard_from=value)


def test_only_one_branch_of_a_graph_runs():
    pipeline = Pipeline()
    pipeline.add_component("router", DifficultyRouter())
    pipeline.add_component("joined", BranchJoiner(str))
    pipeline.connect("router.simple", "joined.value")
    pipeline.connect("router.hard", "joined.value")
    for question in (SIMPLE[0], next(iter(HARD))):
        assert pipeline.run({"router": {"question": question}})["joined"]["value"] == question


def test_a_very_long_text_is_read_in_linear_time():
    assert "long" in signs_of_difficulty("of the a " * 50_000)

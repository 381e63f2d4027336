"""Claims of an answer: nothing is lost, and each has the passages that it cites."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.validators.checked_text import kept_text, with_markers
from components.validators.claims import answer_sentences, claims_of, clauses, is_phrase, with_question
from components.validators.premise_windows import premises, windows_of
from components.validators.word_overlap import order_overlap, overlap


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It opens at 7. [1] It closes at 9.5. [2]", [("It opens at 7.", (1,)), ("It closes at 9.5.", (2,))]),
        ("It opens at 7 [1][2].", [("It opens at 7.", (1, 2))]),
        ("Dr. Rao is paid under s. 12 of the Act [1, 3].", [("Dr. Rao is paid under s. 12 of the Act.", (1, 3))]),
        ("The fee is 1,000.50 euros [2-3]. See No. 5.", [("The fee is 1,000.50 euros.", (2, 3)), ("See No. 5.", ())]),
        ("You need:\n- a pen [1]\n- a **towel** [2]", [("a pen", (1,)), ("a towel", (2,))]),
        ("1. Open it [1]\n2. Close it [9]", [("Open it", (1,)), ("Close it", ())]),
        ("It was 5 euros. [1] (not in force) It is 8. [2]", [("It was 5 euros.", (1,)), ("It is 8.", (2,))]),
        ("[2] It opens at 7.", [("It opens at 7.", (2,))]),
        ("The fee is 12 euros, and a lost key costs 30 euros. [1]", [("The fee is 12 euros", (1,)), ("a lost key costs 30 euros.", (1,))]),
        ("", []),
        ("[1]", []),
    ],
)
def test_claims(answer, expected):
    assert [(c.text, c.cited) for c in claims_of(answer_sentences(answer, [1, 2, 3], ["not in force"]))] == expected


@pytest.mark.parametrize(
    "sentence", ["Bring a pen, a towel, and the signed form.", "It is red and blue.", "If it rains, and only then, it is closed."]
)
def test_lists_stay_whole(sentence):
    assert clauses(sentence) == [sentence]


def test_a_phrase_needs_the_question():
    assert with_question("Arthur's Magazine", "Which was first?") == "Which was first? Arthur's Magazine"
    assert with_question("It was first.", "Which was first?") == "It was first."
    assert is_phrase("12 euros")
    assert not is_phrase("the fee was 12 euros")


WORD = st.sampled_from(
    ["It opens", "at 7.", "[1]", "[2][3]", "Dr. Rao", "- a pen", "\n", "\n\n", "pays 1.5 euros.", "Rules:", "but it is closed", "(x)"]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORD, max_size=14).map(" ".join), st.data())
def test_dropping_sentences(answer, data):
    sentences = answer_sentences(answer, [1, 2, 3])
    assert all(a.end <= b.start for a, b in pairwise(sentences))
    kept = data.draw(st.lists(st.booleans(), min_size=len(sentences), max_size=len(sentences)))
    text = kept_text(answer, sentences, kept, {})
    for sentence, chosen in zip(sentences, kept, strict=True):
        if chosen and not sentence.introduces:
            assert answer[sentence.start : sentence.end].strip() in text
    if not any(kept):
        assert text == ""


def test_a_list_goes_with_its_last_item():
    answer = "You need:\n- a pen [1]\n- a towel [2]\nIt is cold. [1]"
    sentences = answer_sentences(answer, [1, 2])
    assert kept_text(answer, sentences, [True, False, True, True], {}) == "You need:\n- a towel [2]\nIt is cold. [1]"
    assert kept_text("You need:\n- a pen [1]", sentences[:2], [True, False], {}) == ""


def test_mended_markers():
    assert with_markers("It opens at 7.", [2]) == "It opens at 7. [2]"
    assert with_markers("It opens at 7. [1] (not in force)", [2, 3]) == "It opens at 7. [2][3] (not in force)"


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab .\n", max_size=300), st.integers(2, 12))
def test_windows_hold_every_word(text, size):
    windows = windows_of(text, size)
    assert all(len(window.split()) <= size for window in windows)
    assert set(text.split()) == {word for window in windows for word in window.split()}


def test_pair_of_windows_for_a_claim_that_needs_two():
    passages = ["Rent is 500 euros. " + "Nothing else is said here. " * 40, "Pets cost 20 euros. " + "Bins are green and they stand outside. " * 40]
    claim = "Rent is 500 euros and pets cost 20 euros"
    read = premises(claim, passages)
    assert any("500" in premise and "20" in premise for premise in read)
    assert all(len(premise.split()) <= 120 for premise in read)
    assert len(read) <= 4


def test_overlap():
    assert overlap("", "a") == order_overlap("", "a") == 0

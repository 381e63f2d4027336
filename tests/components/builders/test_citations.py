"""Markers to quotes that are exact ranges of the stored text."""

import pytest
from haystack import Document

from components.builders.citations import best_quote, cited_sentences, marker_numbers, passages_of, valid_spans, without_markers


@pytest.mark.parametrize(
    ("marker", "numbers"),
    [
        ("[1]", [1]),
        ("[1, 2]", [1, 2]),
        ("[2-4]", [2, 3, 4]),
        ("[4–2]", [2, 3, 4]),
        ("[3;1]", [3, 1]),
        ("[1 and 3]", [1, 3]),
        ("[9]", []),
        ("[0]", []),
        ("[1-9999]", [1, 2, 3, 4]),
    ],
)
def test_marker_numbers(marker, numbers):
    assert marker_numbers(marker, [1, 2, 3, 4]) == numbers


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("It opens at 7 [1]. It closes at 9 [2].", [("It opens at 7.", [1]), ("It closes at 9.", [2])]),
        ("It opens at 7. [1] It closes at 9. [2]", [("It opens at 7.", [1]), ("It closes at 9.", [2])]),
        ("It opens at 7.[1][2]", [("It opens at 7.", [1, 2])]),
        ("[1] It opens at 7.\n[2] It closes at 9.", [("It opens at 7.", [1]), ("It closes at 9.", [2])]),
        ("It opens at 7 [8].", [("It opens at 7.", [])]),
        ("", []),
        ("[1]", []),
    ],
)
def test_cited_sentences(reply, expected):
    assert [(s.text, s.numbers) for s in cited_sentences(reply, [1, 2])] == expected


TEXT = "The rent is 840 euros a month. It is payable on the third day. Dogs need consent."


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("It is payable on the third day.", "It is payable on the third day."),
        ("payable on the third day", "payable on the third day."),
        ("You have to pay on the third day of the month", "It is payable on the third day."),
        ("A dog needs consent", "Dogs need consent."),
        ("Zebras graze quietly", TEXT),
    ],
)
def test_best_quote(claim, quote):
    start, end = best_quote(claim, TEXT)
    assert TEXT[start:end] == quote


def test_quoted_footnote_signs_are_no_markers():
    assert without_markers("As amended [4], see [1, 2].") == "As amended (4), see (1, 2)."


def test_labels_from_meta_else_from_position():
    documents = [Document(content="a", meta={"label": 3}), Document(content="b"), Document(content="c", meta={"label": 3})]
    assert {n: p.text for n, p in passages_of(documents).items()} == {3: "a", 2: "b"}


@pytest.mark.parametrize(
    "span",
    [
        {"n": 1, "char_start": 100, "char_end": 103, "text": "the"},
        {"n": 1, "char_start": 99, "char_end": 102, "text": "The"},
        {"n": 7, "char_start": 100, "char_end": 103, "text": "The"},
        {"n": 1, "char_start": 100, "char_end": 100, "text": ""},
        {"n": 1, "char_start": "100", "char_end": 103, "text": "The"},
        {"n": 1},
        "The",
    ],
)
def test_a_span_that_is_not_the_passage_is_refused(span):
    passages = passages_of([Document(content=TEXT, meta={"label": 1, "char_start": 100})])
    good = {"n": 1, "char_start": 100, "char_end": 103, "text": "The"}
    assert valid_spans([good], passages) == [good]
    assert valid_spans([good, span], passages) == []

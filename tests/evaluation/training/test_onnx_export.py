import json

import numpy as np
import pytest
import torch

from components.rankers.onnx_cross_encoder import OnnxCrossEncoder
from evaluation.training.onnx_export import export_onnx
from tests.tiny_models import tiny_classifier, tiny_tokenizer

PAIRS = [("leave days", "twenty days of leave"), ("who decides", "the board"), ("notice", "notice of thirty days must be given by the board")]


@pytest.mark.parametrize(("int8", "types"), [(False, True), (False, False), (True, True)])
def test_what_is_written_gives_the_logits_of_pytorch(tmp_path, int8, types):
    model, _ = tiny_classifier(labels=3)
    tokenizer = tiny_tokenizer(types=types)  # without types, both texts are of one type for PyTorch too
    exported = export_onnx(model, tokenizer, tmp_path / "out", int8=int8, samples=PAIRS)
    encoded = tokenizer([a for a, _ in PAIRS], [b for _, b in PAIRS], padding=True, return_tensors="pt")
    with torch.no_grad():
        expected = model(**encoded).logits.numpy()
    scale = np.abs(expected).max()
    found = OnnxCrossEncoder(tmp_path / "out").logits(PAIRS)
    assert found.shape == (3, 3)
    assert np.abs(found - expected).max() <= scale * (0.25 if int8 else 1e-5)
    assert exported.largest_difference == pytest.approx(np.abs(found - expected).max(), abs=1e-6)
    singly = np.concatenate([OnnxCrossEncoder(tmp_path / "out").logits([pair]) for pair in PAIRS])
    assert np.abs(singly - found).max() <= scale * (0.25 if int8 else 1e-5)  # padding is masked, and both axes are free


def test_int8_is_smaller_and_labels_and_the_limit_are_kept(tmp_path):
    model, tokenizer = tiny_classifier(labels=3, width=64)
    names = ["supported", "contradicted", "unsupported"]
    small = export_onnx(model, tokenizer, tmp_path / "small", labels=names, max_tokens=24)
    full = export_onnx(model, tokenizer, tmp_path / "full", int8=False)
    assert small.megabytes < 0.6 * full.megabytes
    config = json.loads((tmp_path / "small" / "config.json").read_text())
    assert config["id2label"] == {str(i): name for i, name in enumerate(names)}
    assert config["architectures"] == ["BertForSequenceClassification"]
    assert OnnxCrossEncoder(tmp_path / "small").max_tokens == 24
    assert sorted(p.name for p in (tmp_path / "small").iterdir()) == ["config.json", "model.onnx", "tokenizer.json", "tokenizer_config.json"]


def test_labels_of_another_number_are_refused(tmp_path):
    model, tokenizer = tiny_classifier(labels=3)
    with pytest.raises(ValueError, match="2 labels for a model of 3"):
        export_onnx(model, tokenizer, tmp_path, labels=["yes", "no"])

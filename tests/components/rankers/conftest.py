"""A real cross-encoder, tiny and with random weights: what it ranks is nonsense, how it is loaded and run is not."""

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

WORDS = ["leave", "days", "annual", "sick", "employee", "may", "take", "twenty", "five", "notice", "period", "month", "the", "a", "of", "is", "not"]


def build(folder: Path, labels: int) -> Path:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir(parents=True)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *("##" + c for c in letters), *WORDS]
    (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(vocabulary)))
    tokenizer = BertTokenizerFast(vocab=str(folder / "vocab.txt"))
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        num_labels=labels,
        max_position_embeddings=48,
        initializer_range=0.8,  # so that scores differ
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def build_checkpoint() -> Callable[[Path, int], Path]:
    """Make a checkpoint in a folder, with so many labels."""
    return build


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("ranker") / "one_label", 1)


@pytest.fixture(scope="session")
def onnx_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with `onnx/model.onnx` and `onnx/model_quantized.onnx` beside it."""
    pytest.importorskip("onnx", reason="exporting needs the package onnx")
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from transformers import AutoTokenizer, BertForSequenceClassification

    folder = build(tmp_path_factory.mktemp("ranker_onnx") / "one_label", 1)
    (folder / "onnx").mkdir()
    model = BertForSequenceClassification.from_pretrained(folder, attn_implementation="eager").eval()
    encoded = AutoTokenizer.from_pretrained(folder)([("leave", "days of leave")] * 2, return_tensors="pt")
    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "pairs", 1: "tokens"} for name in names} | {"logits": {0: "pairs"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            tuple(encoded[name] for name in names),
            str(folder / "onnx" / "model.onnx"),
            input_names=names,
            output_names=["logits"],
            dynamic_axes=axes,
            dynamo=False,
        )
    quantize_dynamic(folder / "onnx" / "model.onnx", folder / "onnx" / "model_quantized.onnx", weight_type=QuantType.QInt8)
    return folder

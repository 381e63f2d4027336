"""Writes a trained classifier of pairs as an ONNX file, int8 where asked, with the files that ONNX Runtime needs beside it."""

from __future__ import annotations

import json
import shutil
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

INT8_FILE = "model.onnx"
OPSET = 17
_SAMPLES = (("How many days of leave?", "Twenty days."), ("Who decides?", "The board decides within thirty days of the application."))


@dataclass(frozen=True)
class Exported:
    """What was written.

    :param folder: it holds `model.onnx`, `tokenizer.json`, `tokenizer_config.json` and `config.json`.
    :param megabytes: size of `model.onnx`.
    :param largest_difference: greatest difference of a logit to PyTorch's, over the samples.
    """

    folder: Path
    megabytes: float
    largest_difference: float


def export_onnx(
    model: Any,
    tokenizer: Any,
    folder: Path,
    *,
    labels: list[str] | None = None,
    int8: bool = True,
    max_tokens: int | None = None,
    samples: list[tuple[str, str]] | None = None,
) -> Exported:
    """Write a sequence classifier as `components.rankers.onnx_cross_encoder.OnnxCrossEncoder` reads it.

    The weights of matrix products and embeddings become int8, one scale a channel; activations are quantised as they come (dynamic
    quantisation of ONNX Runtime), so no calibration data is needed. The file is run once on a few pairs and compared with PyTorch.

    :param model: transformers' `AutoModelForSequenceClassification`, or a `CrossEncoder`'s `.model`; it is left in evaluation mode.
    :param tokenizer: its fast tokenizer.
    :param folder: made where it is missing; files of these names are written anew.
    :param labels: names in the order of the logits, for `id2label`; None: as the model has them.
    :param int8: False keeps 32 bits.
    :param max_tokens: longest pair that it is to read, as `model_max_length`; None: as the tokenizer says.
    :param samples: pairs of texts for the comparison.
    :raises ValueError: labels of another number than the model's, or a tokenizer without a `tokenizers` backend.

    ```python
    encoder = CrossEncoder("out/checkpoint")
    export_onnx(encoder.model, encoder.tokenizer, Path("models/my-ranker"))
    ```
    """
    if labels is not None:
        if len(labels) != model.config.num_labels:
            raise ValueError(f"{len(labels)} labels for a model of {model.config.num_labels}; accepted: a name for each")
        model.config.id2label = dict(enumerate(labels))
        model.config.label2id = {label: i for i, label in enumerate(labels)}
    if getattr(tokenizer, "backend_tokenizer", None) is None:
        raise ValueError(f"{type(tokenizer).__name__} is a slow tokenizer; accepted: a fast one, which can be written as tokenizer.json")
    folder.mkdir(parents=True, exist_ok=True)
    pairs = samples or list(_SAMPLES)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        full, small = Path(temporary) / "full.onnx", Path(temporary) / "int8.onnx"
        expected = _written(model, tokenizer, full, pairs)
        if int8:
            _quantised(full, small)
        shutil.move(small if int8 else full, folder / INT8_FILE)
    (folder / "config.json").write_text(json.dumps(_config(model), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    _write_tokenizer(tokenizer, folder, max_tokens)
    return Exported(folder, (folder / INT8_FILE).stat().st_size / 1e6, _difference(folder, pairs, expected))


def _written(model: Any, tokenizer: Any, path: Path, pairs: list[tuple[str, str]]) -> np.ndarray:
    """Write 32 bits, and give PyTorch's logits of the pairs."""
    import torch

    model.eval()
    model.cpu()
    if hasattr(model, "set_attn_implementation"):
        model.set_attn_implementation("eager")  # what the tracer can follow
    first, second = (list(texts) for texts in zip(*pairs, strict=True))
    encoded = dict(tokenizer(first, second, padding=True, return_tensors="pt"))
    names = [name for name in ("input_ids", "attention_mask", "token_type_ids") if name in encoded]

    class Logits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.classifier = model

        def forward(self, *values: Any) -> Any:
            return self.classifier(**dict(zip(names, values, strict=True))).logits

    values = tuple(encoded[name] for name in names)
    axes = {0: "pairs", 1: "tokens"}
    with torch.inference_mode():
        expected = model(**{name: encoded[name] for name in names}).logits.numpy()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the tracer; what is written is compared with PyTorch
        torch.onnx.export(
            Logits().eval(),  # in the mode it came in, the exporter leaves it
            values,
            str(path),
            input_names=names,
            output_names=["logits"],
            dynamic_axes={**dict.fromkeys(names, axes), "logits": {0: "pairs"}},
            opset_version=OPSET,
            dynamo=False,  # the other exporter needs onnxscript
        )
    return expected


def _quantised(full: Path, small: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    prepared = full.with_name("prepared.onnx")
    quant_pre_process(str(full), str(prepared), skip_symbolic_shape=True)
    quantize_dynamic(str(prepared), str(small), weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)


def _config(model: Any) -> dict[str, Any]:
    config = model.config.to_dict()
    kept = {key: value for key, value in config.items() if not key.startswith("_") and value is not None}
    return {**kept, "architectures": [type(model).__name__], "id2label": {str(i): label for i, label in model.config.id2label.items()}}


def _write_tokenizer(tokenizer: Any, folder: Path, max_tokens: int | None) -> None:
    tokenizer.save_pretrained(str(folder))
    if max_tokens is not None:
        file = folder / "tokenizer_config.json"
        file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), "model_max_length": max_tokens}, indent=2) + "\n", encoding="utf-8")


def _difference(folder: Path, pairs: list[tuple[str, str]], expected: np.ndarray) -> float:
    from components.rankers.onnx_cross_encoder import OnnxCrossEncoder

    return float(np.abs(OnnxCrossEncoder(folder, INT8_FILE).logits(pairs) - expected).max())

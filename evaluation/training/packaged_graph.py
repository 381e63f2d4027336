"""Writes the ONNX graph of the packaged embedding model: `python -m evaluation.training.packaged_graph`. It needs the package `onnx`.

The graph has 20 kB and no weights: each is named by its place in the `model.safetensors` of the package, where ONNX Runtime reads it. It is made
of ONNX Runtime's fused operators (embedding with layer norm, attention, layer norm with residual, GELU with bias) instead of traced from torch.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from components.embedders.packaged_encoder import CHECKS, CHECKS_FILE, GRAPH_FILE, WEIGHTS_FILE, graph_folder, read_header
from components.embedders.sentence_transformer_encoder import packaged_folder

OPSET, IR = 17, 8
FUSED = "com.microsoft"


def bert_graph(config: dict[str, Any], header: dict[str, Any], start: int) -> bytes:
    """A BERT encoder whose outputs are the vectors of its tokens and their sum over each text, padding left out.

    Devlin et al., "BERT", 2019. Inputs `input_ids`, `types` and `mask` are int32 [texts, tokens]; outputs are `tokens`
    [texts, tokens, size] and `sums` [texts, size].

    :param config: of transformers: sizes, heads and `layer_norm_eps`; the activation must be `gelu`.
    :param header: of the safetensors file: name to dtype, shape and offsets.
    :param start: of the weights in that file, in bytes.
    :raises ValueError: another activation or kind of position.
    """
    from onnx import TensorProto, helper

    if config["hidden_act"] != "gelu" or config.get("position_embedding_type", "absolute") != "absolute":
        raise ValueError("accepted: a BERT with gelu and absolute positions")
    nodes, weights = [], []
    eps = config["layer_norm_eps"]

    def weight(name: str) -> str:
        first, last = header[name]["data_offsets"]
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=header[name]["shape"], data_location=TensorProto.EXTERNAL)
        for key, value in (("location", WEIGHTS_FILE), ("offset", str(start + first)), ("length", str(last - first))):
            tensor.external_data.add(key=key, value=value)
        weights.append(tensor)
        return name

    def node(kind: str, inputs: list[str], output: str, domain: str = FUSED, **given: Any) -> str:
        nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **given))
        return output

    def product(value: str, layer: str, output: str) -> str:
        return node("FusedMatMul", [value, weight(f"{layer}.weight")], output, transB=1)

    def projected(value: str, layer: str, output: str) -> str:
        return node("Add", [product(value, layer, f"{output}.product"), weight(f"{layer}.bias")], output, "")

    def normed(value: str, skipped: str, layer: str, norm: str, output: str) -> str:
        inputs = [value, skipped, weight(f"{norm}.weight"), weight(f"{norm}.bias"), weight(f"{layer}.bias")]
        return node("SkipLayerNormalization", inputs, output, epsilon=eps)

    tables = [f"embeddings.{kind}_embeddings.weight" for kind in ("word", "position", "token_type")]
    norm = ["embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias"]
    value = "embedded"
    embedding = ["input_ids", "types", *(weight(name) for name in (*tables, *norm))]
    nodes.append(helper.make_node("EmbedLayerNormalization", embedding, [value, ""], domain=FUSED, epsilon=eps))
    last = config["num_hidden_layers"] - 1
    for number in range(last + 1):
        layer = f"encoder.layer.{number}"
        parts = [projected(value, f"{layer}.attention.self.{part}", f"{part}.{number}") for part in ("query", "key", "value")]
        heads = node("MultiHeadAttention", [*parts, "", "mask"], f"attention.{number}", num_heads=config["num_attention_heads"])
        dense = f"{layer}.attention.output.dense"
        attended = normed(product(heads, dense, f"mixed.{number}"), value, dense, f"{layer}.attention.output.LayerNorm", f"attended.{number}")
        wide = product(attended, f"{layer}.intermediate.dense", f"wide.{number}")
        active = node("BiasGelu", [wide, weight(f"{layer}.intermediate.dense.bias")], f"active.{number}")
        dense = f"{layer}.output.dense"
        output = "tokens" if number == last else f"layer.{number}"
        value = normed(product(active, dense, f"narrow.{number}"), attended, dense, f"{layer}.output.LayerNorm", output)
    node("Cast", ["mask"], "mask.float", "", to=TensorProto.FLOAT)
    one = helper.make_tensor("one", TensorProto.INT64, [1], [1])
    node("Unsqueeze", ["mask.float", "one"], "mask.row", "")
    node("Squeeze", [node("MatMul", ["mask.row", "tokens"], "sums.row", ""), "one"], "sums", "")
    size = config["hidden_size"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT32, ["texts", "length"]) for name in ("input_ids", "types", "mask")]
    outputs = [
        helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["texts", "length", size]),
        helper.make_tensor_value_info("sums", TensorProto.FLOAT, ["texts", size]),
    ]
    graph = helper.make_graph(nodes, "bert", inputs, outputs, [*weights, one])
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR, producer_name="sakshya").SerializeToString(deterministic=True)


def write(target: Path) -> None:
    """Write the graph, and beside it what it belongs to: the hash of the weights' header and vectors that PyTorch gives."""
    from sentence_transformers import SentenceTransformer

    source = packaged_folder()
    header, start, digest = read_header(source / WEIGHTS_FILE)
    config = json.loads((source / "config.json").read_text("utf-8"))
    vectors = SentenceTransformer(str(source), device="cpu").encode(list(CHECKS), normalize_embeddings=True)
    target.mkdir(parents=True, exist_ok=True)
    (target / GRAPH_FILE).write_bytes(bert_graph(config, header, start))
    checks = {
        "header_sha256": digest,
        "vectors": {text: [round(float(value), 6) for value in row] for text, row in zip(CHECKS, vectors, strict=True)},
    }
    (target / CHECKS_FILE).write_text(json.dumps(checks, indent=None, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(graph_folder())

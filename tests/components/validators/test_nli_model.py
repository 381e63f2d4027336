"""Models of every kind on tiny checkpoints: which output means what is read from the config, in whatever order it stands there."""

import itertools
import json
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from components.answer import Verdict
from components.validators.nli_model import label_order, load_nli_model, verdict_probabilities

WORDS = "the pool opens at seven eight predict 0 1 a b c d e".split()  # noqa: SIM905
PAIRS = [("the pool opens at seven", "opens at eight"), ("a", "b"), ("the pool " * 40, "opens")]
NLI = ("entailment", "contradiction", "neutral")
VERDICTS = {"entailment": 0, "contradiction": 1, "neutral": 2, "supported": 0, "unsupported": 2}


def tokenizer(folder: Path, pair: bool = True, types: bool = False):
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    specials = ["<pad>", "</s>", "<s>", "<unk>"]
    vocabulary = {word: i for i, word in enumerate([*specials, *WORDS, ":", "predict:"])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    ids = [("<s>", 2), ("</s>", 1)]
    if pair:
        made.post_processor = processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> $B:1 </s>:1", special_tokens=ids)
    roles = {"pad_token": "<pad>", "eos_token": "</s>", "bos_token": "<s>", "sep_token": "</s>", "cls_token": "<s>", "unk_token": "<unk>"}
    inputs = ["input_ids", "attention_mask", *(["token_type_ids"] if types else [])]
    fast = PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=48, model_input_names=inputs, **roles)
    fast.save_pretrained(folder)
    return fast


def classifier(folder: Path, kind: str, names: list[str], winner: str | None = None) -> Path:
    """A tiny model of a kind whose output `winner` always wins; without one its weights are random."""
    import torch
    import transformers as t

    folder.mkdir(parents=True)
    size = len(tokenizer(folder, types=kind == "bert"))
    common = {
        "vocab_size": size,
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
        "num_labels": len(names),
    }
    common |= {"max_position_embeddings": 64, "pad_token_id": 0, "initializer_range": 0.8}
    config, model = {
        "bert": (t.BertConfig, t.BertForSequenceClassification),
        "deberta": (t.DebertaV2Config, t.DebertaV2ForSequenceClassification),
        "roberta": (t.RobertaConfig, t.RobertaForSequenceClassification),
    }[kind]
    more = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "type_vocab_size": 0} if kind == "deberta" else {}
    torch.manual_seed(3)
    made = model(config(**common, **more, id2label=dict(enumerate(names)), label2id={name: i for i, name in enumerate(names)}))
    if winner is not None:
        last = made.classifier.out_proj if kind == "roberta" else made.classifier
        last.weight.data.zero_()
        last.bias.data = torch.tensor([5.0 if name == winner else 0.0 for name in names])
    made.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("names", [list(names) for names in itertools.permutations(NLI)])
def test_order_of_labels_is_read(names):
    order = label_order({"id2label": {str(i): name.upper() for i, name in enumerate(names)}})
    for winner in NLI:
        row = verdict_probabilities([[9.0 if name == winner else 0.0 for name in names]], order)[0]
        assert int(row.argmax()) == VERDICTS[winner]
        assert row.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("kind", "names", "winner"),
    [
        ("bert", ["neutral", "entailment", "contradiction"], "entailment"),
        ("bert", ["contradiction", "entailment", "neutral"], "contradiction"),
        ("deberta", ["contradiction", "neutral", "entailment"], "entailment"),
        ("deberta", ["entailment", "neutral", "contradiction"], "neutral"),
        ("roberta", ["unsupported", "supported"], "supported"),
    ],
)
def test_checkpoints_with_shuffled_labels(tmp_path, kind, names, winner):
    model = load_nli_model(str(classifier(tmp_path / "m", kind, names, winner)))
    rows = model.probabilities(PAIRS, batch_size=2)
    assert rows.shape == (3, 3)
    assert rows.sum(axis=1) == pytest.approx(1, abs=1e-6)
    assert set(rows.argmax(axis=1)) == {VERDICTS[winner]}
    assert model.tells_contradiction == ("contradiction" in names)


def test_one_logit_is_a_sigmoid(tmp_path):
    rows = load_nli_model(str(classifier(tmp_path / "hhem", "bert", ["LABEL_0"]))).probabilities(PAIRS)
    assert (rows[:, 1] == 0).all()
    assert rows[:, 0] + rows[:, 2] == pytest.approx(1)
    assert len(set(rows[:, 0].round(6))) == 3


def test_minicheck_names_no_label_and_joins_its_texts(tmp_path):
    folder = classifier(tmp_path / "MiniCheck-RoBERTa", "roberta", ["LABEL_0", "LABEL_1"], "LABEL_1")
    assert (load_nli_model(str(folder)).probabilities(PAIRS[:2])[:, 0] > 0.9).all()


def test_minicheck_flan_t5_reads_its_two_tokens(tmp_path):
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    folder = tmp_path / "MiniCheck-Flan-T5"
    folder.mkdir()
    fast = tokenizer(folder, pair=False)
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=len(fast), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, decoder_start_token_id=0, tie_word_embeddings=False
    )
    made = T5ForConditionalGeneration(config).eval()
    made.save_pretrained(folder)
    rows = load_nli_model(str(folder)).probabilities([("the pool", "opens")])
    encoded = fast("predict: the pool</s>opens", return_tensors="pt")["input_ids"]
    with torch.no_grad():
        logits = made(input_ids=encoded, decoder_input_ids=torch.zeros((1, 1), dtype=torch.long)).logits[0, 0]
    zero, one = (fast.convert_tokens_to_ids(digit) for digit in "01")
    assert rows[0, 0] == pytest.approx(float(torch.softmax(logits[[zero, one]], 0)[1]), abs=1e-5)


@pytest.mark.parametrize(
    ("config", "given", "named"),
    [
        ({"id2label": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}}, "", "LABEL_0, LABEL_1, LABEL_2"),
        ({"id2label": {"0": "good", "1": "bad"}}, "", "good, bad"),
        ({}, "", "none"),
        ({"id2label": {"0": "entailment", "1": "entailment"}}, "", "entailment, entailment"),
        ({"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}, "supported", "supported"),
    ],
)
def test_labels_that_cannot_be_read_are_refused_in_one_line(config, given, named):
    with pytest.raises(ValueError, match="its labels cannot be read") as error:
        label_order(config, given)
    assert named in str(error.value)
    assert "\n" not in str(error.value)


def test_labels_of_the_settings():
    assert label_order({"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}, "unsupported supported") == [Verdict.UNSUPPORTED, Verdict.SUPPORTED]


def test_code_of_a_model_is_not_run(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert", "auto_map": {"AutoModel": "evil.Model"}, "id2label": {"0": "x"}}))
    with pytest.raises(ValueError, match="code of its own"):
        load_nli_model(str(tmp_path))


@pytest.mark.parametrize("name", ["./nowhere", "/nowhere/at/all"])
def test_no_such_folder(name):
    with pytest.raises(ValueError, match="no such folder"):
        load_nli_model(name)


def test_onnx_folder_without_torch_weights(tmp_path):
    pytest.importorskip("onnx")
    import torch
    from transformers import BertForSequenceClassification

    names = ["unsupported", "supported", "contradicted"]
    folder = classifier(tmp_path / "m", "bert", names)
    fitted = load_nli_model(str(folder)).probabilities(PAIRS[:2])
    model = BertForSequenceClassification.from_pretrained(folder, attn_implementation="eager").eval()
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "pairs", 1: "tokens"} for name in inputs} | {"logits": {0: "pairs"}}
    example = tuple(torch.ones((2, 8), dtype=torch.long) for _ in inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, example, str(folder / "model.onnx"), input_names=inputs, output_names=["logits"], dynamic_axes=axes, dynamo=False)
    for weights in folder.glob("*.safetensors"):
        weights.unlink()
    assert load_nli_model(str(folder)).probabilities(PAIRS[:2]) == pytest.approx(fitted, abs=1e-4)


def test_what_the_time_does_not_allow_is_not_a_number(tmp_path):
    model = load_nli_model(str(classifier(tmp_path / "m", "bert", ["neutral", "entailment", "contradiction"])))
    rows = model.probabilities(PAIRS, batch_size=1, deadline=time.monotonic() - 1)
    assert np.isnan(rows).all(axis=1).sum() == 2

"""RAG-Sequence and RAG-Token over a tiny causal model with random weights."""

import math
from itertools import product

import pytest
from haystack import Document, Pipeline
from haystack.dataclasses import ChatMessage

from components.generators.rag_generator import RagGenerator
from components.generators.rag_marginals import log_prior, log_sequence_marginal, log_token_marginal

VOCABULARY = ["<end>", "fees", "are", "five", "euros"]
EVIDENCE = [
    Document(content="fees are five", score=0.785, meta={"label": 1}),
    Document(content="euros five", score=0.970, meta={"label": 2}),
    Document(content="are", score=0.142, meta={"label": 3}),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("causal")
    words = Tokenizer(models.WordLevel({word: i for i, word in enumerate(VOCABULARY)}, unk_token="are"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<end>", unk_token="are").save_pretrained(path)
    config = GPT2Config(vocab_size=5, n_positions=64, n_embd=16, n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0, initializer_range=1.0)
    GPT2LMHeadModel(config).save_pretrained(path)
    return str(path)


def messages(evidence=EVIDENCE):
    return [ChatMessage.from_user("x", meta={"question": "fees", "evidence": [d.to_dict(flatten=False) for d in evidence]})]


@pytest.mark.parametrize("marginal", [log_sequence_marginal, log_token_marginal])
def test_marginals_over_all_continuations_sum_to_one(folder, marginal):
    generator = RagGenerator(folder)
    generator.warm_up()
    prompts = [generator._prompt("fees", document) for document in EVIDENCE]
    texts = [list(text) for text in product(range(len(VOCABULARY)), repeat=3)]
    priors = log_prior([document.score for document in EVIDENCE])
    values = [math.exp(marginal(priors, logs)) for logs in generator.token_logs(prompts, texts)]
    assert math.fsum(values) == pytest.approx(1, abs=1e-6) and max(values) < 0.999


@pytest.mark.parametrize(("mode", "decoding"), [("sequence", "thorough"), ("sequence", "fast"), ("token", "thorough")])
def test_a_reply_names_its_passage(folder, mode, decoding):
    out = RagGenerator(folder, mode, decoding, beams=2, max_new_tokens=3).run(messages())
    (reply,) = out["replies"]
    assert out["degraded"] == [] and reply.meta["log_probability"] < 0 and reply.meta["mode"] == mode
    assert math.fsum(reply.meta["posteriors"].values()) == pytest.approx(1)
    best = max(reply.meta["posteriors"], key=reply.meta["posteriors"].get)
    assert reply.text.endswith(f" [{best}]") or reply.text == "NOT_IN_EVIDENCE"


def test_thorough_decoding_finds_no_less_than_fast(folder):
    found = {d: RagGenerator(folder, "sequence", d, beams=2, max_new_tokens=3).run(messages())["replies"][0].meta for d in ("thorough", "fast")}
    assert found["thorough"]["log_probability"] >= found["fast"]["log_probability"] - 1e-9


def test_without_model_without_evidence_and_with_a_broken_model(folder, tmp_path):
    assert RagGenerator().run(messages())["skipped"] == "no model"
    assert RagGenerator(folder).run(messages([]))["replies"][0].text == "NOT_IN_EVIDENCE"
    out = RagGenerator(str(tmp_path)).run(messages())
    assert out["replies"] == [] and out["degraded"][0]["stage"] == "generator"


def test_yaml_and_validation(folder):
    pipeline = Pipeline()
    pipeline.add_component("generator", RagGenerator(folder, "token", beams=1))
    assert Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*"]).get_component("generator").mode == "token"
    for wrong in ({"mode": "x"}, {"decoding": "x"}, {"beams": 0}, {"max_new_tokens": 0}, {"top_k": 0}):
        with pytest.raises(ValueError, match="accepted"):
            RagGenerator(folder, **wrong)

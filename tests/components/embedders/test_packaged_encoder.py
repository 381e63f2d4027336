import json
import logging
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.embedders import packaged_encoder as module
from components.embedders.embedding_encoder import EmbeddingError
from components.embedders.embedding_model import embedding_model, packaged_encoder
from components.embedders.packaged_encoder import PackagedEncoder, cores, graph_folder, read_header, token_batches
from components.embedders.sentence_transformer_encoder import SentenceTransformerEncoder, packaged_folder

TEXTS = ["Theft", "", "  Twenty days of leave.\n", "चोरी", "A long text. " * 150, "\ud800 half a pair", "zero\0byte"]


def encoded(encoder, texts, is_query=False):
    return encoder.encode(texts, prefix="", batch_size=3, progress_bar=False, is_query=is_query)


@pytest.fixture(scope="module")
def torch_rows():
    """What sentence-transformers gives for the texts that it takes."""
    return encoded(SentenceTransformerEncoder("packaged", "cpu", "torch", "model"), TEXTS[:5])


def test_vectors_are_those_of_torch(torch_rows):
    encoder = PackagedEncoder("model")
    assert encoder.session is not None
    rows = encoded(encoder, TEXTS)
    np.testing.assert_allclose(rows[:5], torch_rows, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)  # what torch's tokenizer refuses has a vector too
    np.testing.assert_allclose(encoded(encoder, TEXTS, is_query=True), rows, atol=1e-5)
    assert encoder._loaded is None


def test_token_vectors_are_those_of_torch_with_the_graph_and_without():
    fast, slow = PackagedEncoder("model"), PackagedEncoder("model")
    slow._failed = True
    ids = [one.ids for one in fast.tokenizer.encode_batch(["Twenty days of leave.", "Theft"])]
    (vectors, tokens), (expected, expected_tokens) = fast.read(ids), slow.read(ids)
    np.testing.assert_allclose(vectors, expected, atol=1e-5)
    for row, one in enumerate(ids):
        np.testing.assert_allclose(tokens[row, : len(one)], expected_tokens[row, : len(one)], atol=1e-4)
    np.testing.assert_allclose(vectors, encoded(fast, ["Twenty days of leave.", "Theft"]), atol=1e-5)


def test_neither_torch_nor_sentence_transformers_is_imported():
    code = (
        "import sys; sys.modules['torch'] = sys.modules['transformers'] = sys.modules['sentence_transformers'] = None; "
        "from components.embedders.embedding_model import embedding_model as e; m = e('packaged'); "
        "print(m.encode_queries(['theft']).shape, m.fingerprint()['dimension'], m.count_tokens('Twenty days.'), m.max_passage_tokens)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(1, 384) 384 3 254"


@pytest.mark.parametrize("fault", ["no graph", "not a graph", "other weights", "other vectors"])
def test_where_the_graph_fails_torch_takes_over_and_the_log_says_so_once(fault, tmp_path, monkeypatch, caplog, torch_rows):
    checks = json.loads((graph_folder() / "checks.json").read_text("utf-8"))
    if fault == "other weights":
        checks["header_sha256"] = "0"
    if fault == "other vectors":
        checks["vectors"]["Theft"][0] += 0.01
    (tmp_path / "checks.json").write_text(json.dumps(checks), "utf-8")
    graph = b"no graph" if fault == "not a graph" else (graph_folder() / "graph.onnx").read_bytes()
    if fault != "no graph":
        (tmp_path / "graph.onnx").write_bytes(graph)
    monkeypatch.setattr(module, "graph_folder", lambda: tmp_path)
    encoder = PackagedEncoder("model")
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            np.testing.assert_allclose(encoded(encoder, TEXTS[:5]), torch_rows, atol=1e-6)
    (record,) = [one for one in caplog.records if one.name == module.__name__]
    assert "torch does" in record.message
    assert "\n" not in record.message


def test_the_stored_checks_are_those_of_the_package():
    checks = json.loads((graph_folder() / "checks.json").read_text("utf-8"))
    assert checks["header_sha256"] == read_header(packaged_folder() / "model.safetensors")[2]
    assert tuple(checks["vectors"]) == module.CHECKS


def test_the_graph_is_what_its_command_writes():
    pytest.importorskip("onnx")
    from evaluation.training.packaged_graph import bert_graph

    header, start, _ = read_header(packaged_folder() / "model.safetensors")
    config = json.loads((packaged_folder() / "config.json").read_text("utf-8"))
    assert bert_graph(config, header, start) == (graph_folder() / "graph.onnx").read_bytes()
    with pytest.raises(ValueError, match="accepted: a BERT"):
        bert_graph({**config, "hidden_act": "relu"}, header, start)


def test_a_batch_that_the_runtime_refuses_is_one_line():
    with pytest.raises(EmbeddingError, match="1 texts of up to 600 tokens") as caught:
        PackagedEncoder("model").read([[101] * 600])  # positions end at 512
    assert "\n" not in str(caught.value)


def test_many_threads_load_it_once_and_embed_at_once():
    encoder = PackagedEncoder("model")
    texts = [f"Section {i} of the Act. " * (1 + i % 7) for i in range(24)]
    with ThreadPoolExecutor(6) as pool:
        sessions = set(map(id, pool.map(lambda _: encoder.session, range(6))))
        parts = list(pool.map(lambda i: encoded(encoder, texts[i::6]), range(6)))
    assert len(sessions) == 1
    for i, part in enumerate(parts):
        np.testing.assert_allclose(part, encoded(encoder, texts)[i::6], atol=1e-5)
    assert threading.active_count() < 20


def test_everyone_shares_it(monkeypatch):
    assert embedding_model("packaged")._passages is packaged_encoder()


@given(st.lists(st.integers(1, 256), max_size=60), st.integers(1, 9), st.integers(1, 600))
def test_batches_hold_every_text_once_and_keep_their_bounds(lengths, most_texts, most_tokens):
    batches = list(token_batches(lengths, most_texts, most_tokens))
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) <= most_texts
        assert len(batch) == 1 or len(batch) * max(lengths[place] for place in batch) <= most_tokens


def test_threads_are_those_that_the_environment_allows(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert cores() == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    assert 1 <= cores() <= (os.cpu_count() or 1)


def test_the_folder_has_no_weights():
    assert sum(file.stat().st_size for file in Path(graph_folder()).iterdir()) < 60_000

"""Against a real HTTP server on this machine that speaks the OpenAI embeddings protocol."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from haystack import Document

from components.embedders import endpoint_encoder
from components.embedders.dense_document_embedder import DenseDocumentEmbedder
from components.embedders.dense_text_embedder import DenseTextEmbedder
from components.embedders.embedding_encoder import EmbeddingError
from components.embedders.embedding_model import embedding_model
from components.embedders.endpoint_encoder import estimated_tokens
from config.settings import settings


def vector(text):
    return [float(len(text)), float(sum(map(ord, text)) % 97), 1.0]


def right(request):
    data = [{"object": "embedding", "index": i, "embedding": vector(text)} for i, text in enumerate(request["input"])]
    return 200, {"object": "list", "model": request["model"], "data": data[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}}


@pytest.fixture
def endpoint(monkeypatch):
    """The requests that came, and the function that answers them."""
    state = {"answer": right, "requests": [], "keys": []}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state["requests"].append(request)
            state["keys"].append(self.headers["Authorization"])
            status, body = state["answer"](request)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name, value in {"url": f"http://127.0.0.1:{server.server_port}/v1", "model": "remote-model", "api_key": "k-123", "batch_size": "2"}.items():
        monkeypatch.setenv(f"SAKSHYA_EMBEDDING_{name.upper()}", value)
    settings.cache_clear()
    yield state
    server.shutdown()
    server.server_close()
    settings.cache_clear()


def test_batches_in_order_with_key_and_unit_vectors(endpoint):
    texts = ["a", "bb", "ccc", "dddd", "eeeee"]
    vectors = embedding_model().encode_passages(texts)
    expected = np.array([vector(text) for text in texts])
    np.testing.assert_allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True), rtol=1e-5)
    assert [request["input"] for request in endpoint["requests"]] == [texts[:2], texts[2:4], texts[4:]]
    assert {request["model"] for request in endpoint["requests"]} == {"remote-model"}
    assert set(endpoint["keys"]) == {"Bearer k-123"}


def test_both_embedders_and_one_fingerprint(endpoint, monkeypatch):
    monkeypatch.setenv("SAKSHYA_EMBEDDING_QUERY_PREFIX", "query: ")
    settings.cache_clear()
    documents = DenseDocumentEmbedder().run([Document(content="theft")])
    question = DenseTextEmbedder().run("theft")
    assert documents["fingerprint"] == question["fingerprint"]
    assert question["fingerprint"]["model"] == "remote-model"
    assert question["fingerprint"]["dimension"] == 3
    assert ["query: theft"] in [request["input"] for request in endpoint["requests"]]
    assert ["theft"] in [request["input"] for request in endpoint["requests"]]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda request: (401, {"error": {"message": "wrong\nkey"}}), "HTTP 401"),
        (lambda request: (404, b"no such page"), "HTTP 404"),
        (lambda request: (200, {"object": "list", "data": []}), "0 vectors for 1 texts"),
        (lambda request: (200, {"object": "list", "data": [{"index": 0, "embedding": [0.0, 0.0]}]}), "only zeros"),
        (lambda request: (200, {"object": "list", "data": [{"index": 0, "embedding": []}]}), "different lengths"),
        (lambda request: (200, b"<html>hello</html>"), "Accepted"),
    ],
)
def test_a_bad_reply_is_one_line_and_never_a_vector(endpoint, answer, reason):
    endpoint["answer"] = answer
    with pytest.raises(EmbeddingError, match=reason) as caught:
        embedding_model().encode_queries(["theft"])
    assert "\n" not in str(caught.value)
    assert "k-123" not in str(caught.value)
    result = DenseTextEmbedder().run("theft")
    assert result["embedding"] == []
    assert [degraded["stage"] for degraded in result["degraded"]] == ["dense_embedder"]


def test_vectors_of_another_length_than_before_are_refused(endpoint):
    model = embedding_model()
    model.encode_passages(["theft"])
    endpoint["answer"] = lambda request: (200, {"object": "list", "data": [{"index": 0, "embedding": [1.0, 2.0]}]})
    with pytest.raises(EmbeddingError, match=r"different lengths: \[2, 3\]"):
        model.encode_queries(["theft"])


def test_a_passing_fault_is_retried(endpoint):
    answers = iter([(500, {"error": {"message": "busy"}})])
    endpoint["answer"] = lambda request: next(answers, None) or right(request)
    assert embedding_model().encode_queries(["theft"]).shape == (1, 3)


def test_a_late_endpoint_is_given_up(endpoint, monkeypatch):
    monkeypatch.setattr(endpoint_encoder, "QUERY_TIMEOUT_S", 0.2)
    endpoint["answer"] = lambda request: time.sleep(1) or right(request)
    with pytest.raises(EmbeddingError, match=r"no reply within 0\.2 s"):
        embedding_model().encode_queries(["theft"])


def test_an_endpoint_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("SAKSHYA_EMBEDDING_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SAKSHYA_EMBEDDING_MODEL", "remote-model")
    settings.cache_clear()
    with pytest.raises(EmbeddingError, match=r"SAKSHYA_EMBEDDING_URL=http://127\.0\.0\.1:9/v1.*cannot be reached"):
        DenseDocumentEmbedder().run([Document(content="theft")])


def test_the_packaged_model_is_not_asked_of_an_endpoint(endpoint, monkeypatch):
    monkeypatch.setenv("SAKSHYA_EMBEDDING_MODEL", "packaged")
    settings.cache_clear()
    with pytest.raises(EmbeddingError, match="SAKSHYA_EMBEDDING_MODEL=packaged"):
        embedding_model()


def test_tokens_are_estimated_from_above(endpoint):
    model = embedding_model()
    assert (model.tokenizer, model.max_seq_length, model.max_passage_tokens) == (None, None, None)
    packaged = embedding_model("packaged")  # a model named in the graph is not the endpoint's
    for text in (
        "Whoever commits theft shall be punished with imprisonment of either description.",
        "Electroencephalographically 2024-07-01, XR-17B (Rs. 1,00,000)",
        "dwelling-house; misappropriation; counterfeiting",
    ):
        assert model.count_tokens(text) == estimated_tokens(text) >= packaged.count_tokens(text)
    assert estimated_tokens("") == 0

"""Settings decide what answers; a chat endpoint that fails in any way falls back and says so, without key or credentials."""

import asyncio
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from haystack import Document, Pipeline
from haystack.dataclasses import ChatMessage

from components.builders.evidence_prompt_builder import EvidencePromptBuilder
from components.generators.answer_generator import AnswerGenerator
from config.settings import settings

MODEL = "tiny-chat"
KEY = "sk-very-secret"
EVIDENCE = [Document(content="Refunds take five business days.", meta={"label": 1, "title": "Refunds", "char_start": 4})]
EXTRACTED = "Refunds take five business days. [1]"


def completion(text):
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


class Wire(BaseHTTPRequestHandler):
    """Speaks the chat-completions protocol, as `server.mode` says."""

    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.seen.append({"path": self.path, "body": body, "authorization": self.headers.get("Authorization")})
        mode = server.mode
        if mode == "hang up":
            self.connection.close()
            return
        if mode == "slow":
            server.release.wait(5)
        if mode == "stream" and body.get("stream"):
            self.reply(200, "text/event-stream", self.events())
        elif mode.startswith("status "):
            self.reply(int(mode.split()[1]), "application/json", json.dumps({"error": {"message": f"bad key {KEY}"}}))
        elif mode in {"good", "slow", "stream"}:
            self.reply(200, "application/json", json.dumps(completion("Five business days [1].")))
        elif mode == "empty":
            self.reply(200, "application/json", json.dumps(completion("  \n")))
        elif mode == "null":
            self.reply(200, "application/json", json.dumps(completion(None)))
        elif mode == "no choices":
            self.reply(200, "application/json", json.dumps(completion("") | {"choices": []}))
        elif mode == "other json":
            self.reply(200, "application/json", '{"hello": [1, 2]}')
        elif mode == "html":
            self.reply(200, "text/html", "<html>It works!</html>")
        else:
            self.reply(200, "application/json", "}{ not json")

    @staticmethod
    def events():
        pieces = [{"role": "assistant", "content": "Five business"}, {"content": " days [1]."}]
        chunks = [{"index": 0, "delta": d, "finish_reason": None} for d in pieces] + [{"index": 0, "delta": {}, "finish_reason": "stop"}]
        base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
        return "".join(f"data: {json.dumps(base | {'choices': [c]})}\n\n" for c in chunks) + "data: [DONE]\n\n"

    def reply(self, status, kind, text):
        data = text.encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client gave up first

    def log_message(self, *_):
        pass


@pytest.fixture
def wire(monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Wire)
    server.mode, server.seen, server.release = "good", [], threading.Event()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("SAKSHYA_CHAT_URL", f"http://asha:hunter2@127.0.0.1:{server.server_port}/v1")
    monkeypatch.setenv("SAKSHYA_CHAT_MODEL", MODEL)
    settings.cache_clear()
    yield server
    server.release.set()
    server.shutdown()
    server.server_close()
    thread.join()


def messages(evidence=EVIDENCE):
    return EvidencePromptBuilder().run("How long do refunds take?", evidence)["messages"]


def ask(generator, asynchronous, **more):
    if asynchronous:
        return asyncio.run(generator.run_async(messages(), **more))
    return generator.run(messages(), **more)


both = pytest.mark.parametrize("asynchronous", [False, True])


@both
def test_without_a_chat_model_the_evidence_answers(asynchronous):
    result = ask(AnswerGenerator(), asynchronous)
    assert (result["replies"][0].text, result["degraded"], result["model"]) == (EXTRACTED, [], "extractive")


@both
def test_a_chat_model_answers_and_needs_no_key(wire, asynchronous):
    result = ask(AnswerGenerator(generation_kwargs={"seed": 3, "temperature": 0.0}), asynchronous)
    assert (result["replies"][0].text, result["degraded"], result["model"]) == ("Five business days [1].", [], MODEL)
    assert result["replies"][0].meta["usage"]["prompt_tokens"] == 11
    sent = wire.seen[0]["body"]
    assert sent["model"] == MODEL and sent["temperature"] == 0 and sent["seed"] == 3 and sent["max_tokens"] == settings().chat_max_tokens
    assert [m["role"] for m in sent["messages"]] == ["system", "user"] and "Refunds take five" in sent["messages"][1]["content"]
    assert wire.seen[0]["path"] == "/v1/chat/completions"


@both
def test_the_key_of_the_settings_is_sent(wire, asynchronous, monkeypatch):
    monkeypatch.setenv("SAKSHYA_CHAT_API_KEY", KEY)
    monkeypatch.setenv("SAKSHYA_CHAT_URL", f"http://127.0.0.1:{wire.server_port}/v1")
    settings.cache_clear()
    ask(AnswerGenerator(), asynchronous)
    assert wire.seen[0]["authorization"] == f"Bearer {KEY}"


@both
@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("status 401", "HTTP 401"),
        ("status 429", "HTTP 429"),
        ("status 500", "HTTP 500"),
        ("hang up", "no connection"),
        ("slow", "no reply within 0.4 s"),
        ("empty", "empty reply"),
        ("null", "empty reply"),
        ("no choices", "empty reply"),
        ("other json", "unusable reply"),
        ("html", "unusable reply"),
        ("not json", "unusable reply"),
    ],
)
def test_any_failure_falls_back_and_says_so_in_one_line(wire, asynchronous, mode, says, monkeypatch):
    monkeypatch.setenv("SAKSHYA_CHAT_API_KEY", KEY)
    settings.cache_clear()
    wire.mode = mode
    generator = AnswerGenerator(timeout_s=0.4 if mode == "slow" else 5.0)
    generator.warm_up()
    start = time.monotonic()
    result = ask(generator, asynchronous)
    assert time.monotonic() - start < 4
    assert (result["replies"][0].text, result["model"]) == (EXTRACTED, "extractive")
    [entry] = result["degraded"]
    assert entry["stage"] == "generator" and says in entry["reason"] and MODEL in entry["reason"]
    assert "\n" not in entry["reason"] and not any(secret in entry["reason"] for secret in (KEY, "hunter2", "asha"))
    assert len(wire.seen) == 1  # no silent retry


@both
def test_without_fallback_there_is_no_reply(wire, asynchronous):
    wire.mode = "status 503"
    result = ask(AnswerGenerator(system_fallback=False), asynchronous)
    assert (result["replies"], result["model"]) == ([], "") and "HTTP 503" in result["degraded"][0]["reason"]


@both
def test_nobody_listens(monkeypatch, asynchronous):
    monkeypatch.setenv("SAKSHYA_CHAT_URL", "http://127.0.0.1:9/v1")
    settings.cache_clear()
    result = ask(AnswerGenerator(model=MODEL), asynchronous)
    assert result["replies"][0].text == EXTRACTED and "no connection" in result["degraded"][0]["reason"]


@both
def test_streaming_from_either(wire, asynchronous):
    wire.mode = "stream"
    pieces = []
    result = ask(AnswerGenerator(), asynchronous, streaming_callback=lambda chunk: pieces.append(chunk.content))
    assert "".join(pieces) == result["replies"][0].text == "Five business days [1]."
    wire.mode = "status 500"
    pieces.clear()
    ask(AnswerGenerator(), asynchronous, streaming_callback=lambda chunk: pieces.append(chunk.content))
    assert "".join(pieces) == EXTRACTED


def test_an_async_callback_is_awaited():
    pieces = []

    async def take(chunk):
        await asyncio.sleep(0)
        pieces.append(chunk.content)

    ask(AnswerGenerator(), True, streaming_callback=take)
    assert pieces == [EXTRACTED]


def test_one_instance_serves_several_event_loops(wire):
    generator = AnswerGenerator()
    for _ in range(3):
        assert ask(generator, True)["model"] == MODEL


def test_in_a_pipeline_and_back_from_yaml(wire):
    pipeline = Pipeline()
    pipeline.add_component("prompt_builder", EvidencePromptBuilder())
    pipeline.add_component("generator", AnswerGenerator(timeout_s=5))
    pipeline.connect("prompt_builder.messages", "generator.messages")
    text = pipeline.dumps()
    assert KEY not in text and "hunter2" not in text
    pipeline = Pipeline.loads(text)
    data = {"prompt_builder": {"question": "How long do refunds take?", "evidence": EVIDENCE}}
    assert pipeline.run(data)["generator"]["model"] == MODEL
    assert asyncio.run(pipeline.run_async(data))["generator"]["model"] == MODEL


def test_the_name_extractive_forbids_a_chat_model(wire):
    assert AnswerGenerator(model="extractive").run(messages())["model"] == "extractive" and wire.seen == []


@pytest.mark.parametrize("wrong", [{"model": " "}, {"timeout_s": 0}, {"timeout_s": -1.0}, {"max_tokens": 0}])
def test_wrong_parameters(wrong):
    with pytest.raises(ValueError, match=f"AnswerGenerator.{next(iter(wrong))}"):
        AnswerGenerator(**wrong)


def test_messages_without_evidence_in_meta_are_refused():
    with pytest.raises(ValueError, match="EvidencePromptBuilder"):
        AnswerGenerator().run([ChatMessage.from_user("When?")])

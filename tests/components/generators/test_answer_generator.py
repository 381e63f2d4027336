"""Settings decide what answers; a chat endpoint that fails in any way falls back and says so, without key or credentials."""

import asyncio
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from types import SimpleNamespace

import pytest
from haystack import Document, Pipeline
from haystack.dataclasses import ChatMessage

from components.builders.cited_answer_builder import CitedAnswerBuilder
from components.builders.evidence_prompt_builder import EvidencePromptBuilder
from components.deadline import within
from components.generators import chat_endpoint
from components.generators.answer_generator import RESTART, AnswerGenerator, whole_sentences
from components.generators.chat_endpoint import retry_after_s
from components.generators.spending import Spending
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
    """Speaks the chat-completions protocol, as `server.mode` says; modes with `;` between are those of one call after another, the last for all."""

    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.seen.append({"path": self.path, "body": body, "authorization": self.headers.get("Authorization"), "at": time.monotonic()})
        modes = server.by_model.get(body["model"], server.mode).split(";")
        number = sum(call["body"]["model"] == body["model"] for call in server.seen)
        mode = modes[min(number, len(modes)) - 1]
        if mode == "hang up":
            self.connection.close()
            return
        if mode == "slow":
            server.release.wait(5)
        if mode == "stream" and body.get("stream"):
            self.reply(200, "text/event-stream", self.events())
        elif mode == "broken stream":
            self.reply(200, "text/event-stream", self.events()[: -len("data: [DONE]") - 60] + "data: {not json\n\n")
        elif mode.startswith("status "):
            status, *headers = mode.removeprefix("status ").split(",")
            code = "insufficient_quota" if "quota" in headers else "other"
            after = {h.split()[0]: h.split()[1] for h in headers if h.startswith("Retry-After ")}
            self.reply(int(status), "application/json", json.dumps({"error": {"message": f"bad key {KEY}", "code": code}}), **after)
        elif mode in {"good", "slow", "stream"}:
            self.reply(200, "application/json", json.dumps(completion("Five business days [1].")))
        elif mode == "no usage":
            self.reply(200, "application/json", json.dumps({k: v for k, v in completion("Five business days [1].").items() if k != "usage"}))
        elif mode == "thinking":
            self.reply(200, "application/json", json.dumps(completion("<think>Hm. [9]</think>\n\nFive business days [1].")))
        elif mode == "cut":
            whole = completion("It takes five business days [1]. In the second week it")
            whole["choices"][0]["finish_reason"] = "length"
            self.reply(200, "application/json", json.dumps(whole))
        elif mode == "very long":
            self.reply(200, "application/json", json.dumps(completion("Five business days [1]. " * 100_000)))
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
        counted = base | {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}
        return "".join(f"data: {json.dumps(c)}\n\n" for c in [*(base | {"choices": [c]} for c in chunks), counted]) + "data: [DONE]\n\n"

    def reply(self, status, kind, text, **headers):
        data = text.encode()
        try:
            self.send_response(status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client gave up first

    def log_message(self, *_):
        pass


@pytest.fixture
def wire(monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Wire)
    server.mode, server.by_model, server.seen, server.release = "good", {}, [], threading.Event()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    monkeypatch.setenv("SAKSHYA_CHAT_URL", f"http://asha:hunter2@127.0.0.1:{server.server_port}/v1")
    monkeypatch.setenv("SAKSHYA_CHAT_MODEL", MODEL)
    monkeypatch.setattr(chat_endpoint, "FIRST_WAIT_S", 0.02)
    settings.cache_clear()
    yield server
    server.release.set()
    server.shutdown()
    server.server_close()
    thread.join()


def setting(monkeypatch, **values):
    for name, value in values.items():
        monkeypatch.setenv(f"SAKSHYA_CHAT_{name.upper()}", str(value))
    settings.cache_clear()


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
    generator = AnswerGenerator(timeout_s=0.4 if mode == "slow" else 5.0, retries=2)
    generator.warm_up()
    start = time.monotonic()
    result = ask(generator, asynchronous)
    assert time.monotonic() - start < 4
    assert (result["replies"][0].text, result["model"]) == (EXTRACTED, "extractive")
    [entry] = result["degraded"]
    assert entry["stage"] == "generator" and says in entry["reason"] and MODEL in entry["reason"]
    assert "\n" not in entry["reason"] and not any(secret in entry["reason"] for secret in (KEY, "hunter2", "asha"))
    assert len(wire.seen) == (3 if mode in {"status 429", "status 500", "hang up"} else 1)  # what may pass is tried again, and only that
    assert ("(3 attempts)" in entry["reason"]) == (len(wire.seen) == 3)


@both
def test_without_fallback_there_is_no_reply(wire, asynchronous):
    wire.mode = "status 503"
    result = ask(AnswerGenerator(system_fallback=False, retries=0), asynchronous)
    assert (result["replies"], result["model"]) == ([], "") and "HTTP 503" in result["degraded"][0]["reason"]


@both
def test_nobody_listens(monkeypatch, asynchronous):
    monkeypatch.setenv("SAKSHYA_CHAT_URL", "http://127.0.0.1:9/v1")
    settings.cache_clear()
    result = ask(AnswerGenerator(model=MODEL, retries=0), asynchronous)
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


@pytest.mark.parametrize("wrong", [{"model": " "}, {"timeout_s": 0}, {"timeout_s": -1.0}, {"max_tokens": 0}, {"retries": -1}])
def test_wrong_parameters(wrong):
    with pytest.raises(ValueError, match=f"AnswerGenerator.{next(iter(wrong))}"):
        AnswerGenerator(**wrong)


def test_messages_without_evidence_in_meta_are_refused():
    with pytest.raises(ValueError, match="EvidencePromptBuilder"):
        AnswerGenerator().run([ChatMessage.from_user("When?")])


@both
def test_a_failure_that_passes_is_retried(wire, asynchronous):
    wire.mode = "status 429;hang up;good"
    result = ask(AnswerGenerator(), asynchronous)
    assert (result["model"], result["degraded"], len(wire.seen)) == (MODEL, [], 3)


def test_the_endpoint_says_when_to_come_back(wire):
    wire.mode = "status 429,Retry-After 0.3;good"
    assert ask(AnswerGenerator(), True)["model"] == MODEL
    assert 0.3 <= wire.seen[1]["at"] - wire.seen[0]["at"] < 2


def test_waits_grow_and_differ(wire, monkeypatch):
    monkeypatch.setattr(chat_endpoint, "FIRST_WAIT_S", 0.1)
    wire.mode = "status 503"
    ask(AnswerGenerator(retries=3), True)
    waits = [b["at"] - a["at"] for a, b in pairwise(wire.seen)]
    assert len(waits) == 3 and waits[0] >= 0.1 and waits[1] >= 0.2 and waits[2] >= 0.4
    assert sum(waits) < 4


def test_no_attempt_begins_after_the_time_is_up(wire):
    wire.mode = "status 429,Retry-After 30"
    start = time.monotonic()
    result = ask(AnswerGenerator(timeout_s=10), True)
    assert time.monotonic() - start < 8 and len(wire.seen) == 1 and result["model"] == "extractive"


def test_the_deadline_of_the_question_is_kept(wire):
    wire.mode = "slow"
    generator = AnswerGenerator()
    generator.warm_up()
    start = time.monotonic()
    with within(2):
        result = ask(generator, True)
    assert time.monotonic() - start < 3 and result["replies"][0].text == EXTRACTED


def test_a_quota_that_is_used_up_is_not_retried(wire):
    wire.mode = "status 429,quota"
    ask(AnswerGenerator(), True)
    assert len(wire.seen) == 1


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [("2", 2, 2), ("0.5", 0.5, 0.5), ("-3", 0, 0), ("Wed, 21 Oct 2099 07:28:00 GMT", 1e9, 1e10), ("soon", 0, 0), ("", 0, 0)],
)
def test_retry_after(text, least, most):
    error = RuntimeError()
    error.response = SimpleNamespace(headers={"retry-after": text})
    assert least <= retry_after_s(error) <= most and retry_after_s(RuntimeError()) == 0


@both
def test_the_fallback_model_answers_and_is_named(wire, asynchronous, monkeypatch):
    setting(monkeypatch, fallbacks='[{"model": "second"}, {"model": "third"}]')
    wire.by_model = {MODEL: "status 401", "second": "empty"}
    result = ask(AnswerGenerator(), asynchronous)
    assert result["model"] == "third" and result["replies"][0].text == "Five business days [1]."
    assert [d["reason"] for d in result["degraded"]] == [
        f"chat model {MODEL} at 127.0.0.1: HTTP 401; answered by chat model third",
        "chat model second: empty reply; answered by chat model third",
    ]
    assert [call["body"]["model"] for call in wire.seen] == [MODEL, "second", "third"]
    assert result["replies"][0].meta["usage"]["prompt_tokens"] == 22  # the empty reply was paid for too


def test_a_slow_first_model_leaves_time_for_the_second(wire, monkeypatch):
    setting(monkeypatch, fallbacks='[{"model": "second"}]')
    wire.by_model = {MODEL: "slow"}
    assert ask(AnswerGenerator(timeout_s=4), True)["model"] == "second"


def test_when_all_fail_the_evidence_answers_and_each_is_named(wire, monkeypatch):
    setting(monkeypatch, fallbacks='[{"model": "second"}]')
    wire.mode = "status 403"
    result = ask(AnswerGenerator(), True)
    assert result["replies"][0].text == EXTRACTED
    assert [("extractive" in d["reason"], "second" in d["reason"]) for d in result["degraded"]] == [(True, False), (True, True)]


PRICE = f'{{"{MODEL}": [0.003, 0.015]}}'


@both
def test_tokens_and_cost_reach_the_answer(wire, asynchronous, monkeypatch):
    setting(monkeypatch, prices=PRICE)
    result = ask(AnswerGenerator(), asynchronous)
    answer = CitedAnswerBuilder().run("How long?", result["replies"], EVIDENCE)["answer"]
    expected = (11 * 0.003 + 7 * 0.015) / 1000
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (11, 7) and answer.usage.cost_usd == pytest.approx(expected)
    assert result["note"].startswith("11 tokens in, 7 out; $0.00014, ") and "for the evidence" in result["note"]
    assert Spending(settings().index_dir).spent_usd() == pytest.approx(expected)


def test_without_a_price_the_cost_is_not_known_and_without_a_count_it_is_counted_here(wire):
    result = ask(AnswerGenerator(), True)
    assert result["replies"][0].meta["usage"]["cost_usd"] is None and "$" not in result["note"]
    wire.mode = "no usage"
    result = ask(AnswerGenerator(), True)
    assert (
        result["replies"][0].meta["usage"]["prompt_tokens"] == pytest.approx(messages()[-1].meta["tokens"], abs=60)
        and "counted here" in result["note"]
    )


def test_the_daily_budget_stops_and_the_evidence_answers(wire, monkeypatch):
    setting(monkeypatch, prices=PRICE, daily_budget_usd=0.02)  # a call may cost up to about $.011: the second is covered, for the first cost little
    for _ in range(2):
        assert ask(AnswerGenerator(), True)["model"] == MODEL
    Spending(settings().index_dir).book(0.019)  # by another process
    result = ask(AnswerGenerator(), True)
    [entry] = result["degraded"]
    assert result["replies"][0].text == EXTRACTED and len(wire.seen) == 2
    assert "daily budget for chat models, $0.02, does not cover another call" in entry["reason"] and "00:00 UTC" in entry["reason"]


def test_without_fallback_the_budget_gives_a_clear_refusal(wire, monkeypatch):
    setting(monkeypatch, prices=PRICE, daily_budget_usd=0)
    result = ask(AnswerGenerator(system_fallback=False), True)
    answer = CitedAnswerBuilder().run("How long?", result["replies"], EVIDENCE, result["degraded"])["answer"]
    assert answer.status == "declined" and "daily budget" in answer.answer and "daily budget" in answer.degraded[0].reason
    assert wire.seen == [] and result["model"] == ""


def test_a_budget_without_a_price_asks_nothing_and_check_says_so(wire, monkeypatch):
    setting(monkeypatch, daily_budget_usd=5)
    result = ask(AnswerGenerator(), True)
    assert wire.seen == [] and "no price in SAKSHYA_CHAT_PRICES" in result["degraded"][0]["reason"]
    assert "SAKSHYA_CHAT_PRICES" in AnswerGenerator().missing_setting()


def test_a_budget_that_cannot_be_written_asks_nothing(wire, monkeypatch):
    monkeypatch.setenv("SAKSHYA_DATA_DIR", "/proc/self/nowhere")  # where nobody can write
    setting(monkeypatch, prices=PRICE, daily_budget_usd=5)
    result = ask(AnswerGenerator(), True)
    assert wire.seen == [] and "cannot be written" in result["degraded"][0]["reason"] and "/proc" not in result["degraded"][0]["reason"]


@pytest.mark.parametrize(("mode", "stays"), [("status 400", False), ("slow", True)])
def test_a_refused_call_costs_nothing_and_one_that_timed_out_stays_booked(wire, monkeypatch, mode, stays):
    setting(monkeypatch, prices=PRICE, daily_budget_usd=5)
    wire.mode = mode
    ask(AnswerGenerator(timeout_s=0.4 if stays else 10), True)
    assert (Spending(settings().index_dir).spent_usd() > 0.001) == stays


def test_calls_a_minute_are_limited_for_all_nodes_of_the_process(wire, monkeypatch):
    setting(monkeypatch, requests_per_minute=2, model="limited-chat")
    assert [ask(AnswerGenerator(timeout_s=3), True)["model"] for _ in range(2)] == ["limited-chat"] * 2
    start = time.monotonic()
    result = ask(AnswerGenerator(timeout_s=3), True)
    assert result["model"] == "extractive" and len(wire.seen) == 2 and time.monotonic() - start < 2
    assert "2 calls (SAKSHYA_CHAT_REQUESTS_PER_MINUTE) a minute is reached" in result["degraded"][0]["reason"]


def test_a_reply_that_ends_at_the_limit_loses_its_half_sentence_and_says_so(wire):
    wire.mode = "cut"
    result = ask(AnswerGenerator(), True)
    assert (
        result["replies"][0].text == "It takes five business days [1]."
        and "limit of 512 tokens, its last sentence left out" in result["degraded"][0]["reason"]
    )


def test_a_very_long_reply_is_cut(wire):
    wire.mode = "very long"
    result = ask(AnswerGenerator(), True)
    assert len(result["replies"][0].text) <= 16 * 512 and "limit" in result["degraded"][0]["reason"]


def test_what_a_model_thinks_aloud_is_no_answer(wire):
    wire.mode = "thinking"
    assert ask(AnswerGenerator(), True)["replies"][0].text == "Five business days [1]."


def test_a_stream_that_breaks_is_declared_void_and_not_asked_for_again(wire):
    wire.mode = "broken stream"
    pieces = []
    result = ask(AnswerGenerator(), True, streaming_callback=pieces.append)
    assert len(wire.seen) == 1 and result["replies"][0].text == EXTRACTED
    at = next(i for i, piece in enumerate(pieces) if RESTART in piece.meta)
    assert "".join(p.content for p in pieces[:at]).startswith("Five business") and "".join(p.content for p in pieces[at:]) == EXTRACTED


def test_a_streamed_reply_is_counted_by_the_endpoint(wire, monkeypatch):
    wire.mode = "stream"
    result = ask(AnswerGenerator(), True, streaming_callback=lambda _chunk: None)
    assert wire.seen[0]["body"]["stream_options"] == {"include_usage": True} and result["replies"][0].meta["usage"]["prompt_tokens"] == 11


def test_run_works_inside_a_running_loop(wire):
    async def main():
        return AnswerGenerator().run(messages())["model"]

    assert asyncio.run(main()) == MODEL


@pytest.mark.parametrize(
    ("text", "kept"), [("One. Two", "One."), ("One. Two.", "One. Two."), ("Only a half", "Only a half"), ("", ""), ("Six [1]. Art. 5 of", "Six [1].")]
)
def test_whole_sentences(text, kept):
    assert whole_sentences(text)[0] == kept

"""The door over a graph without models, through real sockets."""

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from openai import OpenAI

from app.serving.jobs import Jobs, QueueFullError
from components.access.principal import Principal
from tests.app.serving.conftest import ASHA, ELSE, OTTO, ROOT_KEY, as_user, light_server, until

QUESTION = {"question": "When?"}
ROUTES = [
    ("GET", "/health/ready"), ("GET", "/status"), ("GET", "/openapi.json"), ("GET", "/v1/models"), ("POST", "/v1/chat/completions"),
    ("POST", "/query/run"), ("POST", "/query/stream"), ("POST", "/query/search"), ("POST", "/index/run"), ("GET", "/index/jobs/x"),
    ("POST", "/internal/index"), ("POST", "/internal/store"), ("POST", "/internal/ask"), ("POST", "/internal/search"), ("GET", "/nothing"),
]  # fmt: skip
DEAD = ["/deploy", "/deploy_files", "/deploy-yaml", "/undeploy/query", "/draw/query", "/status/query", "/traces", "/docs", "/redoc", "/dashboard", "/chat",
        "/v1/responses", "/v1/files", "/models", "/chat/completions", "/mcp", "/a2a"]  # fmt: skip


def upload(server, key, files, **fields):
    with server.client(key) as client:
        reply = client.post("/index/run", files=[("files", item) for item in files], data=fields)
        if reply.status_code != 202:
            return reply
        return until(lambda: (job := client.get(f"/index/jobs/{reply.json()['id']}").json())["state"] in {"done", "failed"} and job)


def problem(reply, status):
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    data = reply.json()
    assert {"type", "title", "status", "detail"} <= set(data)
    assert data["status"] == status
    assert data["request_id"] == reply.headers["x-request-id"]
    assert "Traceback" not in reply.text
    assert "opensesame" not in reply.text
    return data


def test_without_a_known_key_there_is_only_life(light):
    described = light.client(ROOT_KEY).get("/openapi.json").json()["paths"]
    assert {(m.upper(), p.replace("{job_id}", "x")) for p, ms in described.items() for m in ms} <= {*ROUTES, ("GET", "/health/live")}
    with light.client() as client:
        assert client.get("/health/live").json() == {"status": "live"}
        for method, path in ROUTES:
            for headers in ({}, as_user("wrong-key-0123456789"), {"Authorization": "Bearer"}, {"Authorization": f"Basic {ASHA}"}):
                assert problem(client.request(method, path, headers=headers), 401)["type"] == "urn:sakshya:key"
        both = [("X-API-Key", ASHA), ("X-API-Key", ROOT_KEY)]
        problem(client.get("/status", headers=httpx.Headers(both)), 401)
        assert client.get("/status", headers={"Authorization": f"Bearer {ASHA}"}).json()["user"] == "asha"


def test_the_internal_routes_are_not_for_a_user_s_key(light):
    with light.client(ASHA) as client:
        problem(client.post("/internal/store", json={"who": {"user": "x", "tenant": "default", "admin": True}, "method": "index_version"}), 401)
    with light.client(ROOT_KEY) as client:
        who = {"user": "x", "tenant": "elsewhere", "admin": True}
        problem(client.post("/internal/store", json={"who": who, "method": "flush"}), 403)
        problem(client.post("/internal/store", json={"who": {**who, "tenant": "default"}, "method": "shutdown"}), 404)


def test_hayhooks_own_routes_are_dead(light):
    with light.client(ROOT_KEY) as client:
        for path in DEAD:
            for method in ("GET", "POST"):
                problem(client.request(method, path), 404)
        assert client.get("/query/run").status_code == 405


def test_what_a_key_may_read_and_write(light):
    assert upload(light, ASHA, [("pay.md", b"Pay day is the last day.")], access="hr")["report"]["added"] == ["upload:asha/pay.md"]
    assert upload(light, OTTO, [("open.md", b"The door opens at nine.")])["state"] == "done"
    assert {c["uri"] for c in light.ask(ASHA, "?").json()["citations"]} == {"upload:asha/pay.md", "upload:otto/open.md"}
    assert {c["uri"] for c in light.ask(OTTO, "?").json()["citations"]} == {"upload:otto/open.md"}
    assert light.ask(ELSE, "?").json()["status"] == "declined"
    assert light.ask(ELSE, "?", path="/query/search").json()["documents"] == []
    assert len(light.ask(ROOT_KEY, "?", path="/query/search").json()["documents"]) == 2
    for key, count in ((ASHA, 2), (OTTO, 1), (ELSE, 0)):
        assert light.client(key).get("/status").json()["sources"] == count
    wide = {
        "operator": "OR",
        "conditions": [{"field": "meta.tenant", "operator": "!=", "value": "x"}, {"field": "meta.access", "operator": "in", "value": ["hr"]}],
    }
    assert light.ask(ELSE, "?", filters=wide).json()["status"] == "declined"
    problem(upload(light, OTTO, [("x.md", b"x")], access="hr"), 403)
    problem(upload(light, OTTO, [("x.md", b"x")], valid_from="never"), 422)
    problem(upload(light, OTTO, [("..", b"x")]), 422)
    assert upload(light, ROOT_KEY, [("x.md", b"x")], access="board")["state"] == "done"
    # a name of another user's file is not that file
    assert upload(light, OTTO, [("pay.md", b"Pay day is never.")])["report"]["added"] == ["upload:otto/pay.md"]
    assert any("last day" in c["quote"] for c in light.ask(ASHA, "?").json()["citations"])


def test_a_job_is_its_owner_s(light):
    job = upload(light, ASHA, [("a.md", b"One."), ("b.md", b"BROKEN"), ("c.md", b"CRASH")])
    assert (job["state"], job["done"], job["total"]) == ("done", 3, 3)
    assert job["report"]["added"] == ["upload:asha/a.md"]
    assert {f["source"] for f in job["report"]["failed"]} == {"upload:asha/b.md", "upload:asha/c.md"}
    for key, status in ((ASHA, 200), (ROOT_KEY, 200), (OTTO, 404), (ELSE, 404)):
        assert light.client(key).get(f"/index/jobs/{job['id']}").status_code == status


def test_no_path_of_a_body_is_opened(light, tmp_path):
    (tmp_path / "secret.md").write_text("the secret is opensesame")
    with light.client(ROOT_KEY) as client:
        for body in ({"sources": [str(tmp_path / "secret.md")]}, {"files": [str(tmp_path / "secret.md")]}):
            problem(client.post("/index/run", json=body), 422)
            problem(client.post("/index/run", data=body), 422)
        fields = {"sources": str(tmp_path / "secret.md"), "path": str(tmp_path / "secret.md")}
        assert client.post("/index/run", files=[("files", (str(tmp_path / "secret.md"), b"harmless"))], data=fields).status_code == 202
    until(lambda: light.ask(ROOT_KEY, "?").json()["citations"])
    assert [c["quote"] for c in light.ask(ROOT_KEY, "?").json()["citations"]] == ["harmless"]


@pytest.mark.parametrize(
    "body",
    [
        {}, {"question": ""}, {"question": "  "}, {"question": 3}, {"question": "x" * 3000}, {"question": "\ud800"}, {"question": "a\0b"},
        {**QUESTION, "tenant": "elsewhere"}, {**QUESTION, "groups": ["hr"]}, {**QUESTION, "\ud800": 1}, {**QUESTION, "filters": {"field": "a"}},
        {**QUESTION, "history": [{"role": "system", "content": "x"}]}, [], "x", None,
    ],
)  # fmt: skip
def test_a_body_that_does_not_fit(light, body):
    with light.client(ASHA) as client:
        found = problem(client.post("/query/run", content=json.dumps(body), headers={"Content-Type": "application/json"}), 422)
        assert found["errors"][0]["at"].startswith("body")
        assert not light.oracle.asked


def test_bodies_that_are_no_json(light):
    with light.client(ASHA) as client:
        for content in (b"{", b"\xff", b"[" * 100_000, b'{"question": ' + b"9" * 5000 + b"}"):
            reply = client.post("/query/run", content=content, headers={"Content-Type": "application/json"})
            problem(reply, reply.status_code)
            assert reply.status_code in {400, 422}


def test_failures_say_nothing_of_what_failed(light):
    problem(light.ask(ASHA, "break"), 500)
    problem(light.ask(ASHA, "break", path="/query/search"), 500)
    problem(light.ask(ASHA, "fail"), 502)
    chat = {"model": "query", "messages": [{"role": "user", "content": "break"}]}
    with light.client(ASHA) as client:
        problem(client.post("/v1/chat/completions", json=chat), 500)
        problem(client.post("/v1/chat/completions", json={**chat, "model": "x"}), 404)
        problem(client.post("/v1/chat/completions", json={**chat, "messages": []}), 422)
        text = client.post("/query/stream", json={"question": "break"}).text
    assert "event: error" in text
    assert "opensesame" not in text


def test_the_request_s_id(light):
    with light.client(ASHA) as client:
        assert client.get("/status", headers={"X-Request-ID": "abc-1"}).headers["x-request-id"] == "abc-1"
        for bad in ("a b", "x" * 65, "a;b", ""):
            assert len(client.get("/status", headers={"X-Request-ID": bad}).headers["x-request-id"]) == 16


def test_no_page_of_another_origin(light, store):
    asking = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    with light.client(ASHA) as client:
        assert "access-control-allow-origin" not in client.options("/query/run", headers=asking).headers
        assert "access-control-allow-origin" not in client.get("/status", headers=asking).headers
    with light_server(store, cors_origins="https://docs.example") as server, server.client() as client:
        assert "access-control-allow-origin" not in client.options("/query/run", headers=asking).headers
        named = {**asking, "Origin": "https://docs.example"}
        assert client.options("/query/run", headers=named).headers["access-control-allow-origin"] == "https://docs.example"
        assert client.post("/query/run", headers={"Origin": "https://docs.example"}).headers["access-control-allow-origin"] == "https://docs.example"


def test_without_keys_this_machine_reads_and_does_not_write(store, light):
    upload(
        light,
        ASHA,
        [
            ("open.md", b"The door opens at nine."),
        ],
        access="public",
    )
    upload(light, ASHA, [("pay.md", b"Pay day.")], access="hr")
    with light_server(store, keys=None) as server, server.client() as client:
        assert [c["quote"] for c in server.ask(None, "?").json()["citations"]] == ["The door opens at nine."]
        assert "SAKSHYA_API_KEYS" in problem(client.post("/index/run", files=[("files", ("a.md", b"x"))]), 401)["detail"]
        problem(client.get("/index/jobs/x"), 404)
        problem(client.post("/internal/store", json={}), 401)
        with socket.create_connection(("127.0.0.1", client.base_url.port)) as raw:  # refused before the body is there
            raw.settimeout(10)
            raw.sendall(
                b"POST /index/run HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n"
            )
            assert raw.recv(20).startswith(b"HTTP/1.1 401")
        for host in ("evil.example", "evil.example:1416", "127.0.0.1.evil.example", "localhost@evil", "[::2]"):
            problem(client.get("/status", headers={"Host": host}), 403)
        for host in ("localhost:1416", "LOCALHOST", "127.0.0.1", "[::1]:80"):
            assert client.get("/status", headers={"Host": host}).status_code == 200


def test_limits(store):
    options = {"rate_per_minute": 60, "rate_burst": 3, "max_body_kb": 1, "max_upload_mb": 1, "max_upload_files": 2}
    with light_server(store, **options) as server:
        with server.client(ASHA) as client:
            problem(client.post("/query/run", content=b"x" * 2000), 413)
            problem(client.post("/query/run", content=iter([b"x" * 900] * 3), headers={"Content-Type": "application/json"}), 413)
            assert client.post("/query/run", json=QUESTION).status_code == 200
            limited = client.post("/query/run", json=QUESTION)
            problem(limited, 429)
            assert 1 <= int(limited.headers["retry-after"]) <= 2
            assert client.get("/status").status_code == 200
        with server.client(OTTO) as client:
            problem(client.post("/index/run", files=[("files", (f"{n}.md", b"x")) for n in range(3)]), 413)
            problem(client.post("/index/run", files=[("files", ("a.md", b"x" * 1_100_000))]), 413)


def test_a_deadline_and_a_short_queue(store):
    with light_server(store, deadline_s=0.5) as server:
        assert problem(server.ask(ASHA, "slow"), 504)["type"] == "urn:sakshya:deadline"
        problem(server.ask(ASHA, "slow", path="/query/search"), 504)
        until(lambda: server.oracle.cancelled == ["slow", "slow"])
    with light_server(store, max_concurrent=1, max_waiting=1) as server:
        with ThreadPoolExecutor(3) as pool:
            replies = list(pool.map(lambda _: server.ask(ASHA, "slow"), range(3)))
        assert sorted(r.status_code for r in replies) == [200, 200, 503]
        busy = next(r for r in replies if r.status_code == 503)
        problem(busy, 503)
        assert int(busy.headers["retry-after"]) > 0
        assert server.oracle.most == 1


@pytest.mark.parametrize("path", ["/query/run", "/query/stream", "/query/search"])
def test_who_leaves_cancels_the_work(light, path):
    with pytest.raises(httpx.ReadTimeout), light.client(ASHA) as client:
        client.post(path, json={"question": "endless"}, timeout=0.5)
    until(lambda: light.oracle.cancelled == ["endless"], 10)
    assert light.oracle.running == 0


def test_who_leaves_the_chat_cancels_the_work(light):
    with pytest.raises(httpx.ReadTimeout), light.client(ASHA) as client:
        client.post("/v1/chat/completions", json={"model": "query", "messages": [{"role": "user", "content": "endless"}]}, timeout=0.5)
    until(lambda: light.oracle.cancelled, 10)


def test_an_answer_as_events(light):
    upload(light, ASHA, [("a.md", b"One is first.\n\nTwo is second.")])
    with light.client(ASHA) as client:
        for path, headers in (("/query/stream", {}), ("/query/run", {"Accept": "text/event-stream"})):
            reply = client.post(path, json=QUESTION, headers=headers)
            assert reply.headers["content-type"].startswith("text/event-stream")
            events = [dict(line.split(": ", 1) for line in block.splitlines()) for block in reply.text.split("\n\n") if block]
            assert [e["event"] for e in events] == ["stage", "sentence", "sentence", "answer"]
            answer = json.loads(events[-1]["data"])
            assert "".join(json.loads(e["data"])["text"] for e in events[1:3]) == answer["answer"]
            assert json.loads(events[1]["data"])["citations"] == [1]
            assert json.loads(events[0]["data"])["name"] == "oracle"
            assert answer == {**client.post("/query/run", json=QUESTION).json(), "trace": answer["trace"]}
        problem(client.post("/query/stream", json={}), 422)


def test_an_openai_client(light):
    upload(light, ASHA, [("a.md", b"One is first.\n\nTwo is second.")])
    client = OpenAI(base_url=f"{light.url}/v1", api_key=ASHA, http_client=httpx.Client(trust_env=False))
    assert [model.id for model in client.models.list()] == ["query"]
    talk = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello?"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": [{"type": "text", "text": "What is first?"}]},
    ]
    whole = client.chat.completions.create(model="sakshya/query", messages=talk, temperature=0)
    text = whole.choices[0].message.content
    assert "is first. [1]" in text
    assert "Sources:\n[1] T (upload:asha/a.md): “" in text
    cited = whole.choices[0].message.annotations[0]
    assert (cited.type, cited.url_citation.url) == ("url_citation", "upload:asha/a.md")
    assert text[cited.url_citation.start_index : cited.url_citation.end_index] == "[1]"
    asked = light.oracle.asked[-1]
    assert (asked["question"], asked["history"]) == (
        "What is first?",
        [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Yes."}],
    )
    assert asked["principal"] == Principal("asha", ("hr",))
    chunks = list(client.chat.completions.create(model="query", messages=talk, stream=True, stream_options={"include_usage": True}))
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == text
    assert chunks[-1].usage.total_tokens == 0
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-2].choices[0].delta.annotations[0]["url_citation"]["url"] == "upload:asha/a.md"


def test_ready_asks_and_remembers(light):
    with light.client(ASHA) as client:
        assert client.get("/health/ready").json() == {"status": "ready", "parts": {"query": "ok"}}
        for _ in range(5):
            client.get("/health/ready")
    assert len(light.oracle.asked) == 1
    assert light.oracle.asked[0]["principal"].user is None


def test_a_full_queue_of_jobs(store):
    with light_server(store, max_jobs=1) as server, server.client(ASHA) as client:
        jobs = server.app.state.jobs
        gate = threading.Event()
        jobs.add(Principal("x"), 1, lambda _progress: gate.wait(20) and {})
        until(jobs._queue.empty)
        first = client.post("/index/run", files=[("files", ("a.md", b"x"))])
        assert (first.status_code, first.json()["state"]) == (202, "waiting")
        full = client.post("/index/run", files=[("files", ("b.md", b"x"))])
        assert "retry-after" in full.headers
        problem(full, 503)
        gate.set()
        until(lambda: client.get(f"/index/jobs/{first.json()['id']}").json()["state"] == "done")


def test_the_bytes_that_wait_are_bounded():
    gate = threading.Event()
    jobs = Jobs(10, max_bytes=100)
    first = jobs.add(Principal("x"), 1, lambda _progress: gate.wait(20) and {}, 1000)
    with pytest.raises(QueueFullError):
        jobs.add(Principal("x"), 1, lambda _progress: {}, 1)
    gate.set()
    assert first.over.wait(5)
    second = jobs.add(Principal("x"), 1, lambda _progress: {}, 90)
    assert second.over.wait(5)
    jobs.stop(5)
    with pytest.raises(QueueFullError):
        jobs.add(Principal("x"), 1, lambda _progress: {}, 1)


def test_jobs_that_are_over_are_forgotten_at_last():
    jobs = Jobs(100, max_bytes=100, kept=3)
    made = [jobs.add(Principal("x"), 1, lambda _progress: {}) for _ in range(10)]
    assert all(job.over.wait(5) for job in made)
    last = jobs.add(Principal("x"), 1, lambda _progress: {})
    assert [jobs.get(job.id, Principal("x")) is not None for job in made] == [False] * 7 + [True] * 3
    assert jobs.get(last.id, Principal("x")) is last
    jobs.stop(5)


def test_what_runs_is_finished_when_the_server_stops(store):
    with light_server(store) as server:
        replies = []
        thread = threading.Thread(target=lambda: replies.append(server.ask(ASHA, "slow")))
        thread.start()
        until(lambda: server.oracle.running)
        time.sleep(0.1)
    thread.join(10)
    assert replies[0].status_code == 200

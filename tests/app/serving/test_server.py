"""`sakshya serve` as a process of its own, with the default graphs and the packaged model."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from app.cli import app
from app.remote import KEY_FILE, find_server
from app.serving.start import BrokenGraphsError, check_bind, is_loopback, load_all
from config.settings import settings
from tests.app.serving.conftest import ASHA, ELSE, KEYS, OTTO, ROOT, as_user, free_port, process, until

SERVE = ["-m", "app.cli", "serve", "--port"]
LEAVE = "# Leave\n\nStaff get twenty days of leave a year.\n\n## Carry over\n\nFive days may be carried over, unless the manager says no.\n"
PAY = "# Pay\n\nPay day is the last working day of the month.\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    (folder / "keys.json").write_text(json.dumps(KEYS))
    port = free_port()
    env = {"SAKSHYA_API_KEYS": str(folder / "keys.json"), "SAKSHYA_RATE_PER_MINUTE": "0"}
    with process(folder, [*SERVE, str(port)], port, "/health/live", **env) as running:
        running.folder = folder
        yield running


@pytest.fixture
def beside(server, monkeypatch):
    """This process uses the index that the server holds."""
    monkeypatch.setenv("SAKSHYA_DATA_DIR", str(server.folder / "index"))
    settings.cache_clear()
    return server


def command(*arguments):
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    return result.exit_code, json.loads(result.stdout)


@pytest.fixture
def docs(server) -> Path:
    root = server.folder / "docs"
    (root / "hr").mkdir(parents=True, exist_ok=True)
    (root / "leave.md").write_text(LEAVE)
    (root / "hr/pay.md").write_text(PAY)
    return root


def test_the_command_line_works_through_the_server(beside, docs):
    key = beside.folder / "index" / KEY_FILE
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    code, report = command("index", docs, "--access", "hr")
    assert "error" not in report, (report, beside.log.read_text())
    assert (code, report["added"], report["failed"]) == (0, [str(docs / "hr/pay.md"), str(docs / "leave.md")], [])
    assert command("index", docs)[1]["unchanged"] == report["added"]  # the access that was not said again stays
    code, answer = command("ask", "When is pay day?", "--groups", "hr")
    assert (code, answer["status"]) == (0, "answered")
    assert "last working day" in answer["answer"]
    assert command("ask", "When is pay day?")[1]["status"] == "declined"
    assert command("search", "pay day", "--groups", "hr")[1]["documents"][0]["uri"] == str(docs / "hr/pay.md")
    code, status = command("status", "--sources")
    assert code == 0, status
    assert (status["sources"], {s["uri"] for s in status["listed"]}) == (2, set(report["added"]))
    shown = command("show", "pay.md")[1]
    assert shown["text"].endswith("Pay day is the last working day of the month.")
    modified = shown["source"]["modified_at"]
    assert modified.startswith("20")
    (docs / "hr/pay.md").unlink()
    assert command("index", docs)[1]["missing"] == [str(docs / "hr/pay.md")]
    assert command("index", docs, "--prune")[1]["removed"] == [str(docs / "hr/pay.md")]
    assert command("remove", "leave.md")[1]["removed"] == [str(docs / "leave.md")]
    assert command("status")[1]["sources"] == 0
    code, failed = command("index", docs, "--graph", "nothing")
    assert (code, "nothing" in failed["error"]) == (2, True)


def test_a_user_whose_key_is_none_is_told(beside, monkeypatch):
    monkeypatch.setenv("SAKSHYA_API_KEY", "wrong-key-0123456789")
    settings.cache_clear()
    code, said = command("status")
    assert code == 1
    assert beside.url in said["error"]
    assert "\n" not in said["error"]
    assert "wrong-key" not in said["error"]


def test_upload_poll_ask(server):
    pdf = (ROOT / "examples/documents/company/security.pdf").read_bytes()
    with server.client(ASHA) as client:
        reply = client.post("/index/run", files=[("files", ("leave.md", LEAVE)), ("files", ("security.pdf", pdf))], data={"access": "hr"})
        assert reply.status_code == 202
        job = until(lambda: (j := client.get(f"/index/jobs/{reply.json()['id']}").json())["state"] in {"done", "failed"} and j, 200)
        assert job["report"]["failed"] == []
        assert set(job["report"]["added"]) == {"upload:asha/leave.md", "upload:asha/security.pdf"}
        answer = client.post("/query/run", json={"question": "How many days of leave do staff get?"}).json()
    assert "twenty days" in answer["answer"]
    assert answer["citations"][0]["uri"] == "upload:asha/leave.md"
    assert [stage["name"] for stage in answer["trace"]][-1] == "numbering"
    for key in (OTTO, ELSE):
        with server.client(key) as client:
            found = client.post("/query/search", json={"question": "How many days of leave do staff get?"}).json()["documents"]
            assert found == []
            assert client.post("/query/run", json={"question": "How many days of leave do staff get?"}).json()["status"] == "declined"


def test_filters_that_a_store_refuses_are_no_failure_of_the_server(server):
    with server.client(ASHA) as client:
        for filters in (
            {"field": "größe", "operator": "==", "value": "x"},
            {"field": "meta.a.b-c", "operator": ">", "value": "2024-01-01"},
            {"field": "id", "operator": "in", "value": ["x"]},
            {"field": "content", "operator": "!=", "value": None},
            {"field": "1", "operator": "<=", "value": 1.5},
            {"field": "a..b", "operator": "==", "value": "x"},
            {"field": "a.", "operator": "==", "value": "x"},
            {"field": "meta", "operator": "==", "value": "x"},
            {"operator": "NOT", "conditions": [{"field": "x", "operator": "in", "value": [1, "a", None, True, 1.5]}]},
        ):
            status = client.post("/query/search", json={"question": "leave", "filters": filters}).status_code
            assert status in {200, 422}, filters


def test_ready_and_described(server):
    with server.client(ASHA) as client:
        assert client.get("/health/ready").json()["status"] == "ready"
        described = client.get("/openapi.json").json()
    run = described["paths"]["/query/run"]["post"]
    body = described["components"]["schemas"][run["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]]
    assert body["required"] == ["question"]
    assert set(body["properties"]) == {"question", "filters", "top_k", "as_of", "history"}
    assert body["additionalProperties"] is False
    assert run["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].endswith("/Answer")
    assert described["security"] == [{"key": []}, {"bearer": []}]
    log = server.log.read_text()
    assert not any(key in log for key in KEYS)


def test_another_address_needs_keys():
    result = CliRunner().invoke(app, ["serve", "--host", "0.0.0.0"])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "SAKSHYA_API_KEYS" in result.stderr
    assert [is_loopback(h) for h in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "::", "192.168.1.2", "example.org")] == [True] * 3 + [False] * 4
    check_bind("0.0.0.0", {"x": 1})  # type: ignore[arg-type]


def test_bad_keys_stop_the_start(monkeypatch):
    monkeypatch.setenv("SAKSHYA_API_KEYS", '{"short": {"user": "a"}}')
    settings.cache_clear()
    result = CliRunner().invoke(app, ["serve"])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "entry 1" in result.stderr


def test_a_broken_graph_stops_the_start(tmp_path, monkeypatch):
    (tmp_path / "pipelines").mkdir()
    text = (ROOT / "pipelines/query.yml").read_text()
    (tmp_path / "pipelines/query.yml").write_text(text.replace("top_k: 40", "topk: 40").replace("max_tokens: 1800", "max_tokens: 0"))
    monkeypatch.setenv("SAKSHYA_HOME", str(tmp_path))
    result = CliRunner().invoke(app, ["serve", "--port", str(free_port())])
    assert result.exit_code == 1
    assert "fuser.topk: unknown parameter" in result.stderr
    assert all(line.startswith("sakshya: ") and "query.yml:" in line for line in result.stderr.splitlines())
    assert len(result.stderr.splitlines()) >= 2


def test_nobody_serves_here():
    assert find_server() is None


@pytest.mark.long
def test_stopping_gives_the_index_back(tmp_path, monkeypatch):
    port = free_port()
    with process(tmp_path, [*SERVE, str(port)], port, "/health/live") as running:
        second = subprocess.run(
            [sys.executable, *SERVE, "0"],
            cwd=ROOT, env={**os.environ, "SAKSHYA_DATA_DIR": str(tmp_path / "index")}, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert second.returncode == 1
        assert running.url in second.stderr
        with running.client() as client:
            assert client.post("/query/run", json={"question": "Who?"}).json()["status"] == "declined"
            assert client.get("/status", headers={"Host": "evil.example"}).status_code == 403
    assert running.popen.returncode == 0
    assert not (tmp_path / "index" / KEY_FILE).exists()
    monkeypatch.setenv("SAKSHYA_DATA_DIR", str(tmp_path / "index"))
    settings.cache_clear()
    assert find_server() is None


@pytest.mark.long
def test_plain_hayhooks_serves_the_graphs_and_reads_no_path(tmp_path, monkeypatch, docs):
    """Our door is absent there: everyone is anonymous, which reads `public` and neither writes nor opens a file."""
    (tmp_path / "secret.md").write_text("The secret is 1234.")
    monkeypatch.setenv("SAKSHYA_DATA_DIR", str(tmp_path / "index"))
    settings.cache_clear()
    for name, access in (("leave.md", "public"), ("hr/pay.md", "hr")):
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", "index", str(docs / name), "--access", access], cwd=ROOT, env=os.environ, timeout=300, check=False
        )
        assert done.returncode == 0
    port = free_port()
    env = {"HAYSTACK_DESERIALIZATION_ALLOWLIST": "components.*", "HAYHOOKS_STARTUP_DEPLOY_STRATEGY": "sequential"}
    command = ["-c", "from hayhooks.cli import hayhooks_cli; hayhooks_cli()", "run", "--port", str(port), "--additional-python-path", "."]
    with process(tmp_path, command, port, "/status", **env) as running, running.client() as client:
        assert set(client.get("/status").json()["pipelines"]) == {"index", "query"}
        empty = {"filters": None, "top_k": None, "as_of": None}
        answer = client.post("/query/run", json={"question": "How many days of leave do staff get?", **empty})
        assert answer.status_code == 200, answer.text
        assert answer.json()["result"]["answer_builder"]["answer"]["status"] == "answered"
        assert "last working day" not in client.post("/query/run", json={"question": "When is pay day?", **empty}).text
        body = {"sources": [str(tmp_path / "secret.md")], "meta": {"access": ["public"]}, "graph_version": "1"}
        report = client.post("/index/run", json=body).json()["result"]["writer"]["report"]
        assert report["added"] == []
        assert report["failed"] == [{"source": str(tmp_path / "secret.md"), "reason": "this graph reads no path: send the file itself"}]
        assert "1234" not in client.post("/query/run", json={"question": "What is the secret?", **empty}).text


@pytest.mark.long
def test_no_request_makes_the_server_fail(server):
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, given
    from hypothesis import settings as examples

    described = httpx.get(f"{server.url}/openapi.json", headers=as_user(ASHA), trust_env=False, timeout=60).json()
    schema = schemathesis.openapi.from_dict(described)
    seen: dict[int, int] = {}
    for operation in schema.get_all_operations():
        found = operation.ok()

        @given(case=found.as_strategy())
        @examples(max_examples=10, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        def check(case):
            reply = case.call(base_url=server.url, headers=as_user(ASHA), timeout=120)
            seen[reply.status_code] = seen.get(reply.status_code, 0) + 1
            assert reply.status_code < 500 or reply.status_code == 503, (case.as_curl_command(), reply.text)

        check()
    print(seen)
    assert sum(seen.values()) > 50
    assert seen[200] > 10


def test_a_graph_s_name_that_cannot_be_served(tmp_path, monkeypatch):
    (tmp_path / "pipelines").mkdir()
    for name in ("health", "{x}"):
        (tmp_path / f"pipelines/{name}.yml").write_text((ROOT / "pipelines/query.yml").read_text())
    monkeypatch.setenv("SAKSHYA_HOME", str(tmp_path))
    with pytest.raises(BrokenGraphsError) as caught:
        load_all()
    assert "cannot be named 'health'" in str(caught.value)
    assert "{x}.yml: a graph that is served is named with" in str(caught.value)

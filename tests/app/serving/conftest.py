"""A server over graphs that need no model: real application, door, store and sockets; what the components do is the test's."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from haystack import Document, Pipeline, component

from app.graphs import Graph
from app.serving.application import Graphs, build
from app.serving.keys import Keys, read_keys
from app.serving.served_graph import ServedGraph
from components.access.principal import current_principal
from components.answer import Answer, Citation, Status
from config.settings import load_settings, settings
from tests.light_graph import LightGraph, admin, store  # noqa: F401

ROOT = Path(__file__).parents[3]
ASHA, OTTO, ROOT_KEY, ELSE = "asha-key-0123456789", "otto-key-0123456789", "root-key-0123456789", "else-key-0123456789"
KEYS = {
    ASHA: {"user": "asha", "groups": ["hr"]},
    OTTO: {"user": "otto"},
    ROOT_KEY: {"user": "root", "admin": True},
    ELSE: {"user": "else", "tenant": "elsewhere", "groups": ["hr"]},
}


def as_user(key: str) -> dict[str, str]:
    return {"X-API-Key": key}


@component
class Oracle:
    """Answers with what it finds in the store; words of the question say how it behaves."""

    def __init__(self, document_store: Any) -> None:
        self.document_store = document_store
        self.cancelled: list[str] = []
        self.asked: list[dict[str, Any]] = []
        self.running = self.most = 0

    @component.output_types(documents=list[Document], answer=Answer)
    def run(self, question: str, history: list[dict[str, str]] | None = None, filters: dict[str, Any] | None = None) -> dict[str, Any]:
        raise NotImplementedError

    @component.output_types(documents=list[Document], answer=Answer)
    async def run_async(self, question: str, history: list[dict[str, str]] | None = None, filters: dict[str, Any] | None = None) -> dict[str, Any]:
        self.asked.append({"question": question, "history": history, "principal": current_principal()})
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            if "slow" in question:
                await asyncio.sleep(1.0)
            if "endless" in question:
                await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cancelled.append(question)
            raise
        finally:
            self.running -= 1
        if "break" in question:
            raise RuntimeError("the secret is 1234")
        if "fail" in question:
            return {
                "documents": [],
                "answer": Answer(status=Status.FAILED, question=question, answer="", degraded=[{"stage": "x", "reason": "secret 1234"}]),
            }
        kind = {"field": "meta.kind", "operator": "==", "value": "chunk"}
        found = self.document_store.filter_documents({"operator": "AND", "conditions": [kind, filters]} if filters else kind)
        if not found:
            return {"documents": [], "answer": Answer(status=Status.DECLINED, question=question, answer="", missing="nothing is there")}
        cited = [
            Citation(n=n, source_id=d.meta["source_id"], title="T", uri=d.meta["uri"], quote=d.content, char_start=0, char_end=len(d.content))
            for n, d in enumerate(found, 1)
        ]
        text = " ".join(f"{c.quote} [{c.n}]" for c in cited)
        return {"documents": found, "answer": Answer(status=Status.ANSWERED, question=question, answer=text, citations=cited)}


class LightServer:
    def __init__(self, url: str, oracle: Oracle, app: Any) -> None:
        self.url, self.oracle, self.app = url, oracle, app

    def client(self, key: str | None = None, **options: Any) -> httpx.Client:
        headers = as_user(key) if key else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False, **options)

    def ask(self, key: str | None, question: str, path: str = "/query/run", **more: Any) -> httpx.Response:
        with self.client(key) as client:
            return client.post(path, json={"question": question, **more})


@contextmanager
def light_server(opened: Any, *, keys: str | None = json.dumps(KEYS), **env: Any) -> Iterator[LightServer]:
    """:param env: settings in lower case, without the prefix."""
    for name, value in env.items():
        os.environ[f"SAKSHYA_{name.upper()}"] = str(value)
    settings.cache_clear()
    here = load_settings()
    oracle = Oracle(opened)
    pipeline = Pipeline()
    pipeline.add_component("oracle", oracle)
    path = ROOT / "pipelines" / "query.yml"
    inputs = {"question": ["oracle.question"], "history": ["oracle.history"], "filters": ["oracle.filters"]}
    query = Graph("query", path, "query", pipeline, inputs, {"documents": "oracle.documents", "answer": "oracle.answer"}, "1")
    light = LightGraph(opened)
    names = {name: [f"intake.{name}"] for name in ("sources", "meta", "graph_version")}
    index = Graph("index", ROOT / "pipelines" / "index.yml", "indexing", light.pipeline, names, {"report": "writer.report"}, "1")
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        app = build(Graphs({"query": ServedGraph(query)}, {"index": index}), here, read_keys(keys), Keys({}))
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, ws="none", timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield LightServer(f"http://127.0.0.1:{bound.getsockname()[1]}", oracle, app)
        finally:
            server.should_exit = True
            thread.join(10)
            for name in env:
                os.environ.pop(f"SAKSHYA_{name.upper()}", None)
            settings.cache_clear()


@pytest.fixture
def light(store):  # noqa: F811
    with light_server(store) as server:
        yield server


def until(condition: Callable[[], Any], within_s: float = 60) -> Any:
    """What the condition gives, once it gives something."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError(f"not within {within_s} s")


class Process:
    """A real `sakshya serve`."""

    def __init__(self, popen: subprocess.Popen, url: str, log: Path) -> None:
        self.popen, self.url, self.log = popen, url, log

    def client(self, key: str | None = None) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers=as_user(key) if key else {}, timeout=120, trust_env=False)


@contextmanager
def process(folder: Path, command: list[str], port: int, path: str, within_s: float = 300, **env: str) -> Iterator[Process]:
    """A server process that answers at `path`; its index and log lie in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "server.log"
    full = {**os.environ, "SAKSHYA_DATA_DIR": str(folder / "index"), "SAKSHYA_DEADLINE_S": "120", "OMP_NUM_THREADS": "1", **env}
    with log.open("w") as out:
        popen = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=full, stdout=out, stderr=out)
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        assert popen.poll() is None, log.read_text()
        try:
            return httpx.get(url + path, trust_env=False, timeout=2).status_code < 500
        except httpx.HTTPError:
            return False

    try:
        until(answers, within_s)
        yield Process(popen, url, log)
    finally:
        if popen.poll() is None:
            popen.send_signal(signal.SIGTERM)
            try:
                popen.wait(30)
            except subprocess.TimeoutExpired:
                popen.kill()


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]

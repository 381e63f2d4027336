"""A graph that is not served: why, in the words that the command line without a server has."""

import asyncio

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.answer_cache import answer_cache
from app.graphs import load_graph
from app.serving import internal_routes
from app.serving.internal_routes import internal_router, why_not
from app.serving.limits import Slots
from app.serving.served_graph import ServedGraph
from components.access.principal import Principal
from components.answer import Answer, Status
from config.settings import settings


def test_the_missing_setting_is_named():
    assert "SAKSHYA_CHAT_MODEL is not set" in why_not("query_multi")


@pytest.mark.parametrize(("name", "says"), [("index", " (it is a graph for indexing)"), ("nope", ""), ("../query", ""), ("a/b", ""), ("", "")])
def test_other_names(name, says):
    assert why_not(name) == says


@pytest.mark.parametrize("path", ["ask", "prompt", "search"])
def test_it_is_found_out_beside_the_event_loop(monkeypatch, path):
    loops = []

    def loaded(name):
        try:
            loops.append(asyncio.get_running_loop())
        except RuntimeError:
            loops.append(None)
        return load_graph(name)

    monkeypatch.setattr(internal_routes, "load_graph", loaded)
    app = FastAPI()
    app.include_router(internal_router({}, {}, None, None))  # pyright: ignore[reportArgumentType]
    call = {"who": {"user": "u", "groups": [], "tenant": "default", "admin": False}, "graph": "query_multi", "question": "q"}
    reply = TestClient(app).post(f"/internal/{path}", json=call)
    assert reply.status_code == 404 and "SAKSHYA_CHAT_MODEL is not set" in reply.json()["detail"]
    assert loops == [None]


def test_the_command_line_s_questions_use_the_cache_too(monkeypatch, tmp_path):
    """`ask` finds kept answers with a server as without one."""
    monkeypatch.setenv("SAKSHYA_ANSWER_CACHE_ENTRIES", "5")
    settings.cache_clear()
    seen = []

    async def answered(graph, question, **more):
        seen.append(more["cache"])
        return Answer(status=Status.DECLINED, question=question, answer="No.")

    monkeypatch.setattr(internal_routes, "ask", answered)
    app = FastAPI()

    @app.middleware("http")
    async def known(request, forward):
        request.scope["state"] = {"principal": Principal(user="u", is_admin=True), "system": True}
        return await forward(request)

    served = ServedGraph(load_graph("query_fast"))
    app.include_router(internal_router({"query_fast": served}, {}, None, Slots(1, 1, 5.0)))  # pyright: ignore[reportArgumentType]
    call = {"who": {"user": "u", "tenant": "default"}, "graph": "query_fast", "question": "q"}
    assert TestClient(app).post("/internal/ask", json=call).status_code == 200
    assert seen == [answer_cache()] and seen[0] is not None

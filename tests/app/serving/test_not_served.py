"""A graph that is not served: why, in the words that the command line without a server has."""

import asyncio

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.graphs import load_graph
from app.serving import internal_routes
from app.serving.internal_routes import internal_router, why_not


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

"""What the command line of this machine asks of a running server, because an embedded index has one opener.

Only the key that the server wrote for its own user, or an administrator's, opens these routes; the latter only for its own tenant. They are not
part of the described interface.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from haystack.dataclasses import ByteStream
from pydantic import BaseModel, ConfigDict

from app.answer_cache import answer_cache
from app.batches import Item
from app.errors import SakshyaError, one_line
from app.explaining import explained_search, load_explained
from app.graphs import Graph, load_graph
from app.query import ask, prompt, search
from app.serving.index_routes import queued, work_for
from app.serving.jobs import Jobs, State
from app.serving.limits import Slots
from app.serving.problems import Problem
from app.serving.served_graph import ServedGraph
from app.store import graph_store
from components.access.principal import ANONYMOUS, Principal, acting_as
from config.settings import home

READS = frozenset({"filter_documents", "count_documents_by_filter", "facet", "index_version"})
WRITES = frozenset({"delete_by_filter", "commit", "flush"})
POLL_S = 0.02


class Who(BaseModel):
    """In whose name the command line acts."""

    model_config = ConfigDict(extra="forbid")

    user: str | None = None
    tenant: str
    groups: list[str] = []
    admin: bool = False


class StoreCall(BaseModel):
    """A method of the store with its arguments."""

    model_config = ConfigDict(extra="forbid")

    who: Who
    method: str
    args: list[Any] = []


class QueryCall(BaseModel):
    """A question."""

    model_config = ConfigDict(extra="forbid")

    who: Who
    graph: str
    question: str
    filters: dict[str, Any] | list[Any] | None = None
    top_k: int | None = None
    as_of: str | None = None
    inputs: dict[str, Any] | None = None
    explain: bool = False


def fingerprint(path: Path) -> str:
    """Hash of a graph's file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def acting(request: Request, who: Who) -> Principal:
    """The principal that is asked for.

    :raises Problem: 403, the key is an administrator's of another tenant.
    """
    own: Principal = request.scope["state"]["principal"]
    if not request.scope["state"].get("system") and who.tenant != own.tenant:
        raise Problem(403, "tenant", f"This key is an administrator's of the tenant {own.tenant!r}.")
    return Principal(user=who.user, groups=tuple(who.groups), tenant=who.tenant, is_admin=who.admin)


def why_not(name: str) -> str:
    """Why a graph of `pipelines/` is not served, to stand behind its name; empty for one that is not there, or that could be served by now."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) or not (home() / "pipelines" / f"{name}.yml").is_file():
        return ""
    try:
        graph = load_graph(name)
    except SakshyaError as error:
        return f" ({one_line(error)})"
    return " (it is a graph for indexing)" if graph.phase == "indexing" else " (it came after the server was started)"


def unchanged(graph: Graph, loaded: Mapping[str, str]) -> Graph:
    """The graph, where its file is still what was loaded.

    :raises Problem: 409, it was edited or is gone.
    """
    if not graph.path.is_file() or fingerprint(graph.path) != loaded[graph.name]:
        raise Problem(409, "graph-changed", f"{graph.path.name} was changed after the server loaded it: start the server anew.")
    return graph


def internal_router(served: Mapping[str, ServedGraph], indexing: Mapping[str, Graph], jobs: Jobs, slots: Slots) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/internal", include_in_schema=False)
    everything = {**{name: graph.graph for name, graph in served.items()}, **indexing}
    loaded = {name: fingerprint(graph.path) for name, graph in everything.items()}
    store = next((found for graph in everything.values() if (found := graph_store(graph))), None)

    async def written(principal: Principal, total: int, work: Callable[[Any], dict[str, Any]], size: int = 0) -> dict[str, Any]:
        job = queued(jobs, principal, total, work, size)
        while not job.over.is_set():  # a thread that waits would be one of the few that answer questions
            await asyncio.sleep(POLL_S)
        if job.state is not State.DONE or job.report is None:
            raise Problem(500, "indexing", job.error or "Indexing failed.")
        return job.report

    @router.post("/index")
    async def index(
        request: Request,
        graph: Annotated[str, Form()],
        who: Annotated[str, Form()],
        meta: Annotated[UploadFile, File()],
        files: Annotated[list[UploadFile], File()],
    ) -> Any:
        if graph not in indexing:
            raise Problem(404, "unknown-graph", f"The server has no indexing graph {graph!r}; it has: {', '.join(sorted(indexing))}.")
        found = unchanged(indexing[graph], loaded)
        principal = acting(request, Who.model_validate_json(who))
        metas = json.loads(await meta.read())
        items = []
        for file, fields in zip(files, metas, strict=True):
            data = await file.read()
            items.append(Item(ByteStream(data=data), fields, len(data)))
        return await written(principal, len(items), work_for(found, items, principal), sum(item.size for item in items))

    @router.post("/store")
    async def call_store(request: Request, call: StoreCall) -> Any:
        principal = ANONYMOUS if call.method == "index_version" else acting(request, call.who)  # the version is no tenant's secret
        if store is None or call.method not in READS | WRITES:
            raise Problem(404, "unknown-method", "There is no such method.")

        def run(_progress: Any = None) -> dict[str, Any]:
            with acting_as(principal):
                keep = {"with_embeddings": False} if call.method == "filter_documents" else {}
                result = getattr(store, call.method)(*call.args, **keep)
            if call.method == "filter_documents":
                result = [document.to_dict(flatten=False) for document in result]
            return {"result": result if isinstance(result, list | dict | int | str) else None}

        return await (written(principal, 1, run) if call.method in WRITES else asyncio.to_thread(run))

    async def query_graph(name: str) -> ServedGraph:
        if name not in served:
            why = await asyncio.to_thread(why_not, name)  # loads the graph, which others need not wait for
            raise Problem(404, "unknown-graph", f"The server has no query graph {name!r}{why}; it has: {', '.join(sorted(served))}.")
        unchanged(served[name].graph, loaded)
        return served[name]

    @router.post("/ask")
    async def ask_graph(request: Request, call: QueryCall) -> Any:
        graph, principal = await query_graph(call.graph), acting(request, call.who)
        async with slots.place():
            more = {"filters": call.filters, "top_k": call.top_k, "as_of": call.as_of, "inputs": call.inputs}
            answer = await ask(graph.graph, call.question, principal=principal, cache=answer_cache(), **more)
        return answer.to_json()

    @router.post("/prompt")
    async def show_prompt(request: Request, call: QueryCall) -> Any:
        graph, principal = await query_graph(call.graph), acting(request, call.who)
        async with slots.place():
            part = await asyncio.to_thread(load_graph, str(graph.graph.path), phase="query", only=["prompt"])
            return await prompt(part, call.question, principal=principal, filters=call.filters, top_k=call.top_k, as_of=call.as_of)

    @router.post("/search")
    async def search_graph(request: Request, call: QueryCall) -> Any:
        graph, principal = await query_graph(call.graph), acting(request, call.who)
        values = {"principal": principal, "filters": call.filters, "top_k": call.top_k or 10, "as_of": call.as_of}
        async with slots.place():
            if call.explain:
                whole = await asyncio.to_thread(load_explained, str(graph.graph.path))
                return await explained_search(whole, call.question, **values)
            return await search(graph.found or graph.graph, call.question, **values)

    return router

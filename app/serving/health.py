"""Whether the process lives, whether it can answer, and what it serves."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse

from app.graphs import Graph
from app.serving.problems import documented
from app.serving.served_graph import ServedGraph
from app.sources import equals
from app.store import graph_store
from components.access.principal import ANONYMOUS, acting_as, current_principal
from components.generators.silence import no_chat_models

QUESTION = "Is there an answer?"
KEPT_S = 15.0
"""Seconds for which a check is believed."""
PATIENCE_S = 15.0


class Readiness:
    """Asks every query graph a real question, at most once in `kept_s`, and says which part does not answer. No chat model is asked: what it costs
    and how long it takes is the user's business, and each component goes on without it."""

    def __init__(self, served: Mapping[str, ServedGraph], kept_s: float = KEPT_S) -> None:
        self._served, self._kept_s = served, kept_s
        self._lock = asyncio.Lock()
        self._at, self._parts = float("-inf"), dict[str, str]()

    async def parts(self) -> dict[str, str]:
        """Each graph with `ok` or what is wrong, in words without an exception's text."""
        async with self._lock:
            if time.monotonic() - self._at > self._kept_s:
                self._parts = {name: await self._check(graph) for name, graph in self._served.items()}
                self._at = time.monotonic()
            return dict(self._parts)

    async def _check(self, graph: ServedGraph) -> str:
        from hayhooks import log

        ask = graph.search if "documents" in graph.graph.outputs else graph.run_api_async
        try:
            with acting_as(ANONYMOUS), no_chat_models():
                await asyncio.wait_for(ask(QUESTION), PATIENCE_S)
        except TimeoutError:
            return f"no answer within {PATIENCE_S:g} s"
        except Exception as error:  # noqa: BLE001  whatever it is, the graph does not answer
            log.error("not ready: {}: {}", graph.graph.name, error)
            return "a query failed"
        return "ok"


def health_router(readiness: Readiness, served: Mapping[str, ServedGraph], indexing: Mapping[str, Graph]) -> APIRouter:
    """`/health/live`, `/health/ready`, `/status`."""
    router = APIRouter(tags=["health"])

    @router.get("/health/live", name="live")
    async def live() -> dict[str, str]:
        """The process answers. Needs no key."""
        return {"status": "live"}

    @router.get("/health/ready", name="ready", responses=documented(401, 500) | {503: {"description": "Not ready; `parts` says which graph."}})
    async def ready() -> Any:
        """Every graph is loaded and answers a real query; the check is kept for a few seconds."""
        parts = await readiness.parts()
        fine = all(said == "ok" for said in parts.values())
        return JSONResponse({"status": "ready" if fine else "not ready", "parts": parts}, 200 if fine else 503)

    @router.get("/status", name="status", responses=documented(401, 500))
    async def status() -> dict[str, Any]:
        """The graphs, and what the key may read of the index."""
        return await asyncio.to_thread(_status, served, indexing)

    return router


def _status(served: Mapping[str, ServedGraph], indexing: Mapping[str, Graph]) -> dict[str, Any]:
    principal = current_principal()
    graphs = {**{name: graph.graph for name, graph in served.items()}, **indexing}
    store = next((found for graph in graphs.values() if (found := graph_store(graph))), None)
    data: dict[str, Any] = {
        "user": principal.user,
        "tenant": principal.tenant,
        "graphs": {name: {"phase": graph.phase, "inputs": list(graph.inputs), "outputs": list(graph.outputs)} for name, graph in graphs.items()},
    }
    if store is not None:
        counts = {f"{kind}s": store.count_documents_by_filter(equals("kind", kind)) for kind in ("source", "chunk")}
        data |= {"index_version": store.index_version(), **counts}
    return data

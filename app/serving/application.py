"""The application: Hayhooks' own, emptied of what a server with documents must not offer, with our routes and our door."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.graphs import Graph
from app.serving.keys import Keys
from config.settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

    from app.serving.served_graph import ServedGraph

NAMES_TAKEN = frozenset({"health", "status", "v1", "internal", "openapi.json"})
"""Names that a graph cannot have, because they are paths of the server."""


@dataclass
class Graphs:
    """The loaded graphs by name."""

    served: dict[str, ServedGraph] = field(default_factory=dict)
    indexing: dict[str, Graph] = field(default_factory=dict)


def hayhooks_app() -> FastAPI:
    """Hayhooks' application without its routes.

    Its own would deploy uploaded Python, delete graphs, draw over the network, give an exception's text to the caller, and accept any origin.
    """
    os.environ.setdefault("HAYHOOKS_PIPELINES_DIR", "")
    from hayhooks import create_app
    from hayhooks.settings import settings as hayhooks_settings

    fixed: dict[str, Any] = {
        "pipelines_dir": "",  # the graphs are loaded, checked and warm before the application is built
        "durable_mode": False,
        "monitoring_enabled": False,
        "tracing_enabled": False,
        "tracing_include_haystack_spans": False,  # it would keep questions and passages in memory
        "chainlit_enabled": False,
        "cors_allow_origins": [],
        "cors_allow_origin_regex": None,
        "show_tracebacks": False,
    }
    for name, value in fixed.items():
        setattr(hayhooks_settings, name, value)
    app = create_app()
    app.router.routes[:] = []
    app.user_middleware.clear()
    return app


def build(graphs: Graphs, here: Settings, keys: Keys, system_key: Keys) -> FastAPI:
    """The application for these graphs.

    :param system_key: the key of the command line on this machine.
    """
    app = hayhooks_app()

    from hayhooks.server.pipelines.registry import registry
    from starlette.middleware import Middleware
    from starlette.middleware.cors import CORSMiddleware

    from app.serving import problems
    from app.serving.chat_routes import chat_router
    from app.serving.door import Door, RequestId
    from app.serving.health import Readiness, health_router
    from app.serving.index_routes import index_router
    from app.serving.internal_routes import internal_router
    from app.serving.jobs import Jobs
    from app.serving.limits import Slots, TokenBuckets
    from app.serving.query_routes import query_router

    registry.clear()
    for name, served in graphs.served.items():
        registry.add(name, served)
    jobs = Jobs(here.max_jobs, 2 * here.max_upload_mb * 1_000_000)
    slots = Slots(here.max_concurrent, here.max_waiting, here.deadline_s)
    app.state.jobs = jobs
    app.title, app.version = "Sakshya", "1"
    app.description = "Answers from an organisation's own documents, with the passage behind every sentence."
    app.router.lifespan_context = _lifespan(app.router.lifespan_context, jobs, here.shutdown_s)
    app.add_route("/openapi.json", _openapi(app, keys), include_in_schema=False)
    app.include_router(health_router(Readiness(graphs.served), graphs.served, graphs.indexing))
    for served in graphs.served.values():
        app.include_router(query_router(served, slots))
    for graph in graphs.indexing.values():
        app.include_router(index_router(graph, jobs))
    app.include_router(chat_router(graphs.served, slots))
    app.include_router(internal_router(graphs.served, graphs.indexing, jobs, slots))
    problems.install(app)
    origins = [origin.strip() for origin in here.cors_origins.split(",") if origin.strip()]
    app.user_middleware[:] = [
        Middleware(RequestId),  # pyright: ignore[reportArgumentType]
        *(
            [
                Middleware(
                    CORSMiddleware,
                    allow_origins=origins,
                    allow_methods=["GET", "POST"],
                    allow_headers=["Authorization", "X-API-Key", "Content-Type", "X-Request-ID"],
                    expose_headers=["X-Request-ID", "Retry-After"],
                )
            ]
            if origins
            else []
        ),
        Middleware(
            Door,  # pyright: ignore[reportArgumentType]
            keys=keys,
            system_key=system_key,
            rate=TokenBuckets(here.rate_per_minute, here.rate_burst),
            body_bytes=here.max_body_kb * 1000,
            upload_bytes=here.max_upload_mb * 1_000_000,
            uploads=frozenset(f"/{name}/run" for name in graphs.indexing),
        ),
    ]
    return app


def _lifespan(inner: Any, jobs: Any, shutdown_s: float) -> Any:
    """Hayhooks' own lifespan, and at its end the writer's."""

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[Any]:
        async with inner(app) as state:
            yield state
            await asyncio.to_thread(jobs.stop, shutdown_s)

    return lifespan


def _openapi(app: FastAPI, keys: Keys) -> Any:
    """The route of the description, with how a key is given where keys are set."""
    from starlette.responses import JSONResponse

    schemes: Mapping[str, Any] = {
        "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        "bearer": {"type": "http", "scheme": "bearer"},
    }

    async def openapi(_request: Any) -> JSONResponse:
        schema = app.openapi()
        if keys:
            schema.setdefault("components", {})["securitySchemes"] = dict(schemes)
            schema["security"] = [{"key": []}, {"bearer": []}]
            schema["paths"].get("/health/live", {}).get("get", {})["security"] = []
        return JSONResponse(schema)

    return openapi

"""The endpoints of a query graph: `/{name}/run`, `/{name}/stream`, `/{name}/search`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from app.serving.limits import Slots
from app.serving.problems import Problem, documented
from app.serving.raw_stream import Piece
from app.serving.requests import run_model, search_model
from app.serving.sentences import markers, parts
from app.serving.served_graph import ServedGraph, event
from components.access.principal import current_principal
from components.answer import Answer, Stage

EVENT_STREAM = "text/event-stream"
NO_STORE = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
COMMON = (401, 413, 422, 429, 500, 502, 503, 504)


class EventStream(StreamingResponse):
    """Server-sent events, for the description of a route."""

    media_type = EVENT_STREAM


class Found(BaseModel):
    """What a search gives."""

    question: str
    documents: list[dict[str, Any]]
    trace: list[Stage]
    graph: str
    index_version: str = Field(description="Version of the index that was read.")


async def stream(served: ServedGraph, slots: Slots, values: dict[str, Any]) -> AsyncIterator[bytes]:
    """The answer as events: `stage` as each ends, `sentence` for each part of the answer, then `answer`, the whole contract; or `error`.

    Sentences come after the whole answer was built and checked. A chat model's words are passed on as it writes them, as `token`, only where the
    graph's grounding policy is `annotate`: they are a draft, `restart` takes back what came so far, and what counts is `answer`.
    """
    try:
        async with slots.place():
            async for item in served.events(current_principal(), **values):
                if isinstance(item, Problem):
                    yield event("error", item.to_dict())
                elif isinstance(item, Piece):
                    yield event("restart", {"reason": item.restart}) if item.restart else event("token", {"text": item.text})
                elif isinstance(item, Answer):
                    for part in parts(item.answer):
                        yield event("sentence", {"text": part, "citations": markers(part)})
                    yield event("answer", item.to_json())
                else:
                    yield event("stage", item.model_dump(mode="json"))
    except Problem as problem:
        yield event("error", problem.to_dict())


def query_router(served: ServedGraph, slots: Slots) -> APIRouter:
    """The routes of one query graph."""
    name = served.graph.name
    router = APIRouter(tags=[name])
    as_events = {"description": "The answer; as events where the request accepts them.", "content": {EVENT_STREAM: {"schema": {"type": "string"}}}}

    async def run(request: Request, body: Any) -> Any:
        """Answer a question from the documents that the key may read, with the passage behind every sentence."""
        if EVENT_STREAM in request.headers.get("accept", ""):
            return await streamed(body)
        async with slots.place():
            return await served.run_api_async(**given(body))

    async def streamed(body: Any) -> StreamingResponse:
        """As `run`, as server-sent events: `stage`, `sentence`, and at last `answer` or `error`; before them `token` where the graph allows it."""
        return StreamingResponse(stream(served, slots, given(body)), media_type=EVENT_STREAM, headers=NO_STORE)

    async def search(body: Any) -> Any:
        """The passages for a question, best first, without an answer."""
        async with slots.place():
            return await served.search(**given(body))

    run.__annotations__["body"] = streamed.__annotations__["body"] = run_model(served.graph)
    search.__annotations__["body"] = search_model(served.graph)
    if "answer" in served.graph.outputs:
        answers = {**documented(*COMMON), 200: as_events}
        router.post(f"/{name}/run", name=f"{name}_run", response_model=Answer, responses=answers)(run)
        router.post(f"/{name}/stream", name=f"{name}_stream", response_class=EventStream, responses=documented(*COMMON))(streamed)
    if "documents" in served.graph.outputs:
        router.post(f"/{name}/search", name=f"{name}_search", response_model=Found, responses=documented(*COMMON))(search)
    return router


def given(body: BaseModel) -> dict[str, Any]:
    """The fields that a request has."""
    return body.model_dump(exclude_none=True)

"""`/v1/chat/completions` and `/v1/models`: the query graphs as models of an OpenAI-compatible server.

The shapes are those of fastapi-openai-compat, on which Hayhooks builds its own routes. Those routes put an exception's text into the answer, end
a stream without `[DONE]`, and begin it before they know whether there is an answer; so they are written here.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from fastapi_openai_compat import create_models_router
from fastapi_openai_compat.chat_completions import ChatCompletion, ChatRequest
from pydantic import ValidationError

from app.serving.chat import chunk, cited, completion, graph_of, new_id, question_of, text_parts, usage
from app.serving.limits import Slots
from app.serving.problems import Problem, documented, invalid
from app.serving.query_routes import COMMON, EVENT_STREAM, NO_STORE, given
from app.serving.raw_stream import Piece, same_text, streams_raw
from app.serving.requests import run_model
from app.serving.served_graph import ServedGraph
from components.access.principal import current_principal
from components.answer import Answer, Stage

DONE = b"data: [DONE]\n\n"
RESTARTED = "\n\n(The chat model failed here. What it wrote above is void.)\n\n"
CHECKED = "\n\nAfter checking:\n\n"


def chat_router(served: Mapping[str, ServedGraph], slots: Slots) -> APIRouter:
    """The routes, over the query graphs that give an answer."""
    router = APIRouter(tags=["openai"])
    answering = {name: graph for name, graph in served.items() if "answer" in graph.graph.outputs}
    bodies = {name: run_model(graph.graph) for name, graph in answering.items()}

    async def chat(body: ChatRequest) -> Any:
        """Answer the last message of the user. `model` is a graph's name, with or without `sakshya/` before it.

        Parameters of a chat model (`temperature` and the like) are accepted and change nothing: the graph says how it answers.
        """
        name = graph_of(body.model)
        if name not in answering:
            raise Problem(404, "unknown-model", f"There is no such model. Accepted: {', '.join(sorted(answering))}.")
        question, history = question_of(body.messages)
        values: dict[str, Any] = {"question": question}
        if history and "history" in answering[name].graph.inputs:
            values["history"] = history[-50:]
        try:
            values = given(bodies[name].model_validate(values))
        except ValidationError as error:
            raise invalid(error.errors()) from None
        options = (body.model_extra or {}).get("stream_options")
        counted = isinstance(options, dict) and options.get("include_usage") is True
        if body.stream and streams_raw(answering[name].graph):
            items = drafted(answering[name], slots, values)
            first = await anext(items)  # before the status goes out: a refusal has a status of its own
            if isinstance(first, Problem):
                raise first
            return StreamingResponse(raw_chunks(body.model, first, items, counted=counted), media_type=EVENT_STREAM, headers=NO_STORE)
        async with slots.place():
            answer = await answering[name].run_api_async(**values)
        if not body.stream:
            return completion(body.model, answer)
        return StreamingResponse(chunks(body.model, answer, counted=counted), media_type=EVENT_STREAM, headers=NO_STORE)

    router.post("/v1/chat/completions", name="chat_completions", response_model=ChatCompletion, responses=documented(404, *COMMON))(chat)
    models = create_models_router(list_models=lambda: sorted(answering), owned_by="sakshya", tags=["openai"])
    models.routes[:] = [route for route in models.routes if getattr(route, "path", "") == "/v1/models"]
    router.include_router(models)
    return router


async def chunks(model: str, answer: Answer, *, counted: bool) -> AsyncIterator[bytes]:
    """A streamed completion: a chunk for each sentence of the checked answer, one for the sources, and a last one with the annotations."""
    name, created = new_id(), int(time.time())
    for item in (*(chunk(name, model, created, text) for text in text_parts(answer)), *ending(name, model, created, answer, counted=counted)):
        yield line(item)
    yield DONE


async def drafted(served: ServedGraph, slots: Slots, values: dict[str, Any]) -> AsyncIterator[Piece | Answer | Problem]:
    """What the chat model writes, as it writes it, then the checked answer, or the problem that there is instead."""
    try:
        async with slots.place():
            async for item in served.events(current_principal(), **values):
                if not isinstance(item, Stage):
                    yield item
    except Problem as problem:
        yield problem


async def raw_chunks(model: str, first: Piece | Answer, items: AsyncIterator[Piece | Answer | Problem], *, counted: bool) -> AsyncIterator[bytes]:
    """A streamed completion of a draft: its pieces, then the checked answer where it says anything else, the sources, and the last chunk.

    A client of this protocol cannot be told to forget what it has shown, so what is void or was changed is said in the text.
    """
    name, created, draft = new_id(), int(time.time()), ""
    item: Piece | Answer | Problem | None = first
    while item is not None:
        if isinstance(item, Problem):
            yield b"data: " + json.dumps({"error": item.to_dict()}).encode("ascii") + b"\n\n"
        elif isinstance(item, Piece) and item.restart:
            draft = ""
            yield line(chunk(name, model, created, RESTARTED))
        elif isinstance(item, Piece):
            draft += item.text
            yield line(chunk(name, model, created, item.text))
        else:
            said = text_parts(item)
            checked = "".join(said[: len(said) - bool(item.citations)])
            if draft and same_text(draft, checked):
                said = said[len(said) - bool(item.citations) :]
            elif draft:
                said = [CHECKED, *said]
            for one in (*(chunk(name, model, created, text) for text in said), *ending(name, model, created, item, counted=counted)):
                yield line(one)
        item = await anext(items, None)
    yield DONE


def ending(name: str, model: str, created: int, answer: Answer, *, counted: bool) -> list[ChatCompletion]:
    """The last chunk, with the annotations and the whole contract, and where it is asked for the one with the tokens."""
    last = chunk(name, model, created, annotations=cited(answer), finish_reason="stop")
    last.sakshya = answer.to_json()  # pyright: ignore[reportAttributeAccessIssue]
    if not counted:
        return [last]
    total = chunk(name, model, created)
    total.choices, total.usage = [], usage(answer)
    return [last, total]


def line(item: ChatCompletion) -> bytes:
    """A chunk as a server-sent event."""
    return b"data: " + item.model_dump_json(exclude_none=True).encode() + b"\n\n"

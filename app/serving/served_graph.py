"""A query graph as Hayhooks knows one, run the way the command line runs it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from datetime import date
from typing import Any

from hayhooks import BasePipelineWrapper, log

from app import query
from app.answer_cache import answer_cache
from app.errors import GraphError, UsageError
from app.graphs import Graph
from app.serving.problems import Problem, from_status, unusable
from app.serving.raw_stream import Piece, RawText, streams_raw
from components.access.principal import Principal, current_principal
from components.answer import Answer, Stage, Status
from components.generators.answer_generator import RESTART
from config.settings import settings

DEADLINE = "deadline"


class ServedGraph(BasePipelineWrapper):
    """Runs one graph for the principal of the request, within the deadline.

    Hayhooks' own YAML wrapper asks for every declared input, calls the outputs by component, gives a failing component's text to the caller,
    and knows neither a deadline nor a principal. This one goes through `app.query`, as the command line does.
    """

    skip_mcp = skip_a2a = True

    def __init__(self, graph: Graph, found: Graph | None = None) -> None:
        """:param found: the part of the graph that `documents` depends on; None where the graph declares none."""
        super().__init__()
        self.graph, self.found = graph, found
        self._is_run_api_async_implemented = True
        self.setup()

    def setup(self) -> None:
        """The graph is loaded and warm already."""
        self.pipeline = self.graph.pipeline

    async def run_api_async(self, question: str, **values: Any) -> Answer:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Answer a question.

        :param values: the other inputs that the graph declares.
        :raises Problem: 504 the deadline passed, 500 a component failed, 502 the answer itself is `failed`, 422 filters that cannot be used.
        """
        return await self._answer(question, values)

    async def _answer(self, question: str, values: dict[str, Any], on_chunk: Callable[[Any], None] | None = None) -> Answer:
        try:
            answer = await query.ask(
                self.graph,
                question,
                principal=current_principal(),
                filters=values.pop("filters", None),
                top_k=values.pop("top_k", None),
                as_of=_text(values.pop("as_of", None)),
                inputs=self._inputs(values),
                cache=answer_cache(),
                on_chunk=on_chunk,
            )
        except UsageError as error:
            raise unusable(error) from None
        if answer.status is Status.FAILED:
            raise self._failed([f"{item.stage}: {item.reason}" for item in answer.degraded], [item.stage for item in answer.degraded])
        return answer

    async def search(self, question: str, **values: Any) -> dict[str, Any]:
        """The passages for a question, without an answer.

        :raises Problem: as above.
        """
        try:
            return await query.search(self.found or self.graph, question, principal=current_principal(), **values)
        except UsageError as error:
            raise unusable(error) from None
        except GraphError as error:
            late = isinstance(error.__cause__ or error.__context__, TimeoutError)
            raise self._failed([str(error)], [DEADLINE] if late else []) from None

    def _failed(self, reasons: list[str], stages: list[str]) -> Problem:
        log.error("{} failed: {}", self.graph.name, " | ".join(reasons))
        if DEADLINE in stages:
            return Problem(504, DEADLINE, f"No answer within {settings().deadline_s:g} s (SAKSHYA_DEADLINE_S).")
        return from_status(500 if self.graph.path.name in stages or not stages else 502)

    def _inputs(self, values: dict[str, Any]) -> dict[str, Any]:
        if values.get("history") and any("ChatMessage" in str(self._socket_type(s)) for s in self.graph.inputs.get("history", [])):
            from haystack.dataclasses import ChatMessage

            make = {"user": ChatMessage.from_user, "assistant": ChatMessage.from_assistant}
            values["history"] = [make[turn["role"]](turn["content"]) for turn in values["history"]]
        return values

    def _socket_type(self, socket: str) -> Any:
        component, _, key = socket.partition(".")
        return self.graph.pipeline.inputs().get(component, {}).get(key, {}).get("type")

    async def events(self, principal: Principal, question: str, **values: Any) -> AsyncIterator[Stage | Piece | Answer | Problem]:
        """Each stage as it ends, then the answer, or the problem that there is instead.

        Where the graph's grounding policy is `annotate`, between them what the chat model writes, as it writes it.
        """
        from app.tracing import observe_stages
        from components.access.principal import acting_as

        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Stage | Piece | None] = asyncio.Queue()
        raw = RawText()

        def pass_on(chunk: Any) -> None:
            if reason := chunk.meta.get(RESTART):
                raw.restart()
                loop.call_soon_threadsafe(queue.put_nowait, Piece("", str(reason)))
            elif text := raw.take(chunk.content or ""):
                loop.call_soon_threadsafe(queue.put_nowait, Piece(text))

        def tell(stage: Stage) -> None:
            loop.call_soon_threadsafe(queue.put_nowait, stage.model_copy())

        async def work() -> Answer:
            with acting_as(principal), observe_stages(tell):
                try:
                    answer = await self._answer(question, values, pass_on if streams_raw(self.graph) else None)
                    if rest := raw.end():
                        queue.put_nowait(Piece(rest))
                    return answer
                finally:
                    loop.call_soon(queue.put_nowait, None)

        task = asyncio.create_task(work())
        try:
            while (item := await queue.get()) is not None:
                yield item
            yield await task
        except Problem as problem:
            yield problem
        except Exception as error:  # noqa: BLE001  the answer has begun: the caller gets a problem as its last event, the log the text
            log.opt(exception=error).error("unexpected error")
            yield from_status(500)
        finally:
            task.cancel()


def _text(day: date | str | None) -> str | None:
    return day.isoformat() if isinstance(day, date) else day


def event(name: str, data: Any) -> bytes:
    """A server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=True)}\n\n".encode("ascii")

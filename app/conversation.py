"""A conversation with a query graph: each answer is kept for the questions after it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from app import query
from app.answer_cache import answer_cache
from app.graphs import Graph, load_graph
from app.remote import find_server
from components.access.principal import Principal
from components.answer import Answer, Status

MOST_MESSAGES = 24
"""Messages that are kept, the last ones."""

Ask = Callable[..., Answer]


class Conversation:
    """Asks one question after the other, for one principal, with what was said before as `history`.

    :param graph: name or path of a query graph.
    :param values: `filters`, `top_k`, `as_of`: of every question.
    """

    def __init__(self, graph: str, principal: Principal, **values: Any) -> None:
        self.principal, self.values = principal, values
        self.history: list[dict[str, Any]] = []
        self.forgets = ""
        """Why earlier questions are not known to the graph; empty where they are."""
        server = find_server()
        self._runner: asyncio.Runner | None = None
        if server is not None:
            self._ask: Ask = lambda question, **more: server.ask(graph, question, principal=principal, **values, **more)
            return
        loaded = load_graph(graph, phase="query")
        query.require_index(loaded)
        loaded.warm_up()
        if "history" not in loaded.inputs:
            self.forgets = f"the graph {loaded.name} has no input `history`: each question stands alone"
        self._ask = self._here(loaded)

    def _here(self, graph: Graph) -> Ask:
        runner = self._runner = asyncio.Runner()  # one loop for all: clients of a chat model belong to the loop they were made on
        cache = answer_cache()
        return lambda question, **more: runner.run(query.ask(graph, question, principal=self.principal, cache=cache, **self.values, **more))

    def ask(self, question: str) -> Answer:
        """The answer; unless it failed, it is part of the conversation from now on.

        :raises UsageError: as `query.ask`.
        """
        text = query.checked_question(question)
        answer = self._ask(text, inputs={"history": list(self.history)} if self.history else None)
        if answer.status is not Status.FAILED:
            citations = [{"n": c.n, "uri": c.uri, "quote": c.quote} for c in answer.citations]
            said = {"role": "assistant", "content": answer.answer or answer.missing, "citations": citations}
            self.history = [*self.history, {"role": "user", "content": text}, said][-MOST_MESSAGES:]
        return answer

    def close(self) -> None:
        """End the loop."""
        if self._runner is not None:
            self._runner.close()

"""Sends a question about all documents together one way, any other the other way."""

from __future__ import annotations

from typing import Any

from haystack import component

from components.query.global_question import is_global


@component
class ScopeRouter:
    """A question for the main themes, a summary or an overview goes to `everything`, every other question to `local`.

    No passage answers such a question, so retrieval by likeness finds none (Edge et al., "From local to global", 2024). Haystack's routers decide by
    Jinja conditions, by a model or by a chat model; the rule here is `components.query.global_question`.

    >>> ScopeRouter().run("What are the main themes?")["everything"]
    'What are the main themes?'
    """

    @component.output_types(local=str, everything=str, note=str)
    def run(self, question: str) -> dict[str, Any]:
        """Route.

        :returns: the question as `local` or as `everything`.
        """
        if is_global(question):
            return {"everything": question, "note": "a question about all documents"}
        return {"local": question, "note": "a question about something in the documents"}

"""Sends a round where it begins: to the search, or straight to the generator."""

from __future__ import annotations

from typing import Any

from haystack import Document, component
from haystack.dataclasses import ChatMessage

from components.validators.attempt import Attempt


@component
class AttemptRouter:
    """Opens a round: one that searches gives `query` and `question`, one that writes the answer once more gives `messages` and `evidence`.

    Haystack's ConditionalRouter passes variables on, not the fields of one.

    >>> sorted(AttemptRouter().run(Attempt("When?", "opening hours"))), AttemptRouter().run(Attempt("When?", "hours"))["note"]
    (['asked', 'attempt', 'note', 'query', 'question'], 'round 1: search for: hours')
    """

    @component.output_types(attempt=Attempt, asked=str, query=str, question=str, messages=list[ChatMessage], evidence=list[Document], note=str)
    def run(self, attempt: Attempt) -> dict[str, Any]:
        """Open the round.

        :returns: `attempt` and `asked`, the question, always; `query` and `question`, or `messages` and `evidence`; `note`.
        """
        if attempt.messages:
            return {
                "attempt": attempt,
                "asked": attempt.question,
                "messages": attempt.messages,
                "evidence": attempt.evidence,
                "note": f"round {attempt.round}: write again, with the verdicts",
            }
        query = " ".join(attempt.query.split())
        asked = attempt.question
        return {"attempt": attempt, "asked": asked, "query": query, "question": asked, "note": f"round {attempt.round}: search for: {query}"}

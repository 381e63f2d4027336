"""Answers with the evidence's own sentences, word for word, or declines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ChatMessage, StreamingChunk

from components.generators.extraction import constants as c
from components.generators.extraction.candidates import Choice
from components.generators.extraction.language import packaged_language
from components.generators.extraction.units import Unit, sources_of, span_of
from components.generators.two_documents import answers_to

EXTRACTIVE = "extractive"
"""Name of this generator where a model's name is shown."""


@component
class ExtractiveGenerator:
    """A chat generator without a chat model: quotes the sentences of the evidence that answer, each with its marker, or declines.

    Haystack has no extractive generator for chat messages; its ExtractiveReader wants a reading-comprehension model, gives phrases
    without the exception that belongs to them, and cannot decline for a reason that a person can read. The question and the evidence are
    taken from the user message's `meta`, where EvidencePromptBuilder puts them; the prompt's text is never parsed.

    The reply's text is the answer. Its meta: `declined` (bool), `missing` (str: what was looked for and not found), `spans` (list of `n`,
    `char_start`, `char_end` in the stored text, `text`), `model`.
    """

    def warm_up(self) -> None:
        """Load the language model."""
        packaged_language()

    @component.output_types(replies=list[ChatMessage])
    def run(
        self, messages: list[ChatMessage], generation_kwargs: dict[str, Any] | None = None, streaming_callback: Callable | None = None
    ) -> dict[str, list[ChatMessage]]:
        """Answer the last user message.

        :param messages: as EvidencePromptBuilder writes them.
        :param generation_kwargs: accepted as every chat generator does, and of no effect.
        :param streaming_callback: called once with the whole reply.
        :returns: `replies`, one.
        :raises ValueError: no message carries a question and evidence.
        """
        question, evidence = question_and_evidence(messages)
        sources = sources_of(evidence)
        reply = reply_of(question, answers_to(question, sources, packaged_language()))
        if streaming_callback is not None:
            streaming_callback(StreamingChunk(content=reply.text or ""))
        return {"replies": [reply]}


def question_and_evidence(messages: list[ChatMessage]) -> tuple[str, list[Document]]:
    """What the last user message carries in its meta.

    :raises ValueError: there is none that carries a question.
    """
    for message in reversed(messages):
        if isinstance(message.meta.get("question"), str):
            evidence = message.meta.get("evidence") or []
            return message.meta["question"], [d if isinstance(d, Document) else Document.from_dict(d) for d in evidence]
    raise ValueError("ExtractiveGenerator: no message has meta['question'] and meta['evidence']; EvidencePromptBuilder writes them")


def reply_of(question: str, choices: list[Choice]) -> ChatMessage:
    """The reply for the decisions on the parts of a question."""
    listed = any(choice.answered and len(choice.units) >= c.MAX_SENTENCES for choice in choices)
    found = spans_of([unit for choice in choices if choice.answered for unit in choice.units])
    spans = found[: c.MAX_LISTED + 1 if listed else c.MAX_SENTENCES]
    unanswered = [choice for choice in choices if not choice.answered]
    cut = len(spans) < len(found)
    open_lists = [
        f"whether there are more than the quoted ones ({choice.part.subject})"
        for choice in choices
        if choice.answered and (choice.more or (cut and len(choice.units) > c.MAX_PER_PART))
    ]
    missing = "; ".join(dict.fromkeys([missing_of(choice) for choice in unanswered] + open_lists))
    meta: dict[str, Any] = {"declined": not spans, "missing": missing, "spans": spans, "model": EXTRACTIVE, "finish_reason": "stop"}
    if not spans:
        missing = missing or " ".join(question.split())
        return ChatMessage.from_assistant(f"The documents do not say: {missing}", meta={**meta, "missing": missing})
    parts = [f"{span['text']} [{span['n']}]{span['note']}" for span in spans]
    return ChatMessage.from_assistant(("\n" if any("\n" in p or " | " in p for p in parts) else " ").join(parts), meta=meta)


def missing_of(choice: Choice) -> str:
    """What was looked for, and which of its words no passage holds."""
    words = ", ".join(f"“{w}”" for w in choice.missing[:4])
    return f"{choice.part.subject} (not found: {words})" if words else choice.part.subject


def spans_of(units: list[Unit]) -> list[dict[str, Any]]:
    """What is quoted for the chosen units: each range once, ranges of a passage that overlap made one."""
    found: list[tuple[Unit, int, int]] = []
    for unit in units:
        for start, end in span_of(unit):
            for i, (other, a, b) in enumerate(found):
                if other.source is unit.source and start < b and a < end:
                    found[i] = (other, min(a, start), max(b, end))
                    break
            else:
                found.append((unit, start, end))
    return [
        {
            "n": unit.source.n,
            "char_start": unit.source.char_start + start,
            "char_end": unit.source.char_start + end,
            "text": unit.source.text[start:end],
            "note": "" if unit.source.in_force else f" ({unit.source.note or 'not in force'})",
        }
        for unit, start, end in found
    ]

"""Answers a question about all documents without a chat model: a sentence a theme, word for word."""

from __future__ import annotations

from typing import Any

from haystack import component
from haystack.dataclasses import ChatMessage

from components.generators.extractive_generator import EXTRACTIVE, question_and_evidence
from config.settings import settings


@component
class ThemeGenerator:
    """Quote the sentence of each theme that `CommunityRetriever` chose, with its number. Other questions, and all where a chat model is set, pass.

    The extractive generator looks for sentences that hold what was asked, and no sentence holds "the main themes". Haystack has no such part.
    """

    def __init__(self, model: str | None = None) -> None:
        """Create the generator.

        :param model: of the generator that follows; None: from settings; `extractive`: this one answers whether or not a chat model is set.
        """
        self.model = model

    @component.output_types(messages=list[ChatMessage], replies=list[ChatMessage], note=str)
    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        """Answer, or pass on.

        :param messages: as `EvidencePromptBuilder` writes them.
        :returns: `replies`, one, for themes; else `messages`, as they came.
        """
        name = self.model or settings().chat_model
        if name and name != EXTRACTIVE:
            return {"messages": messages, "note": "the chat model answers"}
        _, evidence = question_and_evidence(messages)
        spans = []
        for number, document in enumerate(evidence, start=1):
            sentence, text = str(document.meta.get("theme_sentence") or ""), document.content or ""
            at = text.find(sentence) if sentence else -1
            if at >= 0:
                start = int(document.meta.get("char_start") or 0) + at
                label = int(document.meta.get("label") or number)
                spans.append({"n": label, "char_start": start, "char_end": start + len(sentence), "text": sentence, "note": ""})
        if not spans:
            return {"messages": messages, "note": "no themes"}
        meta = {"declined": False, "missing": "", "spans": spans, "model": EXTRACTIVE, "finish_reason": "stop"}
        reply = ChatMessage.from_assistant("\n".join(f"{span['text']} [{span['n']}]" for span in spans), meta=meta)
        return {"replies": [reply], "note": f"{len(spans)} themes, a sentence each"}

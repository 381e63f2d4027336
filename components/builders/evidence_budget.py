"""Fills the evidence up to its limits: passages shown whole, widened, joined or shortened, and every one left out with its reason."""

from __future__ import annotations

from collections.abc import Callable

from haystack import Document

from components.builders.expansion import Expansion
from components.builders.passage_ranges import covers, joined, narrowed_to, overlap
from components.builders.sentence_runs import best_run, has_rows
from components.chunk import embedded_text

LEAST_SHORTENED = 24
"""Tokens below which the rest of the budget is not worth a part of a passage."""


class EvidenceBudget:
    """The passages shown so far and what they cost.

    :param count: tokens of a text.
    :param limit: passages at most.
    :param max_tokens: of all passages with their headers. The best passage is shown even if it is longer.
    :param shorten: cut a passage that does not fit to the sentences nearest to the question.
    :param max_passage_tokens: of one passage with its header, before it is cut so; None: no such limit.
    """

    def __init__(
        self, count: Callable[[str], int], limit: int, max_tokens: int, question: str, *, shorten: bool = False, max_passage_tokens: int | None = None
    ) -> None:
        self._count, self._limit, self._max, self._question = count, limit, max_tokens, question
        self._shorten, self._max_passage = shorten or max_passage_tokens is not None, max_passage_tokens
        self.shown: list[Document] = []
        self._costs: list[int] = []

    def add(self, chunk: Document, expansion: Expansion) -> str:
        """Show a passage, if it fits; an empty text, or why it is left out."""
        if any(covers(passage, chunk) for passage in self.shown):
            return ""
        if len(self.shown) >= self._limit:
            return f"beyond the {self._limit} shown (top_k)"
        left = self._max - sum(self._costs)
        whole = expansion.widened(chunk)
        if whole is not None and self.cost(whole) <= left + sum(c for d, c in zip(self.shown, self._costs, strict=True) if covers(whole, d)):
            whole = self._within_one(whole)
            if self._join(whole, expansion.sections):
                return ""
            if not any(overlap(whole, passage) for passage in self.shown):  # what cannot be joined must not be shown twice
                chunk = whole
        chunk = self._within_one(chunk)
        if self._join(chunk, expansion.sections):
            return ""
        cost = self.cost(chunk)
        if self._shorten and cost > left >= LEAST_SHORTENED and (part := self._shortened(chunk, left)):
            chunk, cost = part, self.cost(part)
        if self.shown and cost > left:
            return f"{cost} tokens, {left} left of max_tokens {self._max}"
        self.shown.append(chunk)
        self._costs.append(cost)
        return ""

    def _within_one(self, passage: Document) -> Document:
        if self._max_passage is None or self.cost(passage) <= self._max_passage:
            return passage
        return self._shortened(passage, self._max_passage) or passage

    def cost(self, document: Document) -> int:
        """Tokens of a passage with its header."""
        return self._count(embedded_text(document.content or "", str(document.meta.get("context_header") or "")))

    def _shortened(self, passage: Document, tokens: int) -> Document | None:
        text = passage.content or ""
        if has_rows(text):
            return None
        header = str(passage.meta.get("context_header") or "")
        run = best_run(text, self._question, lambda part: self._count(embedded_text(part, header)) <= tokens)
        return narrowed_to(passage, *run) if run else None

    def _join(self, chunk: Document, sections: dict[str, Document]) -> bool:
        """Join the passage to all shown ones that it touches, where that fits."""
        grown: Document | None = None
        touched: list[int] = []
        for i, passage in enumerate(self.shown):
            one = joined(passage, chunk, sections) if grown is None else joined(grown, passage, sections)
            if one is not None:
                grown = one
                touched.append(i)
        if grown is None:
            return False
        cost = self.cost(grown)
        if cost > self._max - sum(c for i, c in enumerate(self._costs) if i not in touched):
            return False
        keep = [i for i in range(len(self.shown)) if i not in touched[1:]]
        self.shown = [grown if i == touched[0] else self.shown[i] for i in keep]
        self._costs = [cost if i == touched[0] else self._costs[i] for i in keep]
        return True

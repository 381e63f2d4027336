"""Chooses the passages that the prompt shows: the evidence, numbered from 1."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any, Literal

from haystack import Document, component

from components.builders.duplicates import without_duplicates
from components.builders.passage_ranges import char_range, covers, expanded, joined, section_key
from components.builders.validity import day_of, in_force_first, newer, validity
from components.chunk import embedded_text
from components.dropped import Dropped
from components.embedders.embedding_model import EmbeddingError, embedding_model
from components.failure import Degradation

logger = logging.getLogger(__name__)

STAGE = "evidence"
CHARS_PER_TOKEN = 4
EXPAND = ("none", "section")


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has: a token for four ASCII characters, and for each other character one."""
    ascii_chars = sum(c.isascii() for c in text)
    return math.ceil(ascii_chars / CHARS_PER_TOKEN) + len(text) - ascii_chars


@component
class EvidenceBuilder:
    """Turn ranked passages into evidence: nothing twice, whole passages within a budget, best first, each with its validity and number.

    Haystack has no such stage: its prompt builder shows whatever it is given.

    In this order: passages below the threshold are dropped; duplicates and near-duplicates too (the one in force, or newer, stays);
    passages not in force go behind the others, and only the best few of them are kept among these; then, best first, a passage is shown
    whole if it fits the budget, joined to a neighbour of the same section that is shown already. Each content is exactly the stored text at
    `[char_start, char_end)` of its source.

    >>> from haystack import Document
    >>> evidence = EvidenceBuilder().run([Document(content="Twenty days."), Document(content="twenty  days.")])["evidence"]
    >>> [(d.meta["label"], d.content) for d in evidence]
    [(1, 'Twenty days.')]
    """

    def __init__(
        self,
        document_store: Any = None,
        top_k: int = 6,
        min_score: float | dict[str, float] | None = None,
        max_tokens: int = 1800,
        expand: Literal["none", "section"] = "none",
        prefer_in_force: bool = True,
        max_not_in_force: int = 2,
        min_relative_score: float | None = None,
        model: str | None = None,
    ) -> None:
        """:param document_store: where sections are read; `None`: none are, so only passages that touch are joined.
        :param top_k: passages shown at most, >= 1.
        :param min_score: passages with a lower score are dropped. A number is compared with `score`, whatever stage gave it; `{ranker: 0.2}`
            with the score of the first stage named there that scored the passage, and lets pass what none of them scored.
        :param max_tokens: of all passages with their headers, >= 1. The best passage is shown even if it is longer.
        :param expand: none, or section: show the whole section of a passage where it fits the budget.
        :param prefer_in_force: passages that are not in force go behind those that are.
        :param max_not_in_force: how many passages that are not in force may take the place of one that is, >= 0; only those that rank high enough.
        :param min_relative_score: passages are dropped whose score is below this part of the best score that the same stage gave, in [0, 1].
        :param model: whose tokenizer counts; `None`: the embedding model of the settings. Where it cannot be had, tokens are estimated.
        :raises ValueError: a value that is not accepted.
        """
        self.document_store = document_store
        self.top_k = _at_least_one("top_k", top_k)
        self.max_tokens = _at_least_one("max_tokens", max_tokens)
        thresholds = list(min_score.values()) if isinstance(min_score, dict) else [] if min_score is None else [min_score]
        if any(isinstance(x, bool) or not isinstance(x, int | float) or not math.isfinite(x) for x in thresholds):
            raise ValueError(f"EvidenceBuilder.min_score={min_score!r}: accepted are null, a number, or stage names with numbers")
        self.min_score = min_score
        if expand not in EXPAND:
            raise ValueError(f"EvidenceBuilder.expand={expand!r}: accepted are {', '.join(EXPAND)}")
        if expand == "section" and document_store is None:
            raise ValueError("EvidenceBuilder.expand=section needs a document_store to read sections from")
        self.expand = expand
        self.prefer_in_force = prefer_in_force
        if not isinstance(max_not_in_force, int) or isinstance(max_not_in_force, bool) or max_not_in_force < 0:
            raise ValueError(f"EvidenceBuilder.max_not_in_force={max_not_in_force!r}: accepted is a whole number >= 0")
        self.max_not_in_force = max_not_in_force
        if min_relative_score is not None and not 0 <= min_relative_score <= 1:
            raise ValueError(f"EvidenceBuilder.min_relative_score={min_relative_score!r}: accepted is null or a number from 0 to 1")
        self.min_relative_score = min_relative_score
        self.model = model
        self._count: Callable[[str], int] | None = None

    def warm_up(self) -> None:
        """Load the tokenizer, not the weights."""
        if self._count is not None:
            return
        try:
            count = embedding_model(self.model).count_tokens
            count("")
        except EmbeddingError as error:
            logger.warning("the tokens of the evidence are estimated: %s", error)
            count = estimated_tokens
        self._count = count

    @component.output_types(evidence=list[Document], dropped=list[Dropped], degraded=list[Degradation])
    def run(self, documents: list[Document], question: str = "", top_k: int | None = None, as_of: str | None = None) -> dict[str, Any]:
        """Choose the evidence.

        :param documents: passages, best first. They are not changed.
        :param question: not read here; a builder that shortens passages to what is asked has it.
        :param top_k: passages shown at most, >= 1; `None`: as constructed.
        :param as_of: day whose law is asked for, YYYY-MM-DD; `None`: today.
        :returns: `evidence`, best first, with `label` (from 1), `in_force`, `validity_note`, `char_start` and `char_end` in the meta, and
            `chunk_ids` where chunks were joined or expanded; `dropped`: the passages left out, each with its reason; `degraded`: sections
            could not be read.
        :raises ValueError: top_k < 1, or as_of is no date.
        """
        self.warm_up()
        limit = self.top_k if top_k is None else _at_least_one("top_k", top_k)
        day = day_of(as_of) if as_of else date.today()

        def in_force(document: Document) -> bool:
            return validity(document.meta, day).in_force

        dropped = {d.id: "empty" for d in documents if not d.content or not d.content.strip()}
        passages = self._above_threshold([d for d in documents if d.id not in dropped], dropped)
        beaten: dict[str, Document] = {}
        passages = without_duplicates(passages, in_force, newer, beaten)
        dropped |= {i: f"says the same as {_named(beaten.get(other.id, other))}, which stays" for i, other in beaten.items() if i != other.id}
        if self.prefer_in_force:
            passages = in_force_first(passages, in_force, limit, self.max_not_in_force)
        sections, degraded = self._sections(passages)
        chosen = self._within_budget(passages, sections, limit, dropped)
        for passage in passages:
            if passage.id in dropped and not in_force(passage):
                dropped[passage.id] = f"{validity(passage.meta, day).note}; {dropped[passage.id]}"
        if self.prefer_in_force:
            chosen.sort(key=lambda d: not in_force(d))
        left_out = [Dropped(id=i, reason=reason) for i, reason in dropped.items()]
        return {"evidence": [_labelled(d, n, day) for n, d in enumerate(chosen, start=1)], "dropped": left_out, "degraded": degraded}

    def _above_threshold(self, documents: list[Document], dropped: dict[str, str]) -> list[Document]:
        best: dict[str | None, float] = {}
        for document in documents:
            stage = _last_stage(document)
            best[stage] = max(best.get(stage, -math.inf), -math.inf if document.score is None else document.score)
        kept = []
        for document in documents:
            score = document.score
            if isinstance(self.min_score, dict):
                ranks = document.meta.get("ranks") or {}
                judged = [(ranks[stage]["score"], least, stage) for stage, least in self.min_score.items() if stage in ranks]
                if judged and judged[0][0] is not None and judged[0][0] < judged[0][1]:
                    dropped[document.id] = f"score {judged[0][0]:.3g} of {judged[0][2]} below min_score {judged[0][1]:g}"
                    continue
            elif self.min_score is not None and score is not None and score < self.min_score:
                dropped[document.id] = f"score {score:.3g} below min_score {self.min_score:g}"
                continue
            top = best[_last_stage(document)]
            if self.min_relative_score is not None and score is not None and top > 0 and score < self.min_relative_score * top:
                dropped[document.id] = f"score {score:.3g} below min_relative_score {self.min_relative_score:g} of the best, {top:.3g}"
                continue
            kept.append(document)
        return kept

    def _sections(self, passages: list[Document]) -> tuple[dict[str, Document], list[Degradation]]:
        """The sections that could be needed, by id: all for `expand`, else those that hold two passages."""
        keys = [key for d in passages if (key := section_key(d))]
        ids = sorted({key[2] for key in keys if self.expand == "section" or keys.count(key) > 1})
        if not ids or self.document_store is None:
            return {}, []
        try:
            if hasattr(self.document_store, "get_documents_by_id"):
                found = self.document_store.get_documents_by_id(ids)
            else:
                found = self.document_store.filter_documents({"field": "id", "operator": "in", "value": ids})
        except Exception as error:  # noqa: BLE001 - the passages alone still are evidence
            reason = f"sections could not be read, passages are shown as retrieved: {_one_line(error)}"
            logger.warning(reason)
            return {}, [Degradation(stage=STAGE, reason=reason)]
        return {section.id: section for section in found}, []

    def _within_budget(self, passages: list[Document], sections: dict[str, Document], limit: int, dropped: dict[str, str]) -> list[Document]:
        shown: list[Document] = []
        costs: list[int] = []
        for chunk in passages:
            if any(covers(passage, chunk) for passage in shown):
                continue
            if len(shown) >= limit:
                dropped[chunk.id] = f"beyond the {limit} shown (top_k)"
                continue
            left = self.max_tokens - sum(costs)
            whole = expanded(chunk, sections) if self.expand == "section" else None
            if whole is not None and self._cost(whole) <= left + sum(c for d, c in zip(shown, costs, strict=True) if covers(whole, d)):
                chunk = whole  # noqa: PLW2901
            merged = self._joined_to(shown, costs, chunk, sections)
            if merged is not None:
                shown, costs = merged
                continue
            cost = self._cost(chunk)
            if not shown or cost <= left:
                shown.append(chunk)
                costs.append(cost)
            else:
                dropped[chunk.id] = f"{cost} tokens, {left} left of max_tokens {self.max_tokens}"
        return shown

    def _joined_to(
        self, shown: list[Document], costs: list[int], chunk: Document, sections: dict[str, Document]
    ) -> tuple[list[Document], list[int]] | None:
        """The shown passages with the chunk joined to all that it touches; None: it touches none, or it does not fit."""
        grown: Document | None = None
        touched: list[int] = []
        for i, passage in enumerate(shown):
            one = joined(passage, chunk, sections) if grown is None else joined(grown, passage, sections)
            if one is not None:
                grown = one
                touched.append(i)
        if grown is None:
            return None
        place = touched[0]
        left = self.max_tokens - sum(c for i, c in enumerate(costs) if i not in touched)
        cost = self._cost(grown)
        if cost > left:
            return None
        keep = [i for i in range(len(shown)) if i not in touched[1:]]
        return [grown if i == place else shown[i] for i in keep], [cost if i == place else costs[i] for i in keep]

    def _cost(self, document: Document) -> int:
        count = self._count or estimated_tokens
        return count(embedded_text(document.content or "", str(document.meta.get("context_header") or "")))


def _named(document: Document) -> str:
    """A passage in the words of a person: its title and headings, else its beginning."""
    meta = document.meta
    name = " > ".join(str(part) for part in (meta.get("title"), *(meta.get("heading_path") or [])) if part)
    return f"a passage of {name!r}" if name else f"{' '.join((document.content or '').split())[:60]!r}"


def _last_stage(document: Document) -> str | None:
    """`ranker` for what a ranker scored, so that its scores are compared with its own alone."""
    return "ranker" if "ranker" in (document.meta.get("ranks") or {}) else None


def _labelled(document: Document, label: int, day: date) -> Document:
    start, end = char_range(document)
    state = validity(document.meta, day)
    own = {"label": label, "in_force": state.in_force, "validity_note": state.note, "char_start": start, "char_end": end}
    return replace(document, meta={**document.meta, **own}, embedding=None, sparse_embedding=None)


def _one_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{lines[0] if lines else type(error).__name__}"[:300]


def _at_least_one(name: str, value: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"EvidenceBuilder.{name}={value!r}: accepted is a whole number >= 1")
    return value

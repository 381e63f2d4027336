"""Chooses the passages that the prompt shows: the evidence, numbered from 1."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any, Literal

from haystack import Document, component
from haystack.components.rankers import LostInTheMiddleRanker

from components.builders.duplicates import without_duplicates
from components.builders.evidence_budget import EvidenceBudget
from components.builders.expansion import EXPAND, Expand, Expansion
from components.builders.passage_ranges import char_range
from components.builders.thresholds import above_threshold
from components.builders.validity import day_of, in_force_first, newer, validity
from components.dropped import Dropped
from components.embedders.embedding_model import EmbeddingError, embedding_model
from components.failure import Degradation

logger = logging.getLogger(__name__)

STAGE = "evidence"
CHARS_PER_TOKEN = 4
ORDER = ("best_first", "edges_first")


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has: a token for four ASCII characters, and for each other character one."""
    ascii_chars = sum(c.isascii() for c in text)
    return math.ceil(ascii_chars / CHARS_PER_TOKEN) + len(text) - ascii_chars


@component
class EvidenceBuilder:
    """Turn ranked passages into evidence: nothing twice, whole passages within a budget, best first, each with its validity and number.

    Haystack has no such stage: its prompt builder shows whatever it is given.

    In this order: passages below the threshold are dropped; duplicates and near-duplicates too (the one in force, or newer, stays);
    passages not in force go behind the others, and only the best few of them are kept among these; then, best first, a passage is shown,
    with what surrounds it (`expand`) where that fits the budget, joined to a neighbour of the same section that is shown already. Each
    content is exactly the stored text at `[char_start, char_end)` of its source, also where it was widened or shortened.

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
        expand: Literal["none", "window", "auto", "section"] = "none",
        prefer_in_force: bool = True,
        max_not_in_force: int = 2,
        min_relative_score: float | None = None,
        model: str | None = None,
        window: int = 1,
        merge_share: float = 0.5,
        max_passage_tokens: int | None = None,
        shorten_to_fit: bool = False,
        order: Literal["best_first", "edges_first"] = "best_first",
    ) -> None:
        """:param document_store: where sections are read; `None`: none are, so only passages that touch are joined.
        :param top_k: passages shown at most, >= 1.
        :param min_score: passages with a lower score are dropped. A number is compared with `score`, whatever stage gave it; `{ranker: 0.2}`
            with the score of the first stage named there that scored the passage, and lets pass what none of them scored.
        :param max_tokens: of all passages with their headers, >= 1. The best passage is shown even if it is longer.
        :param expand: what is shown around a passage, where it fits the budget. `none`; `window`: the `window` chunks of its section on each
            side; `auto`: its section, where the first `top_k` passages hold at least `merge_share` of it; `section`: its section.
        :param prefer_in_force: passages that are not in force go behind those that are.
        :param max_not_in_force: how many passages that are not in force may take the place of one that is, >= 0; only those that rank high enough.
        :param min_relative_score: passages are dropped whose score is below this part of the best score that the same stage gave, in [0, 1].
        :param model: whose tokenizer counts; `None`: the embedding model of the settings. Where it cannot be had, tokens are estimated.
        :param window: chunks on each side, >= 1.
        :param merge_share: part of the section's text, above 0 and at most 1.
        :param max_passage_tokens: a longer passage is cut to the run of its sentences that is nearest to the question, >= 1; rows of a table
            stay whole. `None`: no cut.
        :param shorten_to_fit: cut so the passage that does not fit what is left of the budget, in place of dropping it.
        :param order: `best_first`; `edges_first`: the best passages first and last, the least in the middle (Liu et al., "Lost in the middle",
            TACL 2024), by Haystack's `LostInTheMiddleRanker`.
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
        if expand != "none" and document_store is None:
            raise ValueError(f"EvidenceBuilder.expand={expand} needs a document_store to read sections from")
        self.expand: Expand = expand
        self.window = _at_least_one("window", window)
        if isinstance(merge_share, bool) or not isinstance(merge_share, int | float) or not 0 < merge_share <= 1:
            raise ValueError(f"EvidenceBuilder.merge_share={merge_share!r}: accepted is a number above 0, at most 1")
        self.merge_share = merge_share
        self.max_passage_tokens = None if max_passage_tokens is None else _at_least_one("max_passage_tokens", max_passage_tokens)
        self.shorten_to_fit = shorten_to_fit
        if order not in ORDER:
            raise ValueError(f"EvidenceBuilder.order={order!r}: accepted are {', '.join(ORDER)}")
        self.order = order
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
        :param question: what a passage that is too long is shortened to.
        :param top_k: passages shown at most, >= 1; `None`: as constructed.
        :param as_of: day whose law is asked for, YYYY-MM-DD; `None`: today.
        :returns: `evidence`, best first, with `label` (from 1), `in_force`, `validity_note`, `char_start` and `char_end` in the meta, and
            `chunk_ids` where chunks were joined or widened; `dropped`: the passages left out, each with its reason; `degraded`: sections
            could not be read.
        :raises ValueError: top_k < 1, or as_of is no date.
        """
        self.warm_up()
        limit = self.top_k if top_k is None else _at_least_one("top_k", top_k)
        day = day_of(as_of) if as_of else date.today()

        def in_force(document: Document) -> bool:
            return validity(document.meta, day).in_force

        dropped = {d.id: "empty" for d in documents if not d.content or not d.content.strip()}
        passages = [d for d in documents if d.id not in dropped]
        passages = above_threshold(passages, self.min_score, self.min_relative_score, dropped)
        beaten: dict[str, Document] = {}
        passages = without_duplicates(passages, in_force, newer, beaten)
        dropped |= {i: f"says the same as {_named(beaten.get(other.id, other))}, which stays" for i, other in beaten.items() if i != other.id}
        if self.prefer_in_force:
            passages = in_force_first(passages, in_force, limit, self.max_not_in_force)
        expansion, degraded = self._expansion(passages, limit)
        budget = EvidenceBudget(
            self._count or estimated_tokens,
            limit,
            self.max_tokens,
            question,
            shorten=self.shorten_to_fit,
            max_passage_tokens=self.max_passage_tokens,
        )
        for passage in passages:
            if reason := budget.add(passage, expansion):
                dropped[passage.id] = reason
        chosen = budget.shown
        for passage in passages:
            if passage.id in dropped and not in_force(passage):
                dropped[passage.id] = f"{validity(passage.meta, day).note}; {dropped[passage.id]}"
        if self.prefer_in_force:
            chosen.sort(key=lambda d: not in_force(d))
        if self.order == "edges_first":
            chosen = LostInTheMiddleRanker().run(chosen)["documents"]
        left_out = [Dropped(id=i, reason=reason) for i, reason in dropped.items()]
        return {"evidence": [_labelled(d, n, day) for n, d in enumerate(chosen, start=1)], "dropped": left_out, "degraded": degraded}

    def _expansion(self, passages: list[Document], limit: int) -> tuple[Expansion, list[Degradation]]:
        expansion = Expansion(self.document_store, self.expand, self.window, self.merge_share)
        try:
            expansion.read(passages, limit)
        except Exception as error:  # noqa: BLE001 - the passages alone still are evidence
            reason = f"sections could not be read, passages are shown as retrieved: {_one_line(error)}"
            logger.warning(reason)
            return Expansion(None, "none", self.window, self.merge_share), [Degradation(stage=STAGE, reason=reason)]
        return expansion, []


def _named(document: Document) -> str:
    """A passage in the words of a person: its title and headings, else its beginning."""
    meta = document.meta
    name = " > ".join(str(part) for part in (meta.get("title"), *(meta.get("heading_path") or [])) if part)
    return f"a passage of {name!r}" if name else f"{' '.join((document.content or '').split())[:60]!r}"


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

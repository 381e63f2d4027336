"""Which passages score too low to be evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from haystack import Document


def above_threshold(
    documents: Sequence[Document], min_score: float | dict[str, float] | None, min_relative_score: float | None, dropped: dict[str, str]
) -> list[Document]:
    """The passages that reach both thresholds, in their order.

    :param min_score: compared with `score`; as `{stage: least}` with the score of the first stage named that scored the passage. What none of
        them scored passes.
    :param min_relative_score: part of the best score that the same stage gave, in [0, 1].
    :param dropped: filled with the id of each passage that goes, and why.
    """
    best: dict[str | None, float] = {}
    for document in documents:
        stage = _last_stage(document)
        best[stage] = max(best.get(stage, -math.inf), -math.inf if document.score is None else document.score)
    kept = []
    for document in documents:
        reason = _too_low(document, min_score) or _too_low_beside(document, min_relative_score, best[_last_stage(document)])
        if reason:
            dropped[document.id] = reason
        else:
            kept.append(document)
    return kept


def _too_low(document: Document, min_score: float | dict[str, float] | None) -> str:
    if isinstance(min_score, dict):
        ranks = document.meta.get("ranks") or {}
        stage = next((stage for stage in min_score if stage in ranks), None)
        score, least = (None, 0.0) if stage is None else (ranks[stage]["score"], min_score[stage])
        return f"score {score:.3g} of {stage} below min_score {least:g}" if score is not None and score < least else ""
    if min_score is not None and document.score is not None and document.score < min_score:
        return f"score {document.score:.3g} below min_score {min_score:g}"
    return ""


def _too_low_beside(document: Document, share: float | None, top: float) -> str:
    if share is not None and document.score is not None and top > 0 and document.score < share * top:
        return f"score {document.score:.3g} below min_relative_score {share:g} of the best, {top:.3g}"
    return ""


def _last_stage(document: Document) -> str | None:
    """`ranker` for what a ranker scored, so that its scores are compared with its own alone."""
    return "ranker" if "ranker" in (document.meta.get("ranks") or {}) else None

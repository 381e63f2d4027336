"""Orders passages by a weighted sum of what the first stage and the words tell of them."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from haystack import Document, component

from components.embedders.bm25_terms import check_language
from components.failure import Degradation
from components.rankers.learned_weights import contributions, read_weights
from components.rankers.ranking_features import FEATURES, Candidate, features
from config.settings import home

logger = logging.getLogger(__name__)

STAGE = "learned"
SHIPPED = "models/learned-ranker/weights.json"
TOLD = 3
"""Features whose part in a score is told."""


@component
class LearnedRanker:
    """Order passages by a learned fusion: a weighted sum of `ranking_features`, whose weights stand in a JSON file.

    Scores and ranks of both legs, the question's terms in text and title, how close they stand, and whether a better passage names this one.
    No network runs: it costs milliseconds. The weights were fitted on judged questions (`models/learned-ranker/README.md`);
    `sakshya train ranker --kind fusion` fits them on yours. Haystack has no ranker over the legs' own scores.

    What a stage before has put in front of better-scored passages, as `IdentifierRanker` does, keeps its place. `score` stays that of the
    fusion, since thresholds are set on it; the sum, and what weighed most in it, stand in `meta["ranks"]["learned"]`.

    >>> from haystack import Document
    >>> notice, leave = Document(content="Notice is given in writing.", score=0.5), Document(content="Annual leave: 20 days.", score=0.5)
    >>> [d.content for d in LearnedRanker().run("annual leave", [notice, leave])["documents"]]
    ['Annual leave: 20 days.', 'Notice is given in writing.']
    """

    def __init__(self, weights: str | None = SHIPPED, language: str | None = "en") -> None:
        """:param weights: a JSON file, relative to the clone; `None`: passages pass in the order they had.
        :param language: as that of the BM25 embedders.
        :raises ValueError: an unknown language, or an empty name.
        """
        if weights is not None and (not isinstance(weights, str) or not weights.strip()):
            raise ValueError(f"LearnedRanker.weights={weights!r}: accepted is null or a JSON file such as {SHIPPED}")
        check_language(language)
        self.weights = weights
        self.language = language
        self._weights: dict[str, float] | None = None
        self._failure = ""
        self._warm = False
        self._loading = threading.Lock()

    def warm_up(self) -> None:
        """Read the weights, once. A failure is kept and reported by `run`; nothing is raised."""
        with self._loading:
            if self._warm:
                return
            if self.weights is not None:
                try:
                    self._weights = read_weights(home() / Path(self.weights).expanduser())
                except ValueError as error:
                    self._failure = f"the weights of the ranker were not read: {error}"
                    logger.warning(self._failure)
            self._warm = True

    @component.output_types(documents=list[Document], skipped=str, degraded=list[Degradation])
    def run(self, query: str, documents: list[Document]) -> dict[str, Any]:
        """Order the passages; none is dropped.

        :param query: the question.
        :param documents: passages, best first, with `meta["ranks"]` as the fusers write it.
        :returns: `documents`, best first, with `{"rank", "score", "why"}` in `meta["ranks"]["learned"]`; `skipped`, `no model` or empty;
            `degraded`.
        """
        self.warm_up()
        if self._weights is None or not documents:
            degraded = [Degradation(stage=STAGE, reason=self._failure)] if self._failure else []
            return {"documents": list(documents), "skipped": "" if self._failure or self._weights else "no model", "degraded": degraded}
        parts = contributions(features(query, [candidate(d) for d in documents], self.language), self._weights)
        scores = parts.sum(axis=1)
        kept = put_forward([d.score for d in documents])
        order = [*range(kept), *sorted(range(kept, len(documents)), key=lambda i: (-scores[i], i))]
        names = list(FEATURES)
        ranked = []
        for rank, i in enumerate(order, start=1):
            most = sorted(range(len(names)), key=lambda n: -abs(parts[i][n]))[:TOLD]
            why = {names[n]: round(float(parts[i][n]), 3) for n in most if parts[i][n]}
            ranks = {**(documents[i].meta.get("ranks") or {}), STAGE: {"rank": rank, "score": round(float(scores[i]), 4), "why": why}}
            ranked.append(replace(documents[i], meta={**documents[i].meta, "ranks": ranks}))
        return {"documents": ranked, "skipped": "", "degraded": []}


def put_forward(scores: list[float | None]) -> int:
    """How many at the top stand there by no score: up to the last one that a better-scored one follows.

    >>> put_forward([0.2, 0.9, 0.4]), put_forward([0.9, 0.9, 0.4]), put_forward([0.2, None])
    (1, 0, 0)
    """
    best, count = float("-inf"), 0
    for place in range(len(scores) - 1, -1, -1):
        score = scores[place]
        if score is None:
            continue
        if score < best and not count:
            count = place + 1
        best = max(best, score)
    return count


def candidate(document: Document) -> Candidate:
    """A passage as the features read it."""
    meta = document.meta
    ranks = meta.get("ranks") or {}
    title = " > ".join(str(part) for part in (meta.get("title"), *(meta.get("heading_path") or [])) if part)
    legs = {leg: (int(ranks[leg]["rank"]), float(ranks[leg].get("score") or 0.0)) for leg in ("dense", "sparse") if ranks.get(leg)}
    return Candidate(document.content or "", title, document.score or 0.0, legs.get("dense"), legs.get("sparse"))

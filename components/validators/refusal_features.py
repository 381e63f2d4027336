"""What speaks for and against the evidence holding the answer to a question: features of retrieval and of the match, each 0 to 1."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

from haystack import Document

from components.generators.extraction.candidates import Choice
from components.generators.extraction.language import Reader
from components.generators.extraction.matching import greatest_gap, weighted
from components.generators.extraction.parts import Part, has_subject, parts_of
from components.generators.extraction.terms import in_bag
from components.generators.extraction.units import Source, sources_of
from components.generators.extraction.words import Bag
from components.generators.two_documents import Composed, answers_to

FEATURES = {
    "similarity": "cosine of the question and the nearest passage, as the dense leg gave it",
    "lead": "how far that passage is ahead of the third",
    "coverage": "share of the weight of the question's words that the best passage holds, or those that answer together",
    "held": "the least held word of the question, by weight, in the best passage, or in those that answer together",
    "agreement": "how near the top the best passage of one leg stands in the other",
    "ranking": "score of the ranking model for the best passage; of no weight where none is set",
    "sentence": "cosine of the question and the sentence that answers best",
    "near": "the least held word of the question, by weight, in and around that sentence, or those that answer together",
    "kind": "whether that sentence can hold the kind of answer asked for: person, figure, date, place, duration",
}
"""Names of the features and what they say."""


def leg_scores(documents: Sequence[Document], leg: str) -> list[tuple[int, float]]:
    """Rank and score that a leg gave each document, for those that it found."""
    found = []
    for document in documents:
        entry = (document.meta.get("ranks") or {}).get(leg)
        if isinstance(entry, Mapping) and isinstance(entry.get("rank"), int) and isinstance(entry.get("score"), int | float):
            found.append((entry["rank"], float(entry["score"])))
    return found


def rank_agreement(documents: Sequence[Document]) -> float:
    """1 where one passage leads both legs; the best mean of both reciprocal ranks else; 0 without two legs."""
    best = 0.0
    for document in documents:
        ranks = [r for leg in ("dense", "sparse") for r, _ in leg_scores([document], leg)]
        if len(ranks) == 2:
            best = max(best, sum(1 / max(r, 1) for r in ranks) / 2)
    return best


def features_of(question: str, evidence: Sequence[Document], language: Reader) -> dict[str, float]:
    """The features of a question and its evidence, by name; what cannot be known is left out.

    Of a question of several parts the worst part counts, since an answer to half of it is none.
    """
    sources = sources_of(evidence)
    found: dict[str, float] = {}
    cosines = sorted((score for _, score in leg_scores(evidence, "dense")), reverse=True)
    if cosines:
        found["similarity"] = min(1.0, max(0.0, cosines[0]))
        found["lead"] = min(1.0, max(0.0, cosines[0] - cosines[min(2, len(cosines) - 1)]) * 4)
        found["agreement"] = rank_agreement(evidence)
    scores = [score for leg in ("ranker", "cross_encoder") for _, score in leg_scores(evidence, leg)]
    if scores:
        found["ranking"] = 1 / (1 + math.exp(-max(scores))) if max(scores) > 1 or min(scores) < 0 else max(scores)
    parts = [part for part in parts_of(question, language.rarity) if has_subject(part)]
    choices = answers_to(question, sources, language)
    if choices and all(choice.worked_out for choice in choices):  # no passage says "cheapest", or the year in which it was in force
        parts = [choice.part for choice in choices if has_subject(choice.part)]
    covered = [[{t.stem: in_bag(t, bag) for t in part.terms} for bag in _bags(part, sources, choices)] for part in parts]
    if parts and sources:
        found["coverage"] = min(max(weighted(part, row) for row in rows) for part, rows in zip(parts, covered, strict=True))
        found["held"] = min(1 - min(greatest_gap(part, row) for row in rows) for part, rows in zip(parts, covered, strict=True))
    for name, key in (("sentence", "similarity"), ("near", "gap"), ("kind", "kind")):
        values = [choice.features[key] for choice in choices if choice.features]
        if values:
            found[name] = min(max(0.0, 1 - v if key == "gap" else v) for v in values)
    return found


def _bags(part: Part, sources: Sequence[Source], choices: Sequence[Choice]) -> list[Bag]:
    """Words of each passage, and of two together that answer the part together."""
    bags = [source.bag for source in sources]
    together = [choice.units for choice in choices if isinstance(choice, Composed) and choice.part == part]
    return bags + [reduce(or_, (unit.source.bag for unit in units)) for units in together]


@dataclass(frozen=True)
class RefusalModel:
    """A logistic function of the features, with the probability below which is refused."""

    bias: float
    weights: Mapping[str, float]
    means: Mapping[str, float]
    """What stands in for a feature that cannot be known."""
    threshold: float = 0.5
    fitted_on: str = ""

    def __post_init__(self) -> None:
        unknown = sorted(set(self.weights) - set(FEATURES))
        if unknown:
            raise ValueError(f"RefusalModel: no feature {', '.join(unknown)}; accepted are {', '.join(FEATURES)}")
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"RefusalModel.threshold={self.threshold!r}: accepted is a number from 0 to 1")

    def probability(self, features: Mapping[str, float]) -> float:
        """How likely the evidence answers the question, 0 to 1.

        >>> RefusalModel(-2.0, {"coverage": 4.0}, {}).probability({"coverage": 0.5})
        0.5
        """
        z = self.bias + sum(w * features.get(name, self.means.get(name, 0.0)) for name, w in self.weights.items())
        return 1 / (1 + math.exp(-z))

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data, with what each feature says."""
        return {
            "bias": round(self.bias, 4),
            "threshold": round(self.threshold, 4),
            "weights": {name: round(weight, 4) for name, weight in self.weights.items()},
            "means": {name: round(mean, 4) for name, mean in self.means.items()},
            "features": {name: FEATURES[name] for name in self.weights},
            "fitted_on": self.fitted_on,
        }


def read_model(path: Path | str) -> RefusalModel:
    """A model from its file.

    :raises ValueError: the file is missing, is no JSON object, or lacks bias or weights.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        return RefusalModel(
            bias=float(data["bias"]),
            weights={str(k): float(v) for k, v in data["weights"].items()},
            means={str(k): float(v) for k, v in data.get("means", {}).items()},
            threshold=float(data.get("threshold", 0.5)),
            fitted_on=str(data.get("fitted_on", "")),
        )
    except (OSError, KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path}: no refusal model: {error!r}; accepted is what `sakshya evaluate refusal --write` writes") from error

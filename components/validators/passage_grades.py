"""How well retrieved passages answer a question, and what that says of the retrieval as a whole. Pure functions and their weights.

The verdicts are those of Yan et al., "Corrective Retrieval Augmented Generation" (2024): correct where one passage scores above the upper
threshold, incorrect where all score below the lower one, else ambiguous. Their evaluator is a fine-tuned T5; here a logistic function of what
question and passage have in common, or whatever scorer the grader is given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from haystack import Document

from components.generators.extraction.language import Reader
from components.validators.refusal_features import FEATURES, RefusalModel, features_of

NOT_OF_ONE = frozenset({"lead", "ranking"})
"""Features that say nothing of a single passage: its lead over others, and the score of a ranking model, which is a scorer of its own."""


class Retrieved(StrEnum):
    """What a retrieval is worth."""

    CORRECT = "correct"
    """A passage answers: use what was found."""
    AMBIGUOUS = "ambiguous"
    """It may: use it, and look elsewhere too."""
    INCORRECT = "incorrect"
    """No passage does: look elsewhere."""


@dataclass(frozen=True)
class Thresholds:
    """Scores between which a retrieval is ambiguous.

    :raises ValueError: not 0 <= lower <= upper <= 1.
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not 0 <= self.lower <= self.upper <= 1:
            raise ValueError(f"thresholds lower={self.lower!r}, upper={self.upper!r}: accepted is 0 <= lower <= upper <= 1")


def verdict_of(scores: Sequence[float], thresholds: Thresholds) -> Retrieved:
    """The verdict on a retrieval whose passages have these scores, each 0 to 1; no passage at all is incorrect.

    >>> limits = Thresholds(0.2, 0.7)
    >>> [verdict_of(s, limits).value for s in ([0.1, 0.8], [0.1, 0.1], [0.1, 0.5], [])]
    ['correct', 'incorrect', 'ambiguous', 'incorrect']
    """
    best = max(scores, default=0.0)
    if scores and best >= thresholds.upper:
        return Retrieved.CORRECT
    return Retrieved.INCORRECT if not scores or best < thresholds.lower else Retrieved.AMBIGUOUS


def passage_features(question: str, passage: Document, language: Reader) -> dict[str, float]:
    """What speaks for and against one passage answering the question, each 0 to 1; names as in `refusal_features`."""
    return {name: value for name, value in features_of(question, [passage], language).items() if name not in NOT_OF_ONE}


@dataclass(frozen=True)
class PassageGrader:
    """A logistic function of the features of one passage, with its thresholds."""

    model: RefusalModel
    thresholds: Thresholds
    origin: str = ""

    def score(self, question: str, passage: Document, language: Reader) -> float:
        """How likely the passage answers the question, 0 to 1."""
        return self.model.probability(passage_features(question, passage, language))

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data, with what each feature says."""
        found = self.model.to_json()
        return {
            "upper": round(self.thresholds.upper, 4),
            "lower": round(self.thresholds.lower, 4),
            **{name: found[name] for name in ("bias", "weights", "means", "features")},
            "origin": self.origin,
        }


def grader_of(data: Mapping[str, Any]) -> PassageGrader:
    """A grader from plain JSON data.

    :raises ValueError: thresholds, bias or weights are missing or none, or name an unknown feature.
    """
    try:
        weights = {str(name): float(weight) for name, weight in data["weights"].items()}
        means = {str(name): float(mean) for name, mean in data.get("means", {}).items()}
        thresholds = Thresholds(float(data["lower"]), float(data["upper"]))
        return PassageGrader(RefusalModel(float(data["bias"]), weights, means), thresholds, str(data.get("origin", "")))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no grader: {error!r}; accepted: lower, upper, bias and weights of {', '.join(set(FEATURES) - NOT_OF_ONE)}") from None


def read_grader(path: Path | str) -> PassageGrader:
    """A grader from its file.

    :raises ValueError: the file is missing or holds none; it is named.
    """
    try:
        return grader_of(json.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None

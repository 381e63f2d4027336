"""Sentences that may answer, what speaks for them, and the decision on one part of a question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from components.generators.extraction import constants as c
from components.generators.extraction.parts import Part
from components.generators.extraction.units import Unit


@dataclass
class Candidate:
    """A unit with what speaks for it."""

    unit: Unit
    found: dict[str, float]
    in_order: float = 0.0
    similarity: float = 0.0
    kind: float = 1.0
    score: float = 0.0


@dataclass
class Choice:
    """The decision on one part of a question."""

    part: Part
    units: list[Unit] = field(default_factory=list)
    confidence: float = 0.0
    features: dict[str, float] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    more: bool = False
    """Whether there may be more of what was asked for than the units."""
    worked_out: bool = False
    """Whether it was read off a column or from the version of a time: `part` is then the question without what no passage need say."""

    @property
    def answered(self) -> bool:
        """Whether the units answer the part."""
        return bool(self.units) and self.confidence >= c.ANSWER_FROM


def confidence(similarity: float, gap: float, kind: float) -> float:
    """How likely the chosen sentences answer, 0 to 1: a logistic function.

    :param similarity: cosine of question and sentence, -1 to 1.
    :param gap: how much of the worst covered word of the question is not found, 0 to 1.
    :param kind: whether the sentence can hold the kind of answer, 0 to 1.
    """
    z = c.BIAS + c.ON_SIMILARITY * similarity + c.ON_GAP * gap + c.ON_KIND * kind
    return 1 / (1 + math.exp(-z))


def meaning_credit(cosine: float) -> float:
    """Credit for a word of the question that the sentence only has by meaning, 0 to `MEANING_AT_MOST`: linear between two cosines."""
    share = (cosine - c.MEANING_NONE) / (c.MEANING_FULL - c.MEANING_NONE)
    return c.MEANING_AT_MOST * min(1.0, max(0.0, share))


def beside(unit: Unit, other: Unit) -> bool:
    """Whether two units stand side by side in one passage."""
    return unit.source is other.source and abs(unit.index - other.index) == 1


def merged(chosen: Sequence[Candidate]) -> dict[str, float]:
    """For each term the best that any of the candidates offers."""
    found: dict[str, float] = {}
    for k in chosen:
        for key, value in k.found.items():
            found[key] = max(found.get(key, 0.0), value)
    return found


def compared_text(unit: Unit) -> str:
    """What of a unit is compared with the question by meaning: its nearest heading and the unit with its lead."""
    label = unit.source.label
    return f"{label}: {unit.full_text}" if label else unit.full_text

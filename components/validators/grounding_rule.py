"""The rule that weighs what is known of a claim: two logistic functions over features with names, their weights in a JSON file.

`supported` tells whether the passages carry the claim; `contradicted` whether they deny it, of the claims that they do not carry. There is one pair
with the features of a model and one without.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from components.answer import Verdict
from components.validators.grounding_features import FEATURES, MODEL_FEATURES, WORD_FEATURES, Reading, is_settled

RULE_FILE = "rule.json"
DEFAULT_FILE = Path(__file__).with_name("grounding_rule.json")
PARTS = ("with model", "without model")

MUST_BE_FOUND = ("missing: numbers", "missing: dates", "missing: sections", "missing: codes", "missing: names")
"""What no likeness makes up for: a claim with a number, date, section, code or name that its passages lack is not supported."""
_JUST_BELOW = 0.99
_SUPPORT = {"model supported", *WORD_FEATURES, "overlap", "overlap of one sentence", "overlap in order", "verbatim"}


def allowed_sign(feature: str, verdict: Verdict) -> int:
    """The sign that the weight of a feature may have: 1 for >= 0, -1 for <= 0.

    Whatever speaks for a claim can only raise `supported`, and whatever is missing only lower it. For `contradicted`, what is missing speaks for it.

    >>> allowed_sign("overlap", Verdict.SUPPORTED), allowed_sign("missing: numbers", Verdict.SUPPORTED)
    (1, -1)
    """
    if verdict is Verdict.SUPPORTED:
        return 1 if feature in _SUPPORT else -1
    return -1 if feature == "model supported" else 1


@dataclass(frozen=True)
class Logistic:
    """A logistic function: sigmoid of bias and weighted features. A feature without a weight counts nothing."""

    bias: float
    weights: Mapping[str, float]

    def __call__(self, features: Mapping[str, float]) -> float:
        """Probability, in [0, 1].

        >>> Logistic(0.0, {"overlap": 2.0})({"overlap": 0.0})
        0.5
        """
        total = self.bias + math.fsum(weight * features.get(name, 0.0) for name, weight in self.weights.items())
        return 0.5 * (1.0 + math.tanh(0.5 * total))


@dataclass(frozen=True)
class Part:
    """The rule of one case, with a model or without.

    :param supported_from: probability of `supported` from which a claim is supported, in (0, 1).
    :param contradicted_from: probability of `contradicted` from which one that is not is contradicted, in (0, 1].
    """

    supported: Logistic
    contradicted: Logistic
    supported_from: float
    contradicted_from: float

    def score(self, features: Mapping[str, float]) -> float:
        """Probability that a claim is supported: 1 where words and exact checks settle it, below `supported_from` where something is missing that
        must be found.
        """
        if is_settled(features):
            return 1.0
        score = self.supported(features)
        lacking = any(features.get(name, 0.0) > 0 for name in MUST_BE_FOUND)
        return min(score, _JUST_BELOW * self.supported_from) if lacking else score


@dataclass(frozen=True)
class Judgement:
    """What the rule says of a claim: verdict, probability that it is supported, and why not, a line each."""

    verdict: Verdict
    score: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class GroundingRule:
    """A rule for both cases, as its file holds it.

    :param note: on what it was fitted.
    """

    parts: Mapping[str, Part]
    note: str = ""

    @property
    def reads_words(self) -> bool:
        """Whether it weighs likeness of words, for which a second model has to read them."""
        part = self.part(True)
        return any(name in logistic.weights for logistic in (part.supported, part.contradicted) for name in WORD_FEATURES)

    def part(self, has_model: bool) -> Part:
        """The rule of one case."""
        return self.parts[PARTS[0 if has_model else 1]]

    def with_threshold(self, supported_from: float) -> GroundingRule:
        """The same rule with another threshold for `supported`, in both cases."""
        return replace(self, parts={name: replace(part, supported_from=supported_from) for name, part in self.parts.items()})

    def score(self, features: Mapping[str, float]) -> float:
        """Probability that the claim is supported; without the model's features, that of the rule without model."""
        return self.part(MODEL_FEATURES[0] in features).score(features)

    def judge(self, reading: Reading) -> Judgement:
        """Verdict, score and reasons of a reading."""
        part = self.part(reading.has_model)
        reasons = tuple(finding.reason for finding in reading.findings if not finding.passed)
        score = part.score(reading.features)
        if score >= part.supported_from:
            return Judgement(Verdict.SUPPORTED, score, reasons)
        denied = part.contradicted(reading.features) >= part.contradicted_from
        return Judgement(Verdict.CONTRADICTED if denied else Verdict.UNSUPPORTED, score, reasons or _weakest(reading))


def _weakest(reading: Reading) -> tuple[str, ...]:
    share = reading.features["overlap"]
    if reading.has_model and reading.features["model contradicted"] > 0:
        return ("the cited passage says otherwise",)
    if share < 0.999:
        return (f"{share:.0%} of its words are in the cited passage",)
    return ("its words are in the cited passage, but not what it says",)


def read_rule(file: Path) -> GroundingRule:
    """Read a rule from its file.

    :raises ValueError: it is missing or is no such file; the message names it and what is accepted.
    """
    try:
        data = json.loads(file.read_text("utf-8"))
        parts = {name: _part(data[name]) for name in PARTS}
    except OSError as error:
        raise ValueError(f"{file}: cannot be read: {error.strerror}") from error
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{file}: no grounding rule: {error!r}; accepted: what `python -m evaluation.grounding_rule` writes") from error
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error
    return GroundingRule(parts, str(data.get("note") or ""))


def _part(data: Mapping[str, Any]) -> Part:
    def logistic(name: str) -> Logistic:
        weights = {str(key): float(value) for key, value in data[name]["weights"].items()}
        unknown = sorted(set(weights) - set(FEATURES))
        if unknown:
            raise ValueError(f"unknown features {', '.join(unknown)}; accepted: {', '.join(FEATURES)}")
        for feature, weight in weights.items():
            if weight * allowed_sign(feature, Verdict(name)) < 0:
                raise ValueError(f"the weight of {feature!r} in {name!r} is {weight}; accepted: the other sign")
        return Logistic(float(data[name]["bias"]), weights)

    limits = [float(data[name]) for name in ("supported from", "contradicted from")]
    if not all(0 < limit <= 1 for limit in limits):
        raise ValueError(f"thresholds {limits}; accepted: above 0, at most 1")
    return Part(logistic("supported"), logistic("contradicted"), *limits)


def to_json(rule: GroundingRule) -> dict[str, Any]:
    """A rule as its file holds it."""

    def plain(logistic: Logistic) -> dict[str, Any]:
        return {"bias": round(logistic.bias, 4), "weights": {name: round(weight, 4) for name, weight in logistic.weights.items()}}

    return {
        "note": rule.note,
        **{
            name: {
                "supported": plain(part.supported),
                "contradicted": plain(part.contradicted),
                "supported from": round(part.supported_from, 4),
                "contradicted from": round(part.contradicted_from, 4),
            }
            for name, part in rule.parts.items()
        },
    }


@lru_cache(maxsize=8)
def _cached(file: Path, changed_ns: int) -> GroundingRule:
    return read_rule(file)


def rule_for(folder: Path | None) -> GroundingRule:
    """The rule beside a model, else the one that comes with the clone.

    :param folder: of the model; `None`: there is none, or it is on a hub.
    :raises ValueError: the file is there and is no rule.
    """
    own = folder / RULE_FILE if folder else None
    file = own if own is not None and own.is_file() else DEFAULT_FILE
    return _cached(file, file.stat().st_mtime_ns)

"""What the grounding rule sees of a claim and its passages: a few numbers with names that can be read. Pure functions."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from components.generators.extraction.language import Reader
from components.validators.claims import is_yes, with_question
from components.validators.exact_checks import CHECKS, run_checks
from components.validators.finding import Finding
from components.validators.nli_model import Judge
from components.validators.premise_windows import premises
from components.validators.word_likeness import overlap_by_likeness, weakest_words, word_matches
from components.validators.word_overlap import holds_verbatim, nearest_sentence, order_overlap, overlap

MODEL_FEATURES = ("model supported", "model contradicted")
WORD_FEATURES = ("weakest words", "overlap by likeness")
OVERLAP_FEATURES = ("overlap", "overlap of one sentence", "overlap in order", "verbatim")
CHECK_FEATURES = tuple(f"missing: {name}" for name in CHECKS)
FEATURES = (*MODEL_FEATURES, *WORD_FEATURES, *OVERLAP_FEATURES, *CHECK_FEATURES)
"""All features. The model's are log odds from -1 to 1 (probabilities of .0025 to .9975), those of words are cosines, the others shares
from 0 to 1."""
_LOG_ODDS = 6.0


@dataclass(frozen=True)
class Reading:
    """A claim read against passages.

    :param features: by name; those of the model and of words are absent where none read it.
    :param findings: of the exact checks that had something to do.
    """

    features: dict[str, float]
    findings: tuple[Finding, ...]

    @property
    def has_model(self) -> bool:
        """Whether a model read it."""
        return MODEL_FEATURES[0] in self.features

    @property
    def is_settled(self) -> bool:
        """Whether it stands there word for word and every exact check passes, so that a model has nothing to add."""
        return is_settled(self.features)


def is_settled(features: Mapping[str, float]) -> bool:
    """Whether a claim with these features stands word for word in its passages, and every exact check passes."""
    return bool(features["verbatim"]) and not any(features[name] > 0 for name in CHECK_FEATURES)


def pairs_of(claim: str, passages: Sequence[str], question: str = "") -> list[tuple[str, str]]:
    """What a model reads: (premise, claim) for each window of the passages that matters, and for a pair of them."""
    hypothesis = with_question(claim, question)
    return [(premise, hypothesis) for premise in premises(hypothesis, passages)]


def best_of_windows(probabilities: np.ndarray) -> tuple[float, float]:
    """Supported and contradicted of a claim from its rows [windows, 3]: the maximum of each over the windows that were read (Schuster et al.,
    "Stretching sentence-pair NLI models to reason over long documents", 2022), contradicted at most what supported leaves.

    >>> best_of_windows(np.array([[0.1, 0.2, 0.7], [0.9, 0.0, 0.1]]))
    (0.9, 0.1)
    """
    supported = float(np.nanmax(probabilities[:, 0]))
    return supported, round(min(float(np.nanmax(probabilities[:, 1])), 1.0 - supported), 12)


def log_odds(probability: float) -> float:
    """Log odds of a probability, scaled to [-1, 1].

    >>> log_odds(0.5), log_odds(1.0)
    (0.0, 1.0)
    """
    clipped = min(max(probability, 1e-9), 1 - 1e-9)
    return max(-1.0, min(1.0, math.log(clipped / (1 - clipped)) / _LOG_ODDS))


def read_claim(claim: str, passages: Sequence[str], probabilities: np.ndarray | None = None, question: str = "") -> Reading:
    """The features of a claim against passages read as one. A bare yes claims what the question says.

    :param passages: texts, with the title and headings that belong to them.
    :param probabilities: rows of the model for `pairs_of`, [windows, 3]; `None`, or NaN only: no model read the claim.
    """
    claim = question if question and is_yes(claim) else claim
    premise = "\n\n".join(passages)
    nearest = nearest_sentence(claim, premise)
    features = {
        "overlap": overlap(claim, premise),
        "overlap of one sentence": overlap(claim, nearest),
        "overlap in order": max(order_overlap(claim, passage) for passage in passages) if passages else 0.0,
        "verbatim": float(any(holds_verbatim(claim, passage) for passage in passages)),
    }
    findings = tuple(run_checks(claim, premise))
    features |= dict.fromkeys(CHECK_FEATURES, 0.0) | {f"missing: {finding.check}": finding.missing for finding in findings}
    reading = Reading(features, findings)
    return reading if probabilities is None else with_model(reading, probabilities)


def with_model(reading: Reading, probabilities: np.ndarray) -> Reading:
    """A reading with the features of the model; as it is where the model read none of the windows in time.

    :param probabilities: as for `read_claim`.
    """
    if not probabilities.size or np.isnan(probabilities[:, 0]).all():
        return reading
    supported, contradicted = best_of_windows(probabilities)
    said = dict(zip(MODEL_FEATURES, (log_odds(supported), log_odds(contradicted)), strict=True))
    return Reading(reading.features | said, reading.findings)


def with_words(reading: Reading, claim: str, passages: Sequence[str], question: str, reader: Reader | None) -> Reading:
    """A reading with the features of words, where a model has read it and there is a reader of words."""
    if reader is None or not reading.has_model:
        return reading
    claim = question if question and is_yes(claim) else claim
    matches = word_matches(claim, passages, reader)
    said = dict(zip(WORD_FEATURES, (weakest_words(matches), overlap_by_likeness(matches)), strict=True))
    return Reading(reading.features | said, reading.findings)


def read_claims(
    claims: Sequence[tuple[str, Sequence[str], str]],
    model: Judge | None = None,
    batch_size: int = 16,
    deadline: float | None = None,
    *,
    words: Reader | None = None,
    whole: bool = False,
) -> list[Reading]:
    """Read several claims, all pairs of the model in one go. A claim that words and exact checks settle is not given to the model.

    :param claims: (claim, passages, question) each.
    :param words: reads single words; `None`: their features are left out.
    :param whole: give the model settled claims too, for measuring and fitting.
    :param deadline: see `NliModel.probabilities`. A claim of which no pair, or none of the words, was read in time has no features of the model.
    """
    plain = [read_claim(claim, passages, None, question) for claim, passages, question in claims]
    pairs = [
        pairs_of(claim, passages, question) if model and (whole or not reading.is_settled) else []
        for (claim, passages, question), reading in zip(claims, plain, strict=True)
    ]
    unique = list(dict.fromkeys(pair for some in pairs for pair in some))
    rows = dict(zip(unique, model.probabilities(unique, batch_size, deadline), strict=True)) if model and unique else {}
    done: list[Reading] = []
    for asked, some, reading in zip(claims, pairs, plain, strict=True):
        late = words is not None and deadline is not None and time.monotonic() > deadline
        done.append(reading if late or not some else with_words(with_model(reading, np.array([rows[pair] for pair in some])), *asked, words))
    return done

"""RAG-Sequence and RAG-Token: the probability of a text given a question and retrieved documents. Pure functions.

Lewis et al. 2020, Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks, arXiv 2005.11401, section 2.1. With p(z|x) the
retriever's prior over the top documents and p(y|x, z) the generator's probability of a text:

- RAG-Sequence, one document carries the whole text: p(y|x) = Σ_z p(z|x) Π_i p(y_i | x, z, y_<i).
- RAG-Token, each token may come from another document: p(y|x) = Π_i Σ_z p(z|x) p(y_i | x, z, y_<i).

All functions work with natural logarithms, so that long texts do not underflow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def log_sum_exp(values: Sequence[float]) -> float:
    """log Σ exp(value), without overflow; -inf for no values."""
    greatest = max(values, default=-math.inf)
    if greatest in (-math.inf, math.inf):
        return greatest
    return greatest + math.log(math.fsum(math.exp(value - greatest) for value in values))


def log_prior(scores: Sequence[float]) -> list[float]:
    """log p(z|x): the softmax of the retriever's inner products over the documents retrieved (p_η ∝ exp(d(z)ᵀ q(x))).

    :param scores: inner products of question and documents, finite.
    :raises ValueError: no score, or one that is not finite.

    >>> [round(math.exp(p), 4) for p in log_prior([0.785, 0.970, 0.142])]
    [0.3664, 0.4409, 0.1926]
    """
    if not scores or not all(math.isfinite(score) for score in scores):
        raise ValueError(f"log_prior: scores {list(scores)}: accepted are one or more finite numbers")
    total = log_sum_exp(scores)
    return [score - total for score in scores]


def prior(scores: Sequence[float]) -> list[float]:
    """p(z|x), 0 to 1, together 1; see `log_prior`."""
    return [math.exp(value) for value in log_prior(scores)]


def marginal(priors: Sequence[float], likelihoods: Sequence[float]) -> float:
    """Σ_z p(z|x) p(y|x, z), 0 to 1: the whole text's (RAG-Sequence) or one token's (RAG-Token).

    :raises ValueError: not one likelihood for each document.

    >>> round(marginal(prior([0.785, 0.970, 0.142]), [0.8, 0.2, 0.08]), 3)
    0.397
    """
    return math.fsum(p * q for p, q in _paired(priors, likelihoods))


def log_sequence_marginal(log_priors: Sequence[float], token_logs: Sequence[Sequence[float]]) -> float:
    """log p(y|x) of RAG-Sequence.

    :param log_priors: one for each document.
    :param token_logs: for each document the log probabilities of the text's tokens, each given the document and the tokens before it.
    :raises ValueError: not one list for each document, or lists of unequal lengths.
    """
    _check_lengths(token_logs)
    return log_sum_exp([p + math.fsum(logs) for p, logs in _paired(log_priors, token_logs)])


def log_token_marginal(log_priors: Sequence[float], token_logs: Sequence[Sequence[float]]) -> float:
    """log p(y|x) of RAG-Token; parameters as for `log_sequence_marginal`."""
    _check_lengths(token_logs)
    pairs = _paired(log_priors, token_logs)
    length = len(token_logs[0]) if token_logs else 0
    return math.fsum(log_sum_exp([p + logs[i] for p, logs in pairs]) for i in range(length))


def _paired(first: Sequence[Any], second: Sequence[Any]) -> list[tuple[Any, Any]]:
    if len(first) != len(second) or not first:
        raise ValueError(f"{len(first)} documents and {len(second)} likelihoods: accepted is one for each of one or more documents")
    return list(zip(first, second, strict=True))


def _check_lengths(token_logs: Sequence[Sequence[float]]) -> None:
    if len({len(logs) for logs in token_logs}) > 1:
        raise ValueError(f"texts of {sorted({len(logs) for logs in token_logs})} tokens: accepted is the same text under each document")

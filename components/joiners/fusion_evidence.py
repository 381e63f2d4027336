"""What tells, without a judgement, which leg to trust for one question. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from components.embedders.bm25_tokenizer import document_terms, query_terms

COVERING = 3
"""Passages of a leg that are looked at: the best few, since one of them should answer."""

_NOTHING = 0.1
"""Added to both coverages before they are compared, so that the share of very little in nothing is not an extreme."""


@dataclass(frozen=True)
class Evidence:
    """What is known of a question and of the lists that two legs found.

    :param reading: part of the question that the embedding model reads, 0 to 1.
    :param identifiers: whether the question carries numbers or codes.
    :param dense_coverage: greatest share of the question's terms in one of the best passages by vector.
    :param sparse_coverage: the same by BM25.
    :param agreement: share of the best ten by one leg that are among the best ten by the other. Shown, not weighed.
    """

    reading: float
    identifiers: bool
    dense_coverage: float
    sparse_coverage: float
    agreement: float

    def as_dict(self) -> dict[str, float]:
        """For a trace."""
        return {name: round(float(value), 3) for name, value in asdict(self).items()}


def terms_of(question: str, language: str | None) -> set[str]:
    """Terms of a question as BM25 sees them, without those that only stand for a related number."""
    return {term for term in query_terms(question, language) if not term.endswith("~")}


def coverage(terms: set[str], texts: Iterable[str], language: str | None) -> float:
    """Greatest share of the terms that one of the texts holds; 1 for a question without terms, 0 without texts.

    >>> round(coverage({"leav", "day", "sick"}, ["Days of leave.", "Notice"], "en"), 2)
    0.67
    """
    if not terms:
        return 1.0
    return max((len(terms & set(document_terms(text, language))) / len(terms) for text in texts), default=0.0)


def gathered(question: str, dense: Sequence[tuple[str, str]], sparse: Sequence[tuple[str, str]], reading: float, language: str | None) -> Evidence:
    """The evidence of a question.

    :param dense: id and text of the passages by vector, best first; `sparse`: by BM25.
    """
    terms = terms_of(question, language)
    first, second = ({id_ for id_, _ in leg[:10]} for leg in (dense, sparse))
    return Evidence(
        reading=min(max(reading, 0.0), 1.0),
        identifiers=any(any(c.isdigit() for c in term) for term in terms),
        dense_coverage=coverage(terms, (text for _, text in dense[:COVERING]), language),
        sparse_coverage=coverage(terms, (text for _, text in sparse[:COVERING]), language),
        agreement=len(first & second) / max(1, min(len(first), len(second))),
    )


def leg_weights(evidence: Evidence, dense: float, identifiers: float, power: float) -> dict[str, float]:
    """How far each leg is trusted; the weights need not sum to 1.

    - Sparse: its coverage to a power. Words that no passage holds make BM25 rank by the words that are left.
    - Dense: a constant; times what the model reads of the question; times its coverage by the sparse leg's, at most 1 (passages that
      share none of its words, where others share many, come from a model that did not understand it); times `identifiers` where the
      question carries numbers or codes, which vectors hardly tell apart.

    >>> plain = Evidence(reading=1, identifiers=False, dense_coverage=0.8, sparse_coverage=0.8, agreement=0.5)
    >>> {name: round(w, 2) for name, w in leg_weights(plain, dense=0.6, identifiers=0.5, power=2).items()}
    {'dense': 0.6, 'sparse': 0.64}
    """
    by_coverage = min(1.0, (evidence.dense_coverage + _NOTHING) / (evidence.sparse_coverage + _NOTHING))
    return {
        "dense": dense * evidence.reading * by_coverage * (identifiers if evidence.identifiers else 1.0),
        "sparse": max(evidence.sparse_coverage, 0.02) ** power,
    }

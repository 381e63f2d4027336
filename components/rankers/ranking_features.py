"""What can be known of a passage and a question without a model, as numbers from 0 to 1: the input of the learned fusion. Pure functions.

Terms are BM25's (`bm25_tokenizer`). How rare a term is, is counted among the candidates themselves: a word that all of them hold tells none apart.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from components.embedders.bm25_tokenizer import document_terms
from components.joiners.fusion_evidence import terms_of

NEIGHBOURS = 5
"""Candidates at the top that may name another."""
APART = 12
"""Terms from one to the next, beyond which they are apart."""

FEATURES: dict[str, str] = {
    "fused": "score of the fusion, by the best",
    "place": "1 / log2(1 + rank) in the order that came",
    "dense": "cosine, from the last that the leg found to the best; 0 where it did not find it",
    "sparse": "BM25 score, by the best; 0 where it did not find it",
    "dense_rank": "1 / (1 + log2 rank) in the dense leg; 0 where it did not find it",
    "terms": "share of the question's terms that it holds, rare ones weighing more",
    "all_terms": "1 where it holds them all",
    "rarest": "1 where it holds the question's rarest term",
    "numbers": "share of the question's numbers and codes that it holds; 0 for a question without",
    "title_terms": "share of the question's terms in its title and headings, rare ones weighing more",
    "title_asked": "share of the terms of its title and headings that are in the question",
    "near": "mean closeness of neighbouring terms of the question: 1 side by side, 0 apart or missing",
    "window": "terms of the question that it holds, by the length of the shortest stretch with all of them, times their share",
    "named": "share of its title's terms, beyond the question's, in another of the best candidates; 0 where one holds the whole question",
}
"""Name and meaning of each feature, in the order of the columns."""


@dataclass(frozen=True)
class Candidate:
    """A passage as the first stage gives it.

    :param text: its content; `title`: its title and headings.
    :param fused: score of the fusion.
    :param dense: rank from 1 and cosine in the dense leg; None where that did not find it. `sparse`: the same by BM25.
    """

    text: str
    title: str = ""
    fused: float = 0.0
    dense: tuple[int, float] | None = None
    sparse: tuple[int, float] | None = None


@dataclass
class _Terms:
    body: list[str]
    title: list[str]
    places: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for place, term in enumerate(self.body):
            self.places.setdefault(term, []).append(place)

    @property
    def all(self) -> set[str]:
        return self.places.keys() | set(self.title)


def features(question: str, candidates: Sequence[Candidate], language: str | None = "en") -> np.ndarray:
    """A row a candidate, a column a name of `FEATURES`, each from 0 to 1.

    :param candidates: in the order that the first stage gives them.
    :param language: as that of the BM25 embedders.

    >>> rows = features("annual leave", [Candidate("Annual leave is twenty days."), Candidate("Notice")])
    >>> rows[:, list(FEATURES).index("terms")].tolist()
    [1.0, 0.0]
    """
    if not candidates:
        return np.empty((0, len(FEATURES)))
    asked = ordered_terms(question, language)
    texts = [_Terms(document_terms(c.text, language), document_terms(c.title, language)) for c in candidates]
    columns = {**_legs(candidates), **_matches(asked, texts)}
    columns["named"] = [0.0] * len(texts) if any(columns["all_terms"]) else _named(set(asked), texts)
    return np.array([columns[name] for name in FEATURES], dtype=float).T


def ordered_terms(question: str, language: str | None) -> list[str]:
    """The question's terms, each once, in its order."""
    wanted = terms_of(question, language)
    return [term for term in dict.fromkeys(document_terms(question, language)) if term in wanted]


def _legs(candidates: Sequence[Candidate]) -> dict[str, list[float]]:
    best = max(c.fused for c in candidates)
    cosines = [c.dense[1] for c in candidates if c.dense]
    low, high = min(cosines, default=0.0), max(cosines, default=0.0)
    top = max((c.sparse[1] for c in candidates if c.sparse), default=0.0)
    return {
        "fused": [max(0.0, c.fused / best) if best > 0 else 0.0 for c in candidates],
        "place": [1 / math.log2(1 + rank) for rank in range(1, len(candidates) + 1)],
        "dense": [0.0 if not c.dense else (c.dense[1] - low) / (high - low) if high > low else 1.0 for c in candidates],
        "sparse": [max(0.0, c.sparse[1] / top) if c.sparse and top > 0 else 0.0 for c in candidates],
        "dense_rank": [1 / (1 + math.log2(c.dense[0])) if c.dense else 0.0 for c in candidates],
    }


def _matches(asked: list[str], texts: Sequence[_Terms]) -> dict[str, list[float]]:
    counts = Counter(term for text in texts for term in text.all)
    rarity = {term: math.log(1 + (len(texts) - counts[term] + 0.5) / (counts[term] + 0.5)) for term in asked}  # BM25's, over the candidates
    known = set(asked)
    codes = [term for term in asked if any(c.isdigit() for c in term)]
    rarest = max(asked, key=lambda term: rarity[term], default=None)
    return {
        "terms": [_share(asked, t.all, rarity) for t in texts],
        "all_terms": [float(bool(asked) and known <= t.all) for t in texts],
        "rarest": [float(rarest in t.all) for t in texts],
        "numbers": [_share(codes, t.all) for t in texts],
        "title_terms": [_share(asked, set(t.title), rarity) for t in texts],
        "title_asked": [_share(list(dict.fromkeys(t.title)), known) for t in texts],
        "near": [_near(asked, t.places) for t in texts],
        "window": [_window(asked, t.places) for t in texts],
    }


def _share(wanted: Sequence[str], held: Collection[str], rarity: Mapping[str, float] | None = None) -> float:
    weights = {term: rarity[term] if rarity is not None else 1.0 for term in wanted}
    total = math.fsum(weights.values())
    return math.fsum(weight for term, weight in weights.items() if term in held) / total if total > 0 else 0.0


def _near(asked: Sequence[str], places: Mapping[str, Sequence[int]]) -> float:
    """Rasolofo and Savoy, "Term proximity scoring for keyword-based retrieval systems", ECIR 2003, in its simplest form."""
    pairs = list(pairwise(asked))
    found = [min((abs(a - b) for a in places.get(first, ()) for b in places.get(second, ())), default=APART + 1) for first, second in pairs]
    return math.fsum(1 / gap for gap in found if gap <= APART) / len(pairs) if pairs else 0.0


def _window(asked: Sequence[str], places: Mapping[str, Sequence[int]]) -> float:
    """Of a single term nothing is told, 0. The shortest stretch by the usual two pointers."""
    held = [term for term in asked if term in places]
    if len(held) < 2:
        return 0.0
    marks = sorted((place, term) for term in held for place in places[term])
    counts: Counter[str] = Counter()
    shortest, left, distinct = len(marks) + marks[-1][0], 0, 0
    for place, term in marks:
        counts[term] += 1
        distinct += counts[term] == 1
        while distinct == len(held):
            shortest = min(shortest, place - marks[left][0] + 1)
            counts[marks[left][1]] -= 1
            distinct -= counts[marks[left][1]] == 0
            left += 1
    return len(held) / shortest * len(held) / len(asked)


def _named(known: set[str], texts: Sequence[_Terms]) -> list[float]:
    """A question that no candidate answers alone is often answered by two, of which the first names the second."""
    found = []
    for i, text in enumerate(texts):
        own = [term for term in dict.fromkeys(text.title) if term not in known]
        others = [j for j in range(len(texts)) if j != i][:NEIGHBOURS]
        found.append(max((_share(own, texts[j].places) for j in others), default=0.0))
    return found

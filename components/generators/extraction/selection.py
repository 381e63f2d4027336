"""Chooses the sentences that answer a question, or declines. Pure but for the two functions of the language model that it is given."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from components.generators.extraction import constants as c
from components.generators.extraction.matching import (
    coverage_of,
    defines,
    heaviest_missing,
    in_bag,
    kind_fit,
    own_numbers,
    refuses,
    weighted,
)
from components.generators.extraction.questions import Kind, Part, Term, listed_parts, parts_of
from components.generators.extraction.units import Source, Unit, span_of
from components.generators.extraction.words import Bag, words

Encode = Callable[[list[str]], np.ndarray]
"""Texts to unit vectors, one row each."""
Rarity = Callable[[str], float]
"""A word to how rare it is in general English, 0 to 1."""


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

    @property
    def answered(self) -> bool:
        """Whether the units answer the part."""
        return bool(self.units) and self.confidence >= c.ANSWER_FROM


def confidence(similarity: float, coverage: float, missing: float, kind: float) -> float:
    """How likely the chosen sentences answer, 0 to 1: a logistic function.

    :param similarity: cosine of question and sentence, -1 to 1.
    :param coverage: share of the question's weight that is found, 0 to 1.
    :param missing: weight of the heaviest word that is not found, 0 to 1.
    :param kind: whether the sentence can hold the kind of answer, 0 to 1.
    """
    z = c.BIAS + c.ON_SIMILARITY * similarity + c.ON_COVERAGE * coverage + c.ON_MISSING * missing + c.ON_KIND * kind
    return 1 / (1 + math.exp(-z))


class Selector:
    """Answers the parts of one question over one evidence; keeps the vectors of units, so that a unit is embedded once."""

    def __init__(self, sources: Sequence[Source], encode: Encode, rarity: Rarity) -> None:
        """Prepare.

        :param sources: the passages, best first.
        :param encode: texts to unit vectors.
        :param rarity: a word to its rarity, 0 to 1.
        """
        self.sources = sources
        self.encode = encode
        self.rarity = rarity
        self._vectors: dict[Unit, np.ndarray] = {}
        self._word_vectors: dict[str, np.ndarray] = {}
        self._documents: dict[str, Bag] = {}
        self._provisions: dict[str, dict[str, Bag]] = {}
        for source in sources:
            for number in own_numbers(source):
                self._provisions.setdefault(source.source_id, {}).setdefault(number, Bag.of(*source.headings[-1:]))
            self._documents[source.source_id] = self._documents.get(source.source_id, Bag()) | source.bag

    def choose(self, question: str) -> list[Choice]:
        """A decision for each part of the question."""
        choices: list[Choice] = []
        for part in parts_of(question, self.rarity):
            whole = self._choose_part(part)
            listed = listed_parts(part, self.rarity)
            if listed and not self._covers_all(whole, listed):
                members = [self._choose_part(member) for member in listed]
                if sum(m.answered for m in members) >= max(2, len(members) / 2) or not whole.answered:
                    choices += members if any(m.answered for m in members) else [whole]
                    continue
            choices.append(whole)
        return choices

    def _covers_all(self, whole: Choice, listed: list[Part]) -> bool:
        """Whether the sentences chosen for a list as a whole speak of each of its members."""
        if not whole.answered:
            return False
        bag = Bag()
        for unit in whole.units:
            bag = bag | unit.bag | unit.source.heading_bag
        return all(in_bag(t, bag) > 0 for part in listed for t in part.terms if t.weight >= c.LIGHT_MISSING)

    def _choose_part(self, part: Part) -> Choice:
        everything = self._candidates(part)
        current = [k for k in everything if k.unit.source.in_force]
        best = self._decide(part, current)
        if not best.answered and len(current) < len(everything):
            old = self._decide(part, everything)
            best = old if old.answered else best
        return best

    def _candidates(self, part: Part) -> list[Candidate]:
        found: list[Candidate] = []
        refused: dict[Source, str] = {}
        self._refused = refused
        for source in self.sources:
            for unit in source.units:
                if reason := refuses(part, unit, self._documents[source.source_id]):
                    refused[source] = reason
                    continue
                provisions = self._provisions.get(source.source_id)
                order = weighted(part, coverage_of(part, unit, None, provisions, beside=c.BESIDE_IN_ORDER))
                found.append(Candidate(unit, coverage_of(part, unit, None, provisions), order))
        found.sort(key=lambda k: (-k.in_order, k.unit.source.rank, k.unit.index))
        found = [k for k in found[: c.MAX_COMPARED] if k.in_order > 0]
        if not found:
            return []
        self._embed(part, found)
        question = self._question_vector
        for k in found:
            k.similarity = float(question @ self._vectors[k.unit])
            k.kind = self._kind(part, k.unit)
            k.score = (
                c.WEIGHT_SIMILARITY * k.similarity
                + c.WEIGHT_COVERAGE * k.in_order
                + c.WEIGHT_KIND * k.kind
                + c.WEIGHT_RANK / (1 + k.unit.source.rank)
                + (c.DEFINES if part.kind == Kind.DEFINE and defines(part, k.unit) else 0.0)
                + (c.OWN_NUMBER if part.references & own_numbers(k.unit.source) else 0.0)
            )
        return sorted(found, key=lambda k: (-k.score, k.unit.source.rank, k.unit.index))

    def _embed(self, part: Part, found: list[Candidate]) -> None:
        new = [k.unit for k in found if k.unit not in self._vectors]
        vectors = self.encode([part.text, *(compared_text(unit) for unit in new)])
        self._question_vector = vectors[0]
        self._vectors.update(zip(new, vectors[1:], strict=True))

    def _kind(self, part: Part, unit: Unit) -> float:
        """Fit of what would be quoted."""
        return kind_fit(part, " ".join(unit.source.text[start:end] for start, end in span_of(unit)))

    def _alike(self, term: Term, unit: Unit) -> bool:
        """Whether the embedding model puts some word of the unit close to the term."""
        texts = [w.text.casefold() for w in words(unit.full_text) if w.number is None and len(w.text) > 2]
        new = [t for t in dict.fromkeys([term.text.casefold(), *texts]) if t not in self._word_vectors]
        if new:
            self._word_vectors.update(zip(new, self.encode(new), strict=True))
        mine = self._word_vectors[term.text.casefold()]
        return any(float(mine @ self._word_vectors[t]) >= c.ALIKE_COSINE for t in texts)

    def _decide(self, part: Part, ranked: list[Candidate]) -> Choice:
        if not ranked:
            lacking = sorted(set(self._refused.values()))
            return Choice(part, missing=lacking or self._not_found(part, {}))
        best = max(ranked[:3], key=lambda k: self._confidence(part, [k])[0])
        best = ranked[0] if self._confidence(part, [ranked[0]])[0] >= c.ANSWER_FROM else best
        best.found = coverage_of(part, best.unit, self._alike, self._provisions.get(best.unit.source.source_id))
        chosen = [best]
        if other := self._complement(part, best, ranked):
            chosen.append(other)
        value, features = self._confidence(part, chosen)
        if features["kind"] == 0.0:
            value = 0.0
        if value >= c.ANSWER_FROM and len(chosen) < c.MAX_PER_PART:
            chosen += [k for k in ranked if k is not best and self._is_close(part, k, best)][: c.MAX_PER_PART - len(chosen)]
        return Choice(part, [k.unit for k in chosen], value, features, self._not_found(part, merged(chosen)))

    def _is_close(self, part: Part, other: Candidate, best: Candidate) -> bool:
        return best.score - other.score <= c.CLOSE and other.kind >= best.kind and self._confidence(part, [other])[0] >= c.ANSWER_FROM

    def _complement(self, part: Part, best: Candidate, ranked: list[Candidate]) -> Candidate | None:
        """The best other sentence that says what the first does not: a word that it lacks, or the kind of answer; about the same subject."""
        own = best.unit.bag | best.unit.source.heading_bag
        lacking = [t for t in part.terms if t.weight >= c.HEAVY_IN_ORDER and in_bag(t, own) < c.FOUND]
        shared = [t for t in part.terms if t.weight >= c.HEAVY_IN_ORDER and in_bag(t, own) >= c.FOUND]
        for k in ranked:
            if k is best or not any(in_bag(t, k.unit.bag) >= c.FOUND for t in shared):
                continue
            if best.kind < c.FOUND <= k.kind or any(in_bag(t, k.unit.bag) >= c.FOUND for t in lacking):
                return k
        return None

    def _confidence(self, part: Part, chosen: list[Candidate]) -> tuple[float, dict[str, float]]:
        found = merged(chosen)
        features = {
            "similarity": max(k.similarity for k in chosen),
            "coverage": weighted(part, found),
            "missing": heaviest_missing(part, found),
            "kind": max(k.kind for k in chosen),
        }
        return confidence(**features), features

    def _not_found(self, part: Part, found: dict[str, float]) -> list[str]:
        return [t.text for t in sorted(part.terms, key=lambda t: -t.weight) if found.get(t.stem, 0.0) < c.FOUND and t.weight >= c.LIGHT_MISSING]


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

"""Answers a question that no document answers alone from two that belong together: one names the other, or the question names both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations

import regex

from components.generators.extraction import constants as c
from components.generators.extraction.candidates import Candidate, Choice, confidence, merged
from components.generators.extraction.kinds import Kind
from components.generators.extraction.language import Reader
from components.generators.extraction.matching import coverage_of, greatest_gap, weighted
from components.generators.extraction.parts import Part
from components.generators.extraction.selection import Selector
from components.generators.extraction.terms import in_bag
from components.generators.extraction.units import Source
from components.generators.extraction.words import Bag, stem

MOST_PAIRS = 4
"""Pairs that are read, those that hold most of the question first: a pair costs about as much as a question."""
WHOLE = 0.1
"""An answer that lacks at most this of any word of the question needs no second document."""
MOST_LACKING = 0.4
"""Weight of a word of the question, by the share of it that is missing, beyond which two documents are not set side by side: what they are
compared in must be said."""
_IN_TIME = frozenset(
    stem(w) for w in ("first", "earlier", "earliest", "older", "oldest", "younger", "youngest", "later", "latest", "sooner", "newer", "newest")
)
"""Words that compare in time: what tells which is a date."""
_BRACKETS = regex.compile(r"\s*\([^()]*\)\s*$")
_ARTICLE = regex.compile(r"^(?:The|An?)\s+(?=\S)")
_BEGINS_SENTENCE = regex.compile(r"(?:^|[.!?:;\n]\s*|[\"“(\[]\s*)$")


@dataclass(frozen=True)
class Pair:
    """Two documents that belong together.

    :param first: passages of the one whose text names the other, in a chain.
    :param chain: whether `first` names `second`; else the question names both.
    """

    first: tuple[Source, ...]
    second: tuple[Source, ...]
    chain: bool

    @property
    def bag(self) -> Bag:
        """Words of both."""
        whole = Bag()
        for source in (*self.first, *self.second):
            whole = whole | source.bag
        return whole


def names(title: str, text: str) -> bool:
    """Whether a text names what a title names: word for word, without what stands in brackets behind it.

    A title of one word must stand inside a sentence, where its capital makes it a name.

    >>> names("Young (town)", "She was born in Young."), names("Young (town)", "Young people may enter.")
    (True, False)
    >>> names("The Loan Rules", "See the Loan Rules."), names("Loans", "It lists loans.")
    (True, False)
    """
    plain = _ARTICLE.sub("", _BRACKETS.sub("", title).strip())
    if len(plain) < 3 or not plain[:1].isupper():
        return False
    single = len(plain.split()) == 1
    return any(
        not single or not _BEGINS_SENTENCE.search(text[: match.start()]) for match in regex.finditer(rf"(?<!\w){regex.escape(plain)}(?!\w)", text)
    )


def pairs_of(part: Part, sources: Sequence[Source]) -> Iterator[Pair]:
    """The pairs of documents that belong together and hold all that the part names, those with most of its words first."""
    documents: dict[str, list[Source]] = {}
    for source in sources:
        if source.title and source.in_force:
            documents.setdefault(source.source_id, []).append(source)
    found: list[tuple[float, Pair]] = []
    linked = [(a, b, True) for a, b in permutations(documents, 2) if any(names(documents[b][0].title, source.text) for source in documents[a])]
    asked = [name for name, passages in documents.items() if names(passages[0].title, part.text)]
    for a, b, chain in [*linked, *((a, b, False) for a, b in combinations(asked, 2))]:
        if documents[a][0].title == documents[b][0].title:
            continue
        pair = Pair(tuple(documents[a]), tuple(documents[b]), chain)
        bag = pair.bag
        if holds_all(part, pair, bag):
            found.append((weighted(part, {t.stem: in_bag(t, bag) for t in part.terms}), pair))
    found.sort(key=lambda entry: -entry[0])
    yield from (pair for _, pair in found[:MOST_PAIRS])


def holds_all(part: Part, pair: Pair, bag: Bag) -> bool:
    """Whether two documents together hold every name, number, code and quoted phrase of a part."""
    text = " ".join(" ".join((s.title, *s.headings, s.text)) for s in (*pair.first, *pair.second))
    text = " ".join(text.split()).casefold()
    return (
        part.numbers <= bag.numbers
        and part.codes <= bag.codes
        and all(phrase.casefold() in text for phrase in part.quoted)
        and all(in_bag(t, bag) > 0 for t in part.terms if t.is_name)
    )


class Composed(Choice):
    """A decision that rests on two documents together."""


class PairSelector(Selector):
    """Chooses a sentence of each of two documents. What must be in one document for an answer from it may be in either here."""

    def __init__(self, pair: Pair, language: Reader) -> None:
        """Prepare."""
        super().__init__((*pair.first, *pair.second), language)
        self.pair = pair
        self._documents = dict.fromkeys(self._documents, pair.bag)

    def compose(self, part: Part) -> Composed | None:
        """The two sentences with how likely they answer; None where one of the documents has none to give."""
        freed = replace(part, numbers=frozenset(), codes=frozenset(), quoted=())  # the pair holds them
        if not self.pair.chain and any(t.stem in _IN_TIME for t in part.terms):
            freed = replace(freed, kind=Kind.WHEN, terms=tuple(t for t in part.terms if t.stem not in _IN_TIME))
        candidates = self._candidates(freed)
        first = [k for k in candidates if k.unit.source in self.pair.first]
        second = [k for k in candidates if k.unit.source in self.pair.second]
        if self.pair.chain:
            named = self.pair.second[0].title
            first = [k for k in first if names(named, k.unit.text)] or [k for k in first if names(named, k.unit.full_text)]
        if not first or not second:
            return None
        bridge = max(first, key=lambda k: self._worth(freed, k, {}))
        told = {} if not self.pair.chain else self._held(freed, bridge)
        other = max(second, key=lambda k: self._worth(freed, k, told))
        chosen = [bridge, other]
        question, both = self.language.read([part.read_as, " ".join(k.unit.text for k in chosen)])
        features = {
            "similarity": max(
                float(question.vector @ both.vector), *(k.similarity for k in chosen)
            ),  # a long sentence beside it takes nothing from one
            "gap": greatest_gap(freed, merged(chosen)),
            "kind": max(k.kind for k in chosen) if self.pair.chain else min(k.kind for k in chosen),
        }
        if not self.pair.chain and features["gap"] > MOST_LACKING:
            return None
        return Composed(part, [k.unit for k in chosen], confidence(**features), features)

    def _held(self, part: Part, k: Candidate) -> dict[str, float]:
        return coverage_of(part, k.unit, beside=c.BESIDE_IN_ORDER)

    def _worth(self, part: Part, k: Candidate, told: Mapping[str, float]) -> float:
        """What a sentence adds to what is told already: words of the question, meaning, and the kind of answer."""
        held = {key: max(value, told.get(key, 0.0)) for key, value in self._held(part, k).items()}
        return c.WEIGHT_COVERAGE * weighted(part, held) + c.WEIGHT_SIMILARITY * k.similarity + c.WEIGHT_KIND * k.kind


def composed(part: Part, sources: Sequence[Source], language: Reader) -> Composed | None:
    """The best answer to a part from two documents that belong together, whether it suffices or not; None where no two do.

    A provision asked for by its number is never composed: its own text answers it.
    """
    if part.references:
        return None
    choices = [choice for pair in pairs_of(part, sources) if (choice := PairSelector(pair, language).compose(part))]
    return max(choices, key=lambda choice: choice.confidence, default=None)


def answers_to(question: str, sources: Sequence[Source], language: Reader) -> list[Choice]:
    """The decision on each part of a question: from the passages as they are; from two documents together where those do not answer, or lack a
    word of the question that the two hold."""
    if not any(source.units for source in sources):
        return []
    choices: list[Choice] = []
    for alone in Selector(sources, language).choose(question):
        whole = alone.answered and alone.features.get("gap", 0.0) <= WHOLE
        together = None if whole else composed(alone.part, sources, language)
        choices.append(together if together is not None and _is_better(together, alone) else alone)
    return choices


def _is_better(together: Choice, alone: Choice) -> bool:
    if not together.answered or not alone.answered:
        return together.answered
    return together.confidence > alone.confidence and together.features["gap"] < alone.features["gap"]

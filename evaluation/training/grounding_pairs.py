"""Claims with a premise and a label, made from passages: training data of the grounding checker.

Supported claims are sentences of a passage as they stand, shortened, in other words or another order, and joined from two places. Contradicted
ones differ in a number, a name, a negation or an opposite, in the claim or in the premise. Unsupported ones say more than the premise, or come
with the passage that is most like theirs, or with theirs without the sentence that carries them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluation.training import entailed_claims as entailed
from evaluation.training.language_model import english
from evaluation.training.perturbed_claims import CONTRADICTED, UNSUPPORTED, Pool
from evaluation.training.span_text import tidy
from evaluation.training.wordnet import WordNet

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

    from evaluation.training.training_passages import Passage

SUPPORTED_LABEL, CONTRADICTED_LABEL, UNSUPPORTED_LABEL = LABELS = ("supported", "contradicted", "unsupported")
SHARES = {SUPPORTED_LABEL: 0.45, CONTRADICTED_LABEL: 0.25, UNSUPPORTED_LABEL: 0.30}
NEIGHBOURS = 6
TOO_ALIKE = 0.75
"""Cosine of TF-IDF vectors from which another sentence may carry the claim as well."""
OPENERS = (
    "yes, ",
    "i think ",
    "did you know that ",
    "well, ",
    "it says that ",
    "apparently ",
    "as far as i know, ",
    "in short: ",
    "yes! ",
    "i read that ",
)
CHATTER = (
    "I have never heard of {t}, but it sounds interesting.", "Do you like {t}?", "I love {t}! What about you?", "My brother told me about {t} once.",
    "I am not sure about {t}, sorry.", "That is one of the best things about {t}.", "I wonder how {t} came about.", "Most people I know enjoy {t}.",
    "{t} is my favourite.", "I once read a book on {t}, it was great.", "You should look into {t} some day.", "I hope to learn more about {t}.",
    "Everybody agrees that {t} is important.", "{t} is by far the most famous example of all.", "Have you ever been there? I have not.",
)  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """A claim, what is to carry it, and whether it does.

    :param how: the edit that made it, for the report.
    :param passage: number of the passage that it was made from: pairs of one passage stay together when data is held out.
    """

    claim: str
    premise: str
    label: str
    how: str
    passage: int
    corpus: str = ""


@dataclass(frozen=True)
class QuestionAnswer:
    """A question with the words of a passage that answer it."""

    question: str
    answer: str
    passage: int


Progress = Callable[[Iterable[Any], str, int], Iterable[Any]]


def supported_edits() -> dict[str, tuple[float, Callable[[Span, random.Random], str | None]]]:
    """Every edit that keeps a sentence true, with how often it is tried."""
    wordnet = WordNet()
    edits: dict[str, tuple[float, Callable[[Span, random.Random], str | None]]] = {
        "extracted": (1.0, entailed.extracted),
        "compressed": (2.5, entailed.compressed),
        "one clause": (2.0, entailed.first_of_two),
        "definition": (1.5, entailed.definition),
        "side clause": (1.5, entailed.side_clause),
        "passive": (2.0, entailed.passive),
        "active": (2.0, entailed.active),
        "other form": (1.0, entailed.other_form),
        "fronted": (1.0, entailed.fronted),
    }
    if wordnet.available:
        edits["other words"] = (3.0, entailed.other_words(wordnet))
    return edits


class PairMaker:
    """Makes pairs from passages, the same ones for the same seed.

    :param seed: of every choice.
    :param progress: wraps what is gone through, for a bar: called with the things, a word and how many there are.
    """

    def __init__(self, seed: int = 0, progress: Progress = lambda things, _, __: things) -> None:
        self.rng = random.Random(seed)  # noqa: S311
        self.progress = progress
        self.edits = supported_edits()
        self.pool = Pool()

    def pairs(self, passages: Sequence[Passage], questions: Sequence[QuestionAnswer] = (), size: int | None = None) -> list[Pair]:
        """Pairs of all passages, shuffled, in the proportions of `SHARES`.

        :param questions: made into claims `question answer`, with wrong answers of the same kind beside.
        :param size: pairs wanted; None: as many as the proportions allow.
        :raises RuntimeError: spaCy or its packaged pipeline is not installed.
        """
        nlp = english()
        docs: list[Doc] = list(self.progress(nlp.pipe((p.text for p in passages), batch_size=64), "parsing", len(passages)))
        sentences = [(number, sentence) for number, doc in enumerate(docs) for sentence in doc.sents]
        for _, sentence in sentences:
            self.pool.add(sentence)
        texts = [sentence.text for _, sentence in sentences]
        nearest = nearest_texts(texts)
        first = self._first_claims(sentences)
        parsed = nlp.pipe((text for _, text, _ in first), batch_size=128)
        made: list[Pair] = []
        for (place, text, how), claim in zip(first, self.progress(parsed, "claims", len(first)), strict=True):
            number, sentence = sentences[place]
            self.pool.near = [(e.text, e.label_) for e in docs[number].ents if e.text not in sentence.text]
            around = list(docs[number].sents)
            at = next(i for i, other in enumerate(around) if other.start == sentence.start)
            own = [other.text for other in around]
            for claim_text, label, edit, premise in self._variants(claim, text, how, own, at, [texts[i] for i in nearest[place]]):
                made.append(Pair(self._style(claim_text), premise, label, edit, number, passages[number].corpus))
        made += self._titles(passages, docs)
        made += self._answers(passages, docs, questions)
        made += self._joined(made)
        return balanced(made, self.rng, size)

    def _first_claims(self, sentences: list[tuple[int, Span]]) -> list[tuple[int, str, str]]:
        """One or two true claims of each usable sentence: place of the sentence, text, edit."""
        found = []
        for place, (_, sentence) in enumerate(sentences):
            if not usable(sentence):
                continue
            names = list(self.edits)
            order = sorted(names, key=lambda name: self.rng.random() ** (1 / self.edits[name][0]), reverse=True)
            claims: dict[str, str] = {}
            for name in order:
                text = self.edits[name][1](sentence, self.rng)
                if text and 4 <= len(text.split()) <= 45 and text not in claims:
                    claims[text] = name
                if len(claims) == 2:
                    break
            found += [(place, text, name) for text, name in claims.items()]
        return found

    def _variants(self, parsed: Doc, text: str, how: str, own: list[str], at: int, like: list[str]) -> Iterable[tuple[str, str, str, str]]:
        """Claims of each label from one true claim: text, label, edit, premise."""
        span = parsed[:]
        single = len(list(parsed.sents)) == 1
        if single:
            span = next(iter(parsed.sents))
        twice = self.edits.get("other words", (0, None))[1] if self.rng.random() < 0.4 else None
        again = twice(span, self.rng) if twice and how != "other words" else None
        yield again or text, SUPPORTED_LABEL, how + (", other words" if again else ""), self._window(own, at)
        name = self.rng.choice(list(CONTRADICTED))
        changed = next((t for n in (name, *CONTRADICTED) if (t := CONTRADICTED[n](span, self.rng, self.pool))), None)
        if changed and changed != text:
            if self.rng.random() < 0.35:
                yield text, CONTRADICTED_LABEL, "in the premise", self._window(own, at, changed)
            else:
                yield changed, CONTRADICTED_LABEL, "in the claim", self._window(own, at)
        if self.rng.random() < 0.45:
            name = self.rng.choice(list(UNSUPPORTED))
            wider = UNSUPPORTED[name](span, self.rng, self.pool)
            if wider and wider != text:
                yield wider, UNSUPPORTED_LABEL, name, self._window(own, at)
        if self.rng.random() < 0.5:
            others = [sentence for i, sentence in enumerate(own) if i != at]
            if len(others) > 1 and self.rng.random() < 0.6:
                start = self.rng.randrange(len(others))
                yield text, UNSUPPORTED_LABEL, "its sentence left out", " ".join(others[max(0, start - 1) : start + self.rng.randint(1, 3)])
            elif like:
                yield text, UNSUPPORTED_LABEL, "the text most like it", self.rng.choice(like[:3])

    def _window(self, own: list[str], at: int, instead: str | None = None) -> str:
        """The sentence at `at`, or another instead of it, with up to two neighbours on each side."""
        left, right = (0, 0) if self.rng.random() < 0.35 else (self.rng.randint(0, 2), self.rng.randint(0, 2))
        middle = [instead if instead is not None else own[at]]
        return " ".join([*own[max(0, at - left) : at], *middle, *own[at + 1 : at + 1 + right]])

    def _style(self, text: str) -> str:
        """Some claims as people type them: small letters, an opening word, no full stop."""
        chance = self.rng.random()
        if chance < 0.12:
            text = text.lower()
        elif chance < 0.2:
            text = self.rng.choice(OPENERS) + text[0].lower() + text[1:]
        return text.rstrip(".") if self.rng.random() < 0.15 else text

    def _titles(self, passages: Sequence[Passage], docs: list[Doc]) -> Iterable[Pair]:
        """Titles of four words and more as what their passage says, against the passage most like it; and small talk about the title."""
        nearest = nearest_texts([p.text for p in passages])
        for number, (passage, doc) in enumerate(zip(passages, docs, strict=True)):
            if not passage.title:
                continue
            own = [sentence.text for sentence in doc.sents]
            if len(passage.title.split()) >= 4:
                start = self.rng.randrange(len(own))
                yield Pair(self._style(tidy(passage.title)), " ".join(own[:4]), SUPPORTED_LABEL, "title", number, passage.corpus)
                if nearest[number]:
                    other = [s.text for s in docs[nearest[number][0]].sents]
                    yield Pair(self._style(tidy(passage.title)), " ".join(other[:4]), UNSUPPORTED_LABEL, "title of another", number, passage.corpus)
            if self.rng.random() < 0.5:
                start = self.rng.randrange(len(own))
                said = self.rng.choice(CHATTER).format(t=passage.title.lower())
                yield Pair(self._style(said), " ".join(own[start : start + 3]), UNSUPPORTED_LABEL, "small talk", number, passage.corpus)

    def _answers(self, passages: Sequence[Passage], docs: list[Doc], questions: Sequence[QuestionAnswer]) -> Iterable[Pair]:
        """`question answer` with the right answer, and with another of its kind from the passage."""
        for one in questions:
            doc = docs[one.passage]
            own = [sentence.text for sentence in doc.sents]
            at = next((i for i, sentence in enumerate(own) if one.answer in sentence), None)
            if at is None:
                continue
            corpus = passages[one.passage].corpus
            yield Pair(f"{one.question} {one.answer}", self._window(own, at), SUPPORTED_LABEL, "answer", one.passage, corpus)
            kind = next((e.label_ for e in doc.ents if one.answer in e.text or e.text in one.answer), None)
            wrong = [
                e.text for e in doc.ents if e.label_ == kind and e.text not in one.answer and one.answer not in e.text and e.text not in one.question
            ]
            far = [text for text in self.pool.entities.get(kind or "", []) if text not in doc.text]
            for options in (wrong, far):
                if options:
                    text = self.rng.choice(options)
                    yield Pair(f"{one.question} {text}", self._window(own, at), CONTRADICTED_LABEL, "another answer", one.passage, corpus)
            others = [sentence for i, sentence in enumerate(own) if i != at and one.answer.lower() not in sentence.lower()]
            if others:
                yield Pair(
                    f"{one.question} {one.answer}", " ".join(others[:3]), UNSUPPORTED_LABEL, "answer, its sentence left out", one.passage, corpus
                )

    def _joined(self, made: list[Pair]) -> list[Pair]:
        """Two claims as one, with both premises; unsupported or contradicted where one half is."""
        by_corpus: dict[str, list[Pair]] = {}
        for pair in made:
            if pair.how != "small talk" and len(pair.claim.split()) < 25 and len(pair.premise.split()) < 70:
                by_corpus.setdefault(pair.corpus, []).append(pair)
        joined = []
        for pairs in by_corpus.values():
            good = [pair for pair in pairs if pair.label == SUPPORTED_LABEL]
            for _ in range(len(pairs) // 12 if good else 0):
                one, two = self.rng.choice(good), self.rng.choice(pairs)
                first, second = (one, two) if self.rng.random() < 0.5 else (two, one)
                link = self.rng.choice((" and ", ", and ", ". ", "; "))
                claim = first.claim.rstrip(" .?!") + link + (second.claim if link == ". " else second.claim[:1].lower() + second.claim[1:])
                premises = [one.premise, two.premise]
                self.rng.shuffle(premises)
                joined.append(Pair(claim, " ".join(premises), two.label, "two claims", one.passage, one.corpus))
        return joined


def usable(sentence: Span) -> bool:
    """Whether a sentence can stand as a claim: 6 to 45 words, a verb, mostly letters, no reference back at its beginning."""
    words = [token for token in sentence if token.is_alpha]
    if not 6 <= len(words) <= 45 or len(words) < 0.6 * len(sentence) or sentence.root.pos_ not in {"VERB", "AUX"}:
        return False
    return re.search(r"[\[\]{}|<>]|\.\.\.", sentence.text) is None


def nearest_texts(texts: Sequence[str]) -> list[list[int]]:
    """For each text the most similar others by TF-IDF, best first, without those so alike that they say the same."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    rows = TfidfVectorizer(stop_words="english", sublinear_tf=True).fit_transform(texts).tocsr()  # pyright: ignore[reportAttributeAccessIssue]
    found: list[list[int]] = []
    for start in range(0, rows.shape[0], 512):
        scores = rows[start : start + 512] @ rows.T
        for i in range(scores.shape[0]):
            row = scores.getrow(i)
            ranked = sorted(zip(row.indices, row.data, strict=True), key=lambda item: -item[1])
            found.append([int(j) for j, score in ranked if j != start + i and score < TOO_ALIKE][:NEIGHBOURS])
    return found


def balanced(pairs: list[Pair], rng: random.Random, size: int | None) -> list[Pair]:
    """A shuffled part of the pairs, each once, with the labels in the proportions of `SHARES`."""
    unique = list({(p.claim, p.premise): p for p in pairs if p.claim.strip() and p.premise.strip()}.values())
    rng.shuffle(unique)
    by_label = {label: [p for p in unique if p.label == label] for label in LABELS}
    total = min(int(len(by_label[label]) / share) for label, share in SHARES.items())
    total = min(total, size or total)
    chosen = [p for label, share in SHARES.items() for p in by_label[label][: round(total * share)]]
    rng.shuffle(chosen)
    return chosen

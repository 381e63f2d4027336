"""Claims that a sentence does not carry: a number, name, verb or quantifier changed, a condition lost, a detail added.

Each edit takes a parsed sentence, a random generator and a `Pool` of what other texts hold, and gives a text, or None where it finds nothing
to change. `CONTRADICTED` say the opposite of the sentence; `UNSUPPORTED` say more than it does.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from components.validators.opposites import OPPOSITES
from components.validators.word_overlap import word_set
from evaluation.training.entailed_claims import CONDITIONS
from evaluation.training.span_text import lower_first, phrase, rewritten, subtree, tidy
from evaluation.training.wordnet import FILES, WordNet

if TYPE_CHECKING:
    from spacy.tokens import Span

WIDER = {
    "some": "all", "several": "all", "many": "all", "most": "all", "few": "many", "often": "always", "usually": "always", "sometimes": "always",
    "generally": "always", "typically": "always", "may": "must", "can": "must", "might": "will", "could": "will", "possibly": "certainly",
    "probably": "certainly", "partly": "entirely", "mainly": "only", "mostly": "only", "primarily": "only", "largely": "entirely", "one": "every",
    "likely": "certain", "suggests": "proves", "suggest": "prove", "suggested": "proved", "indicates": "proves", "estimated": "confirmed",
}  # fmt: skip
SWAPPED = word_set("PERSON ORG GPE LOC NORP FAC EVENT WORK_OF_ART PRODUCT DATE LANGUAGE LAW")
COUNTED = word_set("CARDINAL DATE PERCENT MONEY ORDINAL QUANTITY TIME")
AUXILIARIES = word_set("is are was were has have had can could will would may might must shall should does do did")


@dataclass
class Pool:
    """What other sentences offer: entities by label, those of the passage at hand apart, and closing phrases."""

    entities: dict[str, list[str]] = field(default_factory=dict)
    tails: list[str] = field(default_factory=list)
    near: list[tuple[str, str]] = field(default_factory=list)

    def add(self, sentence: Span) -> None:
        """Take a sentence's entities and its last phrase in."""
        for entity in sentence.ents:
            if entity.label_ in SWAPPED:
                self.entities.setdefault(entity.label_, []).append(entity.text.strip())
        for token in sentence:
            if token.dep_ == "prep" and token.head.dep_ == "ROOT" and token.i > token.head.i and 3 <= len(subtree(token)) <= 9:
                self.tails.append(phrase(token))


Edit = Callable[["Span", random.Random, Pool], "str | None"]


def other_number(sentence: Span, rng: random.Random, _: Pool) -> str | None:
    """One number changed: a year by 1 to 30, any other by a part of itself."""
    places = [t for t in sentence if re.fullmatch(r"\d[\d,]*(?:\.\d+)?(?:st|nd|rd|th)?", t.text)]
    if not places:
        words = [t for t in sentence if t.like_num and t.text.lower() in _SPELT]
        if not words:
            return None
        token = rng.choice(words)
        other = rng.choice([w for w in _SPELT if w != token.text.lower()])
        return rewritten(sentence, replace={token.i: other})
    token = rng.choice(places)
    return rewritten(sentence, replace={token.i: _changed(token.text, rng)})


_SPELT = sorted(word_set("two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty"))


def _changed(text: str, rng: random.Random) -> str:
    digits, suffix = re.match(r"([\d.,]+)(\w*)", text).groups()  # pyright: ignore[reportOptionalMemberAccess]
    if "." in digits:
        whole, decimals = digits.split(".", 1)
        return f"{int(whole.replace(',', '') or 0) + rng.randint(1, 9)}.{decimals}{suffix}"
    value = int(digits.replace(",", ""))
    step = rng.randint(1, 30) if 1000 <= value <= 2100 and "," not in digits else max(1, round(value * rng.uniform(0.1, 0.9)))
    changed = value + step if rng.random() < 0.5 or value - step < 1 else value - step
    if suffix in {"st", "nd", "rd", "th"}:
        suffix = "th" if 10 <= changed % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(changed % 10, "th")
    return f"{changed:,}{suffix}" if "," in digits else f"{changed}{suffix}"


def other_name(sentence: Span, rng: random.Random, pool: Pool) -> str | None:
    """One entity exchanged for another of its kind, from the same passage where that has one."""
    held = [entity for entity in sentence.ents if entity.label_ in SWAPPED and len(entity.text) > 2]
    if not held:
        return None
    entity = rng.choice(held)
    near = [text for text, label in pool.near if label == entity.label_]
    options = near if near and rng.random() < 0.7 else pool.entities.get(entity.label_, [])
    options = [text for text in options if text.lower() not in sentence.text.lower() and entity.text.lower() not in text.lower()]
    if not options:
        return None
    other = rng.choice(options)
    return rewritten(sentence, drop=range(entity.start + 1, entity.end), replace={entity.start: other + (" " if len(entity) > 1 else "")})


def negated(sentence: Span, _: random.Random, __: Pool) -> str | None:
    """`not` put in, or taken out."""
    from lemminflect import getLemma

    root = sentence.root
    for token in sentence:
        if token.dep_ == "neg" and token.text.lower() in {"not", "n't", "never"}:
            return rewritten(sentence, drop=[token.i])
    verb = next((c for c in root.children if c.dep_ in {"aux", "auxpass"} and c.text.lower() in AUXILIARIES), None)
    if verb is None and root.pos_ == "AUX" and root.text.lower() in AUXILIARIES:
        verb = root
    if verb is not None:
        return rewritten(sentence, replace={verb.i: f"{verb.text} not"})
    if root.tag_ in {"VBD", "VBZ", "VBP"} and root.pos_ == "VERB":
        base = next(iter(getLemma(root.text.lower(), "VERB")), "")
        helper = {"VBD": "did not", "VBZ": "does not", "VBP": "do not"}[root.tag_]
        return rewritten(sentence, replace={root.i: f"{helper} {base}"}) if base else None
    return None


def opposite(wordnet: WordNet) -> Edit:
    """An edit that writes one word as its opposite."""
    from lemminflect import getInflection, getLemma

    def edit(sentence: Span, rng: random.Random, _: Pool) -> str | None:
        for token in rng.sample(list(sentence), len(sentence)):
            if token.ent_type_ and token.ent_type_ not in COUNTED:
                continue
            other = opposite_word(token.text.lower())
            if other is None and token.pos_ in FILES and len(token.text) > 3 and not token.ent_type_:
                lemma = next(iter(getLemma(token.text.lower(), token.pos_)), "")
                found = wordnet.opposites(lemma, token.pos_) if lemma else []
                other = next(iter(getInflection(found[0], token.tag_)), None) if found else None
            if other:
                return rewritten(sentence, replace={token.i: other})
        return None

    return edit


def opposite_word(word: str) -> str | None:
    """The opposite of a word, in the form that is most like its own.

    >>> opposite_word("increased"), opposite_word("before"), opposite_word("table")
    ('decreased', 'after', None)
    """
    for pair in OPPOSITES:
        for own, other in (pair, pair[::-1]):
            if word in own:
                return max(sorted(other), key=lambda text: _like(text, word))
    return None


def _like(one: str, two: str) -> int:
    """Letters that two words end in alike."""
    return next((i for i, (a, b) in enumerate(zip(reversed(one), reversed(two), strict=False)) if a != b), min(len(one), len(two)))


def exchanged(sentence: Span, _: random.Random, __: Pool) -> str | None:
    """Subject and object exchanged."""
    root = sentence.root
    subject = next((c for c in root.children if c.dep_ in {"nsubj", "nsubjpass"}), None)
    thing = next((c for c in root.children if c.dep_ in {"dobj", "obj"}), None)
    if thing is None:
        by = next((c for c in root.children if c.dep_ in {"agent", "prep"} and c.i > root.i), None)
        thing = next((c for c in by.children if c.dep_ == "pobj"), None) if by is not None else None
    if subject is None or thing is None or "PRON" in {subject.pos_, thing.pos_} or len(subtree(subject)) > 8 or len(subtree(thing)) > 8:
        return None
    if not (subject.pos_ == thing.pos_ and bool(subject.ent_type_) == bool(thing.ent_type_)):
        return None
    one, two = subtree(subject), subtree(thing)
    if set(one) & set(two) or not all(sentence.start <= i < sentence.end for i in (*one, *two)):
        return None
    first = lower_first(phrase(subject), bool(subject.left_edge.ent_type_))
    return rewritten(sentence, drop=[*one[1:], *two[1:]], replace={one[0]: f"{phrase(thing)} ", two[0]: f"{first} "})


def widened(sentence: Span, rng: random.Random, _: Pool) -> str | None:
    """What is said of some said of all, what may be said as what must be."""
    places = [t for t in sentence if t.text.lower() in WIDER and t.dep_ not in {"nummod", "compound"}]
    if not places:
        return None
    token = rng.choice(places)
    return rewritten(sentence, replace={token.i: WIDER[token.text.lower()]})


def unconditional(sentence: Span, _: random.Random, __: Pool) -> str | None:
    """A condition, an exception or `only` left out."""
    for token in sentence:
        if token.dep_ == "advcl" and {"if", "unless", "until", "except", "provided"} & {part.text.lower() for part in token.subtree}:
            rest = rewritten(sentence, subtree(token))
            return rest if len(rest.split()) > 4 else None
    only = next((t for t in sentence if t.text.lower() == "only" and t.dep_ == "advmod"), None)
    return rewritten(sentence, drop=[only.i]) if only is not None else None


def with_detail(sentence: Span, rng: random.Random, pool: Pool) -> str | None:
    """A closing phrase of another sentence put at the end."""
    if not pool.tails:
        return None
    tail = rng.choice(pool.tails)
    if tail.lower() in sentence.text.lower():
        return None
    return tidy(f"{sentence.text.strip().rstrip('.!?')} {tail}")


def reason_added(sentence: Span, rng: random.Random, pool: Pool) -> str | None:
    """A reason or purpose that the sentence does not give."""
    names = pool.entities.get("ORG", []) + pool.entities.get("PERSON", [])
    if not names or CONDITIONS & {t.text.lower() for t in sentence}:
        return None
    link = rng.choice(("because of", "thanks to", "at the request of", "despite the protest of", "to please"))
    return tidy(f"{sentence.text.strip().rstrip('.!?')} {link} {rng.choice(names)}")


CONTRADICTED: dict[str, Edit] = {
    "other number": other_number,
    "other name": other_name,
    "negated": negated,
    "opposite": opposite(WordNet()),
    "exchanged": exchanged,
}
UNSUPPORTED: dict[str, Edit] = {"widened": widened, "unconditional": unconditional, "with a detail": with_detail, "with a reason": reason_added}

"""Claims that a sentence carries: said shorter, in other words, in another order.

Each edit takes a parsed sentence (a spaCy `Span`) and a random generator and gives a text, or None where it has nothing to change.
What restricts a sentence (conditions, exceptions, negations, `only`) is never left out.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from components.validators.word_overlap import word_set
from evaluation.training.span_text import lower_first, phrase, rewritten, subtree, tidy
from evaluation.training.wordnet import FILES, WordNet

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

CONDITIONS = word_set("if unless until except provided when where while whether once before after since because although though whereas")
KEPT_ADVERBS = word_set("not never only no nearly almost hardly rarely seldom partly partially formerly previously allegedly reportedly")
PHRASES = (
    ("in order to", "to"),
    ("a number of", "several"),
    ("as well as", "and"),
    ("due to", "because of"),
    ("prior to", "before"),
    ("subsequent to", "after"),
    ("in accordance with", "under"),
    ("with respect to", "about"),
    ("approximately", "about"),
    ("however,", ""),
    ("for example,", ""),
    ("such as", "like"),
    ("in addition,", ""),
    ("at least", "no fewer than"),
    ("at the time of", "during"),
    ("per cent", "percent"),
    ("%", " percent"),
    ("whoever", "anyone who"),
    ("shall be", "is to be"),
    ("shall", "must"),
    ("is able to", "can"),
    ("was able to", "could"),
)
_NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"


def extracted(sentence: Span, _: random.Random) -> str | None:
    """The sentence itself."""
    return tidy(sentence.text)


def compressed(sentence: Span, rng: random.Random) -> str | None:
    """Without brackets, appositions, side clauses after a comma, adverbs of manner and opening phrases of time or place."""
    drop: set[int] = set()
    for token in sentence:
        if token.dep_ == "appos" or (token.dep_ == "relcl" and _after_comma(token)):
            drop |= set(subtree(token))
        elif token.dep_ == "advmod" and token.text.lower().endswith("ly") and token.text.lower() not in KEPT_ADVERBS:
            drop.add(token.i)
        elif (_opening(token, sentence) and rng.random() < 0.6) or (_plain_clause(token) and rng.random() < 0.7):
            drop |= set(subtree(token))
    depth = 0
    for token in sentence:
        depth += token.text == "("
        if depth:
            drop.add(token.i)
        depth -= token.text == ")"
    drop |= _commas_around(sentence, drop)
    if not drop or len(sentence) - len(drop) < 5 or _root(sentence).i in drop:
        return None
    return rewritten(sentence, drop)


def first_of_two(sentence: Span, _: random.Random) -> str | None:
    """One of two main clauses joined by `and` or a semicolon, its subject given where it has none."""
    root = _root(sentence)
    other = next((child for child in root.children if child.dep_ == "conj" and child.pos_ in {"VERB", "AUX"}), None)
    joined = any(child.dep_ == "cc" and child.text.lower() in {"and", "but"} for child in root.children)
    if other is None or not joined:
        return None
    second = set(subtree(other))
    subject = next((child for child in other.children if child.dep_ in {"nsubj", "nsubjpass"}), None)
    if subject is None:
        subject = next((child for child in root.children if child.dep_ in {"nsubj", "nsubjpass"}), None)
        if subject is None or subject.i > root.i or any(child.dep_ in {"neg", "aux"} for child in root.children):
            return None
        return tidy(phrase(subject) + " " + "".join(t.text_with_ws for t in sentence if t.i in second))
    drop = second | {child.i for child in root.children if child.dep_ == "cc"}
    return rewritten(sentence, drop)


def definition(sentence: Span, _: random.Random) -> str | None:
    """`X, a Y, …` as `X is a Y`."""
    for token in sentence:
        if token.dep_ == "appos" and token.head.ent_type_ and any(child.dep_ == "det" for child in token.children):
            head = "".join(t.text_with_ws for t in token.head.subtree if t.i <= token.head.i and t.i < token.left_edge.i).strip()
            return tidy(f"{head} {'was' if _past(sentence) else 'is'} {phrase(token)}")
    return None


def side_clause(sentence: Span, _: random.Random) -> str | None:
    """A relative clause after a comma as a sentence of its own: `X, which opened in 1990, …` → `X opened in 1990`."""
    for token in sentence:
        if token.dep_ != "relcl" or not _after_comma(token) or not token.head.ent_type_:
            continue
        who = next((child for child in token.children if child.text.lower() in {"which", "who"} and child.dep_ in {"nsubj", "nsubjpass"}), None)
        if who is None:
            continue
        head = "".join(t.text_with_ws for t in token.head.subtree if t.i < token.left_edge.i).strip(" ,")
        rest = "".join(t.text_with_ws for t in token.subtree if t.i != who.i)
        return tidy(f"{head} {rest}")
    return None


def passive(sentence: Span, _: random.Random) -> str | None:
    """`A wrote B` as `B was written by A`."""
    from lemminflect import getInflection

    root = _root(sentence)
    subject = next((c for c in root.children if c.dep_ == "nsubj"), None)
    thing = next((c for c in root.children if c.dep_ in {"dobj", "obj"}), None)
    if subject is None or thing is None or root.tag_ not in {"VBD", "VBZ"} or subject.pos_ == "PRON" or thing.pos_ == "PRON":
        return None
    if any(c.dep_ in {"aux", "neg", "conj", "prt", "dative"} for c in root.children):
        return None
    participle = next(iter(getInflection(_lemma(root), "VBN")), None)
    if not participle:
        return None
    many = thing.tag_ in {"NNS", "NNPS"} or any(c.dep_ == "conj" for c in thing.children)
    be = ("were" if many else "was") if root.tag_ == "VBD" else ("are" if many else "is")
    used = {root.i, *subtree(subject), *subtree(thing)}
    after = "".join(t.text_with_ws for t in sentence if t.i not in used and t.i > root.i).strip()
    before = "".join(t.text_with_ws for t in sentence if t.i not in used and t.i < root.i).strip()
    agent = lower_first(phrase(subject), bool(subject.left_edge.ent_type_) or subject.left_edge.pos_ == "PROPN")
    what = lower_first(phrase(thing), bool(thing.left_edge.ent_type_)) if before else phrase(thing)
    return tidy(f"{before} {what} {be} {participle} by {agent} {after}")


def active(sentence: Span, _: random.Random) -> str | None:
    """`B was written by A` as `A wrote B`."""
    from lemminflect import getInflection

    root = _root(sentence)
    subject = next((c for c in root.children if c.dep_ == "nsubjpass"), None)
    by = next((c for c in root.children if c.dep_ == "agent"), None)
    who = next((c for c in by.children if c.dep_ == "pobj"), None) if by is not None else None
    be = [c for c in root.children if c.dep_ == "auxpass"]
    if subject is None or by is None or who is None or len(be) != 1 or any(c.dep_ in {"aux", "neg", "conj"} for c in root.children):
        return None
    verb = next(iter(getInflection(_lemma(root), "VBD" if be[0].text.lower() in {"was", "were"} else "VBZ")), None)
    if not verb:
        return None
    used = {root.i, be[0].i, *subtree(subject), *subtree(by)}
    rest = "".join(t.text_with_ws for t in sentence if t.i not in used).strip()
    what = lower_first(phrase(subject), bool(subject.left_edge.ent_type_) or subject.left_edge.pos_ == "PROPN")
    return tidy(f"{phrase(who)} {verb} {what} {rest}")


def other_words(wordnet: WordNet) -> Callable[[Span, random.Random], str | None]:
    """An edit that writes one to three words as synonyms of their most frequent sense, in the same form."""
    from lemminflect import getInflection

    def edit(sentence: Span, rng: random.Random) -> str | None:
        replace: dict[int, str] = {}
        for token in rng.sample(list(sentence), len(sentence)):
            if token.pos_ not in FILES or token.ent_type_ or token.text[0].isupper() or len(token.text) < 4:
                continue
            options = wordnet.synonyms(_lemma(token), token.pos_)
            form = next(iter(getInflection(rng.choice(options), token.tag_)), None) if options else None
            if form and form.lower() != token.text.lower():
                replace[token.i] = form
            if len(replace) == 3:
                break
        return rewritten(sentence, replace=replace) if replace else None

    return edit


def other_form(sentence: Span, _: random.Random) -> str | None:
    """Dates, small numbers and set phrases in another form."""
    text = sentence.text
    changed = re.sub(rf"\b(\d{{1,2}}) ({_MONTH}) (\d{{4}})\b", r"\2 \1, \3", text)
    if changed == text:
        changed = re.sub(rf"\b({_MONTH}) (\d{{1,2}}), (\d{{4}})\b", r"\2 \1 \3", text)
    changed = re.sub(r"(?<![\d.,-])\b(\d{1,2})\b(?![\d.,:%-])(?= [a-z])", lambda m: _NUMBERS[int(m[1])] if int(m[1]) <= 20 else m[1], changed)
    for before, after in PHRASES:
        changed = re.sub(rf"(?i)(?<!\w){re.escape(before)}(?!\w)", after, changed)
    return tidy(changed) if changed != text else None


def fronted(sentence: Span, _: random.Random) -> str | None:
    """A closing phrase of time or place put first."""
    root = _root(sentence)
    tail = next((c for c in reversed(list(root.children)) if c.dep_ == "prep" and c.i > root.i), None)
    if tail is None or len(subtree(tail)) > 8 or subtree(tail)[-1] < sentence.end - 2:
        return None
    if not any(t.ent_type_ in {"DATE", "GPE", "LOC", "TIME", "EVENT"} for t in tail.subtree):
        return None
    rest = rewritten(sentence, subtree(tail))
    return tidy(f"{phrase(tail)}, {lower_first(rest, bool(sentence[0].ent_type_))}")


def _root(sentence: Span) -> Token:
    return sentence.root


def _past(sentence: Span) -> bool:
    return any(token.tag_ == "VBD" for token in sentence)


def _commas_around(sentence: Span, drop: set[int]) -> set[int]:
    """Commas on both sides of words left out, which would part a subject from its verb."""
    doc = sentence.doc
    runs = [i for i in drop if i - 1 not in drop]
    pairs = set()
    for first in runs:
        after = first
        while after in drop:
            after += 1
        if first - 1 >= sentence.start and after < sentence.end and doc[first - 1].text == doc[after].text == ",":
            pairs |= {first - 1, after}
    return pairs


def _plain_clause(token: Token) -> bool:
    return token.dep_ == "advcl" and not CONDITIONS & {part.text.lower() for part in token.subtree}


def _opening(token: Token, sentence: Span) -> bool:
    return token.dep_ in {"prep", "npadvmod"} and token.i == sentence.start and token.head.dep_ == "ROOT"


def _after_comma(token: Token) -> bool:
    return token.left_edge.i > 0 and token.doc[token.left_edge.i - 1].text == ","


def _lemma(token: Token) -> str:
    from lemminflect import getLemma

    return next(iter(getLemma(token.text.lower(), token.pos_)), token.text.lower())

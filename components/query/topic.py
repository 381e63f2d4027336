"""What a question is about: for the pronoun or the fragment that comes after it. Pure functions."""

from __future__ import annotations

import regex

from components.query.noun_phrases import phrases_of, with_complements, words_of
from components.query.question_words import SETTINGS, is_person

ONE, MANY, PERSON = 1, 2, 3
"""What a pronoun may stand for: a thing, several, or a person."""
_WHO_IS = regex.compile(r"who(?:\s+(?:is|are|was|were)|['’]s)\s", regex.IGNORECASE)
_END = " \t\n?.!,;:"


def gist(question: str) -> str:
    """A question without what asks in it.

    >>> gist("How do I appeal a parking fine?"), gist("What is the penalty for late filing?")
    ('appeal a parking fine', 'the penalty for late filing')
    """
    words = words_of(question)
    at = 0
    while at < len(words) and (
        words[at].kind in {"wh", "aux", "sign", "conjunction"}
        or words[at].low in {"i", "you", "we", "there", "any", "many", "much", "long", "often", "happens", "happen", "please"}
    ):
        at += 1
    return question[words[at].start :].strip(_END) if at < len(words) else ""


def topic_of(before: str, kind: int, answer: str) -> str:
    """What the question before is about, as a pronoun of this kind would mean it; empty where it names nothing."""
    phrases = phrases_of(before)
    if kind == PERSON:
        named = next((p for p in phrases[:1] if not p.preposition), None) if _WHO_IS.match(before) else None  # "who is the treasurer?"
        found = next((p for p in phrases if p.person), named)
        if found is None and answer:
            first = regex.split(r"(?<=[.!?])\s", answer, maxsplit=1)[0]
            found = next((p for p in phrases_of(first) if p.person or (p.named and p.first > 0)), None)
            return found.text if found else ""
        return with_complements(before, found, phrases).text if found else ""
    fitting = [p for p in phrases if (p.plural or (kind == MANY and is_person(p.head))) == (kind == MANY)]
    if kind == ONE:
        fitting = [p for p in fitting if not p.person] or fitting
    choice = sorted(fitting or phrases, key=lambda p: (p.named and not p.numbered, p.preposition in SETTINGS, p.start))
    if not choice:
        return ""
    whole = with_complements(before, choice[0], phrases)
    words = words_of(before)
    rest = [p for p in phrases if p.preposition in SETTINGS and p.start >= whole.end]
    added = "".join(f" {before[words[p.first - 1].start : p.end]}" for p in rest)
    return f"{whole.text}{added}"

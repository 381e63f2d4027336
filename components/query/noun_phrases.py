"""Noun phrases of an English question, by word lists. Pure functions; where a parser would do better, these miss a phrase or take one too long."""

from __future__ import annotations

from dataclasses import dataclass

import regex

from components.query.question_words import (
    ADVERBS,
    AUX,
    CONJUNCTIONS,
    DETERMINERS,
    MEASURES,
    NOUN_TOO,
    OWNERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBJECTS,
    WH,
    is_person,
    is_plural,
    verb_of,
)
from components.query.question_words import words as word_set

_WORD = regex.compile(r"[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}'’./&-]*[\p{L}\p{M}\p{N}])?|§|[^\s\p{L}\p{N}]")


@dataclass(frozen=True)
class Word:
    """A word or a sign of a question.

    :param kind: wh, aux, pronoun, determiner, preposition, conjunction, adverb, verb, sign, or noun for all else.
    """

    text: str
    start: int
    end: int
    kind: str

    @property
    def low(self) -> str:
        """In lower case, with a straight apostrophe."""
        return self.text.casefold().replace("’", "'")


@dataclass(frozen=True)
class Phrase:
    """A noun phrase: `words[first:last]`, with the preposition before it, if any.

    :param start: where it stands in the question, its determiner included.
    """

    first: int
    last: int
    start: int
    end: int
    text: str
    preposition: str
    head: str

    @property
    def plural(self) -> bool:
        """Whether its head is a plural."""
        return is_plural(self.head)

    @property
    def person(self) -> bool:
        """Whether its head is a person."""
        return is_person(self.head)

    @property
    def numbered(self) -> bool:
        """Whether it carries a number."""
        return any(c.isdigit() for c in self.text)

    @property
    def named(self) -> bool:
        """Whether its head is written with a capital letter: a name."""
        return self.head[:1].isupper()


def words_of(question: str) -> list[Word]:
    """The words and signs of a question, each with what it does there."""
    words: list[Word] = []
    for match in _WORD.finditer(question):
        words.append(Word(match.group(), match.start(), match.end(), _kind(match.group(), words)))
    return _with_last_verbs(_with_verbs_of_who(words))


def _with_verbs_of_who(words: list[Word]) -> list[Word]:
    """In "who coaches rowing" the word behind "who" is the verb, in a list or not: no noun can stand there."""
    out = list(words)
    for i, word in enumerate(words[1:], 1):
        if words[i - 1].low == "who" and word.kind == "noun" and word.text[:1].islower():
            out[i] = Word(word.text, word.start, word.end, "verb")
    return out


def _kind(text: str, before: list[Word]) -> str:
    low = text.casefold().replace("’", "'")
    if not text[:1].isalnum() and text != "§":
        return "sign"
    previous = before[-1] if before else None
    named = text[:1].isupper() and previous is not None
    for kind, known in (
        ("wh", WH),
        ("aux", AUX),
        ("pronoun", PRONOUNS),
        ("determiner", DETERMINERS),
        ("preposition", PREPOSITIONS),
        ("conjunction", CONJUNCTIONS),
        ("adverb", ADVERBS),
    ):
        if low in known and not (named and text.isupper() and len(text) > 1):
            return kind
    verb = None if named else verb_of(low)
    if verb is None:
        return "noun"
    after_subject = previous is not None and (previous.low in SUBJECTS or previous.low in {"to", "not"} or previous.kind == "wh")
    if previous is not None and ((previous.kind in {"determiner", "preposition"} and previous.low != "to") or previous.low in OWNERS):
        return "noun"
    if low in NOUN_TOO or (verb in NOUN_TOO and low.endswith("s")):
        return "verb" if after_subject else "noun"
    if low.endswith("ing") and (previous is None or previous.kind == "aux"):
        return "noun"  # "is smoking allowed"
    return "verb"


def _with_last_verbs(words: list[Word]) -> list[Word]:
    """In "does the allowance rise" the last noun of the run after the auxiliary is the verb, where it can be one."""
    out = list(words)
    for i, word in enumerate(words):
        ends = i + 1 == len(words) or words[i + 1].kind != "noun"
        if word.kind != "noun" or not ends or i == 0 or words[i - 1].kind != "noun":
            continue
        at = i - 1
        while at >= 0 and (words[at].kind in {"noun", "determiner"} or words[at].low == "of"):
            at -= 1
        acts = word.low in NOUN_TOO or verb_of(word.low) in NOUN_TOO
        if acts and is_person(words[i - 1].low) and i + 1 < len(words) and words[i + 1].kind == "determiner":  # "a customer returns a product"
            out[i] = Word(word.text, word.start, word.end, "verb")
            continue
        asked = at >= 0 and words[at].kind == "aux" and words[at].low not in {"is", "are", "was", "were"}
        if asked and (word.low in VERB_LAST or verb_of(word.low) == word.low or _is_left_as_verb(words, at, i)):
            out[i] = Word(word.text, word.start, word.end, "verb")
    return out


def _is_left_as_verb(words: list[Word], at: int, i: int) -> bool:
    """In "does the boat weigh" no other word can be the verb that "does" needs."""
    plain = words[i].text.islower() and words[i].text.isalpha() and words[at].low in {"do", "does", "did"}
    return plain and all(w.kind not in {"verb", "noun"} for w in words[i + 1 :]) and all(w.kind != "verb" for w in words[at:i])


QUANTITIES = word_set("many much more most several few")
VERB_LAST = word_set("cost claim charge change limit")


def phrases_of(question: str) -> list[Phrase]:
    """The noun phrases, in order; "of" joins two of them, and a measure before it ("days of") is left out.

    >>> [(p.preposition, p.text) for p in phrases_of("How many days of annual leave do employees in Europe get?")]
    [('', 'annual leave'), ('', 'employees'), ('in', 'Europe')]
    """
    words = words_of(question)
    found: list[Phrase] = []
    i = 0
    while i < len(words):
        if words[i].kind != "noun":
            i += 1
            continue
        end = _end_of(words, i)
        first = i
        while first > 0 and ((words[first - 1].kind == "determiner" and words[first - 1].low not in QUANTITIES) or words[first - 1].low in OWNERS):
            first -= 1
        before = words[first - 1] if first else None
        preposition = before.low if before is not None and before.kind == "preposition" else ""
        joined = found[-1] if found and preposition == "of" and found[-1].last == first - 1 else None
        if joined is not None and not _is_measure(joined):
            found[-1] = _phrase(question, words, joined.first, end, joined.preposition, joined.head)
        else:
            if joined is not None:
                found.pop()
                preposition = joined.preposition
            found.append(_phrase(question, words, first, end, preposition, _head(words, i, end)))
        i = end
    return [p for p in found if not _is_measure(p) or p.numbered]


def _is_measure(phrase: Phrase) -> bool:
    """ "days", "the number": nothing but the unit of something."""
    words = phrase.text.casefold().split()
    return words[-1] in MEASURES and (len(words) == 1 or (len(words) == 2 and words[0] in DETERMINERS))


def _end_of(words: list[Word], start: int) -> int:
    end = start + 1
    while end < len(words) and (words[end].kind == "noun" or words[end].text in {"-", "/", "§"}):
        end += 1
    return end


def _head(words: list[Word], start: int, end: int) -> str:
    return next((w.text for w in reversed(words[start:end]) if w.text[:1].isalpha()), words[end - 1].text)


def _phrase(question: str, words: list[Word], first: int, last: int, preposition: str, head: str) -> Phrase:
    start, end = words[first].start, words[last - 1].end
    return Phrase(first, last, start, end, question[start:end], preposition, head)


def pieces_of(question: str) -> list[Phrase]:
    """The noun phrases, those that "of" joins one by one.

    >>> [(p.preposition, p.text) for p in pieces_of("What does section 12 of the Rent Act say?")]
    [('', 'section 12'), ('of', 'the Rent Act')]
    """
    words = words_of(question)
    pieces: list[Phrase] = []
    for phrase in phrases_of(question):
        first, preposition = phrase.first, phrase.preposition
        if first and words[first - 1].low == "of":  # "per day of the boat"
            preposition = "of" if first > 2 and words[first - 3].low == "per" else preposition
        cuts = [i for i in range(first, phrase.last) if words[i].low == "of"]
        for end in [*cuts, phrase.last]:
            noun = next((i for i in range(first, end) if words[i].kind == "noun"), first)
            pieces.append(_phrase(question, words, first, end, preposition, _head(words, noun, end)))
            first, preposition = end + 1, "of"
    return pieces


def with_complements(question: str, phrase: Phrase, phrases: list[Phrase]) -> Phrase:
    """The phrase with the prepositional phrases that follow it directly: "the limit" of "the limit for vision care in Spain" with all of it."""
    words = words_of(question)
    whole = phrase
    for other in phrases:
        if other.preposition and other.first - 1 == whole.last:
            whole = _phrase(question, words, phrase.first, other.last, phrase.preposition, phrase.head)
    return whole

"""What a pronoun of an English question stands for: nothing, something in the question itself, or what was said before. Pure functions."""

from __future__ import annotations

import regex

from components.query.noun_phrases import Phrase, Word
from components.query.question_words import HERE, NOUN_TOO, SAID_OF_NOTHING
from components.query.topic import MANY, ONE, PERSON

THIRD = {
    **dict.fromkeys(("it", "its"), ONE),
    **dict.fromkeys(("they", "them", "their", "theirs"), MANY),
    **dict.fromkeys(("he", "him", "his", "she", "her", "hers"), PERSON),
}


def means_nothing(asked: str, words: list[Word], i: int) -> bool:
    """ "Is it allowed to", "how long does it take to", "it rains"."""
    if words[i].low != "it":
        return False
    rest = [w.low for w in words[i + 1 : i + 5]]
    tail = asked[words[i].end :]
    if any(w in SAID_OF_NOTHING for w in rest[:3]):
        return bool(regex.search(r"\b(?:to\s+\p{L}+|that|for\s+[^?]+\s+to|if|when|whether)\b", tail))
    if rest[:1] and rest[0] in {"take", "takes", "cost", "costs", "mean", "means", "require", "requires"}:
        return bool(regex.search(r"\bto\s+\p{L}{2,}", tail)) or bool(regex.search(r"\bmeans?\b[^?]*\b(?:when|if|that|to)\b", tail))
    return bool(rest[:1]) and rest[0] in {"rain", "rains", "snow", "snows", "happen", "happens", "comes", "turns", "follows"}


def means_within(word: Word, own: list[Phrase]) -> bool:
    """Whether a phrase before the pronoun, in the same question, is what it stands for."""
    earlier = [p for p in own if p.end <= word.start]
    kind = THIRD[word.low]
    if kind == ONE:
        return any(not p.plural and not p.person for p in earlier)
    if kind == MANY:
        return any(p.plural or p.person for p in earlier)
    return any(p.person or p.named for p in earlier)


def points_back(words: list[Word], i: int) -> bool:
    """Whether "this", "that", "these" or "those" means what was said before, and is no conjunction, relative or "that of"."""
    word = words[i]
    before = words[i - 1] if i else None
    after = words[i + 1] if i + 1 < len(words) else None
    if after is not None and after.low in {"of", "who", "which", "whose"}:
        return False
    if after is not None and after.low.rstrip("s") in HERE and word.low == "this":
        return False
    if word.low != "that":
        return True
    if before is None:
        return after is None or after.kind in {"aux", "noun"}
    if before.kind in {"noun", "adverb"} or before.low in {"so", "such"}:
        return before.low in {"about"} or (before.kind == "adverb" and (after is None or after.kind == "sign"))
    if before.kind == "verb":
        return after is None or after.kind in {"sign", "preposition", "adverb"}
    return before.kind in {"aux", "preposition", "conjunction"} and (after is None or after.kind != "pronoun")


def is_asked_verb(words: list[Word], i: int) -> bool:
    """ "Does that cost anything?": behind do, can or must and the pronoun, a word that can be a verb is one."""
    before, after = words[i - 1] if i else None, words[i + 1]
    last = i + 2 >= len(words) or words[i + 2].kind != "noun"
    helps = before is not None and before.kind == "aux" and before.low not in {"is", "are", "was", "were"}
    return helps and last and after.low in NOUN_TOO

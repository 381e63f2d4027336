"""Two sentences that allow and forbid, or charge and waive, the same thing. Pure functions.

Sure cases only: apart from the words that oppose each other, both hold the same content words. A condition or an exception in one of them that
the other lacks, or an amount that both give, makes them different rules.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from components.generators.extraction.words import FUNCTION_WORDS, LIGHT_WORDS, stem, words
from components.validators.opposites import OPPOSITES
from components.validators.quantities import quantities, without_dates

_RULED = ("allowed", "included", "accepted", "legal", "valid", "mandatory", "possible", "eligible", "paid", "able")
"""One word of each pair of opposites that says whether something may, must or does happen; "opens at nine" and "closes at six" are both true."""
_PAIRS = [pair for pair in OPPOSITES if any(word in side for side in pair for word in _RULED)]
_YES = frozenset(word for pair in _PAIRS for word in next(side for side in pair if any(key in side for key in _RULED)))
_NO = frozenset(word for pair in _PAIRS for side in pair for word in side) - _YES
_PERMITS = frozenset(["may", "can", "must", "shall", "should", "need", "needs", "needed", "require", "requires", "required"])
"""What a negation turns round beside the words above; the verb itself ("may park", "parking is allowed") must be in both."""
_NEGATION = regex.compile(r"\b(?:no|not|never|cannot|none|nobody|non)\b|n['’]t\b", regex.I)
_NOT_ALL = regex.compile(
    r"\bnot\s+(?:all|every|each|only|always|any\s+more|just|necessarily)\b|\bno\s+(?:longer|more|less|later|fewer|other)\b", regex.I
)
_CONDITION = regex.compile(
    r"\b(?:unless|except\w*|only|if|when\w*|where|without|until|before|after|during|while|provided|other|otherwise|instead|also|again|yet|still|but|however"
    r"|some|certain|most|many|few|both|either|neither|than)\b",
    regex.I,
)
_FREE = regex.compile(
    r"\b(?:is|are|be|comes?|remains?|stays?)\s+(?:always\s+|entirely\s+)?free\b(?!\s+(?:of\s+(?!charge)|from|to)\b)|\bfree\s+of\s+charge\b|\bcosts?\s+nothing\b"
    r"|\b(?:no|without|without\s+any)\s+(?:charge|fee|cost|costs|fees)\b|\bat\s+no\s+(?:charge|cost)\b",
    regex.I,
)
_CURRENCIES = frozenset("€$£₹")
_PAYING = frozenset(stem(w) for w in ["cost", "costs", "price", "fee", "charge", "charged", "pay", "paid", "payable", "free", "nothing"])
_UNITS = regex.compile(
    r"(?:\p{Nd}.*|euros?|eur|dollars?|usd|pounds?|gbp|rupees?|inr|rs|hours?|days?|weeks?|months?|years?|nights?|one|per|each|hundred|thousand)",
    regex.I,
)
FEWEST = 2
"""Content words that both must hold."""


@dataclass(frozen=True)
class Rule:
    """What a sentence rules: the stems of its content words without those that say yes or no, and which of the two it says."""

    subject: frozenset[str]
    holds: bool


def rule_of(text: str) -> Rule:
    """The rule of a sentence.

    >>> one, other = rule_of("Dogs are allowed in the hall."), rule_of("Dogs are forbidden in the hall.")
    >>> one.subject == other.subject, one.holds, other.holds
    (True, True, False)
    """
    forms = [w for w in words(text) if w.number is None]
    low = [w.text.casefold() for w in forms]
    turned = len(_NEGATION.findall(text)) + sum(word in _NO for word in low)
    subject = frozenset(w.stem for w, word in zip(forms, low, strict=True) if _is_content(word))
    return Rule(subject, turned % 2 == 0)


def _is_content(word: str) -> bool:
    ruling = word in _YES or word in _NO or word in _PERMITS
    return not ruling and word not in FUNCTION_WORDS and word not in LIGHT_WORDS and not _UNITS.fullmatch(word) and word != "non"


def opposed(one: str, other: str, fewest: int = FEWEST) -> bool:
    """Whether one sentence allows what the other forbids, or gives free what the other charges for.

    :param fewest: content words that both must hold, 1 or more.

    >>> opposed("Dogs may enter the hut.", "Dogs may not enter the hut."), opposed("Dogs may enter the hut.", "Cats may not.")
    (True, False)
    >>> opposed("Parking at the office is free.", "Parking at the office costs 25 EUR a month.")
    True
    """
    if any(_NOT_ALL.search(text) for text in (one, other)) or _conditions(one) != _conditions(other):
        return False
    paid = _paying(one), _paying(other)
    if set(paid) == {"free", "charged"}:
        subjects = [frozenset(w.stem for w in words(text) if w.number is None and _is_content(w.text.casefold())) - _PAYING for text in (one, other)]
        return subjects[0] == subjects[1] and len(subjects[0]) >= fewest
    if any(paid) and paid[0] != paid[1]:
        return False
    first, second = rule_of(one), rule_of(other)
    same_figures = sorted((q.unit, q.value) for q in quantities(without_dates(one))) == sorted(
        (q.unit, q.value) for q in quantities(without_dates(other))
    )
    return same_figures and first.holds != second.holds and first.subject == second.subject and len(first.subject) >= fewest


def _paying(text: str) -> str:
    """`free`, `charged`, or an empty text."""
    if _FREE.search(text):
        return "free"
    return "charged" if any(q.unit in _CURRENCIES and q.value > 0 for q in quantities(text)) else ""


def _conditions(text: str) -> list[str]:
    return sorted(m.group().casefold() for m in _CONDITION.finditer(_FREE.sub(" ", text)))

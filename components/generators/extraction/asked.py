"""The thing that a question asks for: what is counted or measured, an amount of money, a label, a phone number."""

from __future__ import annotations

import regex

from components.generators.extraction.words import FUNCTION_WORDS, stem, words

_MEASURES = (
    r"(salary|salaries|wages?|pay|price|cost|fee|rate|rent|deposit|tariff|premium|budget|turnover|revenue|age|height|weight|length|width|depth"
    r"|distance|speed|capacity|size|area|volume|population|temperature|voltage|discount|quota)s?"
)
ATTRIBUTE = regex.compile(rf"\bwhat\s+(?:is|are|was|were)\s+(?:the\s+|an?\s+|your\s+|our\s+|my\s+)?(?:[\p{{L}}-]+\s+){{0,2}}{_MEASURES}\b", regex.I)
_AUXILIARY = frozenset(stem(w) for w in ("get", "take", "need", "make", "use", "want", "have"))
_LABEL = regex.compile(
    r"\b(?:which|what)\s+(?:\w+\s+)?(?:sections?|offences?|crimes?|rules?|polic(?:y|ies)|articles?|clauses?|chapters?|provisions?|laws?"
    r"|regulations?|plans?|forms?)\b",
    regex.I,
)
_PHONE = regex.compile(r"\b(?:phone|telephone|fax|mobile|account|bank)\s+numbers?\b|\bwhat\s+number\b.*\b(?:call|ring|phone|dial)\b", regex.I)
_MONEY = regex.compile(
    r"\b(?:costs?|prices?|fees?|charged?|pays?|paid|fines?|rent|salary|wages?|expensive|rates?|deposit|dut(?:y|ies)|tax|money)\b", regex.I
)


def counted_in(text: str) -> str:
    """Stem of what "how many" counts, or an empty text.

    >>> counted_in("How many public computers are there?")
    'comput'
    """
    match = regex.search(r"\bhow many\s+((?:[\p{L}\p{M}'-]+\s+){0,4})", text + " ", regex.I)
    noun = ""
    for word in words(match.group(1)) if match else ():
        if word.text.casefold() in FUNCTION_WORDS or word.stem in _AUXILIARY:
            break
        noun = word.stem
    return noun


def attribute_in(text: str) -> str:
    """Stem of the measure in "what is the salary of ...", or an empty text.

    >>> attribute_in("What is the salary of a guard?"), attribute_in("What is the capital of Peru?")
    ('salari', '')
    """
    match = ATTRIBUTE.search(text)
    return stem(match.group(1)) if match else ""


_EVENT = regex.compile(
    r"\bhow\s+(?:long|much\s+time|many\s+\w+)\b.*?\b(?:(?:need|take)s?\s+(?:\w+\s+){0,2}?to\s+(\p{L}+)"
    r"|(?:do|does|did|will|would|can|may|must)\s+(?:(?:the|an?|my|our|your|its)\s+)?(?:\p{L}+\s+)??(\p{L}+)\s+(?:take|last)\b)",
    regex.I,
)


def event_in(text: str) -> str:
    """Stem of the event whose length is asked for, or an empty text.

    >>> event_in("How long does the board need to approve a budget?"), event_in("How long does delivery take?"), event_in("How long is it?")
    ('approv', 'deliveri', '')
    """
    match = _EVENT.search(text)
    return stem(match.group(1) or match.group(2)) if match else ""


def about_money(text: str) -> bool:
    """Whether an amount of money is asked about."""
    return bool(_MONEY.search(text))


def asks_label(text: str) -> bool:
    """Whether a heading can be what is asked for ("which section", "what offence is that")."""
    return bool(_LABEL.search(text))


def asks_phone(text: str) -> bool:
    """Whether a telephone or account number is asked for."""
    return bool(_PHONE.search(text))

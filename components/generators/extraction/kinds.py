"""The kind of answer that a question wants, from its words."""

from __future__ import annotations

from enum import StrEnum

import regex

from components.generators.extraction.asked import ATTRIBUTE
from components.generators.extraction.terms import SKIP
from components.generators.extraction.words import words

TIME_UNITS = "days|weeks|months|years|hours|minutes|seconds"


class Kind(StrEnum):
    """What sort of answer a question wants."""

    WHO = "who"
    WHEN = "when"
    WHERE = "where"
    WHY = "why"
    HOW = "how"
    HOW_LONG = "how_long"
    HOW_MANY = "how_many"
    HOW_MUCH = "how_much"
    NUMBER = "number"
    DEFINE = "define"
    YES_NO = "yes_no"
    OTHER = "other"


_LEADING = r"^(?:(?:and|but|so|then|also|please|to|by|from|of|for|since|until|at|in|on|with|tell me|do you know|can you tell me) )*"
_VERB = r" (?:do|does|did|is|are|was|were|will|would|can|could|should|must|may|has|have|had|shall|am|might)\b"
_KINDS: tuple[tuple[Kind, str], ...] = (
    (Kind.HOW_MUCH, r"\bhow long (?:must|should|can|may|does|do|has to|have to) .{1,40} be\b"),  # a length, not a time
    (
        Kind.HOW_LONG,
        rf"\bhow much (?:\w+ ){{0,2}}(?:time|leave|notice)\b|\bas long as\b|\blonger\b|\bhow (?:long|soon|quickly|fast|old|far ahead)\b"
        rf"|\b(?:what|which) (?:period|duration|length of time)\b|\bhow many (?:\w+ )?(?:{TIME_UNITS})\b"
        r"|\bwithin (?:what|which) (?:\w+ )?time\b|\bwhat (?:is|was|are) (?:the |an? |our |your |my )?(?:[\w-]+ ){0,2}(?:period|duration)\b",
    ),
    (
        Kind.HOW_MUCH,
        r"\bhow (?:much|expensive|far|high|large|big|tall|heavy|wide|deep|hot|cold|loud)\b|\bwhat (?:percentage|percent|proportion|fraction)\b"
        r"|\bwhat (?:amount|temperature|is the (?:\w+ )?(?:price|cost|fee|rate))\b|\bwhat (?:does|do|did) .{1,60} cost\b",
    ),
    (Kind.HOW_MUCH, ATTRIBUTE.pattern),
    (Kind.HOW_MANY, r"\bhow (?:many|often)\b|\bwhat (?:is|was) the (?:\w+ )?number of\b"),
    (
        Kind.NUMBER,
        r"\b(?:which|what) (?:(?!does|do|did|is|are|was|were)\w+ ){0,2}"
        r"(?:section|article|rule|clause|paragraph|chapter|regulation|number|version|page|port)s?\b",
    ),
    (
        Kind.WHEN,
        rf"{_LEADING}when{_VERB}|\bwhen\?$|"
        r"\b(?:what|which) (?:year|date|day|month|time|century|decade|hour)s?\b|\bwhat is the (?:\w+ )?deadline\b",
    ),
    (
        Kind.WHERE,
        rf"{_LEADING}where\b|\bwhere\?$|\b(?:what|which) (?:city|country|town|place|location|building|room|state|region)\b",
    ),
    (Kind.WHY, rf"{_LEADING}why\b|\bwhy\?$|\bfor what reason\b|\bwhat (?:is|was) the reason\b"),
    (Kind.WHO, rf"{_LEADING}who(?:m|se)?\b|\bwho(?:m)?\?$|\bwhich (?:person|official|officer)\b|\b(?:to|by|from|with|of) whom\b"),
)
_HOW = (
    r"(?:and |but |so |then )?how (?:do|does|can|should|must|to|is|are|may|could|would)\b|\bwhat (?:should|must|do|can) (?:i|we|you|one|a \w+) do\b"
)
_DEFINES = (
    r"what (?:is|are|was|were) (?:an? |the )?[^?]{2,60}\??$|.*\b(?:define|definition of|meaning of)\b|what (?:does|do) .{2,60} (?:mean|stand for)\b"
)
_DEFINED_BY = regex.compile(
    r"(?i:what\s+(?:is|are)\s+(?:(?:an?|the)\s+)?[\p{Ll}-]+(?:\s+[\p{Ll}-]+)?\s+(?:under|in|by|according\s+to)\s+(?:the\s+)?)\p{Lu}[\w.'’-]*(?:\s+\p{Lu}[\w.'’-]*)*\s*\??"
)
"""A definition by a law or document that is named: "what is petty theft under the BNS"."""
_YES_NO = r"(?:and |but |so )?(?:is|are|was|were|can|could|do|does|did|may|must|should|shall|will|would|has|have|am)\b"


def kind_of(text: str) -> Kind:
    """The kind of answer, from the question's words.

    >>> kind_of("How long does a refund take?").value, kind_of("Are dogs allowed?").value
    ('how_long', 'yes_no')
    """
    t = " ".join(text.casefold().split())
    for kind, pattern in _KINDS:
        if regex.search(pattern, t):
            return kind
    if regex.match(_DEFINES, t) and len([w for w in words(t) if w.stem not in SKIP]) <= 2:
        return Kind.DEFINE
    if _DEFINED_BY.fullmatch(" ".join(text.split())):
        return Kind.DEFINE
    if regex.match(_HOW, t):
        return Kind.HOW
    return Kind.YES_NO if regex.match(_YES_NO, t) else Kind.OTHER

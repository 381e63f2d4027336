"""Conditions of a question that words alone do not show: a numbered class, something absent or not done, a limit, where a time begins."""

from __future__ import annotations

from itertools import pairwise

import regex

from components.generators.extraction import constants as c
from components.generators.extraction.parts import Part
from components.generators.extraction.terms import Term, in_bag
from components.generators.extraction.units import Shape, Unit
from components.generators.extraction.words import NUMBER_WORD, groups_of, stem, words

TIME_UNIT = r"(?:seconds?|minutes?|hours?|days?|weeks?|fortnights?|months?|years?|decades?|centur(?:y|ies)|terms?|semesters?)"
_BEGINS_WITH = regex.compile(
    r"\b(?:after|from|since|following|upon|of)\s+(?:(?:the|an?|its|his|her|their|your)\s+)?(?:it\s+(?:is|was|has\s+been)\s+)?(\p{L}+)", regex.I
)


def begins_with(event: str, text: str) -> bool:
    """Whether every time in a text is counted from an event: it does not say then how long the event itself takes.

    >>> begins_with("approv", "Refunds take five days after approval."), begins_with("refund", "Refunds take five days after approval.")
    (True, False)
    """
    spans = [m.end() for m in regex.finditer(rf"\b{TIME_UNIT}\b", text, regex.I)]
    starts = [m.start() for m in _BEGINS_WITH.finditer(text) if akin(stem(m.group(1)), event)]
    return bool(spans) and all(any(end <= start <= end + 4 for start in starts) for end in spans)


def akin(one: str, other: str) -> bool:
    """Whether two stems are of one word family: the same, or alike in their first letters ("approv", "approval")."""
    return one == other or (min(len(one), len(other)) >= c.PREFIX_LETTERS and one[: c.PREFIX_LETTERS] == other[: c.PREFIX_LETTERS])


def classes_of(text: str) -> set[tuple[str, str]]:
    """Each word with the number that stands behind it.

    >>> sorted(classes_of("Severity 2, offline: within four hours"))
    [('sever', '2'), ('within', '4')]
    """
    return {(a.stem, b.number) for a, b in pairwise(words(text)) if b.number is not None and not text[a.end : b.start].strip()}


def is_of_another_class(asked: tuple[str, str], text: str) -> bool:
    """Whether a text is about another class of the same division only ("severity 3" where severity 2 is asked for)."""
    found = classes_of(text)
    return asked not in found and any(named == asked[0] for named, _ in found)


_LACKS = regex.compile(
    r"(?:\b(?:without|no|not|never|lack\w*|absence\s+of|fail\w*\s+to|refus\w*\s+to)\b|n['’]t\b)((?:[\s,(]+[\p{L}'’-]+){1,3})|\b(?:un|non-?)(\p{L}{3,})",
    regex.I,
)


def lacks(lacked: str, text: str) -> bool:
    """Whether a text speaks of something without what is meant by a stem.

    >>> lacks("warrant", "arrested without a warrant"), lacks("warrant", "executing a warrant"), lacks("pay", "an unpaid bill")
    (True, False, True)
    """
    found = (word.stem for m in _LACKS.finditer(text, overlapped=True) for word in words(m.group(1) or m.group(2)))
    return any(akin(one, lacked) or groups_of(one) & groups_of(lacked) for one in found)


_DEMANDS = regex.compile(
    r"\b(?:only|unless|must|need(?:s|ed)?|requir\w+|necessary|mandatory|compulsory|obligatory|ha(?:s|ve)\s+to|(?:may|can|shall)(?:not|\s+not))\b",
    regex.I,
)


def demands(text: str) -> bool:
    """Whether a text makes something a condition.

    >>> demands("Guests use boats only after an introduction."), demands("Guests get an introduction.")
    (True, False)
    """
    return bool(_DEMANDS.search(text))


def turns_round(part: Part, unit: Unit) -> bool:
    """Whether a unit says of something that it is done or so, where the question asks what happens if it is not."""
    return any(in_bag(Term(stem_, stem_, 1.0), unit.bag_of_text) >= c.SYNONYM and not lacks(stem_, unit.full_text) for stem_ in part.denied)


_ANYONE = regex.compile(
    r"\W*(?:any(?:one|body)|every(?:one|body)|all\s+(?:the\s+)?others?|others|other\s+(?:people|persons)|the\s+public)\b", regex.I
)


def is_row_for_the_rest(unit: Unit, term: Term) -> bool:
    """Whether a row is for everyone, and no other row of its table is for the person whom a term names."""
    if unit.shape != Shape.ROW or not _ANYONE.match(unit.text):
        return False
    rows = [u for u in unit.source.units if u.block == unit.block and u.shape == Shape.ROW and u is not unit]
    return not any(in_bag(term, row.bag_of_text) >= c.FOUND for row in rows)


HIGHEST = frozenset(stem(w) for w in ("highest", "maximum", "max", "longest", "largest", "greatest", "biggest", "heaviest"))
LOWEST = frozenset(stem(w) for w in ("lowest", "minimum", "min", "shortest", "smallest"))
_AT_MOST = regex.compile(
    r"\b(?:up\s+to|at\s+most|n(?:ot|o)\s+(?:more|longer|larger|higher)\s+than|not\s+exceed\w*|(?:may|can)\s+extend\s+to|limit\w*)\b", regex.I
)
_AT_LEAST = regex.compile(r"\b(?:at\s+least|n(?:ot|o)\s+(?:be\s+)?(?:less|fewer|shorter|smaller|lower)\s+than)\b", regex.I)


def superlative_of(asked: str, text: str) -> bool:
    """Whether a text sets the upper or lower limit that a superlative asks for.

    >>> superlative_of("highest", "a fine of up to 100 euros"), superlative_of("lowest", "a fine of up to 100 euros")
    (True, False)
    """
    return bool((asked in HIGHEST and _AT_MOST.search(text)) or (asked in LOWEST and _AT_LEAST.search(text)))


_LIMIT = regex.compile(
    r"\b(?:(?:more|less|longer|shorter|fewer|higher|lower|greater|larger|smaller|older|younger|earlier|later|heavier)\s+than|over|under|above|below|beyond|up\s+to|at\s+"
    r"(?:least|most)|from|within|until|exceed\w*|maximum(?:\s+of)?|minimum(?:\s+of)?|between|not\s+more\s+than|no\s+more\s+than|reach\w*|first)\s+"
    rf"(?:\w+\s+)?(?:[€$£₹]\s*)?(?:\p{{Nd}}|an?\b|one\b|{NUMBER_WORD}\b)|\b(?:\p{{Nd}}[\p{{Nd}}.,]*|{NUMBER_WORD})(?:\s+\w+)?\s+(?:or|and)\s+(?:more|less|over|under|older|younger|longer)\b",
    regex.I,
)


def limits(text: str) -> bool:
    """Whether a text sets a limit that an amount can be held against.

    >>> limits("Only on flights of more than eight hours."), limits("Eight hours after departure.")
    (True, False)
    """
    return bool(_LIMIT.search(text))

"""Whether a text can hold the kind of answer that a question wants."""

from __future__ import annotations

from functools import lru_cache

import regex

from components.generators.extraction.conditions import TIME_UNIT
from components.generators.extraction.kinds import Kind
from components.generators.extraction.parts import Part
from components.generators.extraction.terms import Term, in_bag
from components.generators.extraction.words import FUNCTION_WORDS, Bag, groups_of, words

_MONTHS = "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec "
_DAYS = (
    "monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays sunday sundays weekday weekdays "
    "weekend weekends holiday holidays "
)
_TIMES = (
    "when after before until till during upon while once since by daily weekly monthly yearly annual annually immediately noon midnight morning "
    "evening today early late end start dawn spring summer autumn winter first last next "
)
_COUNTS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty "
    "forty fifty sixty seventy eighty ninety hundred thousand million billion dozen half third quarter single double once twice both couple several"
)
_REASONS = r"because|since|so\s+that|so\s+as|in\s+order|due|owing|as|therefore|reasons?|purpose|to\s+\w+|for\s+\w+ing|otherwise|thus|hence|why|" + (
    r"caus\w+|led|prevent\w*|ensur\w+|allow\w*|result\w*"
)
_PEOPLE = (
    "whoever who person people anyone everyone nobody man men woman women staff chief head team office department police government company nurse "
    "judge king queen president library clinic board committee council court authority agency public parent parents guardian guardians"
)
_ROLE_ENDINGS = r"\p{Ll}{2,}(?:ers?|ors?|ees?|ists?|ians?|ants?|ents?|men|man|woman|women)"
_PLACES = (
    "at in on to from near under behind inside outside into onto within via through opposite beside between online above below floor desk room "
    "office street"
)


def _any_of(listed: str) -> str:
    return rf"\b(?:{'|'.join(listed.split())})\b"


_NUMBER = rf"(?:\p{{Nd}}|{_any_of(_COUNTS)}|\ban?\s+(?:\w+\s+)?{TIME_UNIT}\b)"
_PATTERNS: dict[Kind, str] = {
    Kind.WHEN: rf"\p{{Nd}}|\b{TIME_UNIT}\b|{_any_of(_MONTHS + _DAYS + _TIMES)}",
    Kind.HOW: r"\b(?:by|must|should|may|can|to|with|through|using|shall)\b|:\s*(?:\n|$)|^\s*\p{Lu}\p{Ll}+\s+(?:the|an?|your|to)\b",
    Kind.HOW_LONG: rf"\p{{Nd}}|\b{TIME_UNIT}\b|\bat\s+once\b|"
    + _any_of("until immediately overnight indefinite indefinitely permanent permanently life lifetime"),
    Kind.HOW_MANY: rf"{_NUMBER}|\bno\s+limit\b|" + _any_of("no none any unlimited daily weekly monthly yearly annually every"),
    Kind.HOW_MUCH: rf"{_NUMBER}|[%€$£₹]|" + _any_of("free no nothing percent waived all whole full"),
    Kind.NUMBER: r"\p{Nd}|\b[IVXLC]+\b",
    Kind.WHY: rf"\b(?:{_REASONS})\b",
    Kind.WHO: rf"(?<=\S\s)\p{{Lu}}\p{{Ll}}+|\b{_ROLE_ENDINGS}\b|{_any_of(_PEOPLE)}",
    Kind.WHERE: rf"{_any_of(_PLACES)}(?!\s+(?:\p{{Nd}}|{_any_of(_MONTHS + _COUNTS)}))",
}
_WHO_OTHER = rf"\b{_ROLE_ENDINGS}\b|{_any_of(_PEOPLE)}"
_NO_ROLE = frozenset(
    {"number", "paper", "order", "water", "matter", "letter", "weather", "winter", "summer", "center", "december", "november", "october", "september"}
)
"""Words that end like a role and name none; function words ("other", "under") are passed over too."""
_CASED = frozenset({Kind.WHO, Kind.NUMBER, Kind.HOW})
_POINT_IN_TIME = regex.compile(
    r"\b\p{Nd}{1,2}[:.]\p{Nd}{2}\b|\b[12]\p{Nd}{3}\b|\p{Nd}(?:st|nd|rd|th)\b|\b(?:each|every|per)\s+\w+|" + _any_of(_MONTHS + _DAYS + _TIMES),
    regex.I,
)
_MONEY = regex.compile(
    r"[%€$£₹¥]|\b(?:euros?|dollars?|pounds?|rupees?|francs?|crowns?|kron\w+|pesos?|yen|yuan|cents?|pence|paise|pennies|percent|per\s+cent|EUR|USD|GBP|INR|Rs"
    r"|free|no\s+(?:charge|fee|cost|fine|duty)|exempt|waived|unpaid|price|months?['’]s?\s+rent)\b",
    regex.I,
)
_COUNT = regex.compile(rf"\p{{Nd}}.*|{_any_of(_COUNTS)}|no|unlimited", regex.I)
_SPAN_OF_TIME = regex.compile(
    rf"\b{TIME_UNIT}\b|\b(?:at\s+once|for\s+life|same\s+day)\b|"
    + _any_of("until immediately overnight indefinite indefinitely permanent permanently life lifetime noon midnight"),
    regex.I,
)
_ANY_NUMBER = regex.compile(rf"{_NUMBER}|\b(?:free|no|nothing|unlimited)\b", regex.I)
_LONG_NUMBER = regex.compile(r"\p{Nd}(?:[ ()+/-]*\p{Nd}){4,}")
_ASKS_NAME = regex.compile(r"\s*(?:and\s+)?who\s+(?:is|was|are|were)\s+(?:the|an?|our|your|my|its|their)\b", regex.I)
_NAME = regex.compile(r"(?<=[^\s.!?:;]\s)\p{Lu}[\p{L}.]+")

_UNFIT: dict[Kind, float] = {
    Kind.WHEN: 0.2,
    Kind.HOW_LONG: 0.0,
    Kind.HOW_MANY: 0.0,
    Kind.HOW_MUCH: 0.0,
    Kind.NUMBER: 0.2,
    Kind.WHY: 0.4,
    Kind.HOW: 0.5,
    Kind.WHO: 0.3,
    Kind.WHERE: 0.3,
}
"""Fit of a sentence without any sign of the kind. A count or an amount cannot be told without one; reasons and places can."""
WEAK_FIT = 0.6
"""Fit of a sentence with a sign of the kind but not the one asked for: a duration for "when", a number of something else, a role for a name."""
NOT_MEASURED = 0.1
"""Fit of a text without a figure beside the measure that is asked for."""
OTHER_COUNT = 0.4
"""Fit of a sentence with a number that does not stand beside what is counted."""


@lru_cache(maxsize=16)
def _compiled(kind: Kind) -> regex.Pattern[str] | None:
    pattern = _PATTERNS.get(kind)
    return None if pattern is None else regex.compile(pattern, 0 if kind in _CASED else regex.I)


def kind_fit(part: Part, text: str, context: str = "") -> float:
    """Whether a text can hold the kind of answer that a part asks for, 0 to 1. Words and numbers of the question itself do not count.

    :param context: the headings that the text stands under.

    >>> from components.generators.extraction.parts import parts_of
    >>> part = parts_of("How long do refunds take?", lambda word: 0.5)[0]
    >>> kind_fit(part, "Refunds take five days."), kind_fit(part, "Refunds go to the card.")
    (1.0, 0.0)
    """
    kind = part.kind
    pattern = _compiled(kind)
    if pattern is None:
        return 1.0
    rest = _without_the_question(part, text)
    if not pattern.search(rest):
        return _UNFIT[kind]
    if kind == Kind.NUMBER and part.asks_phone:
        return 1.0 if _LONG_NUMBER.search(rest) else _UNFIT[kind]
    if kind == Kind.HOW_LONG and part.event and not in_bag(Term(part.event, part.event, 1.0), Bag.of(context, text)):
        return NOT_MEASURED
    if kind == Kind.HOW_LONG and part.lasting and not lasts(part, text, context):
        return NOT_MEASURED
    if kind == Kind.HOW_LONG:
        return 1.0 if _SPAN_OF_TIME.search(rest) else OTHER_COUNT
    if kind == Kind.WHEN:
        return 1.0 if _POINT_IN_TIME.search(rest) else WEAK_FIT
    if kind == Kind.WHO:
        return _who_fit(part, rest)
    if kind == Kind.HOW_MANY and part.counted:
        return 1.0 if counts(part.counted, text) else OTHER_COUNT
    if part.attribute and not measured(part.attribute, text, context):
        return NOT_MEASURED
    if kind == Kind.HOW_MUCH and part.about_money:
        return 1.0 if _MONEY.search(rest) else WEAK_FIT
    return 1.0


OPENS_WITH = 4
"""Content words at the beginning of a sentence among which is what it speaks of."""


def lasts(part: Part, text: str, context: str) -> bool:
    """Whether a text says of the question's subject that it lasts: by the same word, or in a sentence, row or section about it.

    "A strike can stay open for 60 days" says how long a strike can drag on; "the button silences the strike bell for 60 days" does not.
    """
    subject = max((t for t in part.terms if t.stem not in part.lasting), key=lambda t: t.weight, default=None)
    if subject is None or "\n" in text.strip() or " | " in text or in_bag(subject, Bag.of(context)):
        return True
    for sentence in _SENTENCE_END.split(text):
        content = [w for w in words(sentence) if w.text.casefold() not in FUNCTION_WORDS]
        if any(w.stem in part.lasting for w in content) or in_bag(subject, Bag.of(" ".join(w.text for w in content[:OPENS_WITH]))):
            return True
    return False


def _who_fit(part: Part, rest: str) -> float:
    """Fit for "who": a name, else a role; for "who is the chair?" a role only where the text says who that is."""
    if _NAME.search(rest):
        return 1.0
    if not _ASKS_NAME.match(part.text):
        return 1.0 if regex.search(_WHO_OTHER, _without_small_words(rest)) else _UNFIT[Kind.WHO]
    said = regex.search(r"\b(?:is|are|was|were|means?)\b(.*)", rest, regex.S)
    return WEAK_FIT if said and regex.search(_WHO_OTHER, _without_small_words(said.group(1))) else 0.0


def _without_small_words(text: str) -> str:
    return " ".join(w.text for w in words(text) if w.text.casefold() not in FUNCTION_WORDS and w.text.casefold() not in _NO_ROLE)


_SENTENCE_END = regex.compile(r"(?<=[.!?;])\s+(?=\p{Lu})")


def measured(attribute: str, text: str, context: str = "") -> bool:
    """Whether a number stands in a sentence about a measure, or anywhere under a heading about it. Lines of a list or table are one.

    >>> measured("salari", "A guard earns 2,300 euros."), measured("salari", "Claims over 900 euros are signed. They come with the salary.")
    (True, False)
    """

    def speaks(of: str) -> bool:
        return any(w.stem == attribute or groups_of(w.stem) & groups_of(attribute) for w in words(of))

    pieces = [text] if "\n" in text.strip() or speaks(context) else _SENTENCE_END.split(text)
    return any((speaks(piece) or speaks(context)) and _ANY_NUMBER.search(piece) for piece in pieces)


def _without_the_question(part: Part, text: str) -> str:
    """The text with the question's own numbers, and for "who" its own words, blanked."""
    asked = {t.stem for t in part.terms} if part.kind == Kind.WHO else set()
    for word in reversed(words(text)):
        if word.number in part.numbers or word.stem in asked:
            text = text[: word.start] + " " * (word.end - word.start) + text[word.end :]
    return text


def counts(noun: str, text: str) -> bool:
    """Whether a number stands beside a noun: up to three words before it, or right after it ("Users: 1").

    >>> counts("comput", "The hall has twelve public computers."), counts("comput", "Two people wait until they may use computers.")
    (True, False)
    """
    found = words(text)
    for i, word in enumerate(found):
        if word.stem == noun:
            near = [*found[max(0, i - 3) : i], *found[i + 1 : i + 3]]
            if any(_COUNT.fullmatch(w.text) or w.number is not None for w in near):
                return True
    return False

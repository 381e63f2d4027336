"""How far a sentence in its place covers the words of a question, and whether it can be of the kind asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import regex

from components.generators.extraction import constants as c
from components.generators.extraction.kinds import Kind
from components.generators.extraction.named import REFERENCE_WORDS
from components.generators.extraction.parts import Part
from components.generators.extraction.ranges import amount, row_admits
from components.generators.extraction.terms import Term
from components.generators.extraction.units import Shape, Source, Unit
from components.generators.extraction.words import FUNCTION_WORDS, NUMBER_WORD, Bag, compact, groups_of, is_acronym, number_of, words

_TIME_UNIT = r"(?:seconds?|minutes?|hours?|days?|weeks?|fortnights?|months?|years?|decades?|centur(?:y|ies)|terms?|semesters?)"
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


_NUMBER = rf"(?:\p{{Nd}}|{_any_of(_COUNTS)}|\ban?\s+(?:\w+\s+)?{_TIME_UNIT}\b)"
_PATTERNS: dict[Kind, str] = {
    Kind.WHEN: rf"\p{{Nd}}|\b{_TIME_UNIT}\b|{_any_of(_MONTHS + _DAYS + _TIMES)}",
    Kind.HOW: r"\b(?:by|must|should|may|can|to|with|through|using|shall)\b|:\s*(?:\n|$)|^\s*\p{Lu}\p{Ll}+\s+(?:the|an?|your|to)\b",
    Kind.HOW_LONG: rf"\p{{Nd}}|\b{_TIME_UNIT}\b|\bat\s+once\b|"
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
    rf"\b{_TIME_UNIT}\b|\b(?:at\s+once|for\s+life|same\s+day)\b|"
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
_DEFINITION = (
    r"(?:means?\b|is\s+(?:an?|the|any|when|where|said)\b|are\b|refers?\s+to|is\s+defined|is\s+called|denotes?|includes?\b|stands?\s+for"
    r"|shall\s+mean|[-–—:]\s)"
)
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


def defines(part: Part, unit: Unit) -> bool:
    """Whether a unit reads as a definition of what a question asks: its heaviest word stands early and "means", "is a", "refers to" follows."""
    heavy = max(part.terms, key=lambda t: t.weight, default=None)
    if heavy is None:
        return False
    for word in words(unit.text)[:12]:
        if word.stem == heavy.stem:
            return bool(regex.match(rf".{{0,60}}?{_DEFINITION}", unit.text[word.end :], regex.I | regex.S))
    return heavy.stem in unit.source.heading_bag.stems and unit.index == 0


def in_bag(term: Term, bag: Bag) -> float:
    """How well a bag of words holds a term, 0 to 1."""
    if term.number is not None:
        return 1.0 if term.number in bag.numbers else 0.0
    if term.stem in bag.stems or compact(term.text) in bag.codes:
        return 1.0
    if is_acronym(term.text) and any(run.endswith(term.text.casefold()) for run in bag.initials):
        return 1.0  # the end of a run, whose first word may be capitalised for beginning the sentence
    if term.is_name:
        return 0.0
    if groups_of(term.stem) & bag.groups:
        return c.SYNONYM
    if len(term.stem) >= c.PREFIX_LETTERS:
        head = term.stem[: c.PREFIX_LETTERS]
        if any(s.startswith(head) and abs(len(s) - len(term.stem)) <= 3 for s in bag.stems):
            return c.PREFIX
    return 0.0


_LIMIT = regex.compile(
    r"\b(?:(?:more|less|longer|shorter|fewer|higher|lower|greater|larger|smaller|older|younger|earlier|later|heavier)\s+than|over|under|above|below|beyond|up\s+to|at\s+"
    r"(?:least|most)|from|within|until|exceed\w*|maximum(?:\s+of)?|minimum(?:\s+of)?|between|not\s+more\s+than|no\s+more\s+than|reach\w*|first)\s+"
    rf"(?:\w+\s+)?(?:[€$£₹]\s*)?(?:\p{{Nd}}|an?\b|one\b|{NUMBER_WORD}\b)|\b(?:\p{{Nd}}[\p{{Nd}}.,]*|{NUMBER_WORD})(?:\s+\w+)?\s+(?:or|and)\s+(?:more|less|over|under|older|younger|longer)\b",
    regex.I,
)
_OPENING_NUMBER = regex.compile(rf"\s*(?:{REFERENCE_WORDS}\.?\s*)?(\p{{Nd}}+(?:\.\p{{Nd}}+)*\p{{L}}?)(?:[.:)—–-]|\s+\p{{Lu}}|\s*\n)", regex.I)
_REFERS_TO = regex.compile(r"\b(?:sections?|articles?|rules?|clauses?|paragraphs?|regulations?|s\.|§)\s*(\p{Nd}+\p{L}?)", regex.I)


def near_bag(unit: Unit, provisions: Mapping[str, Bag] | None = None) -> Bag:
    """Words of the two units before and the one after, and the headings of the provisions that the unit names ("section 21").

    :param provisions: headings of the passages of the same document by their own numbers.
    """
    bag = Bag()
    for number in _REFERS_TO.findall(unit.text) if provisions else ():
        bag = bag | (provisions or {}).get(number, Bag())
    for offset in (-2, -1, 1):
        beside = unit.source.unit(unit.index + offset)
        if beside is not None:
            bag = bag | beside.bag
    return bag


def coverage_of(part: Part, unit: Unit, provisions: Mapping[str, Bag] | None = None, *, beside: float = c.IN_NEIGHBOUR) -> dict[str, float]:
    """For each term (by stem) how well the unit in its place holds it, 0 to 1.

    :param provisions: as for `near_bag`.
    :param beside: credit for the neighbours, 0 to 1.
    """
    near = near_bag(unit, provisions)
    found: dict[str, float] = {}
    for term in part.terms:
        if unit.shape == Shape.ROW and term.number in part.quantities and row_admits(unit.text, amount(term.number or "") or 0.0):
            found[term.stem] = 1.0
            continue
        if term.number in part.quantities and limits(unit.full_text):
            found[term.stem] = max(c.LIMIT, in_bag(term, unit.bag_of_text))
            continue
        value = max(
            c.IN_SENTENCE * in_bag(term, unit.bag),
            c.IN_HEADING * in_bag(term, unit.source.heading_bag),
            beside * in_bag(term, near),
            c.IN_PASSAGE * in_bag(term, unit.source.bag),
        )
        found[term.stem] = value
    return found


def limits(text: str) -> bool:
    """Whether a text sets a limit that an amount can be held against.

    >>> limits("Only on flights of more than eight hours."), limits("Eight hours after departure.")
    (True, False)
    """
    return bool(_LIMIT.search(text))


def weighted(part: Part, found: dict[str, float]) -> float:
    """Share of the question's weight that is found, 0 to 1; 0 for a question without a subject."""
    total = sum(t.weight for t in part.terms)
    return sum(t.weight * found.get(t.stem, 0.0) for t in part.terms) / total if total else 0.0


def greatest_gap(part: Part, found: Mapping[str, float]) -> float:
    """The greatest product of a term's weight and the share of it that is not found, 0 to 1; 1 for a question without a subject."""
    return max((t.weight * (1 - found.get(t.stem, 0.0)) for t in part.terms), default=1.0)


def own_numbers(source: Source) -> frozenset[str]:
    """Numbers that name the passage: in its headings, title and record number, or at its very beginning."""
    opening = _OPENING_NUMBER.match(source.text)
    own = {number_of(opening.group(1)) or compact(opening.group(1))} if opening else set()
    return frozenset(source.heading_bag.numbers | source.heading_bag.codes | own)


def refuses(part: Part, unit: Unit, same_source: Bag) -> str:
    """What the question names that this unit cannot vouch for, or an empty text.

    :param same_source: words of all passages of the unit's document.
    """
    passage = unit.source.bag
    text = " ".join(f"{unit.source.title} {' '.join(unit.source.headings)} {unit.source.text}".split()).casefold()
    lacking = [number for number in sorted(part.numbers) if number not in passage.numbers]
    lacking += [code for code in sorted(part.codes) if code not in passage.codes and code not in compact(unit.source.title)]
    lacking += [phrase for phrase in part.quoted if phrase.casefold() not in text]
    lacking += [t.text for t in part.terms if t.is_name and t.number is None and in_bag(t, same_source) == 0]
    lacking += [reference for reference in sorted(part.references) if not refers(reference, part, unit)]
    lacking += [q for q in sorted(part.qualifiers) if not qualifier_fits(q, part.references | part.numbers, unit)]
    return lacking[0] if lacking else ""


def refers(reference: str, part: Part, unit: Unit) -> bool:
    """Whether the unit stands in the provision asked about, or names it while the question is about something beside its content."""
    if reference in own_numbers(unit.source):
        return True
    has_subject = any(t.number is None and t.weight >= c.HEAVY for t in part.terms)
    return has_subject and (reference in unit.bag.numbers or reference in unit.bag.codes)


def qualifier_fits(qualifier: str, numbers: Iterable[str], unit: Unit) -> bool:
    """Whether the numbers in this unit belong to what the question says they belong to ("IPC 303" is not "BNS 303")."""
    term = Term(qualifier, qualifier.casefold(), 1.0, is_name=True)
    if in_bag(term, unit.bag) == 0 and in_bag(term, unit.source.heading_bag) == 0:
        return False
    for number in numbers:
        n = regex.escape(number)
        before = rf"\b([A-Z]{{2,8}})\s+(?:[Ss](?:ection|\.)\s*)?{n}\b"
        after = rf"\b{n}\s+(?:of\s+)?(?:the\s+)?([A-Z]{{2,8}})\b"
        owners = {g for m in regex.finditer(f"{before}|{after}", unit.full_text) for g in m.groups() if g}
        if owners and qualifier not in owners:
            return False
    return unit.shape != Shape.FIELD or all(field_fits(qualifier, number, unit.source.text) for number in numbers)


_FIELD_LINE = regex.compile(r"^\s*([\p{L}][\p{L}\p{M}\p{N} _/().&'-]{0,48}):\s+(.+)$", regex.M)


def field_fits(qualifier: str, number: str, record: str) -> bool:
    """Whether a record whose fields are named by owner gives this number to that owner.

    >>> field_fits("BNS", "303", "ipc_ref: 303\\nbns_ref: 104"), field_fits("IPC", "303", "ipc_ref: 303\\nbns_ref: 104")
    (False, True)
    """
    fields = [(set(regex.findall(r"\p{L}+", m.group(1).casefold())), m.group(2)) for m in _FIELD_LINE.finditer(record)]
    if not any(qualifier.casefold() in names for names, _ in fields):
        return True
    holders = [names for names, value in fields if regex.search(rf"\b{regex.escape(number)}\b", value)]
    return not holders or any(qualifier.casefold() in names for names in holders)

"""What a question asks for: its parts, their terms with weights, what must be found word for word, and the kind of answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

import regex

from components.generators.extraction.words import FUNCTION_WORDS, LIGHT_WORDS, Word, codes, compact, is_acronym, number_of, stem, words
from components.generators.extraction.words import NUMBER_WORD as _NUMBER_WORD

LIGHT = 0.25
"""Factor on the weight of a word that questions are made with (`tell`, `kind`)."""
FLOOR = 0.3
"""Least weight of a content word: also a word that is common in general English ("film") can be what a question turns on."""
BACKGROUND = 0.5
"""Factor on a term that only stands in a sentence before the question ("I lost my card. ...") or was carried over from an earlier part."""


_TIME_UNITS = "days|weeks|months|years|hours|minutes|seconds"
_ONE_OR_MORE = _TIME_UNITS.replace("s|", "s?|") + "?"


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


@dataclass(frozen=True)
class Term:
    """A content word of a question. `weight` 0 to 1: how much of the subject it carries."""

    text: str
    stem: str
    weight: float
    number: str | None = None
    is_name: bool = False
    place: tuple[int, int] | None = None
    """Half-open range in the part's `read_as`."""


@dataclass(frozen=True)
class Part:
    """One thing that is asked. `subject` names it in a refusal."""

    text: str
    kind: Kind
    terms: tuple[Term, ...]
    numbers: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()
    quoted: tuple[str, ...] = ()
    subject: str = ""
    read_as: str = ""
    """The text with the sentences before it, or with what a pronoun in it stands for: this is compared by meaning."""
    references: frozenset[str] = frozenset()
    """Numbers of provisions ("section 12"): they must be the passage's own number or stand in the sentence."""
    counted: str = ""
    """Stem of what is counted ("how many books")."""
    about_money: bool = False
    asks_label: bool = False
    """Whether a heading can be what is asked for ("which section", "what offence is that")."""
    asks_phone: bool = False
    asks_provision: bool = False
    """Whether a numbered provision itself is asked for ("what does section 7 say"), and nothing in it."""
    quantities: frozenset[str] = frozenset()
    """Numbers of an amount in the question's case ("a flight of six hours"): the text may give a limit instead of the number itself."""
    attribute: str = ""
    """Stem of the measure that is asked for ("what is the salary of")."""
    qualifiers: frozenset[str] = field(default=frozenset())
    """Acronyms and names that stand beside such a number and say whose it is."""


REFERENCE_WORDS = (
    r"(?:sections?|secs?|articles?|arts?|rules?|clauses?|paragraphs?|paras?|regulations?|chapters?|parts?|items?|orders?|schedules?|ss?|§+)"
)
_REFERENCE = regex.compile(
    rf"\b{REFERENCE_WORDS}\.?\s*(?:no\.?\s*|number\s+)?(\p{{Nd}}+(?:\.\p{{Nd}}+)*\p{{L}}?)\b|§+\s*(\p{{Nd}}+(?:\.\p{{Nd}}+)*\p{{L}}?)", regex.I
)
_QUALIFIED = regex.compile(r"\b([A-Z][A-Za-z]{1,10})\s+(?:section\s+|s\.\s*|article\s+|rule\s+)?(\d+[A-Za-z]?)\b")
_OF_ACT = regex.compile(r"\b\d+[A-Za-z]?(?:\(\w+\))*\s*(?:,|of|in|under|from)?\s+(?:the\s+)?([A-Z]{2,8})\b")
_NO_CODE = regex.compile(r"\d+(?:st|nd|rd|th|s|am|pm|h)|(?:section|article|rule|clause)\d+\p{L}?", regex.I)
"""Ordinals, clock times and references are no product codes."""
_QUOTED = regex.compile(r"[\"“«]([^\"”»]{2,80})[\"”»]")
_WH = r"(?:how|what|when|where|who|whom|whose|which|why|can|could|is|are|was|were|do|does|did|may|must|should|shall|will|would|has|have)"
_NEW_QUESTION = regex.compile(rf"\?\s+|\s*[,;]\s*(?:(?:and|or|but)\s+)?(?={_WH}\b)|\s+(?:and|or|but)\s+(?={_WH}\b)", regex.I)
_QUESTION_START = regex.compile(
    rf"^\s*(?:(?:and|but|so|then|also|please|hello|hi)[,\s]+)*(?:(?:in|on|at|for|to|by|from|with|under|of|since|until|about)\s+)?{_WH}\b"
    r"|^\s*(?:tell|explain|describe|compare|list|give|define|name|show|summari[sz]e|state|find|contrast|distinguish)\b",
    regex.I,
)
_PRONOUN = regex.compile(r"\b(?:it|its|they|them|their|this|that|these|those|he|she|him|her|his|one|ones|there|such|so)\b", regex.I)
_COMPARE = regex.compile(r"\b(?:compare|contrast|distinguish|differences?|differs?|comparison|versus|vs|than|as \w+ as)\b", regex.I)
_MEASURES = (
    r"(salary|salaries|wages?|pay|price|cost|fee|rate|rent|deposit|tariff|premium|budget|turnover|revenue|age|height|weight|length|width|depth"
    r"|distance|speed|capacity|size|area|volume|population|temperature|voltage|discount|quota)s?"
)
_ATTRIBUTE = regex.compile(rf"\bwhat\s+(?:is|are|was|were)\s+(?:the\s+|an?\s+|your\s+|our\s+|my\s+)?(?:[\p{{L}}-]+\s+){{0,2}}{_MEASURES}\b", regex.I)
_QUANTITY = regex.compile(
    rf"\b([\p{{Nd}}][\p{{Nd}}.,]*|(?!one\b){_NUMBER_WORD})[\s-]*(?:\p{{L}}+\s+)?(?:{_ONE_OR_MORE}|year[- ]olds?|nights?|people|persons?"
    r"|guests?|adults?|children|km|kilomet(?:er|re)s?|met(?:er|re)s?|cm|mm|miles?|feet|kg|kilo(?:gram)?s?|grams?|g|tons?|tonnes?|lit(?:er|re)s?|ml|euros?|dollars?"
    r"|pounds?|rupees?|francs?|crowns?|percent|per\s+cent|degrees?|gb|mb|kb|eur|usd|inr)\b|[€$£₹]\s*([\p{Nd}][\p{Nd}.,]*)",
    regex.I,
)
_HEAD = regex.compile(r"^(.*?\b(?:for|of|between|about|on|to|in|under|with)\s+)(.+)$", regex.I | regex.S)
_LIST_BREAK = regex.compile(r"\s*,\s*(?:and|or|with|to)?\s*|\s+(?:and|or|versus|vs\.?|with|from|than|as\s+\w+\s+as)\s+", regex.I)
_JOINS = regex.compile(r"\b(?:and|or|versus|vs|with|than|as \w+ as)\b", regex.I)
_NO_MEMBER = regex.compile(r"(?:by|in|under|at|after|before|since|if|when|while|according|because|so|then|not|just|only)\b", regex.I)
_STANDS_FOR = regex.compile(r"^(?:that|those|the one|the ones)\s+(?:for|of|in|on)\s+", regex.I)
_TAIL = regex.compile(r"\s+(?:differ|compare|different|the same|compared)\b.*$", regex.I)


_LEADING = r"^(?:(?:and|but|so|then|also|please|to|by|from|of|for|since|until|at|in|on|with|tell me|do you know|can you tell me) )*"
_VERB = r" (?:do|does|did|is|are|was|were|will|would|can|could|should|must|may|has|have|had|shall|am|might)\b"
_KINDS: tuple[tuple[Kind, str], ...] = (
    (Kind.HOW_MUCH, r"\bhow long (?:must|should|can|may|does|do|has to|have to) .{1,40} be\b"),  # a length, not a time
    (
        Kind.HOW_LONG,
        rf"\bhow much (?:\w+ ){{0,2}}(?:time|leave|notice)\b|\bas long as\b|\blonger\b|\bhow (?:long|soon|quickly|fast|old|far ahead)\b"
        rf"|\b(?:what|which) (?:period|duration|length of time)\b|\bhow many (?:\w+ )?(?:{_TIME_UNITS})\b",
    ),
    (
        Kind.HOW_MUCH,
        r"\bhow (?:much|expensive|far|high|large|big|tall|heavy|wide|deep|hot|cold|loud)\b|\bwhat (?:percentage|percent|proportion|fraction)\b"
        r"|\bwhat (?:amount|temperature|is the (?:\w+ )?(?:price|cost|fee|rate))\b|\bwhat (?:does|do|did) .{1,60} cost\b",
    ),
    (Kind.HOW_MUCH, _ATTRIBUTE.pattern),
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
    if regex.match(_DEFINES, t) and len([w for w in words(t) if w.stem not in _SKIP]) <= 2:
        return Kind.DEFINE
    if regex.match(_HOW, t):
        return Kind.HOW
    return Kind.YES_NO if regex.match(_YES_NO, t) else Kind.OTHER


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
_SKIP = frozenset(stem(w) for w in FUNCTION_WORDS | LIGHT_WORDS)
_ABOUT = frozenset(
    stem(w)
    for w in (
        "summarise",
        "summary",
        "content",
        "deal",
        "regulate",
        "read",
        "entail",
        "cover",
        "govern",
        "concern",
        "contain",
        "wording",
        "lay",
        "set",
    )
)
"""Verbs of "what does section 7 deal with"."""
_LIGHT_STEMS = frozenset(stem(w) for w in LIGHT_WORDS)


def _names(text: str) -> set[int]:
    """Start offsets of words written as names: capitals inside the sentence, or acronyms. None where most words have capitals."""
    found = words(text)
    content = [w for w in found if w.text.casefold() not in FUNCTION_WORDS and w.text[0].isalpha()]
    capital = [w for w in content if w.text[0].isupper()]
    if len(content) > 3 and len(capital) >= 0.8 * len(content):
        return {w.start for w in capital if any(c.isdigit() for c in w.text)}
    starts = {m.end() for m in regex.finditer(r"^\s*[\"“(]*|[.?!:]\s+[\"“(]*", text)}
    return {w.start for w in capital if (w.start not in starts or (is_acronym(w.text) and len(capital) < len(content)))}


def terms_of(text: str, rarity: Callable[[str], float], factor: float = 1.0) -> tuple[Term, ...]:
    """The content words of a text, each stem once, with weights from their rarity in general English (0 to 1)."""
    names = _names(text)
    found: dict[str, Term] = {}
    for word in words(text):
        low = word.text.casefold().replace("’", "'")
        if low in FUNCTION_WORDS or (len(low) == 1 and low.isalpha() and low.isascii() and not word.text.isupper()):
            continue
        is_name = word.start in names
        weight = max(rarity(low), FLOOR) if word.number is None else 1.0
        if word.stem in _LIGHT_STEMS and not is_name:
            weight = rarity(low) * LIGHT
        term = Term(word.text, word.stem, weight * factor, word.number, is_name, (word.start, word.end))
        if word.stem not in found or found[word.stem].weight < term.weight:
            found[word.stem] = term
    return tuple(found.values())


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
    match = _ATTRIBUTE.search(text)
    return stem(match.group(1)) if match else ""


def subject_of(text: str) -> str:
    """The question's own words for what it asks, without the question word.

    >>> subject_of("What is the vacation policy?")
    'the vacation policy'
    """
    s = " ".join(text.split()).strip(" ?!.")
    s = regex.sub(r"^(?:please |and |but |so )+", "", s, flags=regex.I)
    s = regex.sub(r"^(?:what|who|where|which) (?:is|are|was|were) ", "", s, flags=regex.I)
    s = regex.sub(r"^(?:tell me|explain|describe|define|list|name|give me|compare|show me) (?:about )?", "", s, flags=regex.I)
    return s or text.strip()


def _part(text: str, rarity: Callable[[str], float], before: str = "", subject: str = "") -> Part:
    """A part from its text.

    :param before: what stands before it, or what a pronoun in it stands for.
    """
    text = " ".join(text.split())
    before = " ".join(before.split())
    read_as = f"{before} {text}".strip()
    shift = len(read_as) - len(text)
    own = terms_of(text, rarity)
    terms = tuple(replace(t, place=(t.place[0] + shift, t.place[1] + shift)) for t in own if t.place)
    named = [match.span() for match in _REFERENCE.finditer(read_as)]  # "section" before its number says nothing more than the number
    terms = tuple(t for t in terms if t.number or not any(t.place and a <= t.place[0] < b for a, b in named))
    known = {t.stem for t in terms}
    terms += tuple(replace(t, is_name=False) for t in terms_of(before, rarity, BACKGROUND) if t.stem not in known)
    own_codes = {c for c in codes(text) if any(ch.isalpha() for ch in c)}
    joined = {t for t in own_codes if not any(compact(w) == t for w in text.replace("?", " ").replace(",", " ").split())}
    references = {next(g for g in m.groups() if g) for m in _REFERENCE.finditer(text)}
    qualifiers = {m.group(1) for m in _OF_ACT.finditer(text)}
    for match in _QUALIFIED.finditer(text):
        if is_acronym(match.group(1)):
            qualifiers.add(match.group(1))
            references.add(match.group(2))
    quantities = {number for m in _QUANTITY.finditer(text) if (number := number_of(m.group(1) or m.group(2))) is not None}
    numbers = {w.number for w in words(text) if w.number is not None} - (quantities - {number_of(r) or r for r in references})
    strict = {
        c for c in own_codes - joined if not regex.fullmatch(r"\d+(?:st|nd|rd|th|s|am|pm|h)|(?:\p{L}+)?(?:section|article|rule|clause)\d+\p{L}?", c)
    }
    return Part(
        text=text,
        read_as=read_as,
        kind=kind_of(text),
        terms=terms,
        numbers=frozenset(numbers),
        codes=frozenset(strict),
        quoted=tuple(" ".join(q.split()) for q in _QUOTED.findall(text)),
        subject=subject or subject_of(text),
        counted=counted_in(text),
        about_money=bool(_MONEY.search(text)),
        asks_label=bool(_LABEL.search(text)),
        asks_phone=bool(_PHONE.search(text)),
        asks_provision=bool(references) and all(t.number or t.is_name or t.stem in _LIGHT_STEMS or t.stem in _ABOUT for t in terms),
        quantities=frozenset(quantities),
        attribute=attribute_in(text),
        references=frozenset(number_of(r) or compact(r) for r in references),
        qualifiers=frozenset(qualifiers),
    )


def list_items(text: str) -> tuple[str, list[str]]:
    """The head and the members of a list that a question asks about, or no members.

    >>> list_items("Compare the punishments for theft, snatching and theft in a dwelling house")
    ('the punishments for', ['theft', 'snatching', 'theft in a dwelling house'])
    """
    compares = bool(_COMPARE.search(text))
    body = regex.sub(r"[?.!]+\s*$", "", " ".join(text.split()))
    head = ""
    if compares:
        body = regex.sub(r"^.*?\b(?:compare|contrast|distinguish)\s+(?:between\s+)?", "", body, flags=regex.I)
        body = _TAIL.sub("", body)
    if not _JOINS.search(body):
        return "", []
    pieces = [p for p in _LIST_BREAK.split(body) if p and p.strip()]
    if len(pieces) < 2 or any(_NO_MEMBER.match(p) for p in pieces[1:]):
        return "", []
    pieces = [pieces[0], *(_STANDS_FOR.sub("", p) for p in pieces[1:])]
    if match := _HEAD.match(pieces[0]):
        head, pieces[0] = match.group(1).strip(), match.group(2)
    elif not compares:
        return "", []
    if compares and (opening := regex.match(r"^(?:(?:how|what|in what way)\s+)?(?:do|does|is|are|did)\s+(?:the\s+)?", pieces[0], flags=regex.I)):
        pieces[0] = pieces[0][opening.end() :]
    return head, [p.strip() for p in pieces if any(w.stem not in _SKIP for w in words(p))]


_GREETING = regex.compile(r"^\s*(?:hi|hello|hey|good\s+(?:morning|afternoon|evening|day))(?:\s+(?:there|all|team))?\s*[,!.:;–—-]+\s*(?=\S)", regex.I)


def parts_of(question: str, rarity: Callable[[str], float]) -> list[Part]:
    """The things that a question asks, each with what a pronoun in it stands for. Never empty.

    >>> [p.text for p in parts_of("What is snatching and how is it punished?", lambda word: 0.5)]
    ['What is snatching', 'how is it punished?']
    >>> [p.text for p in parts_of("Hi, what does a loaf cost?", lambda word: 0.5)]
    ['what does a loaf cost?']
    """
    question = _GREETING.sub("", question)
    sentences = [s for s in regex.split(r"(?<=[.!?।？])\s+", " ".join(question.split())) if s.strip()] or [question]
    asked = [s for s in sentences if "?" in s or "？" in s or _QUESTION_START.match(s)] or sentences
    before = " ".join(s for s in sentences if s not in asked)
    parts: list[Part] = []
    for sentence in asked:
        for piece in _split(sentence):
            refers_back = _PRONOUN.search(piece) or not any(t.weight >= FLOOR for t in terms_of(piece, rarity))
            parts.append(_part(piece, rarity, parts[0].read_as if parts and refers_back else before))
    return parts or [_part(question, rarity)]


def _split(sentence: str) -> list[str]:
    """A sentence at the places where a new question begins, if each piece has a subject or a question word of its own."""
    pieces: list[str] = []
    position = 0
    for match in _NEW_QUESTION.finditer(sentence):
        before = sentence[position : match.start()]
        if match.start() > 0 and len(words(before)) >= 3 and _QUESTION_START.match(before) and len(words(sentence[match.end() :])) >= 3:
            pieces.append(before)
            position = match.end()
    pieces.append(sentence[position:])
    return [p.strip() for p in pieces if p.strip()]


def listed_parts(part: Part, rarity: Callable[[str], float]) -> list[Part]:
    """A part for each member of the list that the part asks about; empty where it asks about no list."""
    head, items = list_items(part.text)
    if len(items) < 2:
        return []
    parts = []
    for item in items:
        made = _part(f"{head} {item}".strip(), rarity, subject=f"{head} {item}".strip())
        parts.append(replace(made, kind=part.kind))
    return parts


def compares(part: Part) -> bool:
    """Whether the part sets things against one another: each has to be told then."""
    return bool(_COMPARE.search(part.text))


def has_subject(part: Part) -> bool:
    """Whether any word of the part can be looked for."""
    return any(t.weight > 0 for t in part.terms)


__all__ = ["Kind", "Part", "Term", "Word", "has_subject", "kind_of", "list_items", "listed_parts", "parts_of", "subject_of", "terms_of"]

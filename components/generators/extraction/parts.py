"""The parts of a question, each with everything that is known of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import regex

from components.generators.extraction.asked import about_money, asks_label, asks_phone, attribute_in, counted_in, event_in
from components.generators.extraction.framing import denied_in, framed, lasting_in, role_in
from components.generators.extraction.kinds import Kind, kind_of
from components.generators.extraction.named import codes_in, numbers_in, quantities_in, quoted_in, reference_spans, references_in
from components.generators.extraction.terms import BACKGROUND, FLOOR, LIGHT_STEMS, Term, terms_of
from components.generators.extraction.words import compact, number_of, stem, words

_WH = r"(?:how|what|when|where|who|whom|whose|which|why|can|could|is|are|was|were|do|does|did|may|must|should|shall|will|would|has|have)"
_NEW_QUESTION = regex.compile(rf"\?\s+|\s*[,;]\s*(?:(?:and|or|but)\s+)?(?={_WH}\b)|\s+(?:and|or|but)\s+(?={_WH}\b)", regex.I)
_QUESTION_START = regex.compile(
    rf"^\s*(?:(?:and|but|so|then|also|please|hello|hi)[,\s]+)*(?:(?:in|on|at|for|to|by|from|with|under|of|since|until|about)\s+)?{_WH}\b"
    r"|^\s*(?:tell|explain|describe|compare|list|give|define|name|show|summari[sz]e|state|find|contrast|distinguish)\b",
    regex.I,
)
_PRONOUN = regex.compile(r"\b(?:it|its|they|them|their|this|that|these|those|he|she|him|her|his|one|ones|there|such|so)\b", regex.I)
_GREETING = regex.compile(r"^\s*(?:hi|hello|hey|good\s+(?:morning|afternoon|evening|day))(?:\s+(?:there|all|team))?\s*[,!.:;–—-]+\s*(?=\S)", regex.I)
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
    denied: frozenset[str] = frozenset()
    """Stems of what is said not to be done ("if I do not pay")."""
    role: frozenset[str] = frozenset()
    """Stems of the person as whom somebody is meant ("as an ordinary visitor")."""
    lasting: frozenset[str] = frozenset()
    """Stems of the words by which something is said to last ("drag on"): the text may say it otherwise, of the same thing."""
    event: str = ""
    """Stem of the event whose own length is asked for ("how long does it take to approve")."""
    qualifiers: frozenset[str] = field(default=frozenset())
    """Acronyms and names that stand beside such a number and say whose it is."""


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


def part_of(text: str, rarity: Callable[[str], float], before: str = "", subject: str = "") -> Part:
    """A part from its text.

    :param before: what stands before it, or what a pronoun in it stands for.
    """
    text = " ".join(text.split())
    before = " ".join(before.split())
    read_as = f"{before} {text}".strip()
    shift = len(read_as) - len(text)
    own = terms_of(text, rarity)
    terms = tuple(replace(t, place=(t.place[0] + shift, t.place[1] + shift)) for t in own if t.place)
    named = reference_spans(read_as)
    terms = tuple(t for t in terms if t.number or not any(t.place and a <= t.place[0] < b for a, b in named))
    known = {t.stem for t in terms}
    terms += tuple(replace(t, is_name=False) for t in terms_of(before, rarity, BACKGROUND) if t.stem not in known)
    terms = framed(text, kind_of(text), terms)
    references, qualifiers = references_in(text)
    quantities = quantities_in(text)
    return Part(
        text=text,
        read_as=read_as,
        kind=kind_of(text),
        terms=terms,
        numbers=frozenset(numbers_in(text) - (quantities - {number_of(r) or r for r in references})),
        codes=frozenset(codes_in(text)),
        quoted=quoted_in(text),
        subject=subject or subject_of(text),
        counted=counted_in(text),
        about_money=about_money(text),
        asks_label=asks_label(text),
        asks_phone=asks_phone(text),
        asks_provision=bool(references) and all(t.number or t.is_name or t.stem in LIGHT_STEMS or t.stem in _ABOUT for t in terms),
        quantities=frozenset(quantities),
        attribute=attribute_in(text),
        event=event_in(text),
        denied=denied_in(text),
        role=role_in(text),
        lasting=lasting_in(text),
        references=frozenset(number_of(r) or compact(r) for r in references),
        qualifiers=frozenset(qualifiers),
    )


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
            parts.append(part_of(piece, rarity, parts[0].read_as if parts and refers_back else before))
    return parts or [part_of(question, rarity)]


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


def has_subject(part: Part) -> bool:
    """Whether any word of the part can be looked for."""
    return any(t.weight > 0 for t in part.terms)

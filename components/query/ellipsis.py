"""An elliptic follow-up ("and for dental?", "and the deposit?"): put in the place of its like in the question before. English; pure functions.

Where nothing in that question is of its kind, it is not guessed what was meant.
"""

from __future__ import annotations

import regex

from components.query.noun_phrases import Phrase, phrases_of, pieces_of, with_complements, words_of
from components.query.pronouns import THIRD
from components.query.question_words import ATTRIBUTES, MEASURES, RELATIONAL, SETTINGS
from components.query.rewritten import Rewritten, as_question, stripped, unclear_after

OPENERS = regex.compile(
    r"^(?:(?:ok(?:ay)?|and|or|but|so|then|also|now|well|yes|no|thanks|hm+)[\s,]+)*"
    r"(?:(?:what|how)\s+(?:about|of|with)\s+|(?:the\s+)?same\s+(?:question\s+)?(?:for\s+)|(?:and|or|but|also|even|only|then)[\s,]+)?",
    regex.IGNORECASE,
)
POINTING = frozenset({"this", "that", "these", "those"})
COURTESY = frozenset({"thanks", "thank", "ok", "okay", "hello", "hi", "great", "bye", "good", "please", "cheers", "perfect", "fine", "sorry"})
LONGEST_FRAGMENT = 8
"""Words of a fragment ("and for dental?"); a longer one is a question of its own."""
_ASKED = regex.compile(r"^(?P<wh>what|which|who)(?:\s+(?P<be>is|are|was|were)|['’]s)\s+", regex.IGNORECASE)
_PER = regex.compile(r"\b(?:per|a|an|each|every)\s+(\p{L}+)$", regex.IGNORECASE)
_EXTENT = regex.compile(r"^how\s+(?!much\b|many\b|high\b|large\b|big\b|do\b|does\b|is\b|are\b|can\b)\p{L}+", regex.IGNORECASE)
_NUMBERED = regex.compile(r"((?:\p{L}+\s+)*)\S*\d\S*")
_WHOLE_OF = frozenset({"of", "for"})
"""Prepositions that stand for one another before what something belongs to."""


def fragment(asked: str, before: str, plain: str) -> Rewritten | None:
    """A phrase without a verb, read into the question before; None where it is no such phrase.

    :param before: the question before, as it stands alone.
    :param plain: the same without what an earlier follow-up added to it: what is added does not pile up.

    >>> fragment("and the deposit?", "How much does the Duo 440 cost per day?", "How much does the Duo 440 cost per day?").question
    'What is the deposit for the Duo 440?'
    >>> fragment("and the safety officer?", "who is the treasurer?", "who is the treasurer?").question
    'Who is the safety officer?'
    """
    opened = OPENERS.match(asked)
    opening = opened.group().strip() if opened else ""
    rest = asked[len(opened.group()) :].strip() if opened else asked
    rest = regex.sub(r"^(?:its|their)\s", "the ", rest, flags=regex.IGNORECASE)
    words = [w for w in words_of(rest) if w.kind != "sign"]
    if not words or len(words) > LONGEST_FRAGMENT or any(w.kind in {"verb", "aux", "wh"} or w.low in THIRD for w in words):
        return None
    if found := _rate(stripped(rest), before, bool(opening)):
        return found
    phrases = phrases_of(rest)
    if not phrases or any(w.low in POINTING for w in words):
        return None
    alone = not opening and words[0].kind != "preposition"
    if alone and not (asked.endswith("?") and (len(words) == 1 or (phrases[0].numbered and len(words) <= 3))):
        return None
    if words[0].low in COURTESY:
        return None
    new = with_complements(rest, phrases[0], phrases)
    if new.preposition:
        return _with_preposition(new, stripped(rest), before, plain)
    return _bare(new, phrases[0], before, plain) or unclear_after(asked, before)


def _rate(text: str, before: str, opened: bool) -> Rewritten | None:
    """ "And per week?" after a question on the cost per day."""
    new = _PER.fullmatch(text)
    old = next((m for m in regex.finditer(r"\b(?:per|a|an|each|every)\s+(\p{L}+)", before) if m[1].casefold() in MEASURES), None)
    if new is None or new[1].casefold() not in MEASURES or old is None or not (opened or text.casefold().startswith("per")):
        return None
    return _replaced(before, old.start(), old.end(), text)


def _with_preposition(new: Phrase, text: str, before: str, plain: str) -> Rewritten:
    if new.preposition == "for" and (subject := _person_asked_about(new, before)):
        return _replaced(before, subject.start, subject.end, new.text)
    old = _like(new, before)
    if old is None:
        return Rewritten(f"{stripped(plain)} {text}?", f"“{text}” asked of the question before", plain=plain)
    bare = new.preposition == old.preposition or (new.preposition == "for" and not old.preposition)
    start = words_of(before)[old.first - 1].start if old.preposition and not bare else old.start
    return _replaced(before, start, old.end, new.text if bare else text)


def _bare(new: Phrase, core: Phrase, before: str, plain: str) -> Rewritten | None:
    """A phrase without a preposition; `core` is the phrase without its complements."""
    asks = _ASKED.match(before)
    pieces = pieces_of(before)
    asked_for = next((p for p in pieces if asks and p.start == asks.end()), None)
    same = next((p for p in pieces if _stem(p.head) == _stem(new.head)), None)
    if same is not None and (not _belongs(new) or _is_name(new)):
        return _replaced(before, same.start, same.end, new.text) if same is not asked_for or _is_name(same) else _asked_in_place(same, new, before)
    if _is_name(new):
        if (old := _like(new, before)) is not None and _is_name(old):
            return None if _two_like(new, before) else _replaced(before, old.start, old.end, new.text)
        lone = asked_for is not None and _is_attribute(asked_for) and stripped(plain)[asked_for.start :] == asked_for.text
        return Rewritten(f"{stripped(plain)} for {new.text}?", f"“{new.text}” asked of the question before", plain=plain) if lone else None
    if asks and asks["wh"].casefold() == "who" and asked_for is not None and not _is_name(asked_for):
        return _asked_in_place(asked_for, new, before)
    if asked_for is not None and not _is_name(asked_for):
        return _thing_asked_for(asked_for, new, pieces, before)
    return _of_subject(new, core, pieces, before) or _in_place(new, before)


def _thing_asked_for(asked_for: Phrase, new: Phrase, pieces: list[Phrase], before: str) -> Rewritten | None:
    """After "what is the fee for the course?", "the deposit" gives way to the fee, "the exam" to the course."""
    if not _is_attribute(new):
        others = [p for p in pieces if p is not asked_for and not _is_name(p) and p.person == new.person and _definite(p) == _definite(new)]
        if len(others) == 1 and (_is_attribute(asked_for) or _definite(asked_for) != _definite(new)):
            return _replaced(before, others[0].start, others[0].end, new.text)
        if others or new.person or _definite(asked_for) != _definite(new):
            return None
    return _asked_in_place(asked_for, new, before)


def _asked_in_place(asked_for: Phrase, new: Phrase, before: str) -> Rewritten:
    """What is asked for gives way, with what belongs to it alone: its rate ("per day"), a role's field ("head of procurement")."""
    end = asked_for.end
    if rate := regex.match(r"\s+per\s+\p{L}+", before[end:]):
        end += rate.end()
    if own := regex.match(r"\s+of\s+(?!the\b|an?\b|our\b|my\b|your\b|this\b|each\b)\p{Ll}[\p{Ll}\s]*$", stripped(before)[end:]):
        end += own.end() if asked_for.person or new.person or _belongs(new) else 0
    if _belongs(new):  # "and the deposit for the Loon?" says all of it
        end = len(stripped(before))
    found = _replaced(before, asked_for.start, end, new.text)
    be = {"is": "are", "was": "were"} if new.plural else {"are": "is", "were": "was"}
    text = regex.sub(r"^(\w+\s+)(is|are|was|were)\b", lambda m: m[1] + be.get(m[2], m[2]), found.question)
    return Rewritten(text, found.how)


def _of_subject(new: Phrase, core: Phrase, pieces: list[Phrase], before: str) -> Rewritten | None:
    """ "And the deposit?" after "how much does the Duo 440 cost?": another thing asked about what the question is about."""
    if not _is_attribute(new):
        return None
    be = "are" if core.plural else "is"
    if _belongs(new):
        return Rewritten(as_question(f"What {be} {new.text}"), f"“{new.text}” asked for")
    words = words_of(before)
    names = [p for p in pieces if _is_name(p)]
    subject = next((p for p in pieces if not p.preposition and p.first and words[p.first - 1].kind == "aux"), None)
    subject = subject or (names[0] if len(names) == 1 else None)
    if subject is None or _is_attribute(subject):
        return None
    settings = [p for p in pieces if p.preposition in SETTINGS and p.start > subject.end]
    added = "".join(f" {before[words[p.first - 1].start : p.end]}" for p in settings)
    return Rewritten(as_question(f"What {be} {new.text} for {subject.text}{added}"), f"“{new.text}” asked of “{subject.text}”")


def _in_place(new: Phrase, before: str) -> Rewritten | None:
    kin = [p for p in pieces_of(before) if not _is_name(p) and p.person == new.person and _definite(p) == _definite(new)]
    old = kin[0] if len(kin) == 1 else _like(new, before)  # "and expenses?" after "who approves travel?"
    if old is None or _is_attribute(new) != _is_attribute(old) or (_is_attribute(new) and _EXTENT.match(before)):
        return None
    return _replaced(before, old.start, old.end, new.text)


def _replaced(before: str, start: int, end: int, put: str) -> Rewritten:
    if number := _NUMBERED.fullmatch(put):  # "section 14" in the place of "BNS section 12": what stands before it stays
        old = regex.search(rf"(?:^|(?<=\s)){regex.escape(number[1])}\S*\d\S*$", before[start:end], regex.IGNORECASE)
        start += old.start() if old else 0
    return Rewritten(as_question(before[:start] + put + before[end:]), f"“{put}” in the place of “{before[start:end]}”")


def _person_asked_about(new: Phrase, before: str) -> Phrase | None:
    """ "And for contractors?" after "how much leave do employees get?": the people that the question before is about give way."""
    phrases, words = phrases_of(before), words_of(before)
    if not new.person or any(p.preposition == "for" for p in phrases):
        return None
    old = next((p for p in phrases if p.person and not p.preposition and p.first and words[p.first - 1].kind == "aux"), None)
    return old if old is not None and words[0].low != "who" else None


def _like(new: Phrase, before: str) -> Phrase | None:
    """What in the question before a fragment replaces; None: nothing is of its kind."""
    scored = _scored(new, before)
    best = max(scored, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None and best[0] > 0 else None


def _two_like(new: Phrase, before: str) -> bool:
    """Whether two names may be meant alike."""
    scores = sorted((score for score, old in _scored(new, before) if _is_name(old)), reverse=True)
    return len(scores) > 1 and scores[1] > 0 and scores[0] - scores[1] <= 0.3


def _scored(new: Phrase, before: str) -> list[tuple[float, Phrase]]:
    scored = []
    for position, old in enumerate(phrases_of(before) if _belongs(new) else pieces_of(before)):
        score, names = 0.0, _named(new) and _named(old)
        if new.preposition:
            kin = {new.preposition, old.preposition} == _WHOLE_OF
            score += 2.0 if old.preposition == new.preposition else 0.0 if kin else -2.0
        if not names or new.numbered == old.numbered:  # "the Loon" is of the kind of "the Duo 440"
            score += 3.0 if new.numbered and old.numbered else -3.0 if new.numbered != old.numbered else 0.0
        score += 1.5 if names else -1.5 if _named(new) != _named(old) and not new.numbered else 0.0
        score += 1.5 if new.person and old.person else -2.5 if new.person != old.person else 0.0
        score += 1.0 if _stem(new.head) == _stem(old.head) else 0.0
        score += 0.5 if new.plural == old.plural else -0.5
        score += 0.3 if position == 0 else 0.0
        scored.append((score, old))
    return scored


def _stem(word: str) -> str:
    return word.casefold().rstrip("s")


def _named(phrase: Phrase) -> bool:
    """A name, but no acronym of things ("DVDs")."""
    return phrase.named and not (len(phrase.head) > 1 and phrase.head[1].isupper())


def _is_name(phrase: Phrase) -> bool:
    return _named(phrase) or phrase.numbered


def _is_attribute(phrase: Phrase) -> bool:
    head = phrase.head.casefold()
    return head in RELATIONAL or head in ATTRIBUTES or _stem(head) in ATTRIBUTES


def _definite(phrase: Phrase) -> bool:
    return phrase.text.casefold().startswith("the ")


def _belongs(phrase: Phrase) -> bool:
    """Whether it says itself what it is of: "the deposit for the Loon"."""
    return bool(regex.search(r"\s(?:of|for)\s", phrase.text))

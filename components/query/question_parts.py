"""The parts of a compound question, by rules for English. Pure functions."""

from __future__ import annotations

import re

from components.query.noun_phrases import Word, phrases_of, words_of

_ENDS = re.compile(r"(?<=\?)\s+")
_CHOICE = re.compile(
    r"^(?P<head>.*?\b(?:better|best|worse|cheaper|more expensive|older|newer|larger|bigger|smaller|longer|shorter|higher|lower|faster|slower|first"
    r"|earlier|later|more|fewer|less|most|both|the same)\b[^,:]*)[,:]\s*(?P<a>[^,?]+?),?\s+or\s+(?P<b>[^,?]+)\?*$",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"^(?:(?:how|what)\s+(?:do|does|is|are)\s+(?:the\s+differences?\s+between\s+)?|compare\s+)(?P<a>.+?)\s+"
    r"(?:differ from|compare (?:to|with)|compared (?:to|with)|and|with|versus|vs\.?)\s+(?P<b>[^?]+?)(?:\s+(?:differ|compare))?\s*[?.]*$",
    re.IGNORECASE,
)
_END = " \t\n?.!,;"


def parts_of_question(question: str, at_most: int = 4) -> list[str]:
    """The questions that a question is made of, each self-contained; just the question where it is one.

    Split are several sentences that ask, clauses that each have a question word or an auxiliary ("… and who signs it?"), and comparisons
    ("which is longer, A or B?", "how does A differ from B?"). Two nouns joined by "and" stay together: one passage may hold both.

    >>> parts_of_question("How long is the notice period, and who signs the form?")
    ['How long is the notice period?', 'Who signs the form?']
    >>> parts_of_question("Which notice period is longer, for tenants or for landlords?")
    ['Which notice period is longer, for tenants?', 'Which notice period is longer, for landlords?']
    >>> parts_of_question("What are the rights and duties of tenants?")
    ['What are the rights and duties of tenants?']
    """
    from components.query.follow_up import resolved

    asked = " ".join(question.split())
    pieces = [piece for sentence in _ENDS.split(asked) for piece in _clauses(sentence)]
    compared = _compared(asked) if len(pieces) == 1 else []
    found: list[str] = []
    for piece in (compared or pieces)[:at_most]:
        text = piece if compared or not found else resolved(piece, found[-1:]).question
        text = f"{text.rstrip(_END)}?" if text.rstrip(_END) else ""
        text = text[:1].upper() + text[1:]
        if phrases_of(text) and text.casefold() not in {one.casefold() for one in found}:
            found.append(text)
    return found if len(found) > 1 else [question]


def _clauses(sentence: str) -> list[str]:
    """Cut at "and", "or", "but" and ";" behind which a new question begins: a question word, or an auxiliary, and both sides say something."""
    words = words_of(sentence)
    cuts = []
    for i, word in enumerate(words[:-1]):
        joins = word.low in {"and", "or", "but"} or word.text == ";"
        if joins and i and _begins(words, i + 1) and _asks(words[:i]):
            cuts.append((word.start, words[i + 1].start))
    pieces, at = [], 0
    for end, following in cuts:
        pieces.append(sentence[at:end])
        at = following
    return [piece.strip(_END) for piece in [*pieces, sentence[at:]] if piece.strip(_END)]


def _begins(words: list[Word], i: int) -> bool:
    first = words[i]
    following = words[i + 1] if i + 1 < len(words) else None
    if first.kind == "preposition" and following is not None and following.kind == "wh":
        return True
    if first.kind == "wh":
        return any(w.kind in {"aux", "verb"} for w in words[i + 1 : i + 6])
    subject = following is not None and following.kind in {"determiner", "noun", "pronoun"}
    return first.kind == "aux" and subject and any(w.kind in {"noun", "verb", "adverb"} for w in words[i + 2 :])


def _asks(words: list[Word]) -> bool:
    """Whether the words before a cut are a question of their own."""
    return any(w.kind in {"wh", "aux"} for w in words[:3]) and any(w.kind == "noun" for w in words)


def _compared(question: str) -> list[str]:
    if found := _CHOICE.match(question):
        head = found["head"].strip()
        return [f"{head}, {found['a'].strip()}?", f"{head}, {found['b'].strip()}?"]
    found = _COMPARED.match(question)
    if found and re.search(r"differ|compar|versus|\bvs\b", question, re.IGNORECASE):
        return [f"{found['a'].strip()}?", f"{found['b'].strip()}?"]
    return [question]

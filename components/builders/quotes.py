"""The exact range of a passage that carries a claim: word for word, else by fuzzy alignment. Pure functions."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz import fuzz

from components.embedders.bm25_tokenizer import document_terms
from components.preprocessors.sentences import split_sentences

SIMILAR = 40.0
"""rapidfuzz token-set ratio, 0 to 100, below which no sentence of a passage resembles the claim; the whole passage is then quoted.
Unrelated English sentences that share only function words stay below it."""
ALIGNED = 85.0
"""rapidfuzz partial ratio from which a window of the passage counts as the claim in almost its own words."""
CARRIED = 0.75
"""Share of a claim's terms, names and numbers apart, that a sentence must hold to be cited for it unasked."""
LONGEST_QUOTE = 400
"""Characters of a sentence that is quoted whole; of a longer one (a table, a list without stops) the aligned words with `AROUND` more."""
AROUND = 80
MOST_QUOTES = 3
"""Quotes of one passage for one claim: the best sentence, and those with the numbers that it lacks."""

_NEGATION = re.compile(
    r"\b(?:not|no|never|nor|none|neither|without|cannot|nobody|nothing|nicht|kein\w*|nie|ne|pas|sin|नहीं|नही|मत|बिना)\b|n['’]t\b", re.IGNORECASE
)
_SPOKEN = re.compile(r"[\"“„«]([^\"“”„«»\n]{8,300})[\"”“»]")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)(?<![\"“(])\b[A-Z][\w'’-]+")
_DIGIT = re.compile(r"\d")
_UP_TO_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety hundred"
_NUMBER_WORDS = {word: str(value) for value, word in enumerate(_UP_TO_TWENTY.split())} | {
    word: str(value) for value, word in zip(range(30, 101, 10), _TENS.split(), strict=True)
}
_UNSAID = frozenset({"zero", "one"})
"""Too often a pronoun."""
_SPOKEN_NUMBER = re.compile(r"\b(?:" + "|".join(w for w in _NUMBER_WORDS if w not in _UNSAID) + r")\b", re.IGNORECASE)


def folded(text: str) -> str:
    """The text in small letters, character for character, so that offsets stay."""
    return "".join(low if len(low := ch.lower()) == 1 else ch for ch in text)


@lru_cache(maxsize=4096)
def _terms(text: str) -> frozenset[str]:
    return frozenset(t for t in document_terms(text, "en") if not t.endswith("~"))


def numbers_in(text: str) -> set[str]:
    """Numbers and codes of a text in one spelling, written as words too.

    >>> sorted(numbers_in("Five days, ERR-404 and 1,200.50 euros"))
    ['1200.50', '404', '5', 'err-404']
    """
    return {t for t in _terms(text) if _DIGIT.search(t)} | {_NUMBER_WORDS[w.lower()] for w in _SPOKEN_NUMBER.findall(text)}


def shared_terms(claim: str, sentence: str) -> frozenset[str]:
    """Terms that both texts hold: stems of words, numbers and codes, without stop words."""
    return _terms(claim) & _terms(sentence)


def resemblance(claim: str, sentence: str) -> float:
    """How much a sentence of a passage resembles a claim, 0 to 100: rapidfuzz's token-set ratio without case."""
    return fuzz.token_set_ratio(claim.casefold(), sentence.casefold())


def carries(claim: str, sentence: str, around: str = "") -> bool:
    """Whether a sentence says what a claim says, told by words alone: the same numbers and names, the same negation, most of its terms.

    Meant to be wrong on the careful side: what is said in other words is not recognised.

    :param around: title and headings; a name may stand there.

    >>> carries("Rent is due on day 1.", "The rent is due on day 1 of a month."), carries("Rent is due on day 2.", "The rent is due on day 1.")
    (True, False)
    """
    said, held = _terms(claim), _terms(sentence)
    if not said or not numbers_in(claim) <= numbers_in(sentence):
        return False
    if bool(_NEGATION.search(claim)) != bool(_NEGATION.search(sentence)):
        return False
    names = _terms(" ".join(_NAME.findall(claim)))
    if not names <= held | _terms(around):
        return False
    shared = said & held
    return len(shared) >= min(2, len(said)) and len(shared) / len(said) >= CARRIED


def best_quote(claim: str, text: str) -> tuple[int, int]:
    """The range of `text` that carries the claim: the claim itself, else what it quotes, else the sentence that resembles it most, else all.

    >>> text = "Rent is due on the first. Pets need consent."
    >>> start, end = best_quote("You need consent for a pet", text)
    >>> text[start:end]
    'Pets need consent.'
    """
    bare = claim.strip().rstrip(".!?;:")
    at = text.find(bare) if bare else -1
    if at >= 0:
        end = at + len(bare)
        return at, end + (1 if text[end : end + 1] in {".", "!", "?"} else 0)
    spans = sentence_spans(text)
    if not spans:
        return 0, len(text)
    low = folded(text)
    for spoken in sorted(_SPOKEN.findall(claim), key=len, reverse=True):
        if (at := low.find(folded(spoken.strip(" .,;")))) >= 0:
            return _sentence_around(text, spans, at, at + len(spoken.strip(" .,;")))
    if window := aligned(folded(bare), low):
        return _sentence_around(text, spans, *window)
    scores = [_score(claim, text[start:end]) for start, end in spans]
    best = max(range(len(spans)), key=lambda i: (scores[i], -i))
    if resemblance(claim, text[slice(*spans[best])]) < SIMILAR:
        return trimmed(text, 0, len(text))
    start, end = spans[best]
    if end - start <= LONGEST_QUOTE:
        return start, end
    window = aligned(folded(bare), low[start:end], 0.0)
    return _whole_words(text, start + window[0] - AROUND, start + window[1] + AROUND, start, end) if window else (start, end)


def best_quotes(claim: str, text: str) -> list[tuple[int, int]]:
    """`best_quote`, and the sentences of the same passage that hold numbers of the claim which it lacks; `MOST_QUOTES` at most."""
    quotes = [best_quote(claim, text)]
    lacking = numbers_in(claim) - numbers_in(text[slice(*quotes[0])])
    others = sorted(sentence_spans(text), key=lambda span: -resemblance(claim, text[slice(*span)])) if lacking else []
    for start, end in others:
        if not lacking or len(quotes) == MOST_QUOTES:
            break
        if found := lacking & numbers_in(text[start:end]):
            lacking -= found
            quotes.append((start, end))
    return quotes


def aligned(claim: str, text: str, least: float = ALIGNED) -> tuple[int, int] | None:
    """The window of a text, of about the claim's length, that is almost the claim; None where nothing reaches `least` (0 to 100).

    >>> aligned("due on the frist day", "rent is due on the first day of a month")
    (8, 28)
    """
    if len(claim.split()) < 3 or len(text) < len(claim):
        return None
    found = fuzz.partial_ratio_alignment(claim, text, score_cutoff=least)
    if found is None or found.dest_end <= found.dest_start:
        return None
    return found.dest_start, found.dest_end


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The sentences that hold more than white space and signs, without white space at their ends."""
    spans = [trimmed(text, start, end) for start, end in split_sentences(text)]
    return [(start, end) for start, end in spans if any(ch.isalnum() for ch in text[start:end])]


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without white space at its ends."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def _score(claim: str, sentence: str) -> float:
    """Terms of the claim in the sentence, its numbers counted once more, and its spelling to break ties."""
    said, held = _terms(claim), _terms(sentence)
    return len(said & held) + len(numbers_in(claim) & numbers_in(sentence)) + fuzz.token_set_ratio(claim.casefold(), sentence.casefold()) / 100


def _sentence_around(text: str, spans: list[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The sentence in which most of a window lies, and the next where the window goes on well into it; of a long one the window's words."""
    overlaps = [min(end, b) - max(start, a) for a, b in spans]
    touched = [i for i, overlap in enumerate(overlaps) if overlap > max(0.25 * (end - start), 0)] or [
        max(range(len(spans)), key=overlaps.__getitem__)
    ]
    first, last = spans[touched[0]][0], spans[touched[-1]][1]
    if last - first <= LONGEST_QUOTE:
        return first, last
    return _whole_words(text, start, end, first, last)


def _whole_words(text: str, start: int, end: int, low: int, high: int) -> tuple[int, int]:
    start, end = max(start, low), min(end, high)
    while start > low and not text[start - 1].isspace():
        start -= 1
    while end < high and not text[end].isspace():
        end += 1
    return trimmed(text, start, end)

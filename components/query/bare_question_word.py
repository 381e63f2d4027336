"""A question word alone ("why?", "since when?"): the question before it, asked with that word. English; pure functions."""

from __future__ import annotations

import regex

from components.query.noun_phrases import Word, words_of
from components.query.question_words import is_plural, verb_of

_END = " \t\n?.!,;:"
_TWO = regex.compile(r"\b(?:and|or|but)\s+(?:\p{L}+\s+)?(?:what|which|who|whom|whose|when|where|why|how)\b", regex.IGNORECASE)
_SHORT = regex.compile(r"^(what|who|where|when|how)['’]s\b", regex.IGNORECASE)
REASONS = frozenset({"why", "how come", "since when", "until when"})
"""They ask about the fact itself: "why?" after "How long is it?" means why it is that long."""
THINGS = frozenset({"who", "whom", "whose", "what", "which", "how much", "how many"})
"""They ask for a part of the sentence: no second one can be asked for where the question before asks for one already."""
BE = frozenset({"is", "are", "was", "were"})
MAIN_TOO = frozenset({"do", "have", "be", "been", "done", "had"})
TELLING = frozenset({"tell", "explain", "show", "say", "give", "know", "help", "find", "look"})


def asked_with(word: str, before: str) -> str | None:
    """The question before, as a question with this word; None where that cannot be written without guessing.

    What the question before asks for stays in it as "that": dropping it would ask something else.

    :param word: one or more words, without a mark: `why`, `since when`, `under what conditions`.
    :param before: a question that stands alone.

    >>> asked_with("why", "Can contractors work from abroad?")
    'Why can contractors work from abroad?'
    >>> asked_with("why", "How many days of annual leave do contractors get?")
    'Why do contractors get that many days of annual leave?'
    >>> asked_with("since when", "How long is the notice period in France?")
    'Since when is the notice period in France that long?'
    >>> asked_with("why", "Who signs purchase orders?") is None
    True
    """
    before = _SHORT.sub(r"\1 is", before.strip().rstrip(_END))
    words = words_of(before)
    low = word.casefold()
    if not words or _TWO.search(before):
        return None
    if words[0].kind == "aux":
        told = len(words) > 2 and words[1].low == "you" and words[2].low in TELLING
        return None if told or ("'" in words[0].low and not words[0].low.endswith("n't")) else _question(word, before[0].lower() + before[1:])
    at = next((i for i, w in enumerate(words[:2]) if w.kind == "wh"), None)
    if at is None or (at == 1 and words[0].kind != "preposition") or low in THINGS:
        return None
    verb = next((i for i in range(at + 1, len(words)) if words[i].kind in {"aux", "wh"}), None)
    if verb is None or words[verb].kind == "wh" or any(w.kind in {"verb", "conjunction", "sign"} for w in words[at + 1 : verb]):
        return None
    rest = words[verb:]
    asked_for = _asked_for(before, words, at, verb)
    if asked_for is None:
        return None
    if asked_for == "":
        fixed = _is_alone(rest) and words[at].low == "what"
        if fixed and low in REASONS:
            asked_for = "as they are" if _plural_subject(rest) else "as it is"
        elif not fixed and words[at].low == "what":
            asked_for = "that"
    return _question(word, _put(before, rest, asked_for))


def _asked_for(before: str, words: list[Word], at: int, verb: int) -> str | None:
    """What is asked for, as it stands in a statement; empty for nothing, None where it has no such form."""
    lead = f"{words[0].low} " if at else ""
    asks, named = words[at], words[at + 1 : verb]
    if asks.low in {"who", "whom", "whose"}:
        return None
    text = before[named[0].start : named[-1].end] if named else ""
    if asks.low == "how":
        return f"{lead}that {text}" if text else ""
    if asks.low in {"what", "which"} and text:
        head = next((named[i - 1] for i in range(1, len(named)) if named[i].kind == "preposition"), named[-1])
        return f"{lead}{'those' if is_plural(head.text) else 'that'} {text}"
    if lead or (asks.low == "which"):
        return None
    return "" if asks.low in {"when", "where", "why", "what"} else None


def _is_alone(rest: list[Word]) -> bool:
    """ "is the fee": a form of be that no other verb follows."""
    return rest[0].low in BE and not any(w.kind == "verb" or w.low in MAIN_TOO for w in rest[1:])


def _plural_subject(rest: list[Word]) -> bool:
    return rest[0].low in {"are", "were"}


def _put(before: str, rest: list[Word], asked_for: str) -> str:
    """The sentence behind the question word with what is asked for in its place: as the subject, behind the verb, or at the end."""
    text = before[rest[0].start :]
    if not asked_for:
        return text
    following = next((w for w in rest[1:] if w.kind not in {"adverb", "sign"}), None)
    acts_itself = rest[0].low not in BE and following is not None and verb_of(following.low) == following.low  # "which employees may work"
    if following is None or following.kind in {"verb", "preposition"} or following.low in MAIN_TOO or acts_itself:
        end = rest[0].end
    else:
        acts = [i for i in range(2, len(rest)) if rest[i].kind == "verb" or rest[i].low in MAIN_TOO]
        last = acts[0] if acts else len(rest) - 1
        while last + 1 in acts:
            last += 1
        end = rest[last].end
    return f"{before[rest[0].start : end]} {asked_for}{before[end:]}"


def _question(word: str, text: str) -> str:
    whole = f"{word} {text.strip().rstrip(_END)}?"
    return whole[0].upper() + whole[1:]

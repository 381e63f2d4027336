"""Makes a follow-up question self-contained by rules, from the question before it. English; pure functions.

What is not plainly a follow-up stays as it is: an old topic in a new question finds the wrong passages, a follow-up left alone finds none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from components.query.noun_phrases import Phrase, Word, phrases_of, with_complements, words_of
from components.query.question_words import HERE, MODIFIERS, NOUN_TOO, OWNERS, RELATIONAL, SAID_OF_NOTHING
from components.query.topic import MANY, ONE, PERSON, gist, topic_of

OPENERS = regex.compile(
    r"^(?:(?:ok(?:ay)?|and|or|but|so|then|also|now|well|yes|no|thanks|hm+)[\s,]+)*"
    r"(?:(?:what|how)\s+(?:about|of|with)\s+|(?:the\s+)?same\s+(?:question\s+)?(?:for\s+)|(?:and|or|but|also|even|only|then)[\s,]+)?",
    regex.IGNORECASE,
)
MORE = regex.compile(
    r"^(?:please\s+|can you\s+|could you\s+|would you\s+)*"
    r"(?:tell me more|explain(?: that| this| it)?|elaborate|go on|more details?|(?:give|show) (?:me )?more details?|say more|anything else|what else)"
    r"(?:\s+(?:about|on) (?:that|this|it))?(?:\s+(?:in more detail|please|more|further))*[?.!\s]*$",
    regex.IGNORECASE,
)
THIRD = {
    **dict.fromkeys(("it", "its"), ONE),
    **dict.fromkeys(("they", "them", "their", "theirs"), MANY),
    **dict.fromkeys(("he", "him", "his", "she", "her", "hers"), PERSON),
}
POINTING = frozenset({"this", "that", "these", "those"})
CASES = frozenset({"case", "event", "situation", "circumstances"})
COURTESY = frozenset({"thanks", "thank", "ok", "okay", "hello", "hi", "great", "bye", "good", "please", "cheers", "perfect", "fine", "sorry"})
LONGEST_FRAGMENT = 8
"""Words of a fragment ("and for dental?"); a longer one is a question of its own."""
_END = " \t\n?.!,;:"


@dataclass(frozen=True)
class Rewritten:
    """A question that stands alone.

    :param how: what was read into it, one line; empty where it is as it was asked.
    """

    question: str
    how: str = ""


def resolved(question: str, earlier: Sequence[str], answer: str = "") -> Rewritten:
    """The question as it would be asked without the conversation.

    :param earlier: the user's questions before it, oldest first, each as it was asked.
    :param answer: what was answered last; it may name the person that "she" means.

    >>> resolved("and for dental?", ["What is the reimbursement limit for vision care?"]).question
    'What is the reimbursement limit for dental?'
    >>> resolved("When do they expire?", ["What are password resets?"]).question
    'When do password resets expire?'
    >>> resolved("How long is the notice period?", ["What are password resets?"])
    Rewritten(question='How long is the notice period?', how='')
    """
    before = ""
    for one in earlier:
        if not phrases_of(one) and not before:
            continue
        whole = _one(one, before, "").question if before else one
        before = whole if phrases_of(whole) else before
    return _one(question, before, answer) if before else Rewritten(question)


def _one(question: str, before: str, answer: str) -> Rewritten:
    asked = " ".join(question.split())
    before = before.strip()
    for rule in (_more, _fragment, _question_word, _pronouns, _relational):
        found = rule(asked, before, answer)
        if found is None or found.question == asked:
            continue
        if rule is _pronouns and (more := _fragment(found.question, before, answer)):  # "and after it?"
            return Rewritten(more.question, f"{found.how}; {more.how}")
        return found
    return Rewritten(question)


def _more(asked: str, before: str, answer: str) -> Rewritten | None:
    if MORE.match(asked):
        return Rewritten(f"{before.rstrip(_END)}, in detail?", "more on the question before")
    return None


def _fragment(asked: str, before: str, answer: str) -> Rewritten | None:
    """ "And for dental?": a phrase without a verb, in the place of its like in the question before."""
    opened = OPENERS.match(asked)
    opening = opened.group().strip() if opened else ""
    rest = asked[len(opened.group()) :].strip() if opened else asked
    words = [w for w in words_of(rest) if w.kind != "sign"]
    if not words or len(words) > LONGEST_FRAGMENT or any(w.kind in {"verb", "aux", "wh"} or w.low in THIRD for w in words):
        return None
    phrases = phrases_of(rest)
    if not phrases or any(w.low in POINTING for w in words):
        return None
    bare = not opening and words[0].kind != "preposition"
    if bare and not (asked.endswith("?") and (len(words) == 1 or (phrases[0].numbered and len(words) <= 3))):
        return None
    if words[0].low in COURTESY:
        return None
    new = with_complements(rest, phrases[0], phrases)
    text = rest.rstrip(_END)
    place = _like(new, before)
    if place is None:
        joined = text if new.preposition else f"for {text}"
        return Rewritten(f"{before.rstrip(_END)} {joined}?", f"“{text}” asked of the question before")
    start, end, old = place
    put = new.text if old.preposition and new.preposition else text
    if new.preposition and old.preposition != new.preposition:
        put = text
        start = words_of(before)[old.first - 1].start if old.preposition else start
    return Rewritten(_asked(before[:start] + put + before[end:]), f"“{put}” in the place of “{before[start:end]}”")


def _like(new: Phrase, before: str) -> tuple[int, int, Phrase] | None:
    """Where in the question before stands what a fragment replaces; None: nowhere, it is added."""
    best, best_score = None, 0.0
    for position, old in enumerate(phrases_of(before)):
        score = 0.0
        if new.preposition:
            score += 2.0 if old.preposition == new.preposition else -2.0
        score += 3.0 if new.numbered and old.numbered else -3.0 if new.numbered != old.numbered else 0.0
        score += 1.5 if _named(new) and _named(old) else -1.5 if _named(new) != _named(old) and not new.numbered else 0.0
        score += 1.5 if new.person and old.person else -2.5 if new.person != old.person else 0.0
        score += 1.0 if new.head.casefold().rstrip("s") == old.head.casefold().rstrip("s") else 0.0
        score += 0.5 if new.plural == old.plural else -0.5
        score += 0.3 if position == 0 else 0.0
        if score > best_score:
            best, best_score = old, score
    return None if best is None else (best.start, best.end, best)


def _named(phrase: Phrase) -> bool:
    """A name, but no acronym of things ("DVDs")."""
    return phrase.named and not (len(phrase.head) > 1 and phrase.head[1].isupper())


def _question_word(asked: str, before: str, answer: str) -> Rewritten | None:
    """ "Why?", "Since when?", "Under what conditions?": a question word alone, before the rest of the question before."""
    stripped = regex.sub(r"^(?:and|but|so|then|ok|okay)[\s,]+", "", asked, flags=regex.IGNORECASE)
    words = [w for w in words_of(stripped) if w.kind != "sign"]
    if not words or len(words) > 5 or not any(w.kind == "wh" for w in words[:2]) or any(w.kind in {"verb", "aux"} for w in words):
        return None
    if words[0].kind not in {"wh", "preposition"}:
        return None
    if any(w.low in THIRD or w.low in POINTING for w in words):
        return None
    body = _without_question_word(before)
    first = stripped.rstrip(_END)
    if regex.fullmatch(r"why not", first, regex.IGNORECASE):
        return Rewritten(f"Why {body.rstrip(_END)}, or why not?", "why, of the question before")
    return Rewritten(_asked(f"{first} {body}".replace(" : ", ": ")), f"“{first}” asked of the question before")


def _without_question_word(question: str) -> str:
    words = words_of(question)
    asks = next((i for i, w in enumerate(words[:2]) if w.kind == "wh"), None)
    if asks is None:
        first = words[0] if words else None
        return question[0].lower() + question[1:] if first is not None and first.kind != "noun" else question
    verb = next((w for w in words[asks:] if w.kind == "aux"), None)
    return question[verb.start :] if verb is not None else f": {question[0].lower()}{question[1:]}"


def _asked(text: str) -> str:
    text = f"{text.strip().rstrip(_END)}?"
    return text[0].upper() + text[1:]


def _pronouns(asked: str, before: str, answer: str) -> Rewritten | None:
    """ "Who signs it?": the pronoun gives way to what the question before is about."""
    words = words_of(asked)
    own = phrases_of(asked)
    for i, word in enumerate(words):
        after = words[i + 1] if i + 1 < len(words) else None
        if word.low in THIRD:
            if _means_nothing(asked, words, i) or _means_within(word, own):
                continue
            topic = topic_of(before, THIRD[word.low], answer)
        elif word.low in POINTING and _points_back(words, i):
            if after is not None and after.kind == "noun" and not _is_asked_verb(words, i):
                return _pointed(asked, before, words, i)
            topic = topic_of(before, MANY if word.low in {"these", "those"} else ONE, "")
        else:
            continue
        if not topic:
            return None
        return _put(asked, words, i, topic)
    return None


def _put(asked: str, words: list[Word], i: int, topic: str) -> Rewritten:
    word = words[i]
    after = words[i + 1] if i + 1 < len(words) else None
    how = f"“{word.text}” read as “{topic}”"
    if word.low in OWNERS and after is not None and after.kind in {"noun", "adverb"}:
        end = i + 1
        while end < len(words) and words[end].kind in {"noun", "adverb"}:
            end += 1
        while end > i + 2 and words[end - 1].kind == "adverb":  # "is its fee refundable"
            end -= 1
        thing = asked[words[i + 1].start : words[end - 1].end]
        return Rewritten(_asked(f"{asked[: word.start]}the {thing} of {topic}{asked[words[end - 1].end :]}"), how)
    text = asked[: word.start] + topic + asked[word.end :]
    for j in range(i + 1, len(words)):  # the same pronoun again stands for the same
        if words[j].low == word.low and words[j].low not in OWNERS and word.low not in POINTING:
            text = asked[: word.start] + topic + asked[word.end : words[j].start] + topic + asked[words[j].end :]
            break
    return Rewritten(_asked(text), how)


def _means_nothing(asked: str, words: list[Word], i: int) -> bool:
    """ "Is it allowed to", "how long does it take to", "it rains"."""
    if words[i].low != "it":
        return False
    rest = [w.low for w in words[i + 1 : i + 5]]
    tail = asked[words[i].end :]
    if any(w in SAID_OF_NOTHING for w in rest[:3]):
        return bool(regex.search(r"\b(?:to\s+\p{L}+|that|for\s+[^?]+\s+to|if|when|whether)\b", tail))
    if rest[:1] and rest[0] in {"take", "takes", "cost", "costs", "mean", "means", "require", "requires"}:
        return bool(regex.search(r"\bto\s+\p{L}{2,}", tail)) or bool(regex.search(r"\bmeans?\b[^?]*\b(?:when|if|that|to)\b", tail))
    return bool(rest[:1]) and rest[0] in {"rain", "rains", "snow", "snows", "happen", "happens", "comes", "turns", "follows"}


def _means_within(word: Word, own: list[Phrase]) -> bool:
    """Whether a phrase before the pronoun, in the same question, is what it stands for."""
    earlier = [p for p in own if p.end <= word.start]
    kind = THIRD[word.low]
    if kind == ONE:
        return any(not p.plural and not p.person for p in earlier)
    if kind == MANY:
        return any(p.plural or p.person for p in earlier)
    return any(p.person or p.named for p in earlier)


def _points_back(words: list[Word], i: int) -> bool:
    """Whether "this", "that", "these" or "those" means what was said before, and is no conjunction, relative or "that of"."""
    word = words[i]
    before = words[i - 1] if i else None
    after = words[i + 1] if i + 1 < len(words) else None
    if after is not None and after.low in {"of", "who", "which", "whose"}:
        return False
    if after is not None and after.low.rstrip("s") in HERE and word.low == "this":
        return False
    if word.low != "that":
        return True
    if before is None:
        return after is None or after.kind in {"aux", "noun"}
    if before.kind in {"noun", "adverb"} or before.low in {"so", "such"}:
        return before.low in {"about"} or (before.kind == "adverb" and (after is None or after.kind == "sign"))
    if before.kind == "verb":
        return after is None or after.kind in {"sign", "preposition", "adverb"}
    return before.kind in {"aux", "preposition", "conjunction"} and (after is None or after.kind != "pronoun")


def _is_asked_verb(words: list[Word], i: int) -> bool:
    """ "Does that cost anything?": behind do, can or must and the pronoun, a word that can be a verb is one."""
    before, after = words[i - 1] if i else None, words[i + 1]
    last = i + 2 >= len(words) or words[i + 2].kind != "noun"
    helps = before is not None and before.kind == "aux" and before.low not in {"is", "are", "was", "were"}
    return helps and last and after.low in NOUN_TOO


def _pointed(asked: str, before: str, words: list[Word], i: int) -> Rewritten | None:
    """ "This policy", "in that case": the noun stays, and what it is of is put behind it."""
    end = i + 1
    while end < len(words) and words[end].kind == "noun":
        end += 1
    noun = words[end - 1]
    if any(w.low in {"that", "which", "who"} for w in words[end:]):
        return None  # "that clause which": described here, not before
    if noun.low in CASES:
        meant = gist(before)
    else:
        same = next((p for p in phrases_of(before) if p.head.casefold().rstrip("s") == noun.low.rstrip("s")), None)
        meant = with_complements(before, same, phrases_of(before)).text if same else topic_of(before, MANY if noun.low.endswith("s") else ONE, "")
        if same:
            return Rewritten(_asked(asked[: words[i].start] + meant + asked[noun.end :]), f"“{asked[words[i].start : noun.end]}” read as “{meant}”")
    if not meant:
        return None
    phrase = asked[words[i].start : noun.end]
    return Rewritten(_asked(f"{asked[: noun.end]} ({meant}){asked[noun.end :]}"), f"“{phrase}” read as “{meant}”")


def _relational(asked: str, before: str, answer: str) -> Rewritten | None:
    """ "What is the deadline?": a deadline is one of something."""
    words = [w for w in words_of(asked) if w.kind != "sign"]
    phrases = phrases_of(asked)
    if len(phrases) != 1 or len(words) > 7 or phrases[0].preposition or any(w.kind == "verb" for w in words):
        return None
    nouns = [w.low for w in words if w.kind == "noun"]
    if not nouns or nouns[-1] not in RELATIONAL or any(n not in MODIFIERS and n not in RELATIONAL for n in nouns[:-1]):
        return None
    if words[-1].kind not in {"noun", "adverb"}:
        return None
    topic = gist(before)
    return Rewritten(_asked(f"{asked.rstrip(_END)} for: {topic}"), f"asked of “{topic}”") if topic else None

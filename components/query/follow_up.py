"""Makes a follow-up question self-contained by rules, from the question before it. English; pure functions.

What is not plainly a follow-up stays as it is: an old topic in a new question finds the wrong passages, a follow-up left alone finds none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from components.query.bare_question_word import asked_with
from components.query.noun_phrases import Phrase, Word, phrases_of, with_complements, words_of
from components.query.pronouns import THIRD, is_asked_verb, means_nothing, means_within, points_back
from components.query.question_words import MODIFIERS, OWNERS, RELATIONAL
from components.query.topic import MANY, ONE, gist, topic_of

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
    :param unclear: why it can be read neither alone nor by the question before; the question is then as it was asked.
    """

    question: str
    how: str = ""
    unclear: str = ""


def resolved(question: str, earlier: Sequence[str], answer: str = "") -> Rewritten:
    """The question as it would be asked without the conversation.

    :param earlier: the user's questions before it, oldest first, each as it was asked.
    :param answer: what was answered last; it may name the person that "she" means.

    >>> resolved("and for dental?", ["What is the reimbursement limit for vision care?"]).question
    'What is the reimbursement limit for dental?'
    >>> resolved("When do they expire?", ["What are password resets?"]).question
    'When do password resets expire?'
    >>> resolved("How long is the notice period?", ["What are password resets?"]).how
    ''
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
        if found is not None and found.unclear:
            return Rewritten(question, unclear=found.unclear)
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
    alone = not opening and words[0].kind != "preposition"
    if alone and not (asked.endswith("?") and (len(words) == 1 or (phrases[0].numbered and len(words) <= 3))):
        return None
    if words[0].low in COURTESY:
        return None
    new = with_complements(rest, phrases[0], phrases)
    text = rest.rstrip(_END)
    if new.preposition == "for" and (subject := _person_asked_about(new, before)):
        put = new.text
        return Rewritten(_asked(before[: subject.start] + put + before[subject.end :]), f"“{put}” in the place of “{subject.text}”")
    place = _like(new, before)
    if place is None:
        joined = text if new.preposition else f"for {text}"
        return Rewritten(f"{before.rstrip(_END)} {joined}?", f"“{text}” asked of the question before")
    start, end, old = place
    bare = new.preposition == old.preposition or (new.preposition == "for" and not old.preposition)
    put = new.text if new.preposition and bare else text
    if new.preposition and old.preposition and not bare:
        start = words_of(before)[old.first - 1].start
    return Rewritten(_asked(before[:start] + put + before[end:]), f"“{put}” in the place of “{before[start:end]}”")


def _person_asked_about(new: Phrase, before: str) -> Phrase | None:
    """ "And for contractors?" after "how much leave do employees get?": the people that the question before is about give way."""
    phrases, words = phrases_of(before), words_of(before)
    if not new.person or any(p.preposition == "for" for p in phrases):
        return None
    old = next((p for p in phrases if p.person and not p.preposition and p.first and words[p.first - 1].kind == "aux"), None)
    return old if old is not None and words[0].low != "who" else None


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
    """ "Why?", "Since when?", "Under what conditions?": a question word alone, of the question before."""
    stripped = regex.sub(r"^(?:and|but|so|then|ok|okay)[\s,]+", "", asked, flags=regex.IGNORECASE)
    words = [w for w in words_of(stripped) if w.kind != "sign"]
    if not words or len(words) > 5 or not any(w.kind == "wh" for w in words[:2]) or any(w.kind in {"verb", "aux"} for w in words):
        return None
    if words[0].kind not in {"wh", "preposition"}:
        return None
    if any(w.low in THIRD or w.low in POINTING for w in words):
        return None
    first = stripped.rstrip(_END)
    if regex.fullmatch(r"why not", first, regex.IGNORECASE):
        body = before.rstrip(_END)
        if words_of(before)[0].kind == "aux" and asked_with("why", before):
            return Rewritten(f"Why {body[0].lower()}{body[1:]}, or why not?", "why, of the question before")
    elif whole := asked_with(first, before):
        return Rewritten(whole, f"“{first}” asked of the question before")
    elif words[0].low in {"when", "where", "since"} and words_of(before)[0].low == "who":
        return Rewritten(_asked(f"{first}: {before[0].lower()}{before[1:]}"), f"“{first}” asked of the question before")
    return Rewritten(asked, unclear=f"“{asked}” cannot be read with certainty after “{before.rstrip(_END)}?”")


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
            if means_nothing(asked, words, i) or means_within(word, own):
                continue
            topic = topic_of(before, THIRD[word.low], answer)
        elif word.low in POINTING and points_back(words, i):
            if after is not None and after.kind == "noun" and not is_asked_verb(words, i):
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

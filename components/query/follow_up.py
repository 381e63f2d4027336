"""Makes a follow-up question self-contained by rules, from the question before it. English; pure functions.

What is not plainly a follow-up stays as it is: an old topic in a new question finds the wrong passages, a follow-up left alone finds none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import regex

from components.query.bare_question_word import asked_with
from components.query.ellipsis import POINTING, fragment
from components.query.noun_phrases import Word, phrases_of, with_complements, words_of
from components.query.pronouns import THIRD, is_asked_verb, means_nothing, means_within, points_back
from components.query.question_words import MODIFIERS, OWNERS, RELATIONAL
from components.query.rewritten import Rewritten, as_question, stripped, unclear_after
from components.query.topic import MANY, ONE, gist, topic_of

MORE = regex.compile(
    r"^(?:please\s+|can you\s+|could you\s+|would you\s+)*"
    r"(?:tell me more|explain(?: that| this| it)?|elaborate|go on|more details?|(?:give|show) (?:me )?more details?|say more|anything else|what else)"
    r"(?:\s+(?:about|on) (?:that|this|it))?(?:\s+(?:in more detail|please|more|further))*[?.!\s]*$",
    regex.IGNORECASE,
)
CASES = frozenset({"case", "event", "situation", "circumstances"})


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
    before = Rewritten("")
    for one in earlier:
        if not phrases_of(one) and not before.question:
            continue
        whole = _one(one, before, "") if before.question else Rewritten(one)
        if not whole.unclear and phrases_of(whole.question):  # what could not be read is nothing to build on
            before = whole
    return _one(question, before, answer) if before.question else Rewritten(question)


def _one(question: str, said: Rewritten, answer: str) -> Rewritten:
    asked = " ".join(question.split())
    before = said.question.strip()
    plain = said.plain.strip() or before
    rules = (
        lambda: _more(asked, before),
        lambda: _fragment(asked, before, plain),
        lambda: _question_word(asked, before),
        lambda: _pronouns(asked, before, answer),
        lambda: _relational(asked, plain),
    )
    for rule in rules:
        found = rule()
        if found is None or (found.question == asked and not found.unclear):
            continue
        if found.unclear:
            return Rewritten(question, unclear=found.unclear)
        if "read as" in found.how and (more := fragment(found.question, before, plain)) and not more.unclear:  # "and after it?"
            return Rewritten(more.question, f"{found.how}; {more.how}", plain=more.plain)
        return found
    return Rewritten(question)


def _fragment(asked: str, before: str, plain: str) -> Rewritten | None:
    found = fragment(asked, before, plain)
    if found is None or found.unclear or found.plain or plain == before:
        return found
    also = fragment(asked, plain, plain)  # what was replaced is replaced without the addition too
    return replace(found, plain=also.question if also and not also.unclear and not also.plain else plain)


def _more(asked: str, before: str) -> Rewritten | None:
    if MORE.match(asked):
        return Rewritten(f"{stripped(before)}, in detail?", "more on the question before", plain=before)
    return None


def _question_word(asked: str, before: str) -> Rewritten | None:
    """ "Why?", "Since when?", "Under what conditions?": a question word alone, of the question before."""
    first = stripped(regex.sub(r"^(?:and|but|so|then|ok|okay)[\s,]+", "", asked, flags=regex.IGNORECASE))
    words = [w for w in words_of(first) if w.kind != "sign"]
    if not words or len(words) > 5 or not any(w.kind == "wh" for w in words[:2]) or any(w.kind in {"verb", "aux"} for w in words):
        return None
    if words[0].kind not in {"wh", "preposition"}:
        return None
    if any(w.low in THIRD or w.low in POINTING for w in words):
        return None
    nouns = [w for w in words if w.kind == "noun"]
    if nouns and (len(nouns) > 2 or any(w.kind == "wh" and w.low not in {"what", "which", "whose", "how"} for w in words)):
        return None  # "where beavers live" has a subject and a verb that no list knows
    if regex.fullmatch(r"why not", first, regex.IGNORECASE):
        body = stripped(before)
        if words_of(before)[0].kind == "aux" and asked_with("why", before):
            return Rewritten(f"Why {body[0].lower()}{body[1:]}, or why not?", "why, of the question before")
    elif whole := asked_with(first, before):
        return Rewritten(whole, f"“{first}” asked of the question before")
    elif words[0].low in {"when", "where", "since"} and words_of(before)[0].low == "who":
        return Rewritten(as_question(f"{first}: {before[0].lower()}{before[1:]}"), f"“{first}” asked of the question before")
    return unclear_after(asked, before)


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
        return Rewritten(as_question(f"{asked[: word.start]}the {thing} of {topic}{asked[words[end - 1].end :]}"), how)
    text = asked[: word.start] + topic + asked[word.end :]
    for j in range(i + 1, len(words)):  # the same pronoun again stands for the same
        if words[j].low == word.low and words[j].low not in OWNERS and word.low not in POINTING:
            text = asked[: word.start] + topic + asked[word.end : words[j].start] + topic + asked[words[j].end :]
            break
    return Rewritten(as_question(text), how)


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
            return Rewritten(
                as_question(asked[: words[i].start] + meant + asked[noun.end :]), f"“{asked[words[i].start : noun.end]}” read as “{meant}”"
            )
    if not meant:
        return None
    phrase = asked[words[i].start : noun.end]
    return Rewritten(as_question(f"{asked[: noun.end]} ({meant}){asked[noun.end :]}"), f"“{phrase}” read as “{meant}”")


def _put_for(asked: str, start: int, end: int, meant: str) -> Rewritten:
    return Rewritten(as_question(asked[:start] + meant + asked[end:]), f"“{asked[start:end]}” read as “{meant}”")


def _relational(asked: str, before: str) -> Rewritten | None:
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
    return Rewritten(as_question(f"{stripped(asked)} for: {topic}"), f"asked of “{topic}”", plain=before) if topic else None

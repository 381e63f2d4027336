"""From an answer with [n] markers to the claims that can be checked, each with its place in the text and the passages it cites. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import regex

from components.preprocessors.sentences import split_sentences

MARKER = regex.compile(r"\[\s*\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*\s*\]")
"""A marker as the answer builder writes it."""
_RANGE = regex.compile(r"(\d{1,4})(?:\s*[–-]\s*(\d{1,4}))?")
_STOPPED = regex.compile(r"[.!?…।॥。！？؟۔][\p{Pe}\p{Pf}\"'*]*\s*$")
_OPENS = regex.compile(r"[ \t]*[\p{Lu}\p{N}\"“'(]")
_BULLET = regex.compile(r"^\s*(?:[-–—*•‣◦▪●]|\d{1,3}[.)]|\([a-z\d]{1,4}\)|[a-z]\))\s+|^#+\s*")
_EMPHASIS = regex.compile(r"\*\*|__|`")
_SPACE_BEFORE_STOP = regex.compile(r"\s+(?=[.,;:!?](?:\s|$))")
_SPLIT = regex.compile(r";\s+(?=\p{L}|\d)|,?\s+(?:but|while|whereas|however)\s+|,\s+and\s+")
_SUBJECT = regex.compile(
    r"(?i)(?:the|a|an|this|that|these|those|each|every|all|any|some|no|it|they|he|she|we|you|there|its|their|his|her|our|your|if|in|on|at|for|after|"
    r"before|during|from|under|anyone|everyone|nobody)\b|\p{Lu}|\d"
)
_VERB = regex.compile(
    r"(?i)\b(?:is|are|was|were|be|been|has|have|had|does|do|did|can|cannot|could|may|might|must|shall|should|will|would|\w+(?:ed|ies|es|ts|ns|ys|rs|ds|ks|ls|ms|ps|ws)"
    r"|become|became|begin|began|come|came|cost|get|give|gave|go|went|hold|held|keep|kept|leave|left|lose|lost|make|made|mean|meet|met|need|pay|paid|put|say|said|take|"
    r"took|tell|told|win|won|write|wrote|apply|expire|include|require|allow|open|close|start|end|last)\b"
)
_SURE_VERB = regex.compile(
    r"(?i)\b(?:is|are|was|were|be|been|being|has|have|had|does|do|did|can|cannot|could|may|might|must|shall|should|will|would|became|wrote|won|\w{3,}ed)\b|n['’]t\b"
)
_YES_NO = regex.compile(r"(?i)\s*(?:yes|no)\b[\s.,!]*")
FEWEST_WORDS = 4
"""Words that a clause has at least, to be a claim of its own."""
MOST_PHRASE_WORDS = 8
"""Words that a bare phrase has at most; a longer text without a verb is read as a sentence."""


@dataclass(frozen=True)
class AnswerClaim:
    """One clause of an answer.

    :param text: what is claimed, without markers, bullets and emphasis.
    :param cited: numbers of the passages that it cites, each once; empty where it cites none.
    :param sentence: position of its sentence among the sentences of the answer, from 0.
    """

    text: str
    cited: tuple[int, ...]
    sentence: int


@dataclass(frozen=True)
class AnswerSentence:
    """A sentence of an answer as a range of its text, with its markers and whatever note stands behind them.

    :param introduces: whether it only opens what follows, as `You need:` does.
    """

    start: int
    end: int
    text: str
    cited: tuple[int, ...]
    introduces: bool = False


def marked_numbers(marker: str, known: Iterable[int]) -> list[int]:
    """The known numbers that a marker names, in its order; ranges are inclusive.

    >>> marked_numbers("[3, 1-2, 9]", [1, 2, 3])
    [3, 1, 2]
    """
    known = sorted(known)
    spans = [(int(low), int(high or low)) for low, high in _RANGE.findall(marker)]
    return list(dict.fromkeys(n for low, high in spans for n in known if low <= n <= high))


def _ends_there(answer: str, start: int, end: int) -> bool:
    """Whether a sentence ends at a marker: a stop stands before it, a line ends behind it, or a row of a table stands before and a new sentence
    behind it."""
    if _STOPPED.search(answer, 0, start) is not None or answer[end : end + 20].lstrip(" \t")[:1] == "\n":
        return True
    return " | " in answer[answer.rfind("]", 0, start) + 1 : start] and _OPENS.match(answer, end) is not None


def answer_sentences(answer: str, known: Iterable[int], notes: Sequence[str] = ()) -> list[AnswerSentence]:
    """The sentences of an answer with their markers.

    A marker belongs to the sentence that it stands in or behind; at the beginning of a line, to the one that follows.

    :param known: numbers of the passages; others are dropped.
    :param notes: texts that may stand in brackets behind a marker and are no claim, such as `not in force`.

    >>> [(s.text, s.cited) for s in answer_sentences("Dr. Rao pays 1.5 euros [1]. It is due on No. 5 St. [2] Bring:\\n- a pen [3]", [1, 2, 3])]
    [('Dr. Rao pays 1.5 euros.', (1,)), ('It is due on No. 5 St.', (2,)), ('Bring:', ()), ('a pen', (3,))]
    >>> [s.text for s in answer_sentences("Item | Rule Fees | not refunded [1] A customer may ask. [2]", [1, 2])]
    ['Item | Rule Fees | not refunded', 'A customer may ask.']
    """
    known = sorted(known)
    masked = MARKER.sub(lambda m: ("\n\n" if _ends_there(answer, m.start(), m.end()) else "  ") + " " * (len(m.group()) - 2), answer)
    for note in notes:
        masked = masked.replace(f"({note})", " " * (len(note) + 2)) if note else masked
    spans = split_sentences(masked)
    cited: list[list[int]] = [[] for _ in spans]
    ends = [end for _, end in spans]
    for marker in MARKER.finditer(answer):
        before = answer[: marker.start()]
        line_start = before.rfind("\n") + 1
        inside = [i for i, (start, _) in enumerate(spans) if line_start <= start < marker.start() or start < line_start < ends[i]]
        later = [i for i, (start, _) in enumerate(spans) if start >= marker.end()]
        owner = inside[-1] if inside else (later[0] if later else len(spans) - 1)
        if owner < 0:
            continue
        cited[owner] += [n for n in marked_numbers(marker.group(), known) if n not in cited[owner]]
    result = []
    for i, (start, end) in enumerate(spans):
        following = spans[i + 1][0] if i + 1 < len(spans) else len(answer)
        tail = answer[end:following]
        stop = end + len(tail.split("\n")[0].rstrip()) if tail.strip() else end
        begin = start
        if (gap := answer[(spans[i - 1][1] if i else 0) : start]) and "\n" in gap:
            begin = start - len(gap) + len(gap[: gap.rfind("\n") + 1])
        elif i == 0:
            begin = 0
        text = _plain(masked[start:end])
        result.append(AnswerSentence(begin, stop, text, tuple(cited[i]), introduces=text.endswith(":") and not cited[i]))
    return [sentence for sentence in result if sentence.text]


def _plain(text: str) -> str:
    text = " ".join(_EMPHASIS.sub("", text).split())
    return _SPACE_BEFORE_STOP.sub("", _BULLET.sub("", text)).strip()


def clauses(sentence: str) -> list[str]:
    """The parts of a sentence that claim something by themselves; the sentence itself where it cannot be parted.

    It is parted at a semicolon, and before but, while, whereas and `, and` where a subject and a verb follow; so lists stay whole.

    >>> clauses("The fee is 12 euros, and a lost key costs 30 euros.")
    ['The fee is 12 euros', 'a lost key costs 30 euros.']
    >>> clauses("Bring a pen, a towel, and the signed form.")
    ['Bring a pen, a towel, and the signed form.']
    """
    parts: list[str] = []
    begin = 0
    for match in _SPLIT.finditer(sentence):
        left, right = sentence[begin : match.start()], sentence[match.end() :]
        next_cut = _SPLIT.search(right)
        clause = right[: next_cut.start()] if next_cut else right
        if _is_clause(left) and _is_clause(clause) and _SUBJECT.match(clause):
            parts.append(left.strip())
            begin = match.end()
    return [*parts, sentence[begin:].strip()]


def _is_clause(text: str) -> bool:
    return len(text.split()) >= FEWEST_WORDS and _VERB.search(text) is not None


def cited_as_quoted(sentences: Sequence[AnswerSentence], quotes: Iterable[tuple[int, str]]) -> list[AnswerSentence]:
    """The sentences, those without a marker that stand word for word in a quote of the next marked sentence's passage with its number: an answer
    that quotes several sentences at once has one marker, behind the last.

    :param quotes: number and text of each citation.

    >>> pool = answer_sentences("It opens at 7. It closes at 9. [1]", [1])
    >>> [s.cited for s in cited_as_quoted(pool, [(1, "It opens at 7.\n It closes at 9.")])]
    [(1,), (1,)]
    """
    known = [(n, " ".join(quote.split())) for n, quote in quotes]
    found: list[AnswerSentence] = []
    following: AnswerSentence | None = None
    for sentence in reversed(sentences):
        if not sentence.cited and following is not None:
            said, after = " ".join(sentence.text.split()), " ".join(following.text.split())
            for n, quote in known:
                if n in following.cited and said in quote and after in quote:
                    sentence = replace(sentence, cited=(n,))  # noqa: PLW2901
                    break
        following = sentence if sentence.cited else None
        found.append(sentence)
    return found[::-1]


def claims_of(sentences: Sequence[AnswerSentence]) -> list[AnswerClaim]:
    """The claims of an answer's sentences; sentences that only introduce others make none."""
    return [
        AnswerClaim(clause, sentence.cited, position)
        for position, sentence in enumerate(sentences)
        if not sentence.introduces
        for clause in clauses(sentence.text)
        if any(c.isalnum() for c in clause)
    ]


def is_phrase(claim: str) -> bool:
    """Whether a claim is a bare phrase, or yes or no, which says something only together with the question.

    >>> is_phrase("Arthur's Magazine"), is_phrase("No."), is_phrase("It was started first."), is_phrase("Pets are welcome")
    (True, True, False, False)
    """
    return _YES_NO.fullmatch(claim) is not None or (
        len(claim.split()) <= MOST_PHRASE_WORDS and not _SURE_VERB.search(claim) and not claim.strip().endswith(".")
    )


def is_yes(claim: str) -> bool:
    """Whether a claim is a bare yes."""
    return _YES_NO.fullmatch(claim) is not None and claim.strip()[:1].casefold() == "y"


def with_question(claim: str, question: str) -> str:
    """What a model reads as the claim: a bare phrase behind its question, anything else as it is.

    >>> with_question("At 7", "When does it open?"), with_question("It opens at 7.", "When does it open?")
    ('When does it open? At 7', 'It opens at 7.')
    """
    question = " ".join(question.split())
    return f"{question} {claim}" if question and is_phrase(claim) else claim

"""From a reply with [n] markers to citations whose quotes are exact ranges of the stored text. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from haystack import Document
from rapidfuzz import fuzz

from components.answer import Citation, Evidence
from components.preprocessors.sentences import split_sentences

MARKER = re.compile(r"\[\s*\d{1,4}(?:\s*(?:,|;|-|–|and)\s*\d{1,4})*\s*\]")
_NUMBER_OR_RANGE = re.compile(r"(\d{1,4})(?:\s*[-–]\s*(\d{1,4}))?")

SIMILAR = 40.0
"""rapidfuzz token-set ratio, 0 to 100, below which no sentence of a passage resembles the claim; the whole passage is then quoted.
Unrelated English sentences that share only function words stay below it."""
VERBATIM = 90.0
"""Ratio from which a sentence without a marker counts as copied from the passage that the next sentence cites."""

_ABSENCE = re.compile(
    r"\b(?:do|does|did)(?:\s+not|n['’]t)\s+(?:\w+\s+)?(?:say|state|mention|contain|specify|cover|include|provide|hold|give|address|describe|discuss)\b"
    r"|\b(?:is|are)(?:\s+not|n['’]t)\s+(?:stated|mentioned|specified|given|covered|provided|described|addressed)\b"
    r"|\bno\s+(?:information|mention|details?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Passage:
    """A passage of the evidence as citations see it. `start` is the offset of `text` in the stored text of its source."""

    n: int
    id: str
    source_id: str
    title: str
    uri: str
    heading: str
    page: int | None
    text: str
    start: int
    score: float | None = None
    in_force: bool = True
    note: str = ""

    def evidence(self) -> Evidence:
        """The passage as the answer contract shows it."""
        values = {
            name: getattr(self, name) for name in ("n", "id", "source_id", "title", "uri", "heading", "page", "text", "score", "in_force", "note")
        }
        return Evidence(**values, char_start=self.start, char_end=self.start + len(self.text))

    def citation(self, start: int, end: int) -> Citation:
        """The citation that quotes `text[start:end]`."""
        values = {name: getattr(self, name) for name in ("n", "source_id", "title", "uri", "heading", "page")}
        return Citation(**values, quote=self.text[start:end], char_start=self.start + start, char_end=self.start + end)


def passages_of(evidence: Sequence[Document]) -> dict[int, Passage]:
    """The passages by label, in the order of the evidence; one without a label gets its position, from 1. A repeated label counts once."""
    passages: dict[int, Passage] = {}
    for position, document in enumerate(evidence, start=1):
        meta = document.meta
        label = meta.get("label")
        n = label if isinstance(label, int) and label >= 1 else position
        score = document.score if document.score is not None and abs(document.score) < float("inf") else None
        passages.setdefault(
            n,
            Passage(
                n=n,
                id=document.id,
                source_id=str(meta.get("source_id") or ""),
                title=str(meta.get("title") or ""),
                uri=str(meta.get("uri") or ""),
                heading=" > ".join(str(h) for h in meta.get("heading_path") or []),
                page=meta.get("page"),
                text=document.content or "",
                start=int(meta.get("char_start") or 0),
                score=score,
                in_force=bool(meta.get("in_force", True)),
                note=str(meta.get("validity_note") or ""),
            ),
        )
    return passages


def marker_numbers(marker: str, known: Iterable[int]) -> list[int]:
    """The known numbers that a marker names, in its order, each once; ranges are inclusive.

    >>> marker_numbers("[3, 1-2, 9]", [1, 2, 3])
    [3, 1, 2]
    """
    known = sorted(known)
    numbers: list[int] = []
    for low, high in _NUMBER_OR_RANGE.findall(marker):
        first, last = int(low), int(high or low)
        numbers += [n for n in known if min(first, last) <= n <= max(first, last) and n not in numbers]
    return numbers


@dataclass
class CitedSentence:
    """A sentence of a reply without its markers, the white space before it, and the labels that it cites."""

    text: str
    gap: str = ""
    numbers: list[int] = field(default_factory=list)

    @property
    def is_absence(self) -> bool:
        """Whether it says that the documents do not hold something."""
        return bool(_ABSENCE.search(self.text))


def cited_sentences(reply: str, known: Iterable[int]) -> list[CitedSentence]:
    """Split a reply into sentences and give each its markers.

    A marker belongs to the sentence before it, whether it stands before or after the full stop; at the start of a line, to the sentence
    after it. Numbers that are not known are dropped.

    >>> [(s.text, s.numbers) for s in cited_sentences("It opens at 7 [1]. Bring a towel. [2][9]", [1, 2])]
    [('It opens at 7.', [1]), ('Bring a towel.', [2])]
    """
    known = list(known)
    plain = ""
    anchors: list[tuple[int, bool, list[int]]] = []
    position = 0
    for match in MARKER.finditer(reply):
        before = reply[position : match.start()]
        plain += before
        at_line_start = not plain.strip() or plain.rstrip(" \t").endswith("\n")
        if not at_line_start:
            plain = plain.rstrip(" \t")
        anchors.append((len(plain), at_line_start, marker_numbers(match.group(), known)))
        position = match.end()
    plain += reply[position:]

    spans = [(start, end) for start, end in split_sentences(plain) if plain[start:end].strip()]
    gaps = [plain[before:start] for before, (start, _) in zip([0, *(end for _, end in spans)], spans, strict=False)]
    sentences = [CitedSentence(plain[start:end].strip(), gap) for (start, end), gap in zip(spans, gaps, strict=True)]
    for at, at_line_start, numbers in anchors:
        if at_line_start:
            owner = next((i for i, (start, _) in enumerate(spans) if start >= at), None)
        else:
            owner = next((i for i, (start, _) in reversed(list(enumerate(spans))) if start < at), None)
        if owner is not None:
            sentences[owner].numbers += [n for n in numbers if n not in sentences[owner].numbers]
    return sentences


def without_markers(text: str) -> str:
    """The text with square brackets of anything that reads as a marker made round, so that a quoted footnote sign is no citation.

    >>> without_markers("as amended [4] in 2001")
    'as amended (4) in 2001'
    """
    return MARKER.sub(lambda m: f"({m.group()[1:-1]})", text)


def resemblance(claim: str, sentence: str) -> float:
    """How much a sentence of a passage resembles a claim, 0 to 100: rapidfuzz's token-set ratio without case."""
    return fuzz.token_set_ratio(claim.casefold(), sentence.casefold())


def best_quote(claim: str, text: str) -> tuple[int, int]:
    """The range of `text` that carries the claim: the claim itself, else the sentence that resembles it most, else all of the text.

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
    spans = [(start, end) for start, end in split_sentences(text) if text[start:end].strip()]
    if not spans:
        return 0, len(text)
    scores = [resemblance(claim, text[start:end]) for start, end in spans]
    best = max(range(len(spans)), key=lambda i: (scores[i], -i))
    return trimmed(text, *spans[best]) if scores[best] >= SIMILAR else (0, len(text))


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without white space at its ends."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def valid_spans(spans: object, passages: dict[int, Passage]) -> list[dict[str, Any]]:
    """The extractive generator's spans, if each is exactly a range of its passage; else an empty list (the text is then read instead)."""
    if not isinstance(spans, list):
        return []
    for span in spans:
        if not isinstance(span, dict) or not {"n", "char_start", "char_end", "text"} <= span.keys():
            return []
        passage = passages.get(span["n"]) if isinstance(span["n"], int) else None
        if passage is None or not isinstance(span["char_start"], int) or not isinstance(span["char_end"], int) or not span["text"]:
            return []
        start, end = span["char_start"] - passage.start, span["char_end"] - passage.start
        if not 0 <= start < end <= len(passage.text) or passage.text[start:end] != span["text"]:
            return []
    return spans


def carry_citations_back(sentences: list[CitedSentence], passages: dict[int, Passage]) -> None:
    """Give a sentence without a marker the markers of the next one in its paragraph, if it is copied from the passage these name."""
    for sentence, following in zip(reversed(sentences[:-1]), reversed(sentences[1:]), strict=True):
        if not sentence.numbers and "\n" not in following.gap:
            sentence.numbers = [
                n
                for n in following.numbers
                if fuzz.partial_ratio(sentence.text.casefold(), passages[n].text.casefold()) >= VERBATIM and len(sentence.text) > 15
            ]


def unique_citations(citations: Iterable[Citation]) -> list[Citation]:
    """Citations by first appearance, one for each number and quote."""
    return list({(c.n, c.char_start, c.char_end): c for c in reversed(list(citations))}.values())[::-1]

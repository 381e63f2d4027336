"""From a reply with [n] markers to citations whose quotes are exact ranges of the stored text. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from haystack import Document

from components.answer import Citation, Evidence
from components.builders.markers import Keys, slug
from components.builders.quotes import SIMILAR, carries, numbers_in, resemblance, sentence_spans, shared_terms
from components.builders.reply_sentences import CitedSentence


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
    record_id: str = ""

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
                note="; ".join(str(meta[key]) for key in ("validity_note", "origin") if meta.get(key)),
                record_id=str(meta.get("record_id") or ""),
            ),
        )
    return passages


def keys_of(passages: Mapping[int, Passage]) -> Keys:
    """What a marker may name: the labels, and of each passage the title, the file's name, and the ids of passage, source and record."""
    names: dict[str, list[int]] = {}
    for n, passage in passages.items():
        file_name = passage.uri.rstrip("/").rpartition("/")[2].partition("?")[0]
        for name in (
            passage.title,
            passage.title.rpartition(".")[0],
            file_name,
            file_name.rpartition(".")[0],
            passage.source_id,
            passage.id,
            passage.record_id,
        ):
            key = slug(name)
            if key and not key.isdigit() and n not in names.setdefault(key, []):
                names[key].append(n)
    return Keys(list(passages), {key: numbers for key, numbers in names.items() if numbers}, [p.text for p in passages.values()])


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


def carrier(claim: str, passages: Mapping[int, Passage]) -> int | None:
    """The first passage with a sentence, or two that follow each other, which carry the claim; None where there is none."""
    for n, passage in passages.items():
        spans = sentence_spans(passage.text)
        around = f"{passage.title} {passage.heading}"
        pairs = [(start, end) for (start, _), (_, end) in pairwise(spans)]
        if any(carries(claim, passage.text[start:end], around) for start, end in (*spans, *pairs)):
            return n
    return None


def repair(sentences: Sequence[CitedSentence], passages: Mapping[int, Passage]) -> int:
    """Give each sentence the passages that it should cite, and say how many were changed.

    - Of a source cited by name, the passage that resembles the sentence most.
    - A sentence without a citation gets the passage that carries it, with the same numbers and names (`quotes.carries`).
    - A sentence whose cited passages do not resemble it at all gets the passage that carries it instead.
    - A sentence with a number that its passages lack gets the passage that has it beside another word of the sentence.
    """
    repaired = 0
    for sentence in sentences:
        for named in sentence.named:
            n = max(named, key=lambda n: _best_resemblance(sentence.claim, passages[n].text))
            sentence.numbers += [n] if n not in sentence.numbers else []
        strange = all(_best_resemblance(sentence.claim, passages[n].text) < SIMILAR for n in sentence.numbers)
        if strange and not sentence.is_absence and not sentence.text.rstrip().endswith(("?", ":")):
            n = carrier(sentence.claim, passages)
            if n is not None:
                sentence.numbers = [n]
                repaired += 1
        if sentence.numbers:
            more = _holders_of_numbers(sentence, passages)
            sentence.numbers += more
            repaired += len(more)
    return repaired


def _holders_of_numbers(sentence: CitedSentence, passages: Mapping[int, Passage]) -> list[int]:
    claim = sentence.claim
    lacking = numbers_in(claim)
    lacking = lacking.difference(*(numbers_in(passages[n].text) for n in sentence.numbers)) if lacking else lacking
    found: list[int] = []
    for n, passage in passages.items():
        for start, end in sentence_spans(passage.text) if lacking and n not in sentence.numbers else ():
            text = passage.text[start:end]
            if (held := lacking & numbers_in(text)) and len(shared_terms(claim, text)) > len(held):
                lacking -= held
                found.append(n)
                break
    return found


def _best_resemblance(claim: str, text: str) -> float:
    return max((resemblance(claim, text[start:end]) for start, end in sentence_spans(text)), default=0.0)


def unique_citations(citations: Iterable[Citation]) -> list[Citation]:
    """Citations by first appearance, one for each number and quote."""
    return list({(c.n, c.char_start, c.char_end): c for c in reversed(list(citations))}.values())[::-1]

"""The typed answer from a reply: markers resolved to exact quotes, sentences without a citation dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ChatMessage

from components.answer import Answer, Citation, Degraded, Status, Usage
from components.builders.citations import Passage, keys_of, passages_of, repair, unique_citations, valid_spans
from components.builders.evidence_prompt_builder import NOT_IN_EVIDENCE
from components.builders.quotes import best_quotes
from components.builders.reply_sentences import is_source_line, read_reply
from components.builders.shown_text import known_addresses, shown_text, without_images
from components.preprocessors.text_cleaning import clean_text

FAILED_TEXT = "No answer could be written."
STAGE = "citations"
MOST_NAMED = 5
"""Markers that are named in `degraded`."""


def degraded_entries(entries: object) -> list[Degraded]:
    """Entries of the `degraded` sockets as the contract has them, each reason on one line."""
    known: list[Degraded] = []
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, Mapping):
            item = Degraded(stage=str(entry.get("stage", "")), reason=" ".join(str(entry.get("reason", "")).split()))
            if item not in known:
                known.append(item)
    return known


def usage_of(meta: Mapping[str, Any]) -> Usage:
    """Tokens of the chat model, and their cost where its price is known; zero where nothing is said of them."""
    usage = meta.get("usage")
    if not isinstance(usage, Mapping):
        return Usage()
    counts = {name: usage.get(name) for name in ("prompt_tokens", "completion_tokens")}
    cost = usage.get("cost_usd")
    known = {name: count for name, count in counts.items() if isinstance(count, int) and count >= 0}
    return Usage(**known, cost_usd=cost if isinstance(cost, int | float) and cost >= 0 else None)


def from_spans(spans: list[dict[str, Any]], passages: dict[int, Passage]) -> tuple[str, list[Citation]]:
    """Answer text and citations of an extractive reply: each span word for word, its marker, and its validity note."""
    parts: list[str] = []
    citations: list[Citation] = []
    for span in spans:
        passage = passages[span["n"]]
        note = f" ({passage.note or 'not in force'})" if not passage.in_force else ""
        parts.append(f"{shown_text(span['text'])} [{span['n']}]{note}")
        citations.append(passage.citation(span["char_start"] - passage.start, span["char_end"] - passage.start))
    separator = "\n" if any("\n" in part or " | " in part for part in parts) else " "
    return separator.join(parts), unique_citations(citations)


@dataclass
class Reading:
    """What was made of a chat reply."""

    answer: str = ""
    citations: list[Citation] = field(default_factory=list)
    missing: str = ""
    unresolved: list[str] = field(default_factory=list)
    """Markers that name no passage; they were removed."""
    addresses: int = 0
    """Addresses that no passage holds; they were removed."""
    repaired: int = 0
    """Sentences that were given the citation which they lacked, or the right one."""
    dropped: int = 0
    """Sentences that were left out: no passage carries them."""

    @property
    def degraded(self) -> list[Degraded]:
        """What a reader should know: the model cited what it was not shown."""
        reasons = []
        if self.unresolved:
            shown = ", ".join(self.unresolved[:MOST_NAMED]) + (", …" if len(self.unresolved) > MOST_NAMED else "")
            reasons.append(f"removed markers that name no passage: {shown}")
        if self.addresses:
            reasons.append(f"removed addresses that no passage holds: {self.addresses}")
        return [Degraded(stage=STAGE, reason=reason) for reason in reasons]

    @property
    def note(self) -> str:
        """The rest, for the trace."""
        counts = ((self.repaired, "repaired citations"), (self.dropped, "left out for want of a passage"))
        return ", ".join(f"{what}: {count}" for count, what in counts if count)


def from_text(text: str, passages: dict[int, Passage]) -> Reading:
    """A chat reply with its markers resolved. Sentences that no known passage carries are left out."""
    passages = {n: passage for n, passage in passages.items() if passage.text.strip()}
    sentences, unresolved = read_reply(without_images(clean_text(text, "code")), keys_of(passages))
    sentences = [s for s in sentences if not is_source_line(s.text)]
    read = Reading(unresolved=unresolved, repaired=repair(sentences, passages))
    held = [passage.text for passage in passages.values()]
    missing: list[str] = []
    for i, sentence in enumerate(sentences):
        introduces = sentence.text.endswith(":") and i + 1 < len(sentences) and bool(sentences[i + 1].numbers)
        if NOT_IN_EVIDENCE in sentence.text or (not sentence.numbers and sentence.is_absence):
            missing.append(sentence.text)
            continue
        if not sentence.numbers and not introduces:
            read.dropped += 1
            continue
        markers = "".join(f"[{n}]" for n in sentence.numbers)
        gap = ("\n" if "\n" in sentence.gap else " ") if read.answer else ""
        said, addresses = known_addresses(shown_text(sentence.text), held)
        read.addresses += addresses
        read.answer += f"{gap}{said} {markers}".rstrip()
        for n in sentence.numbers:
            read.citations += [passages[n].citation(*quote) for quote in best_quotes(sentence.claim, passages[n].text)]
    read.citations = unique_citations(read.citations)
    read.missing = shown_text(" ".join(m for m in missing if NOT_IN_EVIDENCE not in m))
    return read


@component
class CitedAnswerBuilder:
    """Builds the `Answer` of the contract from a reply and the evidence, and fails closed.

    Haystack's AnswerBuilder maps [n] to whole documents, keeps sentences without a source, and knows no quote, no offset and no declined
    answer. Here every citation quotes exactly the stored text; a sentence that cites nothing is dropped; if none is left, the answer is
    declined.

    >>> passage = Document(content="It opens at 7.", meta={"label": 1, "source_id": "s", "title": "Pool", "char_start": 10})
    >>> out = CitedAnswerBuilder().run("When?", [ChatMessage.from_assistant("At 7, it opens [1]. I like pools.")], [passage])
    >>> out["answer"].answer, out["answer"].citations[0].quote, out["answer"].citations[0].char_start
    ('At 7, it opens. [1]', 'It opens at 7.', 10)
    """

    @component.output_types(answer=Answer, note=str)
    def run(self, question: str, replies: list[ChatMessage], evidence: list[Document], degraded: list[Any] | None = None) -> dict[str, Any]:
        """Build the answer.

        :param question: the question as asked.
        :param replies: the first is used. None at all: status failed.
        :param evidence: the passages that the prompt showed; `meta.label` is the marker's number.
        :param degraded: entries of other stages; any number of senders, or none.
        :returns: `answer`, without trace, graph and index_version, its numbers those of the evidence; `note`: what was repaired or left out.
        """
        passages = passages_of(evidence)
        shown = [passage.evidence() for passage in passages.values()]
        entries = degraded_entries(degraded)
        text = (replies[0].text or "").strip() if replies else ""
        if not text:
            entries = entries or [Degraded(stage="generator", reason="no reply")]
            return {"answer": Answer(status=Status.FAILED, question=question, answer=FAILED_TEXT, evidence=shown, degraded=entries), "note": ""}

        meta = replies[0].meta
        missing = str(meta.get("missing") or "")
        answer, citations, note = "", [], ""
        if not meta.get("declined") and not text.startswith(NOT_IN_EVIDENCE):
            if spans := valid_spans(meta.get("spans"), passages):
                answer, citations = from_spans(spans, passages)
            else:
                read = from_text(text, passages)
                answer, citations, note = read.answer, read.citations, read.note
                missing = missing or read.missing
                entries += read.degraded
        status = Status.ANSWERED if citations else Status.DECLINED
        if status == Status.DECLINED:
            missing = missing or " ".join(question.split())
            answer = shown_text(text) if meta.get("declined") else f"The documents do not say: {shown_text(missing)}"
        return {
            "answer": Answer(
                status=status,
                question=question,
                answer=answer,
                missing=missing,
                citations=citations,
                evidence=shown,
                degraded=entries,
                usage=usage_of(meta),
            ),
            "note": note,
        }

"""The typed answer from a reply: markers resolved to exact quotes, sentences without a citation dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ChatMessage

from components.answer import Answer, Citation, Degraded, Status, Usage
from components.builders.citations import (
    Passage,
    best_quote,
    carry_citations_back,
    cited_sentences,
    passages_of,
    unique_citations,
    valid_spans,
    without_markers,
)
from components.builders.evidence_prompt_builder import NOT_IN_EVIDENCE

FAILED_TEXT = "No answer could be written."


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
        parts.append(f"{without_markers(span['text'])} [{span['n']}]{note}")
        citations.append(passage.citation(span["char_start"] - passage.start, span["char_end"] - passage.start))
    separator = "\n" if any("\n" in part for part in parts) else " "
    return separator.join(parts), unique_citations(citations)


def from_text(text: str, passages: dict[int, Passage]) -> tuple[str, list[Citation], str]:
    """Answer text, citations and what is missing of a chat reply. Sentences that no known passage carries are left out."""
    passages = {n: passage for n, passage in passages.items() if passage.text.strip()}
    sentences = cited_sentences(text, passages)
    carry_citations_back(sentences, passages)
    answer = ""
    citations: list[Citation] = []
    missing: list[str] = []
    for i, sentence in enumerate(sentences):
        introduces = sentence.text.endswith(":") and i + 1 < len(sentences) and bool(sentences[i + 1].numbers)
        if NOT_IN_EVIDENCE in sentence.text or (not sentence.numbers and sentence.is_absence):
            missing.append(sentence.text)
            continue
        if not sentence.numbers and not introduces:
            continue
        markers = "".join(f"[{n}]" for n in sentence.numbers)
        gap = ("\n" if "\n" in sentence.gap else " ") if answer else ""
        answer += f"{gap}{sentence.text} {markers}".rstrip()
        citations += [passages[n].citation(*best_quote(sentence.text, passages[n].text)) for n in sentence.numbers]
    said = " ".join(m for m in missing if NOT_IN_EVIDENCE not in m)
    return answer, unique_citations(citations), said


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

    @component.output_types(answer=Answer)
    def run(self, question: str, replies: list[ChatMessage], evidence: list[Document], degraded: list[Any] | None = None) -> dict[str, Answer]:
        """Build the answer.

        :param question: the question as asked.
        :param replies: the first is used. None at all: status failed.
        :param evidence: the passages that the prompt showed; `meta.label` is the marker's number.
        :param degraded: entries of other stages; any number of senders, or none.
        :returns: `answer`, without trace, graph and index_version.
        """
        passages = passages_of(evidence)
        shown = [passage.evidence() for passage in passages.values()]
        entries = degraded_entries(degraded)
        text = (replies[0].text or "").strip() if replies else ""
        if not text:
            entries = entries or [Degraded(stage="generator", reason="no reply")]
            return {"answer": Answer(status=Status.FAILED, question=question, answer=FAILED_TEXT, evidence=shown, degraded=entries)}

        meta = replies[0].meta
        missing = str(meta.get("missing") or "")
        answer, citations = "", []
        if not meta.get("declined") and not text.startswith(NOT_IN_EVIDENCE):
            if spans := valid_spans(meta.get("spans"), passages):
                answer, citations = from_spans(spans, passages)
            else:
                answer, citations, said = from_text(text, passages)
                missing = missing or said
        status = Status.ANSWERED if citations else Status.DECLINED
        if status == Status.DECLINED:
            missing = missing or " ".join(question.split())
            answer = without_markers(text) if meta.get("declined") else f"The documents do not say: {missing}"
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
            )
        }

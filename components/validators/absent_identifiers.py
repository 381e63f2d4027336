"""Answers from metadata where a question names a provision that its document does not have: "Section 359 is not in the BNS: it has 358"."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import regex
from haystack import Document, component

from components.answer import Answer, Citation, Degraded, Evidence, Status
from components.failure import Degradation
from components.preprocessors.numbering import LABEL, LABELS, normal, opening_number
from components.rankers.identifiers import called, names_of, references, without_rows

logger = logging.getLogger(__name__)

STAGE = "absent_identifiers"
MOST = 5000
"""Provisions of a document that are looked at."""
FEWEST = 3
"""Numbered provisions from which on a document counts as numbered."""
WHOLE = 0.9
"""Share of the numbers from 1 to the last that must be there for "it has 358"."""

_ASKED = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}])(?i:{LABEL})\s*(?:no\.?\s*|number\s+)?(?P<number>\d{{1,4}}(?:\.\d{{1,3}})*[A-Za-z]{{0,2}})(?![\p{{L}}\d])"
)
_IN_TITLE = regex.compile(rf"\((?i:{LABEL})\s*(?P<number>\d{{1,4}}[A-Za-z]{{0,2}})\)\s*$")
_RECORD = regex.compile(r"[A-Za-z]+[_-](\d{1,4}[A-Za-z]{0,2})$")


@dataclass(frozen=True)
class Asked:
    """A provision that a question names: `section`, `359`, and the document as the question calls it."""

    label: str
    number: str
    qualifier: str = ""


def asked_provisions(question: str) -> list[Asked]:
    """The provisions that a question names by kind and number, in its order.

    >>> asked_provisions("What does section 359 of the BNS say?")
    [Asked(label='section', number='359', qualifier='BNS')]
    """
    qualifiers = {normal(r.key.split("(")[0]): r.qualifier for r in references(question, question=True)}
    found: dict[Asked, None] = {}
    for match in _ASKED.finditer(question):
        label = next(name for name in LABELS if match.group(name))
        number = normal(match.group("number"))
        name = qualifiers.get(number, "")
        found[Asked(label, number, name if any(c.isupper() for c in name) else "")] = None  # "of the criminal code" names no document
    return list(found)


def numbers_of(meta: Mapping[str, Any]) -> set[str]:
    """The numbers that a passage carries as its own: of its section, its headings, its title or its record."""
    found = {normal(str(meta["section_number"]))} if meta.get("section_number") else set()
    title, record = without_rows(str(meta.get("title") or "")), without_rows(str(meta.get("record_id") or ""))  # row-7 is no section 7
    for line in [*(meta.get("heading_path") or []), title]:
        opened = opening_number(str(line))
        if opened is not None:
            found.add(opened.value)
        found |= {normal(n) for n in regex.findall(r"\d{1,4}[A-Za-z]{0,2}", str(line)[:60])} if regex.match(rf"(?i:{LABEL})", str(line)) else set()
    for match in (_IN_TITLE.search(title), _RECORD.search(record)):
        if match is not None:
            found.add(normal(match.groupdict().get("number") or match.group(1)))
    return found


def numbering(numbers: Iterable[str], label: str) -> str:
    """What a document has instead, in words.

    >>> numbering(map(str, range(1, 359)), "section"), numbering(["303", "304", "318"], "section")
    ('it has 358', 'its sections here are numbered 303 to 318')
    """
    whole = sorted({int(match.group()) for n in numbers if (match := regex.match(r"\d+", n))})
    if whole and len([n for n in whole if n > 0]) >= WHOLE * whole[-1]:
        return f"it has {whole[-1]}"
    return f"its {label}s here are numbered {whole[0]} to {whole[-1]}"


def names_in(meta: Mapping[str, Any]) -> frozenset[str]:
    """What the document of a passage may be called."""
    parts = [meta.get("title"), *(meta.get("heading_path") or []), meta.get("record_id"), meta.get("file_name"), meta.get("context_header")]
    return names_of(" ; ".join(str(part) for part in parts if part))


@component
class AbsentIdentifiers:
    """Declines with the reason where a question names a section, clause, article or chapter that its document does not have.

    Retrieval finds something near for any number, and a chat model answers from it. Haystack has no such check. What a document has is read
    from the index (`section_number`, headings, titles, record ids) with the rights of whoever asks. Nothing is said where the document
    that is meant cannot be told, is not numbered, or where a passage of the evidence names the provision.
    """

    def __init__(self, document_store: Any) -> None:
        """:param document_store: where sections are read."""
        self.document_store = document_store

    @component.output_types(answer=Answer, degraded=list[Degradation], skipped=str, note=str)
    def run(self, answer: Answer, evidence: list[Document], question: str | None = None) -> dict[str, Any]:
        """Check.

        :param evidence: the passages that the prompt showed: they tell which documents are meant.
        :param question: as it was searched for; `None`: the answer's.
        :returns: `answer`, declined where a provision is not there; `degraded` where the index could not be read.
        """
        passed: dict[str, Any] = {"answer": answer, "degraded": [], "skipped": "", "note": ""}
        asked = [] if answer.status is Status.FAILED else asked_provisions(question or answer.question)
        if not asked:
            return {**passed, "skipped": "the question names no provision"}
        try:
            said = [one for provision in asked if (one := self._absence(provision, evidence))]
        except Exception as error:  # noqa: BLE001 - the store may fail in its own ways; the answer stays as it is
            entry = Degraded(stage=STAGE, reason=f"the index could not be read: {(str(error).splitlines() or [type(error).__name__])[0][:200]}")
            logger.warning(entry.reason)
            update = {"degraded": [*answer.degraded, entry]}
            return {**passed, "answer": answer.model_copy(update=update), "degraded": [Degradation(stage=STAGE, reason=entry.reason)]}
        if len(said) < len(asked):
            return {**passed, "note": "; ".join(sentence for sentence, _ in said)}
        return {**passed, "answer": absent(answer, said), "note": "; ".join(sentence for sentence, _ in said)}

    def _absence(self, asked: Asked, evidence: Sequence[Document]) -> tuple[str, Document | None] | None:
        """The sentence that says what is not there, and the last provision that is; None where it is there or nothing can be said."""
        meant = [d for d in evidence if not asked.qualifier or called(asked.qualifier, names_in(d.meta))]
        if any(asked.number in numbers_of(d.meta) for d in meant) or any(_names(asked, d) for d in evidence):
            return None
        containers = list(dict.fromkeys(str(d.meta.get("container_id") or d.meta.get("source_id")) for d in meant))
        if not containers:
            return None
        kept: dict[str, dict[str, Any]] = {}
        first = ""
        for container in containers:
            found = {number: meta for meta in self._sections(container) for number in numbers_of(meta)}
            if not first and len(found) >= FEWEST:
                first, kept = container, found
            if any(n == asked.number or n.startswith(f"{asked.number}.") for n in found):
                return None
        if not first or (not asked.qualifier and len(containers) > 1 and self._elsewhere(asked)):
            return None
        meta = next(d.meta for d in meant if first in (d.meta.get("container_id"), d.meta.get("source_id")))
        name = f"the {asked.qualifier}" if asked.qualifier else f"“{meta.get('title') if not meta.get('record_id') else meta.get('file_name')}”"
        last = max(kept, key=lambda n: int(match.group()) if (match := regex.match(r"\d+", n)) else 0)
        return f"{asked.label.capitalize()} {asked.number} is not in {name}: {numbering(kept, asked.label)}.", self._passage(kept[last])

    def _sections(self, container: str) -> list[dict[str, Any]]:
        conditions = [
            {"field": "meta.container_id", "operator": "==", "value": container},
            {"field": "meta.kind", "operator": "==", "value": "section"},
        ]
        fields = ["meta.title", "meta.section_number", "meta.heading_path", "meta.record_id", "meta.source_id", "meta.char_start"]
        return self.document_store.peek({"operator": "AND", "conditions": conditions}, MOST, fields)

    def _elsewhere(self, asked: Asked) -> bool:
        """Whether any section that the asker may read carries the number."""
        filters = {"field": "meta.section_number", "operator": "==", "value": asked.number}
        return bool(self.document_store.peek(filters, 1, ["meta.source_id"]))

    def _passage(self, meta: Mapping[str, Any]) -> Document | None:
        conditions = [{"field": f"meta.{name}", "operator": "==", "value": meta.get(name)} for name in ("source_id", "char_start")]
        conditions.append({"field": "meta.kind", "operator": "==", "value": "section"})
        found = self.document_store.filter_documents({"operator": "AND", "conditions": conditions}, with_embeddings=False)
        return found[0] if found else None


def _names(asked: Asked, document: Document) -> bool:
    """Whether a passage speaks of the provision, of the document that is meant."""
    for reference in references(f"{document.content or ''}"):
        if normal(reference.key.split("(")[0]) == asked.number and (not asked.qualifier or called(asked.qualifier, names_of(reference.qualifier))):
            return True
    return False


def absent(answer: Answer, said: Sequence[tuple[str, Document | None]]) -> Answer:
    """The answer declined with these sentences; each cites the first line of the last provision that is there."""
    shown, citations, sentences = list(answer.evidence), [], []
    for sentence, document in said:
        line = regex.search(r"[^\n]*\S[^\n]*", document.content or "") if document is not None else None
        if document is None or line is None or not isinstance(document.meta.get("char_start"), int):
            sentences.append(sentence)
            continue
        meta, n = document.meta, max((e.n for e in shown), default=0) + 1
        start = meta["char_start"]
        place = {
            "n": n,
            "source_id": str(meta.get("source_id") or ""),
            "title": str(meta.get("title") or ""),
            "uri": str(meta.get("uri") or ""),
            "heading": " > ".join(str(h) for h in meta.get("heading_path") or []),
            "page": meta.get("page"),
        }
        text = document.content or ""
        shown.append(Evidence(**place, id=document.id, text=text, char_start=start, char_end=start + len(text)))
        citations.append(Citation(**place, quote=line.group(), char_start=start + line.start(), char_end=start + line.end()))
        sentences.append(f"{sentence} [{n}]")
    text = " ".join(sentences)
    missing = " ".join(sentence for sentence, _ in said)
    update = {"status": Status.DECLINED, "answer": text, "missing": missing, "citations": citations, "claims": [], "evidence": shown}
    return answer.model_copy(update=update)

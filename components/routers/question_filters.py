"""Turns unambiguous phrases of a question into filters: "in last week's report", "as of 2024-03-01", "in leave.docx", "under the BNSS"."""

from __future__ import annotations

import logging
from typing import Any

from haystack import component, default_from_dict, default_to_dict

from components.document_stores.filter_fields import IndexFields
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from components.failure import Degradation
from components.routers.question_narrowing import Wanted, narrowed, said
from components.routers.question_phrases import Phrase, phrases, without

logger = logging.getLogger(__name__)
STAGE = "question_filters"


@component
class QuestionFilters:
    """Read where to look from the question, by rules (English phrases), and check it against the index.

    Haystack has none: its `LLMMetadataExtractor` reads documents while indexing, with a chat model. `ChatQuestionFilters` is the variant here
    that asks one.

    A phrase is taken only where it says plainly that a document is meant: a file by its name, a document by its title, file name or acronym, a
    kind of file, a time of a document ("last week's report", not "last week"), a heading in quotes, a day in force. What it finds is ANDed to the
    caller's filter, so it can only narrow, and a condition that would leave nothing is left out, and said.
    """

    def __init__(self, document_store: SakshyaDocumentStore, enabled: bool = True) -> None:
        """Create the node.

        :param document_store: the index that phrases are checked against, as the asker sees it.
        :param enabled: False: pass everything through.
        """
        self.document_store = document_store
        self.enabled = enabled

    def to_dict(self) -> dict[str, Any]:
        """Serialise to plain data."""
        return default_to_dict(self, document_store=self.document_store.to_dict(), enabled=self.enabled)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> QuestionFilters:
        """Create from plain data; the store is created from its own."""
        return default_from_dict(cls, data)

    @component.output_types(question=str, filters=dict[str, Any] | None, as_of=str | None, note=str, skipped=str, degraded=list[Degradation])
    def run(self, question: str, filters: dict[str, Any] | None = None, as_of: str | None = None) -> dict[str, Any]:
        """Read the question.

        :param filters: the caller's, as the store takes it.
        :param as_of: the caller's day, which the question's own never replaces.
        :returns: `question` without the phrases that say only where or when; `filters` and `as_of`, narrowed; `note`: what was taken from the
            question and what that leaves; `skipped` where the question says nothing of the kind; `degraded`: the index could not be asked.
        """
        unchanged = {"question": question, "filters": filters, "as_of": as_of, "note": "", "degraded": []}
        if not self.enabled:
            return {**unchanged, "skipped": "not enabled"}
        try:
            files = IndexFields(self.document_store).files()
            found = phrases(question, files)
            if not found:
                return {**unchanged, "skipped": "the question names no place or time to look in"}
            wanted = {phrase: _wanted(question, phrase, files) for phrase in found if phrase.condition}
            narrow, applied, refused = narrowed(self.document_store, filters, list(wanted.values()))
            note = said(self.document_store, narrow, applied, refused)
        except Exception as error:  # noqa: BLE001 - without the question's filter there still is an answer
            reason = f"the question's own filter could not be checked and was left out: {' '.join(str(error).split())[:300]}"
            logger.warning(reason)
            return {**unchanged, "skipped": "", "degraded": [Degradation(stage=STAGE, reason=reason)]}
        taken = [phrase for phrase, (name, _) in wanted.items() if name in applied]
        if (day := next((p for p in found if p.as_of), None)) and as_of is None:
            as_of = day.as_of
            taken.append(day)
            note = "; ".join(filter(None, [note, f"as of {as_of}"]))
        asked = without(question, [p for p in taken if p.cut])
        return {"question": asked, "filters": narrow, "as_of": as_of, "note": note, "skipped": "", "degraded": []}


def _wanted(question: str, phrase: Phrase, files: list[dict[str, Any]]) -> Wanted:
    name = f"{' '.join(question[phrase.start : phrase.end].split())!r}"
    if not phrase.names:
        return name, phrase.condition
    named = [f for f in files if all(n in f"{f.get('title')} {f.get('file_name')}".casefold() for n in phrase.names)]
    return name, [phrase.condition, {"field": "container_id", "operator": "in", "value": [str(f["container_id"]) for f in named]}]

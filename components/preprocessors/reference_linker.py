"""Links chunks to the sections that their text refers to by number."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import Any

from haystack import Document, component

from components.preprocessors.numbering import Number, opening_number
from components.preprocessors.references import Reference, references

_IN_TITLE = re.compile(r"\(([^()]*\d[^()]*)\)$")


@component
class ReferenceLinker:
    """Writes a section's own number, and the ids of the sections it refers to, into the meta of chunks.

    Haystack has no notion of a reference inside a document: a rule that says "as described in section 3.2" is retrieved without what it
    points to. A reference into another document ("section 12 of the Penal Code") is left alone.

    ```python
    from haystack import Document
    from components.preprocessors.reference_linker import ReferenceLinker

    sections = [Document(id=n, content="", meta={"source_id": "s", "heading_path": [f"{n}. Fees"]}) for n in ("1", "2")]
    chunk = Document(content="As in section 2.", meta={"source_id": "s", "heading_path": ["1. Fees"], "parent_id": "1"})
    out = ReferenceLinker().run(documents=[chunk], sections=sections)
    assert out["documents"][0].meta["references"] == ["2"] and out["documents"][0].meta["section_number"] == "1"
    ```

    :param max_references: sections that one chunk is linked to, in the order of the text; 1 to 1000.
    :raises ValueError: a value outside these bounds.
    """

    def __init__(self, max_references: int = 20) -> None:
        if isinstance(max_references, bool) or not isinstance(max_references, int) or not 1 <= max_references <= 1000:
            raise ValueError(f"ReferenceLinker: max_references={max_references!r} is not accepted; accepted: a whole number from 1 to 1000")
        self.max_references = max_references

    @component.output_types(documents=list[Document], sections=list[Document])
    def run(self, documents: list[Document], sections: list[Document]) -> dict[str, list[Document]]:
        """Link the chunks of each source with its sections.

        :param documents: chunks, with `source_id`, `heading_path` and `parent_id`.
        :param sections: their sections.
        :returns: `documents` and `sections` with `section_number` where a heading gives one, and `documents` with `references` (ids of sections
            of the same source, without the chunk's own) where the text refers to some. Ids and contents stay.
        """
        targets = _targets(sections)
        return {
            "documents": [_with(d, **_number(d), **self._references(d, targets)) for d in documents],
            "sections": [_with(d, **_number(d)) for d in sections],
        }

    def _references(self, chunk: Document, targets: dict[tuple[str, str], list[tuple[str, str]]]) -> dict[str, Any]:
        own, group = chunk.meta.get("parent_id"), _group(chunk)
        found: dict[str, None] = {}
        for reference in references(chunk.content or ""):
            target = None if reference.document else _resolve(reference, targets.get((group, reference.value), []))
            if target is not None and target != own:
                found[target] = None
        return {"references": list(found)[: self.max_references]} if found else {}


def _with(document: Document, **meta: Any) -> Document:
    return replace(document, meta={**document.meta, **meta}) if meta else document


def _group(document: Document) -> str:
    """What numbers are looked up in: the source; for a record, all records of its file."""
    meta = document.meta
    return str(meta.get("uri")).rpartition("#")[0] if meta.get("record_id") else str(meta.get("source_id"))


def _own_number(document: Document) -> Number | None:
    """The number of the innermost heading that has one; of a record, its key, or what its title names in brackets at the end."""
    if document.meta.get("record_id"):
        named = _IN_TITLE.search(str(document.meta.get("title") or ""))
        return opening_number(named.group(1)) if named else opening_number(f"{document.meta['record_id']}.")
    for heading in reversed(document.meta.get("heading_path") or []):
        if (number := opening_number(heading)) is not None:
            return number
    return None


def _number(document: Document) -> dict[str, Any]:
    number = _own_number(document)
    return {"section_number": number.value} if number else {}


def _targets(sections: list[Document]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """By source and number: (label, id) of the sections whose own heading bears that number, the first part of each section alone."""
    targets: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for section in sections:
        path = tuple(section.meta.get("heading_path") or [])
        source = str(section.meta.get("source_id"))
        is_record = bool(section.meta.get("record_id"))
        number = _own_number(section) if is_record else opening_number(path[-1]) if path else None
        key = (source, () if is_record else path)
        if number is None or key in seen:
            continue
        seen.add(key)
        targets[_group(section), number.value].append((number.label, section.id))
    return targets


def _resolve(reference: Reference, candidates: list[tuple[str, str]]) -> str | None:
    """The one section a reference means: of the same label, else unlabelled where the reference may mean it; None where several would do."""
    same = [identity for label, identity in candidates if label == reference.label]
    if not same and reference.label not in ("chapter", "part", "schedule", "annex"):
        same = [identity for label, identity in candidates if label in ("", "section", "article", "clause", "rule", "regulation")]
    return same[0] if len(same) == 1 else None

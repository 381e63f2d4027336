"""Puts passages that carry the question's numbers and codes before those that do not."""

from __future__ import annotations

from typing import Any

from haystack import Document, component

from components.chunk import embedded_text
from components.embedders.bm25_tokenizer import document_terms, query_terms


def identifiers(question: str) -> set[str]:
    """Numbers and codes of a question, whole: of a code and its parts only the code.

    >>> sorted(identifiers("Is ERR-1002 listed under 2(1)(a), for the XR-17B?"))
    ['2(1)(a)', 'err-1002', 'xr-17b']
    """
    found = {term for term in query_terms(question, None) if any(c.isdigit() for c in term) and not term.endswith("~")}
    return {term for term in found if not any(term != other and term in other for other in found)}


@component
class IdentifierRanker:
    """Order passages by how many of the question's identifiers they carry, header included; else their order stays.

    Embeddings hardly tell 303 from 103, and rank fusion lets such a passage in front where both legs like its other words. Haystack has no
    ranker for this: its MetaFieldRanker sorts by a stored value, not by what a question names.

    >>> ranker = IdentifierRanker()
    >>> found = ranker.run("What is section 303?", [Document(content="section 103"), Document(content="section 303(2)")])["documents"]
    >>> [d.content for d in found]
    ['section 303(2)', 'section 103']
    """

    @component.output_types(documents=list[Document], skipped=str)
    def run(self, query: str, documents: list[Document]) -> dict[str, Any]:
        """Order the passages.

        :param query: the question.
        :param documents: passages, best first; they are not changed.
        :returns: `documents`, and `skipped` where the question names no identifier.
        """
        wanted = identifiers(query)
        if not wanted:
            return {"documents": documents, "skipped": "no identifier in the question"}
        return {"documents": sorted(documents, key=lambda document: -len(wanted & _terms(document))), "skipped": ""}


def _terms(document: Document) -> set[str]:
    return set(document_terms(embedded_text(document.content or "", str(document.meta.get("context_header") or "")), None))

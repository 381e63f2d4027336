"""Joins the own passages with those from elsewhere: the own first, the others marked with where they come from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from haystack import Document, component

ORIGIN = "origin"
"""Meta field that says where a passage comes from, where that is not the collection that the graph asks first."""


def marked(document: Document, origin: str) -> Document:
    """The passage with its origin in the meta and behind its title, where evidence, prompt and citations show it. One that is marked stays.

    >>> marked(Document(content="a", meta={"title": "Fees"}), "web: example.org").meta
    {'title': 'Fees (web: example.org)', 'origin': 'web: example.org'}
    """
    title = " ".join(str(document.meta.get("title") or document.meta.get("file_name") or "").split())
    if title.endswith(f"({origin})"):
        return document
    return replace(document, meta={**document.meta, "title": f"{title} ({origin})".strip(), ORIGIN: origin})


@component
class TrustJoiner:
    """Own passages before those of a fallback, which are marked: less trusted, and told apart in evidence and citations.

    Haystack's `DocumentJoiner` orders by score or position whoever found a passage, and its `ListJoiner` marks nothing. Of equal passages the own
    one stays.

    >>> own, other = Document(content="a", meta={"title": "A"}), Document(content="b", meta={"title": "B"})
    >>> [d.meta["title"] for d in TrustJoiner(origin="collection: hr").run(own=[own], other=[other])["documents"]]
    ['A', 'B (collection: hr)']
    """

    def __init__(self, origin: str = "another collection") -> None:
        """Create the joiner.

        :param origin: what the passages of `other` are marked with that do not say themselves where they come from.
        :raises ValueError: it is empty.
        """
        if not origin.strip():
            raise ValueError("TrustJoiner.origin='' is not accepted: a few words, for instance 'collection: hr'")
        self.origin = origin

    @component.output_types(documents=list[Document], note=str)
    def run(self, own: list[Document] | None = None, other: list[Document] | None = None) -> dict[str, Any]:
        """Join.

        :param own: passages of the own collection, best first; None: that way was not taken.
        :param other: passages from elsewhere, best first.
        :returns: `documents`; `note`: how many came from where.
        """
        documents = list(own or [])
        known = {(d.content or "").strip() for d in documents}
        for document in other or []:
            if (document.content or "").strip() not in known:
                documents.append(marked(document, str(document.meta.get(ORIGIN) or self.origin)))
        origins = sorted({str(d.meta[ORIGIN]) for d in documents if ORIGIN in d.meta})
        elsewhere = len(documents) - len(own or [])
        return {"documents": documents, "note": f"own: {len(own or [])}, elsewhere: {elsewhere}{' (' + ', '.join(origins) + ')' if origins else ''}"}

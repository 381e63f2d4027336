"""Puts passages that are, or name, what the question names by number, code or quotation before those that do not."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from haystack import Document, component

from components.chunk import embedded_text
from components.embedders.bm25_tokenizer import document_terms
from components.rankers.identifiers import (
    Reference,
    asks_for_correspondence,
    called,
    folded,
    is_short,
    lone_qualifiers,
    names_of,
    own_terms,
    references,
    without_rows,
)

RELATES, IS, NAMES, MENTIONS = 4, 3, 2, 1

SHORT_TITLE = 5
"""Words up to which a title names a thing rather than tells of it."""

NEAR = 0.6
"""Share of the best score from which on a passage that only mentions every identifier goes before those that do not."""


class _Passage:
    """A passage, and what of it is asked for: worked out when it is, and once."""

    def __init__(self, document: Document) -> None:
        meta = document.meta
        self._headings = [str(one) for one in meta.get("heading_path") or []]
        self._record, self._title, self._file, self._uri = (str(meta.get(name) or "") for name in ("record_id", "title", "file_name", "uri"))
        self._header = str(meta.get("context_header") or "") or " > ".join([self._title, *self._headings])
        self.text = without_rows(embedded_text(document.content or "", self._header))

    @property
    def title(self) -> str:
        """Its title and last heading."""
        return " ; ".join((self._title, *self._headings[-1:]))

    @cached_property
    def own(self) -> frozenset[str]:
        """Numbers and codes that are its own: of its title, last heading, record and file."""
        return own_terms(" ; ".join((self._title, *self._headings[-1:], self._record, self._file.rsplit(".", 1)[0])))

    @cached_property
    def filed(self) -> frozenset[str]:
        """Those of its record, its file, and a title or heading of a few words, which is no sentence."""
        short = [part for part in (self._title, *self._headings[-1:]) if len(part.split()) <= SHORT_TITLE]
        return own_terms(" ; ".join((*short, self._record, self._file.rsplit(".", 1)[0])))

    @cached_property
    def names(self) -> frozenset[str]:
        """What its document and it are called."""
        return names_of(" ; ".join((self._title, *self._headings, self._record, self._file, self._uri, self._header)))

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its words, numbers and codes, whole."""
        return frozenset(document_terms(self.text, None))

    @cached_property
    def references(self) -> list[Reference]:
        """What it names."""
        return references(self.text)


@component
class IdentifierRanker:
    """Order passages by how well they answer to the question's identifiers; else their order stays, and none is dropped.

    An identifier is a number with its kind or document (section 303 of the BNS, IPC 303, clause 6.1), a code (HR-12, INV-2024-0031) or a
    quoted phrase. First comes, for each of them, the passage that *is* it, by its own heading, title, record id or file name, in the document
    that the question names; then those that name it with that document; then those that mention it. A number of another document counts
    for nothing: IPC 303 is not BNS 303. Where the question asks what a provision became or was (or names a second document without a number),
    a passage that relates the two goes first.

    Embeddings hardly tell 303 from 103, and fusion lets such a passage in front where both legs like its other words. Haystack has no
    ranker for this: its MetaFieldRanker sorts by a stored value, not by what a question names.

    >>> from haystack import Document
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
        wanted = references(query, question=True)
        passages = [_Passage(document) for document in documents] if wanted else []
        short = is_short(query)
        wanted = [r for r in (_settled(r, passages, short) for r in wanted) if r is not None]
        if not wanted:
            return {"documents": documents, "skipped": "no identifier in the question"}
        related = lone_qualifiers(query, wanted)
        correspondence = bool(related) or asks_for_correspondence(query)
        grades = [[_grade(r, p, passages, related if correspondence else None) for r in wanted] for p in passages]
        if not short:  # a long question is about more than the code or phrase in it, unless a passage is filed under that
            for row, passage in zip(grades, passages, strict=True):
                for n, reference in enumerate(wanted):
                    if reference.kind in ("code", "phrase") and reference.key not in passage.filed:
                        row[n] = 0
        best = max((d.score for d in documents if d.score is not None), default=0.0)

        def place(i: int) -> tuple[int, int, int]:
            top, total = max(grades[i]), sum(grades[i])
            if top < NAMES:
                near = documents[i].score is None or best <= 0 or (documents[i].score or 0.0) >= NEAR * best
                top, total = (MENTIONS, 0) if min(grades[i]) and near else (0, 0)
            return (-top, -total, i)

        return {"documents": [documents[i] for i in _each_first(sorted(range(len(documents)), key=place), grades)], "skipped": ""}


def _settled(wanted: Reference, passages: list[_Passage], short: bool) -> Reference | None:
    """A reference whose qualifier is no name unless a passage is called so: the `bns` in `bns 303`, not the `gets` in `gets 20 days`."""
    if wanted.kind == "bare" and not short and wanted.qualifier[:1].islower():
        return None
    if not wanted.qualifier or wanted.qualifier[:1].isupper() or any(_known(wanted.qualifier, passage) for passage in passages):
        return wanted
    return None if wanted.kind == "bare" else replace(wanted, qualifier="")


def _each_first(order: list[int], grades: list[list[int]]) -> list[int]:
    """The order, but the best passage of each reference first: a question about two sections gets both."""
    first: list[int] = []
    for column in range(len(grades[0]) if grades else 0):
        best = next((i for i in sorted(order, key=lambda i: (-grades[i][column], order.index(i))) if grades[i][column] >= NAMES), None)
        if best is not None and best not in first:
            first.append(best)
    first.sort(key=order.index)
    return [*first, *(i for i in order if i not in first)]


def _grade(wanted: Reference, passage: _Passage, passages: list[_Passage], related: set[str] | None) -> int:
    """How well a passage answers to a reference.

    :param related: the other documents that the question names, where it asks for a correspondence; None where it does not.
    """
    if wanted.kind == "phrase":
        return IS if wanted.key in folded(passage.title) else MENTIONS if wanted.key in folded(passage.text) else 0
    is_own = wanted.key in passage.own
    if not is_own and wanted.key not in passage.terms:
        return 0
    belongs = not wanted.qualifier or called(wanted.qualifier, passage.names)
    if wanted.kind == "bare":
        return IS if is_own and belongs else 0
    if wanted.qualifier:
        named = [r for r in passage.references if _key(wanted, r) and r.qualifier and _same(wanted.qualifier, r.qualifier)]
        if related is not None and named and _relates(passage, named, related):
            return RELATES
        if named and not (is_own and belongs):
            return NAMES
    elif related is not None and (named := [r for r in passage.references if _key(wanted, r)]) and _relates(passage, named, related):
        return RELATES
    if is_own and belongs:
        return IS
    return MENTIONS if belongs or not any(_known(wanted.qualifier, other) for other in passages) else 0


def _key(wanted: Reference, reference: Reference) -> bool:
    return reference.key == wanted.key or reference.key.startswith(f"{wanted.key}(")


def _relates(passage: _Passage, named: list[Reference], related: set[str]) -> bool:
    """Whether a passage also names something of another document: of one of `related`, or of any."""
    others = [r for r in passage.references if r.qualifier and not any(_same(r.qualifier, n.qualifier) for n in named)]
    return any(not related or any(_same(one, r.qualifier) for one in related) for r in others)


def _same(one: str, other: str) -> bool:
    """Whether two qualifiers mean one document."""
    return called(one, names_of(other)) or called(other, names_of(one))


def _known(qualifier: str, passage: _Passage) -> bool:
    return called(qualifier, passage.names) or any(r.qualifier and _same(qualifier, r.qualifier) for r in passage.references)

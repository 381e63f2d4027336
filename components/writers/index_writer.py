"""The only part that writes the index: new version first, old version away, the manifest entry last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.document_stores.types import DuplicatePolicy

from components.access.principal import PUBLIC
from components.failure import Failure
from components.routers.source_meta import entry_id

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore


@dataclass
class Source:
    """What one run brought of one source.

    :param plan: its part of the intake's report.
    :param failures: what failed in it, whole or a record of it.
    """

    container_id: str
    plan: dict[str, Any]
    entry: Document | None = None
    new: list[Document] = field(default_factory=list)
    known: list[Document] = field(default_factory=list)
    sections: list[Document] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    @property
    def uri(self) -> str:
        """Its uri, as the intake read it."""
        return self.plan["uri"]

    @property
    def chunks(self) -> list[Document]:
        """All its chunks, those to be embedded first."""
        return [*self.new, *self.known]

    @property
    def has_records(self) -> bool:
        """Whether its chunks belong to records inside the file, each with an identity of its own."""
        return any(chunk.meta.get("source_id") != self.container_id for chunk in self.chunks)

    def refusal(self, *, dense: bool) -> str | None:
        """Why the version that is indexed now must stay; None where the new one may replace it.

        :param dense: whether every chunk must have a dense vector.
        """
        if self.failures and not self.has_records:
            return self.failures[0]["reason"]
        if not self.chunks:
            return self.failures[0]["reason"] if self.failures else "no text was found in it"
        bare = sum(chunk.embedding is None for chunk in self.chunks) if dense else 0
        return f"{bare} of its {len(self.chunks)} chunks got no dense vector" if bare else None

    def differs(self) -> bool:
        """Whether bytes, graph, access, validity or the user's fields differ from what the manifest entry says."""
        stored = self.entry.meta if self.entry else {}
        return any(stored.get(key) != self.plan[key] for key in ("source_version", "meta_version"))


@component
class IndexWriter:
    """Write what an indexing run found, so that a run killed at any point is repaired by the next one.

    Haystack's `DocumentWriter` writes documents and keeps no manifest: chunks of an older version stay, and nothing tells a whole source
    from half of one. Per run:

    1. The fingerprints are compared; another one is refused before anything is written.
    2. The manifest entries of the sources to write are marked incomplete, so that a source with any point in the index is in the manifest.
    3. New and known chunks and the sections are upserted; then every other chunk and section of those sources is deleted.
    4. The batch is committed: `index_version` grows. It comes before the entries, for otherwise a kill between the two would leave a changed
       index under its old version, and no later run would see a reason to commit.
    5. The manifest entries are written, complete. A source of which single records failed stays incomplete, so it is read again next time.

    A source that failed as a whole, or gave no chunk, keeps its indexed version. Only access that is taken away is taken away from it too:
    that must not depend on whether the file can be read.
    """

    def __init__(self, document_store: SakshyaDocumentStore) -> None:
        """Create the writer.

        :param document_store: the index.
        """
        self.document_store = document_store

    def to_dict(self) -> dict[str, Any]:
        """Serialise to plain data."""
        return default_to_dict(self, document_store=self.document_store.to_dict())

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> IndexWriter:
        """Create from plain data; the store is created from its own."""
        return default_from_dict(cls, data)

    @component.output_types(report=dict[str, Any])
    def run(
        self,
        documents: list[Document],
        intake: dict[str, Any],
        known: list[Document] | None = None,
        sections: list[Document] | None = None,
        failed: list[Failure] | None = None,
        dense_fingerprint: dict[str, Any] | None = None,
        sparse_fingerprint: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Write the index.

        :param documents: embedded chunks.
        :param intake: the report of `SourceIntake`.
        :param known: chunks that keep their vectors, from `ChangeRouter`.
        :param failed: from any number of senders.
        :returns: `report`: `added`, `updated`, `unchanged` (uris), `failed`, `embedded` (chunks embedded in this run), `chunks` (all chunks of the
            written sources), `index_version`.
        :raises FingerprintError: the index was built with other models or settings; nothing was written.
        """
        store = self.document_store
        if dense_fingerprint or sparse_fingerprint:
            store.declare_fingerprint({"dense": dense_fingerprint, "sparse": sparse_fingerprint})
        failures: list[Failure] = [*intake["failed"], *(f for f in failed or [] if f)]
        sources = {container: Source(container, plan) for container, plan in intake["sources"].items()}
        _gather(sources, documents, known or [], sections or [], failures)
        asked: dict[str, list[str]] = dict(intake.get("access", {}))
        entries = {d.meta["container_id"]: d for d in store.get_documents_by_id([entry_id(c) for c in [*sources, *asked]])}
        written: list[Source] = []
        for source in sources.values():
            source.entry = entries.get(source.container_id)
            reason = source.refusal(dense=bool(dense_fingerprint))
            if reason is None:
                written.append(source)
                continue
            if not source.failures:
                failures.append({"source": source.uri, "reason": reason})
            asked[source.container_id] = source.plan["meta"]["access"]
        access = {c: narrowed_access(entries[c].meta["access"], groups) for c, groups in asked.items() if c in entries}
        access = {c: groups for c, groups in access.items() if groups != entries[c].meta["access"]}
        changed = self._write(written)
        for container, groups in access.items():
            store.set_meta(_own(container, ["chunk", "section"]), {"access": groups})
        if changed or access:
            store.commit({"dense": dense_fingerprint, "sparse": sparse_fingerprint})
        for container, groups in access.items():
            store.set_meta(_own(container, ["source"]), {"access": groups})
        if written:
            store.write_documents([_entry(source) for source in written], policy=DuplicatePolicy.OVERWRITE)
        report = {
            "added": [s.uri for s in written if s.plan["is_new"]],
            "updated": [s.uri for s in written if not s.plan["is_new"] and s.container_id in changed],
            "unchanged": list(intake["unchanged"]),
            "failed": failures,
            "embedded": sum(len(s.new) for s in written),
            "chunks": sum(len(s.chunks) for s in written),
            "index_version": store.index_version(),
        }
        return {"report": report}

    def _write(self, written: Sequence[Source]) -> set[str]:
        """Replace the sources' points; the containers in which something changed."""
        if not written:
            return set()
        store, now = self.document_store, datetime.now(UTC).isoformat(timespec="seconds")
        for source in written:
            source.plan["meta"]["indexed_at"] = now
        store.write_documents([_begun(source) for source in written], policy=DuplicatePolicy.OVERWRITE)
        points = [replace(d, meta={**d.meta, "indexed_at": now}) for s in written for d in (*s.chunks, *s.sections)]
        store.write_documents(points, policy=DuplicatePolicy.OVERWRITE)
        changed = set()
        for source in written:
            deleted = store.delete_except(_stale(source), {d.id for d in (*source.chunks, *source.sections)})
            if deleted or source.new or source.differs():
                changed.add(source.container_id)
        return changed


def _gather(
    sources: dict[str, Source], new: Iterable[Document], known: Iterable[Document], sections: Iterable[Document], failures: list[Failure]
) -> None:
    """Give each source its documents and its failures; what no announced source claims becomes a failure."""
    strangers: set[str] = set()
    for name, documents in (("new", new), ("known", known), ("sections", sections)):
        for document in documents:
            source = sources.get(document.meta.get("container_id", ""))
            if source is None:
                strangers.add(str(document.meta.get("uri") or document.id))
            else:
                getattr(source, name).append(document)
    names = {source.uri: source for source in sources.values()}
    for failure in failures:
        if (source := next((names[name] for name in _owners(failure["source"]) if name in names), None)) is not None:
            source.failures.append(failure)
    failures.extend({"source": uri, "reason": "its chunks name no source of this run, so they were not written"} for uri in sorted(strangers))


def _owners(name: str) -> list[str]:
    """The uris that a failure's name may belong to: its own, then what stands before each `#` of a record's uri, the longest first."""
    parts = name.split("#")
    return ["#".join(parts[:end]) for end in range(len(parts), 0, -1)]


def narrowed_access(stored: list[str], asked: list[str]) -> list[str]:
    """Access of an old version that stays because the new one failed: what was asked takes readers away, and adds none while any is left.

    >>> narrowed_access(["public"], ["hr"]), narrowed_access(["hr"], ["public"]), narrowed_access(["hr", "it"], ["it", "legal"])
    (['hr'], ['hr'], ['it'])
    """
    if PUBLIC in stored:
        return asked
    if PUBLIC in asked:
        return stored
    return sorted(set(stored) & set(asked)) or asked


def _kinds(kinds: list[str]) -> dict[str, Any]:
    return {"field": "meta.kind", "operator": "in", "value": kinds}


def _own(container: str, kinds: list[str]) -> dict[str, Any]:
    """The points of a source, without those of records in it: a record's access may be its own."""
    return {"operator": "AND", "conditions": [{"field": "meta.source_id", "operator": "==", "value": container}, _kinds(kinds)]}


def _stale(source: Source) -> dict[str, Any]:
    """The points of the source's version before this one, without those of records that failed now: they keep their old version."""
    conditions: list[dict[str, Any]] = [
        {"field": "meta.container_id", "operator": "==", "value": source.container_id},
        _kinds(["chunk", "section"]),
    ]
    if records := [f["source"] for f in source.failures if f["source"] != source.uri]:
        conditions.append({"field": "meta.uri", "operator": "not in", "value": records})
    return {"operator": "AND", "conditions": conditions}


def _begun(source: Source) -> Document:
    """The manifest entry while the source is being written: not complete, and so that a run after a kill finds a difference to commit."""
    if source.entry is not None:
        return replace(source.entry, meta={**source.entry.meta, "complete": False, "meta_version": ""})
    return _entry_of(source, {"source_version": "", "meta_version": "", "chunks": 0, "sections": 0, "complete": False})


def _entry(source: Source) -> Document:
    """The manifest entry of the version that is now written."""
    versions = {key: source.plan[key] for key in ("source_version", "meta_version")}
    counts = {"chunks": len(source.chunks), "sections": len(source.sections)}
    return _entry_of(source, {**versions, **counts, "complete": not source.failures})


def _entry_of(source: Source, fields: dict[str, Any]) -> Document:
    meta = source.plan["meta"]
    first = source.chunks[0].meta
    title = meta.get("title") or ("" if source.has_records else first.get("title")) or source.plan["file_name"]
    kind = {"kind": "source", "title": title, "mime_type": meta.get("mime_type") or first.get("mime_type", "")}
    return Document(id=entry_id(source.container_id), content=None, meta={**meta, **kind, **fields})

"""The only part that writes the index: new version first, old version away, the manifest entry last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.document_stores.types import DuplicatePolicy

from components.failure import Failure
from components.routers.source_meta import entry_id, narrowed_access
from components.writers.manifest import begun, failed_entry, failed_manifest, mended_manifest, written_entry
from components.writers.run_source import RunSource, gather

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

_one_writer = Lock()
"""Of this process: batches are read and embedded side by side, and written one after the other."""


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

    A source that failed as a whole, or gave no chunk, keeps its indexed version, and its entry says that it failed and why until it is
    mended; one that never was indexed gets an entry without chunks. Only access that is taken away is taken away from it too: that must not
    depend on whether the file can be read.

    A renamed source comes with the points of its old path under new ids. The old ones go after the new ones are written and before the
    commit, its old entry before its new one: a kill leaves a new source that is read again, never two.
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
        notices: list[Failure] | None = None,
        dense_fingerprint: dict[str, Any] | None = None,
        sparse_fingerprint: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Write the index.

        :param documents: embedded chunks.
        :param intake: the report of `SourceIntake`.
        :param known: chunks that keep their vectors, from `ChangeRouter`.
        :param failed: from any number of senders.
        :param notices: what a reader should know of sources that are indexed, from `TextCleaner`.
        :returns: `report`: `added`, `updated`, `unchanged` (uris), `renamed` (`from`, `to`), `failed`, `warnings` (`source`, `reason`; of the
            sources that were written), `embedded` (chunks embedded in this run), `chunks` (all chunks of the written sources),
            `index_version`.
        :raises FingerprintError: the index was built with other models or settings; nothing was written.
        """
        with _one_writer:
            return {"report": self._run(documents, intake, known, sections, failed, notices, dense_fingerprint, sparse_fingerprint)}

    def _run(
        self,
        documents: list[Document],
        intake: dict[str, Any],
        known: list[Document] | None,
        sections: list[Document] | None,
        failed: list[Failure] | None,
        notices: list[Failure] | None,
        dense_fingerprint: dict[str, Any] | None,
        sparse_fingerprint: dict[str, Any] | None,
    ) -> dict[str, Any]:
        store = self.document_store
        if dense_fingerprint or sparse_fingerprint:
            store.declare_fingerprint({"dense": dense_fingerprint, "sparse": sparse_fingerprint})
        failures: list[Failure] = [*intake["failed"], *(f for f in failed or [] if f)]
        sources = {container: RunSource(container, plan) for container, plan in intake["sources"].items()}
        unread = {container: RunSource(container, plan) for container, plan in intake.get("unread", {}).items()}
        gather({**unread, **sources}, documents, known or [], sections or [], failures, notices or [])
        mended = list(intake.get("mended", []))
        entries = {d.meta["container_id"]: d for d in store.get_documents_by_id([entry_id(c) for c in [*sources, *unread, *mended]])}
        for source in (*sources.values(), *unread.values()):
            source.entry = entries.get(source.container_id)
        written: list[RunSource] = []
        failing = list(unread.values())
        for source in sources.values():
            reason = source.refusal(dense=bool(dense_fingerprint))
            if reason is None:
                written.append(source)
                continue
            if not source.failures:
                failures.append({"source": source.uri, "reason": reason})
                source.failures.append(failures[-1])
            failing.append(source)
        asked = {s.container_id: s.plan["meta"]["access"] for s in failing if s.container_id in entries}
        access = {c: narrowed_access(entries[c].meta["access"], groups) for c, groups in asked.items()}
        access = {c: groups for c, groups in access.items() if groups != entries[c].meta["access"]}
        changed = self._write(written)
        for container, groups in access.items():
            store.set_meta(_own(container, ["chunk", "section"]), {"access": groups})
        if changed or access:
            store.commit({"dense": dense_fingerprint, "sparse": sparse_fingerprint})
        for container, groups in access.items():
            store.set_meta(_own(container, ["source"]), {"access": groups})
        self._write_entries(written, failing, [entries[c] for c in mended if c in entries])
        renamed = [s for s in written if s.plan.get("moved_from")]
        told = [s for s in written if s not in renamed]
        return {
            "added": [s.uri for s in told if s.plan["is_new"]],
            "updated": [s.uri for s in told if not s.plan["is_new"] and s.container_id in changed],
            "unchanged": list(intake["unchanged"]),
            "renamed": [{"from": s.plan["moved_from"]["uri"], "to": s.uri} for s in renamed],
            "failed": failures,
            "warnings": [notice for s in written for notice in s.notices],
            "embedded": sum(len(s.new) for s in written),
            "chunks": sum(len(s.chunks) for s in written),
            "index_version": store.index_version(),
        }

    def _write(self, written: Sequence[RunSource]) -> set[str]:
        """Replace the sources' points; the containers in which something changed."""
        if not written:
            return set()
        store, now = self.document_store, datetime.now(UTC).isoformat(timespec="seconds")
        for source in written:
            source.plan["meta"]["indexed_at"] = now
        store.write_documents([begun(source) for source in written], policy=DuplicatePolicy.OVERWRITE)
        points = [replace(d, meta={**d.meta, "indexed_at": now}) for s in written for d in (*s.chunks, *s.sections)]
        store.write_documents(points, policy=DuplicatePolicy.OVERWRITE)
        changed = set()
        for source in written:
            deleted = store.delete_except(self._stale(source), {d.id for d in (*source.chunks, *source.sections)})
            if source.old:
                deleted += store.delete_by_filter(_all_of(source.old, ["chunk", "section"]))
            if deleted or source.new or source.differs():
                changed.add(source.container_id)
        return changed

    def _write_entries(self, written: Sequence[RunSource], failing: Sequence[RunSource], mended: Sequence[Document]) -> None:
        """The manifest, last: of sources that were renamed the old entry goes first."""
        store = self.document_store
        for source in (*written, *failing):
            if source.old and (source in written or not self._has_version(source.old)):
                store.delete_by_filter(_all_of(source.old, ["source"]))
        entries = [written_entry(source) for source in written]
        for source in failing:
            if source.entry is not None and source.entry.meta.get("source_version"):
                store.set_meta(_own(source.container_id, ["source"]), {"manifest": failed_manifest(source)})
            else:
                entries.append(failed_entry(source))
        if entries:
            store.write_documents(entries, policy=DuplicatePolicy.OVERWRITE)
        for entry in mended:
            store.set_meta(_own(entry.meta["container_id"], ["source"]), {"manifest": mended_manifest(entry.meta)})

    def _stale(self, source: RunSource) -> dict[str, Any]:
        """The points of the source's version before this one, without those of records and members that failed now: they keep their old version.

        A member that failed is an archive or a file of records too, so what is inside it stays with it.
        """
        ours = _all_of(source.container_id, ["chunk", "section"])
        failed = tuple(f["source"] for f in source.failures)
        if not failed:
            return ours
        inside = tuple(f"{name}#" for name in failed if name != source.uri)
        kept = {*failed, *(uri for uri in self.document_store.facet("uri", ours) if str(uri).startswith(inside))}
        return {"operator": "AND", "conditions": [*ours["conditions"], {"field": "meta.uri", "operator": "not in", "value": sorted(kept)}]}

    def _has_version(self, container: str) -> bool:
        found = self.document_store.get_documents_by_id([entry_id(container)])
        return bool(found and found[0].meta.get("source_version"))


def _kinds(kinds: list[str]) -> dict[str, Any]:
    return {"field": "meta.kind", "operator": "in", "value": kinds}


def _own(container: str, kinds: list[str]) -> dict[str, Any]:
    """The points of a source, without those of records in it: a record's access may be its own."""
    return {"operator": "AND", "conditions": [{"field": "meta.source_id", "operator": "==", "value": container}, _kinds(kinds)]}


def _all_of(container: str, kinds: list[str]) -> dict[str, Any]:
    """The points of a source, records in it included."""
    return {"operator": "AND", "conditions": [{"field": "meta.container_id", "operator": "==", "value": container}, _kinds(kinds)]}

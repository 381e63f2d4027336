"""The manifest of the index: finding, listing, reading and removing sources."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.answer_cache import forget_answers
from app.errors import UsageError
from components.access.principal import DEFAULT_TENANT, Principal, acting_as
from components.blocks import SEPARATOR

if TYPE_CHECKING:
    from haystack import Document

    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

MIN_PREFIX = 6
"""Characters of a source id that are enough to name it, if no other begins so."""
SHOWN = 8
"""Candidates that an error message names."""


def keeper(tenant: str) -> Principal:
    """Who indexes and removes on the command line: every group of one tenant."""
    return Principal(user="command-line", tenant=tenant, is_admin=True)


def all_of(*conditions: dict[str, Any]) -> dict[str, Any]:
    """A filter of Haystack in which every condition holds."""
    return {"operator": "AND", "conditions": list(conditions)}


def equals(field: str, value: Any) -> dict[str, Any]:
    """A condition of Haystack: the meta field has this value."""
    return {"field": f"meta.{field}", "operator": "==", "value": value}


def entries(store: SakshyaDocumentStore) -> list[Document]:
    """Manifest entries that the current principal may see, by uri."""
    return sorted(store.filter_documents(equals("kind", "source"), with_embeddings=False), key=lambda d: (d.meta.get("uri", ""), d.id))


def list_sources(store: SakshyaDocumentStore) -> list[dict[str, Any]]:
    """Meta of the manifest entries that the current principal may see, by uri: source_id, title, uri, access, chunks, complete and the rest."""
    return [dict(entry.meta) for entry in entries(store)]


def state_of(meta: Mapping[str, Any]) -> dict[str, Any]:
    """How a source stands: `state` (ok, partial, failed), `failures` and `warnings` (`source`, `reason`), `failed_at`, `failed_since`."""
    manifest = meta.get("manifest") or {}
    failures, state = list(manifest.get("failures", [])), manifest.get("state") or "ok"
    if not meta.get("complete") and state == "ok":
        state, failures = "partial", [{"source": meta.get("uri", ""), "reason": "a run was stopped while writing it; index it again"}]
    told = {key: manifest.get(key) for key in ("failed_at", "failed_since")}
    return {"state": state, "failures": failures, "warnings": list(manifest.get("warnings", [])), **told}


def without_signature(meta: Mapping[str, Any]) -> dict[str, Any]:
    """The meta of an entry without what only this program reads."""
    return {key: value for key, value in meta.items() if key != "manifest"}


def find_source(store: SakshyaDocumentStore, source: str) -> dict[str, Any]:
    """The one source, or record or member inside a source, that a name means, as meta with `source_id`, `container_id` and `uri`.

    :param source: an id, the first characters of one (6 or more), a uri, a path, the id of a record, or a file name, of a member too.
    :raises UsageError: none or several match; several are named.
    """
    if not source.strip():
        raise UsageError("a source is named by its id, the first 6 characters of one or more, its uri, or its file name")
    manifest = list_sources(store)
    ways = {source, Path(os.path.abspath(source)).as_posix()}  # noqa: PTH100
    for found in (
        [m for m in manifest if m["source_id"] == source],
        [m for m in manifest if m.get("uri") in ways],
        _records(store, equals("source_id", source)),
        _records(store, equals("uri", source)),
        _records(store, equals("record_id", source)),
        [m for m in manifest if m.get("file_name") == source],
        _records(store, equals("file_name", source)),
        _prefixed(store, source, manifest),
    ):
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(f"{source!r} names {len(found)} sources: {_named(found)}")
    raise UsageError(f"no source {source!r} in the index")


def _records(store: SakshyaDocumentStore, condition: dict[str, Any]) -> list[dict[str, Any]]:
    """Records, and members of archives and mails, that a condition on their chunks matches, one meta each."""
    found = store.filter_documents(all_of(equals("kind", "chunk"), condition), with_embeddings=False)
    return list({d.meta["source_id"]: dict(d.meta) for d in found}.values())


def _prefixed(store: SakshyaDocumentStore, prefix: str, manifest: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(prefix) < MIN_PREFIX:
        return []
    known = {m["source_id"]: m for m in manifest}
    ids = sorted(i for i in {*known, *store.facet("source_id", equals("kind", "chunk"))} if i.startswith(prefix))
    return [known[i] if i in known else _records(store, equals("source_id", i))[0] for i in ids]


def _named(found: list[dict[str, Any]]) -> str:
    names = [f"{m['source_id'][:12]} ({m.get('uri', '')})" for m in sorted(found, key=lambda m: m.get("uri", ""))]
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def inside(store: SakshyaDocumentStore, container_id: str) -> list[dict[str, Any]]:
    """What a file holds that has an identity of its own: `uri`, `title` and `chunks` of each record or member, by uri."""
    found: dict[str, dict[str, Any]] = {}
    for document in store.filter_documents(all_of(equals("kind", "chunk"), equals("container_id", container_id)), with_embeddings=False):
        meta = document.meta
        if meta["source_id"] != container_id:
            one = found.setdefault(
                meta["source_id"], {"source_id": meta["source_id"], "uri": meta["uri"], "title": meta.get("title", ""), "chunks": 0}
            )
            one["chunks"] += 1
    return sorted(found.values(), key=lambda one: one["uri"])


def source_text(store: SakshyaDocumentStore, source_id: str) -> str:
    """The whole cleaned text of a source or record: its sections in order, so that `char_start` and `char_end` of its chunks fit."""
    sections = store.filter_documents(all_of(equals("kind", "section"), equals("source_id", source_id)), with_embeddings=False)
    return joined((d.meta["char_start"], d.content or "") for d in sections)


def joined(parts: Iterable[tuple[int, str]]) -> str:
    """Join (start, text) parts; where a gap lies between two, the separator of blocks stood there.

    >>> joined([(7, "Two."), (0, "Leave")])
    'Leave\\n\\nTwo.'
    """
    text = ""
    for start, part in sorted(parts):
        gap = start - len(text)
        text += (SEPARATOR * gap)[:gap] if gap > 0 else ""
        text += part[max(0, -gap) :]
    return text


def remove_source(store: SakshyaDocumentStore, source: str, tenant: str = DEFAULT_TENANT) -> list[str]:
    """Remove a source and all its points.

    :param source: see `find_source`.
    :returns: the uris that were removed.
    :raises UsageError: none or several match, or it is a record or member inside a file.
    """
    with acting_as(keeper(tenant)):
        found = find_source(store, source)
        if found["source_id"] != found["container_id"]:
            owner = next((m["uri"] for m in list_sources(store) if m["source_id"] == found["container_id"]), found["container_id"])
            raise UsageError(f"{source!r} is inside {owner}: change that file and index it again, or remove the whole file")
        remove_containers(store, [found["container_id"]])
    return [found["uri"]]


def remove_containers(store: SakshyaDocumentStore, containers: list[str]) -> None:
    """Delete every point of these sources, as the current principal; the manifest entries last, so that after a kill they can be removed again."""
    if not containers:
        return
    ours = {"field": "meta.container_id", "operator": "in", "value": containers}
    store.delete_by_filter(all_of(ours, {"field": "meta.kind", "operator": "in", "value": ["chunk", "section"]}))
    store.commit()
    store.delete_by_filter(all_of(ours, equals("kind", "source")))
    store.flush()
    forget_answers()

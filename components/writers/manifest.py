"""The manifest entry of a source: what is indexed of it, what failed, what is to be known, and what tells it from others.

Its meta is the stamped meta of the source, with `title`, `mime_type`, `source_version`, `meta_version`, `chunks`, `sections`, `complete`, and
`manifest`, a mapping of:

- `state`: `ok`, `partial` (some of its records or members failed) or `failed` (nothing of this version is indexed; an older one may be);
- `failures`, `warnings`: lists of `source`, `reason`, at most `MAX_TOLD` each;
- `failed_at`, `failed_since`: the last and the first time that it failed, until it is mended;
- `digest`, `size`: of the bytes that are indexed; `failed_digest`, `failed_size`: of those that failed;
- `given`: what the user said of it that shapes chunks (`components.routers.moved_source.SHAPING`);
- `signature`: see `components.writers.near_duplicates`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

from haystack import Document

from components.failure import Failure
from components.routers.file_types import EXTENSIONS, ZIP, extension_of
from components.routers.moved_source import shaping
from components.routers.source_meta import entry_id
from components.writers.near_duplicates import signature_of
from components.writers.run_source import RunSource

State = Literal["ok", "partial", "failed"]
MAX_TOLD = 50
_FAILING = ("failures", "failed_at", "failed_since", "failed_digest", "failed_size")


def begun(source: RunSource) -> Document:
    """The entry while the source is being written: not complete, and so that a run after a kill finds a difference to commit."""
    if source.entry is not None:
        return replace(source.entry, meta={**source.entry.meta, "access": source.plan["meta"]["access"], "complete": False, "meta_version": ""})
    return _entry_of(source, {"source_version": "", "meta_version": "", "chunks": 0, "sections": 0, "complete": False})


def written_entry(source: RunSource) -> Document:
    """The entry of the version that is now written."""
    versions = {key: source.plan[key] for key in ("source_version", "meta_version")}
    counts = {"chunks": len(source.chunks), "sections": len(source.sections)}
    state: State = "partial" if source.failures else "ok"
    manifest: dict[str, Any] = {"state": state, **_bytes_of(source, ""), "given": shaping(source.plan["meta"])}
    manifest["signature"] = signature_of(source.sections or source.chunks)
    if source.notices:
        manifest["warnings"] = told(source, source.notices, "warnings about")
    if source.failures:
        manifest |= _failing(source)
    return _entry_of(source, {**versions, **counts, "complete": not source.failures, "manifest": manifest})


def failed_entry(source: RunSource) -> Document:
    """The entry of a source of which nothing was ever indexed."""
    fields = {"source_version": "", "meta_version": "", "chunks": 0, "sections": 0, "complete": False, "manifest": failed_manifest(source)}
    return _entry_of(source, fields)


def failed_manifest(source: RunSource) -> dict[str, Any]:
    """What the entry says of a source that failed; of an older version that stays, all that it said."""
    return {**_manifest(source), "state": "failed", **_failing(source), **_bytes_of(source, "failed_")}


def mended_manifest(meta: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry says again when the version that is indexed is back."""
    return {**{key: value for key, value in (meta.get("manifest") or {}).items() if key not in _FAILING}, "state": "ok"}


def told(source: RunSource, said: Sequence[Failure], what: str) -> list[dict[str, str]]:
    """What was said of a source as its entry keeps it.

    The entry is read by whoever may read the source. A record may be narrower, and so may its name: then single records are counted, not named.
    """
    access = source.plan["meta"]["access"]
    of_source = [f for f in said if f["source"] == source.uri]
    of_parts = [f for f in said if f["source"] != source.uri]
    if of_parts and (not source.chunks or any(chunk.meta.get("access") != access for chunk in source.chunks)):
        of_source.append({"source": source.uri, "reason": f"{what} its parts: {len(of_parts)} (the report of the run names them)"})
        of_parts = []
    kept = [{"source": f["source"], "reason": f["reason"]} for f in (*of_source, *of_parts)]
    rest = len(kept) - MAX_TOLD
    return kept if rest <= 0 else [*kept[:MAX_TOLD], {"source": source.uri, "reason": f"and {rest} more"}]


def _manifest(source: RunSource) -> dict[str, Any]:
    return (source.entry.meta.get("manifest") if source.entry else None) or {}


def _failing(source: RunSource) -> dict[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    since = _manifest(source).get("failed_since") or now
    return {"failures": told(source, source.failures, "failures in"), "failed_at": now, "failed_since": since}


def _bytes_of(source: RunSource, prefix: str) -> dict[str, Any]:
    plan = source.plan
    return {f"{prefix}digest": plan["digest"], f"{prefix}size": plan["size"]} if "digest" in plan else {}


def _entry_of(source: RunSource, fields: dict[str, Any]) -> Document:
    meta = source.plan["meta"]
    own = next((chunk.meta for chunk in source.chunks if chunk.meta.get("source_id") == source.container_id), {})
    title = meta.get("title") or own.get("title") or source.plan["file_name"]
    kind = {"kind": "source", "title": title, "mime_type": meta.get("mime_type") or own.get("mime_type") or _type_of_container(source)}
    return Document(id=entry_id(source.container_id), content=None, meta={**meta, **kind, **fields})


def _type_of_container(source: RunSource) -> str:
    """The type of a file that has no text of its own: what its records say, or of an archive what its name says."""
    for chunk in source.chunks:
        if chunk.meta.get("path") == source.plan["meta"].get("path"):  # a member's path is its own
            return str(chunk.meta.get("mime_type", ""))
    return EXTENSIONS.get(extension_of(source.plan["file_name"]), ZIP) if source.chunks else ""

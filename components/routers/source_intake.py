"""Identity, tenant, access and time of each source; sources that have not changed go no further."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haystack import component, default_from_dict, default_to_dict
from haystack.dataclasses import ByteStream

from components.access.principal import PUBLIC, current_principal
from components.chunk import source_id
from components.failure import Failure
from components.routers.moved_source import moved_points
from components.routers.path_rules import OVERRIDES, RULE_PATH, PathRules
from components.routers.source_meta import (
    MOVED_FROM,
    UNREAD,
    byte_digest,
    check_fields,
    check_validity,
    entry_id,
    meta_version,
    narrowed_access,
    printable,
    source_version,
)
from config.settings import settings

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

MEGABYTE = 1_000_000
FAILED = "failed"


@dataclass
class _Arrival:
    """A source as it came in.

    :param unread: why whoever handed it over could not read it.
    :param moved_from: container ids of sources that it may have been before.
    :param access: of sources that it may have been before; None: nothing is known of one.
    """

    source: str | Path | ByteStream
    fields: dict[str, Any]
    unread: str | None
    moved_from: list[str]
    access: list[str] | None

    @property
    def container(self) -> str:
        return self.fields["container_id"]

    def read(self) -> ByteStream:
        """Its bytes under its meta.

        :raises ValueError: it cannot be read; one line.
        """
        if self.unread is not None:
            raise ValueError(" ".join(str(self.unread).split()))
        return _read(self.source, self.fields)


@component
class SourceIntake:
    """Read sources, stamp their meta, and pass on those that are new or changed.

    Haystack's converters read files too, but give them neither a durable identity nor access, and cannot tell what is already indexed.

    A source is unchanged when its manifest entry in the store names the same `source_version` (bytes and graph) and the same
    `meta_version` (access, validity, uri, the user's fields), and is marked complete.

    Meta of a source, all optional: `tenant` (default: the principal's), `access` (default: what the index says of it, else [public]),
    `alias` (default: ""), `path` (default: the absolute path), `uri` (default: the path), `valid_from`, `valid_to`, `superseded_by`,
    `title`, `language`, and any field of your own.
    Later wins: these defaults, the stream's own meta, `meta`, the path rules of this component, `overrides`.
    """

    def __init__(
        self,
        document_store: SakshyaDocumentStore,
        path_rules: list[dict[str, Any]] | None = None,
        allow_paths: bool = True,
    ) -> None:
        """Create the intake.

        :param document_store: the index whose manifest says what is unchanged.
        :param path_rules: see `components.routers.path_rules.check_rules`; `match` is relative to the root of the source.
        :param allow_paths: False refuses paths, so that a served graph reads no file of its machine. An anonymous principal's are always refused.
        :raises ValueError: a rule that is not accepted.
        """
        self.document_store = document_store
        self.allow_paths = allow_paths
        self._rules = PathRules(path_rules or [])

    def to_dict(self) -> dict[str, Any]:
        """Serialise to plain data."""
        return default_to_dict(self, document_store=self.document_store.to_dict(), path_rules=self._rules.rules, allow_paths=self.allow_paths)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SourceIntake:
        """Create from plain data; the store is created from its own."""
        return default_from_dict(cls, data)

    @component.output_types(sources=list[ByteStream], report=dict[str, Any])
    def run(
        self,
        sources: list[str | Path | ByteStream],
        meta: dict[str, Any] | list[dict[str, Any]] | None = None,
        graph_version: str = "",
    ) -> dict[str, Any]:
        """Sort the sources into those to index, unchanged ones and failed ones.

        :param meta: for all sources, or a list with one for each.
        :param graph_version: hash of the indexing graph up to the embedder.
        :returns: `sources`, with their bytes and stamped meta; `report`: `unchanged` (uris), `mended` (container ids of those that had failed),
            `failed`, `sources` (by container id: a plan), `unread` (by container id: the plan of a source that could not be read).
            A plan holds `uri`, `file_name`, `is_new` and `meta`, the stamped meta; of a source that was read also `source_version`,
            `meta_version`, `digest` and `size` of its bytes, `moved_from` (container id and uri) and `moved` (points, see
            `components.routers.moved_source`) where it was renamed.
        :raises ValueError: a list of meta whose length is not that of the sources.
        """
        report: dict[str, Any] = {"unchanged": [], "mended": [], "failed": [], "sources": {}, "unread": {}}
        arrivals = self._arrivals(sources, _metas(meta, len(sources)), report["failed"])
        wanted = [container for a in arrivals for container in (a.container, *a.moved_from)]
        entries = {d.meta["container_id"]: d.meta for d in self.document_store.get_documents_by_id([entry_id(c) for c in wanted])}
        passed: list[ByteStream] = []
        for arrival in arrivals:
            fields, entry = arrival.fields, entries.get(arrival.container)
            origins = [e for c in arrival.moved_from if (e := entries.get(c)) and (e["tenant"], e["alias"]) == (fields["tenant"], fields["alias"])]
            if "access" not in fields:  # said anew or not, under the old path or a new one: what was closed stays closed
                fields["access"] = _kept_access([arrival.access, *(e.get("access") for e in (entry, *origins) if e)])
            plan: dict[str, Any] = {"uri": fields["uri"], "file_name": fields["file_name"]}
            plan["is_new"] = not (entry and entry.get("source_version"))
            try:
                stream = arrival.read()
            except ValueError as error:
                report["failed"].append({"source": fields["uri"], "reason": str(error)})
                report["unread"][arrival.container] = {**plan, "meta": fields}
                continue
            version, lasting = source_version(stream.data, graph_version), meta_version(fields)
            if entry and entry.get("complete") and entry.get("source_version") == version and entry.get("meta_version") == lasting:
                report["unchanged"].append(fields["uri"])
                if _manifest(entry).get("state") == FAILED:
                    report["mended"].append(arrival.container)
                continue
            stream.meta["source_version"] = version
            plan |= {"source_version": version, "meta_version": lasting, "digest": byte_digest(stream.data), "size": len(stream.data)}
            plan["meta"] = dict(stream.meta)
            report["sources"][arrival.container] = plan
            if origin := next((e for e in origins if plan["digest"] in {_manifest(e).get("digest"), _manifest(e).get("failed_digest")}), None):
                plan["moved_from"] = {"container_id": origin["container_id"], "uri": origin["uri"]}
                if origin.get("complete") and origin.get("source_version") == version:
                    plan["moved"] = moved_points(self.document_store, origin, plan["meta"])
            if not plan.get("moved"):
                passed.append(stream)
        return {"sources": passed, "report": report}

    def _arrivals(self, sources: list[str | Path | ByteStream], metas: list[dict[str, Any]], failed: list[Failure]) -> list[_Arrival]:
        """The sources with their stamped meta, each identity once; what cannot be stamped, or comes twice, goes to `failed`."""
        arrivals: dict[str, _Arrival] = {}
        for source, given in zip(sources, metas, strict=True):
            unread, moved_from = given.pop(UNREAD, None), given.pop(MOVED_FROM, None) or {}
            try:
                fields = self._stamp(source, given)
            except ValueError as error:
                failed.append({"source": _name(source), "reason": str(error)})
                continue
            containers = [c for c in moved_from.get("containers", []) if c != fields["container_id"]]
            arrival = _Arrival(source, fields, unread, containers, moved_from.get("access"))
            first = arrivals.setdefault(arrival.container, arrival)
            if _origin(first.source) != _origin(source):
                reason = f"{_origin(source)} has the same identity as {_origin(first.source)} and was left out"
                failed.append({"source": fields["uri"], "reason": reason})
        return list(arrivals.values())

    def _stamp(self, source: str | Path | ByteStream, given: dict[str, Any]) -> dict[str, Any]:
        """The meta of a source, without what only its bytes tell.

        :raises ValueError: a source or meta that is not accepted.
        """
        if isinstance(source, ByteStream):
            given = {**{key: value for key, value in source.meta.items() if key not in (UNREAD, MOVED_FROM)}, **given}
            found = next((given[key] for key in ("path", "url", "file_path", "file_name") if given.get(key)), None)
        elif not isinstance(source, str | Path) or not str(source):
            raise ValueError(f"a {type(source).__name__} is no source: accepted are a path and a ByteStream")
        elif not self.allow_paths or current_principal().user is None:  # a bare server of graphs has no principal: it must not read its machine
            raise ValueError("this graph reads no path: send the file itself")
        else:
            found = given.get("path") or Path(os.path.abspath(source)).as_posix()  # noqa: PTH100  resolve() would follow links
        if not isinstance(found, str | Path) or not str(found):
            raise ValueError("the source has no identity: its meta must name a path, a url or a file_name")
        given = {**given, "path": printable(str(found))}
        for key in ("uri", "file_name"):
            if isinstance(given.get(key), str):
                given[key] = printable(given[key])
        overrides = given.pop(OVERRIDES, None) or {}
        alias = given.get("alias") or ""
        rule_path = given.pop(RULE_PATH, None) or (given["path"] if alias else None)
        ruled = self._rules.fields(str(rule_path or given["path"]), rooted=rule_path is not None)
        fields = check_fields({key: value for key, value in given.items() if key != "file_path"} | ruled | overrides)
        fields.setdefault("tenant", current_principal().tenant)
        for key in ("tenant", "alias", "path", "uri", "file_name"):
            if not isinstance(fields.get(key, ""), str):
                raise ValueError(f"{key}={fields[key]!r} is not accepted: it must be text")
        if not fields["tenant"]:
            raise ValueError("tenant='' is not accepted: it must not be empty")
        fields["alias"] = alias
        fields.setdefault("uri", fields["path"])
        fields.setdefault("file_name", fields["path"].rstrip("/").rpartition("/")[2] or fields["path"])
        check_validity(fields)
        fields["source_id"] = fields["container_id"] = source_id(fields["tenant"], alias, fields["path"])
        return fields


def _metas(meta: dict[str, Any] | list[dict[str, Any]] | None, count: int) -> list[dict[str, Any]]:
    if isinstance(meta, list):
        if len(meta) != count:
            raise ValueError(f"meta is a list of {len(meta)} for {count} sources: give one for each, or one mapping for all")
        return [dict(item) for item in meta]
    return [dict(meta or {}) for _ in range(count)]


def _manifest(entry: dict[str, Any]) -> dict[str, Any]:
    return entry.get("manifest") or {}


def _kept_access(known: list[list[str] | None]) -> list[str]:
    """Access of a source that comes without: what the index says of it, or of what it was before; nobody's access grows by a new name."""
    access = [PUBLIC]
    for one in known:
        access = narrowed_access(one or [PUBLIC], access)
    return access


def _name(source: Any) -> str:
    if isinstance(source, ByteStream):
        return str(next((source.meta[key] for key in ("uri", "path", "url", "file_path", "file_name") if source.meta.get(key)), "(unnamed stream)"))
    return printable(str(source))


def _origin(source: str | Path | ByteStream) -> str:
    """What tells two sources of the same identity apart: the file, or the stream object."""
    return f"stream {id(source):x}" if isinstance(source, ByteStream) else printable(os.path.abspath(source))  # noqa: PTH100


def _read(source: str | Path | ByteStream, fields: dict[str, Any]) -> ByteStream:
    """The source's bytes under its stamped meta.

    :raises ValueError: missing, not a regular file, unreadable, or larger than the setting allows; one line.
    """
    limit = settings().max_file_mb * MEGABYTE
    if isinstance(source, ByteStream):
        if len(source.data) > limit:
            raise ValueError(_too_large(len(source.data)))
        return ByteStream(data=source.data, meta=dict(fields), mime_type=source.mime_type)
    path = Path(source)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("not a regular file" if not stat.S_ISDIR(status.st_mode) else "a folder, not a file")
        if status.st_size > limit:
            raise ValueError(_too_large(status.st_size))
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from None
    if len(data) > limit:
        raise ValueError(_too_large(len(data)))
    modified = datetime.fromtimestamp(status.st_mtime, tz=UTC).isoformat(timespec="seconds")
    return ByteStream(data=data, meta={"modified_at": modified, **fields})


def _too_large(size: int) -> str:
    return f"{size / MEGABYTE:.1f} MB is larger than SAKSHYA_MAX_FILE_MB={settings().max_file_mb}"

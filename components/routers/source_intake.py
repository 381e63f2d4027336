"""Identity, tenant, access and time of each source; sources that have not changed go no further."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haystack import component, default_from_dict, default_to_dict
from haystack.dataclasses import ByteStream

from components.access.principal import PUBLIC, current_principal
from components.chunk import source_id
from components.failure import Failure
from components.routers.path_rules import OVERRIDES, RULE_PATH, PathRules
from components.routers.source_meta import check_fields, check_validity, entry_id, meta_version, printable, source_version
from config.settings import settings

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

MEGABYTE = 1_000_000


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
        :returns: `sources`, with their bytes and stamped meta; `report`: `unchanged` (uris), `failed`, `sources` (by container id: `uri`,
            `file_name`, `source_version`, `meta_version`, `is_new`, and `meta`, the stamped meta), `access` (by container id: the groups
            asked for a source that is indexed but could not be read now).
        :raises ValueError: a list of meta whose length is not that of the sources.
        """
        metas = _metas(meta, len(sources))
        report: dict[str, Any] = {"unchanged": [], "failed": [], "sources": {}, "access": {}}
        failed: list[Failure] = report["failed"]
        stamped: list[tuple[str | Path | ByteStream, dict[str, Any]]] = []
        first: dict[str, str] = {}
        for source, given in zip(sources, metas, strict=True):
            try:
                fields = self._stamp(source, given)
            except ValueError as error:
                failed.append({"source": _name(source), "reason": str(error)})
                continue
            container, origin = fields["container_id"], _origin(source)
            if container not in first:
                first[container] = origin
                stamped.append((source, fields))
            elif first[container] != origin:
                failed.append({"source": fields["uri"], "reason": f"{origin} has the same identity as {first[container]} and was left out"})
        entries = {document.id: document.meta for document in self.document_store.get_documents_by_id([entry_id(c) for c in first])}
        passed: list[ByteStream] = []
        for source, fields in stamped:
            container = fields["container_id"]
            entry = entries.get(entry_id(container))
            fields.setdefault("access", (entry or {}).get("access") or [PUBLIC])  # said anew or not, what was closed stays closed
            try:
                stream = _read(source, fields)
            except ValueError as error:
                failed.append({"source": fields["uri"], "reason": str(error)})
                if entry:
                    report["access"][container] = fields["access"]
                continue
            version, lasting = source_version(stream.data, graph_version), meta_version(fields)
            if entry and entry.get("complete") and entry.get("source_version") == version and entry.get("meta_version") == lasting:
                report["unchanged"].append(fields["uri"])
                continue
            stream.meta["source_version"] = version
            passed.append(stream)
            report["sources"][container] = {
                "uri": fields["uri"],
                "file_name": fields["file_name"],
                "source_version": version,
                "meta_version": lasting,
                "is_new": not (entry and entry.get("source_version")),
                "meta": dict(stream.meta),
            }
        return {"sources": passed, "report": report}

    def _stamp(self, source: str | Path | ByteStream, given: dict[str, Any]) -> dict[str, Any]:
        """The meta of a source, without what only its bytes tell.

        :raises ValueError: a source or meta that is not accepted.
        """
        if isinstance(source, ByteStream):
            given = {**source.meta, **given}
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

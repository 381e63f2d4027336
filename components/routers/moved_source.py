"""A source under a new path: its stored points under new ids, so that nothing is read, split or embedded again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from haystack import Document
from haystack.dataclasses import ByteStream

from components.chunk import embedded_text, point_id, source_id
from components.converters.outcome import readable_name

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

IDENTITY = frozenset({"path", "uri", "file_name", "source_id", "container_id", "modified_at", "source_version"})
SHAPING = ("title", "language", "mime_type")
"""Fields of a source that shape its chunks or what is embedded."""
_OF_ENTRY = frozenset(
    {"kind", "title", "mime_type", "source_version", "meta_version", "chunks", "sections", "complete", "manifest", "indexed_at"}
)  # fmt: skip


def shaping(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the fields that shape chunks."""
    return {key: fields[key] for key in SHAPING if fields.get(key)}


def moved_points(store: SakshyaDocumentStore, origin: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, list[Document]] | None:
    """The points of a source under its new path, chunks with their vectors.

    Ids, identity, access and the user's fields become those of the new path. So does a title that was made from the file's name; the
    context header stays what was embedded, until the content changes.

    :param origin: meta of the old manifest entry, complete.
    :param fields: stamped meta of the source under its new path.
    :returns: `known` chunks and `sections`; None where the stored points do not tell what they would be under the new path.
    """
    condition = {"field": "meta.container_id", "operator": "==", "value": origin["container_id"]}
    kinds = {"field": "meta.kind", "operator": "in", "value": ["chunk", "section"]}
    points = store.filter_documents({"operator": "AND", "conditions": [condition, kinds]})
    if len(points) != origin.get("chunks", 0) + origin.get("sections", 0):
        return None
    return renamed(points, origin, fields)


def renamed(points: list[Document], origin: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, list[Document]] | None:
    """As `moved_points`, of points that were read."""
    inherited = {key: value for key, value in origin.items() if key not in _OF_ENTRY}
    given = {key: value for key, value in fields.items() if key != "source_version"}
    if shaping(given) != (origin.get("manifest") or {}).get("given", {}):
        return None
    own = any(point.meta["source_id"] != origin["container_id"] for point in points)
    if own and {k: v for k, v in inherited.items() if k not in IDENTITY} != {k: v for k, v in given.items() if k not in IDENTITY}:
        return None  # a record's own field that equals the file's cannot be told from one that it took over
    ids = _new_ids(points, origin, fields)
    if ids is None:
        return None
    names = (_stem(origin), _stem(fields))
    moved: dict[str, list[Document]] = {"known": [], "sections": []}
    for point in points:
        kept = {key: value for key, value in point.meta.items() if key not in inherited or inherited[key] != value}
        kept["title"] = _title(point.meta, *names)
        meta = {**given, **{key: _mapped(value, ids) for key, value in kept.items()}}
        inside = point.meta["uri"][len(origin["uri"]) :]
        meta["uri"] = fields["uri"] + inside
        if point.meta.get("path", origin["path"]) != origin["path"]:  # a file inside another one
            meta["path"] = fields["path"] + point.meta["path"][len(origin["path"]) :]
        document = Document(id=ids[point.id], content=point.content, meta=meta, embedding=point.embedding, sparse_embedding=point.sparse_embedding)
        if meta["kind"] == "chunk" and (document.embedding is None or document.sparse_embedding is None):
            return None
        moved["known" if meta["kind"] == "chunk" else "sections"].append(document)
    return moved if moved["known"] else None


def _new_ids(points: list[Document], origin: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, str] | None:
    """Old ids of points and sources, and the new ones; None where one of them was not made as ids are made here."""
    ids = {origin["container_id"]: str(fields["container_id"])}
    texts: dict[tuple[str, str, str], int] = {}
    for point in points:
        meta = point.meta
        member = meta["uri"][len(origin["uri"]) :]
        if not meta["uri"].startswith(origin["uri"]) or source_id(origin["tenant"], origin["alias"], origin["path"] + member) != meta["source_id"]:
            return None
        ids[meta["source_id"]] = source_id(fields["tenant"], fields["alias"], fields["path"] + member)
        key = (meta["kind"], meta["source_id"], _hashed(point))
        texts[key] = texts.get(key, 0) + 1
    for point in points:
        meta, text = point.meta, _hashed(point)
        count = texts[meta["kind"], meta["source_id"], text]
        number = next((n for n in range(count) if point_id(meta["kind"], meta["source_id"], text, n) == point.id), None)
        if number is None:
            return None
        ids[point.id] = point_id(meta["kind"], ids[meta["source_id"]], text, number)
    return ids


def _hashed(point: Document) -> str:
    content = point.content or ""
    return embedded_text(content, point.meta.get("context_header") or "") if point.meta["kind"] == "chunk" else content


def _mapped(value: Any, ids: Mapping[str, str]) -> Any:
    """The value with every old id in it replaced: a parent, a reference to another part of the same source."""
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, Mapping):
        return {key: _mapped(item, ids) for key, item in value.items()}
    return [_mapped(item, ids) for item in value] if isinstance(value, list) else value


def _stem(meta: Mapping[str, Any]) -> str:
    return readable_name(ByteStream(b"", meta={"file_name": meta.get("file_name") or meta.get("path")}))


def _title(meta: Mapping[str, Any], old: str, new: str) -> str:
    title, record = str(meta.get("title") or ""), meta.get("record_id")
    return new + title[len(old) :] if title in (old, f"{old} {record}") else title

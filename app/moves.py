"""What became of indexed files: gone, or the same bytes under another path."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from app.finding import Found, absolute
from components.access.principal import PUBLIC
from components.chunk import source_id
from components.routers.source_meta import narrowed_access

_READ = 1 << 20


def is_url(path: str) -> bool:
    """Whether a source is identified by a URL, so that no file of this machine tells whether it is gone."""
    return path.startswith(("http://", "https://"))


def missing(manifest: Iterable[Mapping[str, Any]], paths: Sequence[str | Path], tenant: str, alias: str, found: Iterable[Found]) -> dict[str, str]:
    """Container ids and uris of sources in the index, under the given folders, whose file is gone. A file that is left out by a glob is not gone.

    With an alias, the folder given is the whole of it: every source of that alias is under it.

    :param manifest: meta of the manifest entries, see `app.sources.list_sources`.
    """
    present = {source_id(tenant, alias, f.path) for f in found}
    roots = [root for root in map(absolute, paths) if root.is_dir()]
    gone = {}
    for meta in manifest:
        path = meta.get("path", "")
        if meta.get("alias", "") != alias or meta["container_id"] in present or is_url(path):
            continue
        files = [root / path for root in roots] if alias else [Path(path) for root in roots if Path(path).is_relative_to(root)]
        if files and all(_gone(file) for file in files):
            gone[meta["container_id"]] = meta["uri"]
    return gone


def renames(
    manifest: Iterable[Mapping[str, Any]], paths: Sequence[str | Path], tenant: str, alias: str, found: Iterable[Found]
) -> dict[str, dict[str, Any]]:
    """Found files whose bytes are those of an indexed source, of the same tenant and alias, whose file is gone or holds other bytes now.

    A file is hashed only where its size is that of such a source.

    :returns: by the path of `Found`: `containers`, the source that it was, if that is gone; and `access`, the narrowest of all sources with
        these bytes that left their path: which of them it was cannot be told, so none of them may be opened. A second copy has no container.
    """
    roots = [root for root in map(absolute, paths) if root.is_dir()]
    by_size: dict[int, list[Mapping[str, Any]]] = {}
    for meta in manifest:
        if meta.get("alias", "") == alias and not is_url(meta.get("path", "")):
            for size in {s for s in (_told(meta, "size"), _told(meta, "failed_size")) if s is not None}:
                by_size.setdefault(size, []).append(meta)
    moved: dict[str, dict[str, Any]] = {}
    taken: set[str] = set()
    digest = cache(_digest)
    left: dict[str, tuple[bool, bool]] = {}
    for item in found:
        own = source_id(tenant, alias, item.path)
        candidates = [meta for meta in by_size.get(_size(item.file), []) if meta["container_id"] != own]
        for meta in candidates:
            if meta["container_id"] not in left:
                files = [root / meta["path"] for root in roots] if alias else [Path(meta["path"])]
                gone = bool(files) and all(_gone(file) for file in files)
                left[meta["container_id"]] = gone, gone or all(digest(file) not in _digests(meta) for file in files)
        same = [meta for meta in candidates if left[meta["container_id"]][1] and digest(item.file) in _digests(meta)]
        if not same:
            continue
        access = [PUBLIC]
        for meta in same:
            access = narrowed_access(meta.get("access") or [PUBLIC], access)
        first = next((c for meta in same if left[c := meta["container_id"]][0] and c not in taken), None)
        moved[item.path] = {"containers": [first] if first else [], "access": access}
        taken |= {first} if first else set()
    return moved


def _told(meta: Mapping[str, Any], key: str) -> Any:
    return (meta.get("manifest") or {}).get(key)


def _digests(meta: Mapping[str, Any]) -> set[str]:
    return {digest for key in ("digest", "failed_digest") if (digest := _told(meta, key))}


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return -1


def _digest(file: Path) -> str | None:
    """As `components.routers.source_meta.byte_digest`, without holding the file; None where it cannot be read."""
    digest = hashlib.sha256()
    try:
        with file.open("rb") as opened:
            while part := opened.read(_READ):
                digest.update(part)
    except OSError:
        return None  # the intake reads it again and says why
    return digest.hexdigest()[:32]


def _gone(file: Path) -> bool:
    """Whether there is certainly no such file; a folder that cannot be entered leaves the question open."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False

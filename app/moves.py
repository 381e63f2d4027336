"""What became of indexed files: gone, or under another path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.finding import Found, absolute
from app.sources import entries
from components.chunk import source_id

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore


def missing(store: SakshyaDocumentStore, paths: Sequence[str | Path], tenant: str, alias: str, found: Iterable[Found]) -> dict[str, str]:
    """Container ids and uris of sources in the index, under the given folders, whose file is gone. A file that is left out by a glob is not gone.

    With an alias, the folder given is the whole of it: every source of that alias is under it.
    """
    present = {source_id(tenant, alias, f.path) for f in found}
    roots = [root for root in map(absolute, paths) if root.is_dir()]
    gone = {}
    for entry in entries(store):
        path = entry.meta.get("path", "")
        if entry.meta.get("alias", "") != alias or entry.meta["container_id"] in present:
            continue
        files = [root / path for root in roots] if alias else [Path(path) for root in roots if Path(path).is_relative_to(root)]
        if files and all(_gone(file) for file in files):
            gone[entry.meta["container_id"]] = entry.meta["uri"]
    return gone


def _gone(file: Path) -> bool:
    """Whether there is certainly no such file; a folder that cannot be entered leaves the question open."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False

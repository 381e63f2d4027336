"""The rows of entities that lie beside a collection: where, and one instance a process."""

from __future__ import annotations

import threading
from pathlib import Path

from components.document_stores.entity_rows import EntityRows
from components.document_stores.reading_store import ReadingStore
from config.settings import settings

_open: dict[str, EntityRows] = {}
_opening = threading.Lock()


def rows_path(store: ReadingStore) -> Path | None:
    """The file of a collection: in the folder of an embedded index, else in the data folder; None for a collection in memory."""
    if store.location is not None:
        return None
    return Path(store.path or settings().index_dir) / f"{store.index}.entities.sqlite"


def rows_beside(store: ReadingStore, create: bool = False) -> EntityRows | None:
    """The rows beside a collection, one instance a process; None where there are none and `create` is not given."""
    path = rows_path(store)
    name = str(path or f"memory:{id(store)}")
    with _opening:
        if name not in _open and (create or (path is not None and path.is_file())):
            _open[name] = EntityRows(path)
        if path is not None and name in _open and not create and not path.is_file():  # the folder was removed
            _open.pop(name).close()
        return _open.get(name)


def close_rows(store: ReadingStore) -> None:
    """Close the rows beside a collection; a later use opens them again."""
    with _opening:
        if rows := _open.pop(str(rows_path(store) or f"memory:{id(store)}"), None):
            rows.close()

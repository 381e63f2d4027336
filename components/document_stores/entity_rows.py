"""What chunks name, in a SQLite file beside the collection: mentions, relations and aliases, each row of one chunk."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_AT_ONCE = 500
_SCHEMA = """
CREATE TABLE IF NOT EXISTS chunks (chunk TEXT PRIMARY KEY, tenant TEXT, source TEXT, container TEXT, text_hash TEXT, method TEXT, written_at REAL);
CREATE INDEX IF NOT EXISTS chunks_hash ON chunks (tenant, text_hash, method);
CREATE TABLE IF NOT EXISTS mentions (chunk TEXT, tenant TEXT, entity TEXT, name TEXT, kind TEXT, count INTEGER, PRIMARY KEY (chunk, entity));
CREATE INDEX IF NOT EXISTS mentions_entity ON mentions (tenant, entity);
CREATE TABLE IF NOT EXISTS relations (chunk TEXT, head TEXT, tail TEXT, label TEXT, weight REAL, PRIMARY KEY (chunk, head, tail, label));
CREATE TABLE IF NOT EXISTS aliases (chunk TEXT, tenant TEXT, alias TEXT, entity TEXT, PRIMARY KEY (chunk, alias, entity));
CREATE INDEX IF NOT EXISTS aliases_alias ON aliases (tenant, alias);
"""
_TABLES = ("mentions", "relations", "aliases", "chunks")


@dataclass(frozen=True)
class Mention:
    """A name in a chunk.

    :param entity: its key, `components.query.names.name_key`.
    :param name: as written.
    :param kind: the model's label, `name` without a model, or `title` where the chunk is about it.
    """

    entity: str
    name: str
    kind: str = "name"
    count: int = 1


@dataclass(frozen=True)
class Relation:
    """Two names that a chunk puts together.

    :param label: in words, from a chat model; empty where they only stand together.
    :param weight: above 0; 1 for a sentence that holds both.
    """

    head: str
    tail: str
    label: str = ""
    weight: float = 1.0


@dataclass(frozen=True)
class ChunkEntities:
    """All that is known of one chunk.

    :param text_hash: of what was read; a chunk of the same text, method and tenant has the same rows.
    :param aliases: (key of the alias, key of what it stands for).
    """

    chunk: str
    tenant: str
    source: str
    container: str
    text_hash: str
    method: str
    mentions: Sequence[Mention] = ()
    relations: Sequence[Relation] = ()
    aliases: Sequence[tuple[str, str]] = field(default_factory=tuple)


class EntityRows:
    """The file. Every row belongs to a chunk, whose id is the hash of its text: a row is never wrong, only left over or missing.

    Who may see a chunk is not kept here: the store knows, and what it does not give is not read (`EntityGraph`).

    :param path: of the file; None: in memory.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._lock = threading.RLock()
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        self._db = sqlite3.connect(str(path) if path else ":memory:", check_same_thread=False, timeout=30)
        with self._lock, self._db:
            self._db.execute("PRAGMA secure_delete=ON")  # a name that is removed is not left in a free page
            self._db.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    # --- writes

    def put(self, found: Iterable[ChunkEntities]) -> None:
        """Write chunks; what was known of them is replaced."""
        now = time.time()
        with self._lock, self._db:
            for one in found:
                self._delete([one.chunk])
                self._db.execute(
                    "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (one.chunk, one.tenant, one.source, one.container, one.text_hash, one.method, now),
                )
                self._db.executemany(
                    "INSERT OR REPLACE INTO mentions VALUES (?, ?, ?, ?, ?, ?)",
                    [(one.chunk, one.tenant, m.entity, m.name, m.kind, m.count) for m in one.mentions],
                )
                self._db.executemany(
                    "INSERT OR REPLACE INTO relations VALUES (?, ?, ?, ?, ?)",
                    [(one.chunk, r.head, r.tail, r.label, r.weight) for r in one.relations],
                )
                self._db.executemany("INSERT OR REPLACE INTO aliases VALUES (?, ?, ?, ?)", [(one.chunk, one.tenant, *pair) for pair in one.aliases])

    def forget(self, chunks: Iterable[str]) -> None:
        """Delete all rows of these chunks."""
        with self._lock, self._db:
            self._delete(list(chunks))

    def clear(self) -> None:
        """Delete everything."""
        with self._lock, self._db:
            for table in _TABLES:
                self._db.execute(f"DELETE FROM {table}")  # noqa: S608 - a name from the list above

    def _delete(self, chunks: Sequence[str]) -> None:
        for some in _parts(chunks):
            for table in _TABLES:
                self._db.execute(f"DELETE FROM {table} WHERE chunk IN ({_marks(some)})", some)  # noqa: S608

    # --- reads

    def known(self, chunks: Sequence[str], method: str) -> set[str]:
        """Those of the chunks that were read by this method."""
        return {row[0] for row in self._select("SELECT chunk FROM chunks WHERE method = ? AND chunk IN ({})", chunks, [method])}

    def same_text(self, tenant: str, hashes: Sequence[str], method: str) -> dict[str, str]:
        """Text hash to a chunk of the tenant that has this text and was read by this method."""
        found = self._select("SELECT text_hash, chunk FROM chunks WHERE tenant = ? AND method = ? AND text_hash IN ({})", hashes, [tenant, method])
        return dict(found)

    def chunk_ids(self, tenant: str, before: float | None = None, limit: int = -1) -> list[str]:
        """Ids of a tenant's chunks, those written before a time (seconds of the epoch) alone where it is given."""
        latest = time.time() + 1 if before is None else before
        with self._lock:
            rows = self._db.execute("SELECT chunk FROM chunks WHERE tenant = ? AND written_at < ? ORDER BY chunk LIMIT ?", (tenant, latest, limit))
            return [row[0] for row in rows]

    def holders(self, tenant: str, entities: Sequence[str]) -> list[tuple[str, str]]:
        """(entity, chunk) for each chunk of the tenant that names one of the entities."""
        return self._select("SELECT entity, chunk FROM mentions WHERE tenant = ? AND entity IN ({}) ORDER BY chunk", entities, [tenant])

    def mentions_of(self, chunks: Sequence[str]) -> list[tuple[str, Mention]]:
        """(chunk, mention) of these chunks."""
        found = self._select("SELECT chunk, entity, name, kind, count FROM mentions WHERE chunk IN ({}) ORDER BY chunk, entity", chunks)
        return [(chunk, Mention(*rest)) for chunk, *rest in found]

    def relations_of(self, chunks: Sequence[str]) -> list[Relation]:
        """The relations that these chunks state."""
        found = self._select("SELECT head, tail, label, weight FROM relations WHERE chunk IN ({}) ORDER BY chunk, head, tail", chunks)
        return [Relation(*row) for row in found]

    def aliases_of(self, tenant: str, keys: Sequence[str]) -> list[tuple[str, str, str]]:
        """(chunk, alias, entity) where one of the keys is an alias."""
        return self._select("SELECT chunk, alias, entity FROM aliases WHERE tenant = ? AND alias IN ({}) ORDER BY chunk", keys, [tenant])

    def of_chunk(self, chunk: str) -> ChunkEntities | None:
        """All that is known of a chunk."""
        with self._lock:
            row = self._db.execute("SELECT chunk, tenant, source, container, text_hash, method FROM chunks WHERE chunk = ?", (chunk,)).fetchone()
            if row is None:
                return None
            aliases = self._db.execute("SELECT alias, entity FROM aliases WHERE chunk = ?", (chunk,)).fetchall()
        mentions = [mention for _, mention in self.mentions_of([chunk])]
        return ChunkEntities(*row, mentions=mentions, relations=self.relations_of([chunk]), aliases=aliases)

    def counts(self) -> dict[str, int]:
        """Rows of each table."""
        with self._lock:
            return {table: self._db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in _TABLES}  # noqa: S608

    def _select(self, sql: str, values: Sequence[str], first: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        with self._lock:
            for some in _parts(values):
                rows += self._db.execute(sql.format(_marks(some)), [*first, *some]).fetchall()
        return rows


def _parts(values: Sequence[str]) -> Iterator[list[str]]:
    distinct = list(dict.fromkeys(values))
    for start in range(0, len(distinct), _AT_ONCE):
        yield distinct[start : start + _AT_ONCE]


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))

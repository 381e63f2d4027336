"""Answers kept for the next time that the same is asked: one SQLite file, sealed entries, and never a reason for a question to fail."""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from components.caching.question_form import question_form
from components.caching.sealing import MAX_PLAIN_BYTES, SealError, name_of, seal, secret_of, unseal

MIN_COSINE = 0.98
"""Cosine of two questions from which on their answers may be the same; the words decide then."""
DAY_S = 86_400.0
BUSY_S = 0.2
"""Seconds to wait for another process that writes; then it is a miss."""
MAX_CANDIDATES = 8
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    name BLOB NOT NULL, text BLOB NOT NULL, place BLOB NOT NULL, version BLOB NOT NULL,
    created REAL NOT NULL, used REAL NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (name, text)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_use ON entries (used);
CREATE TABLE IF NOT EXISTS counts (what TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
"""


class CacheError(Exception):
    """The file cannot be read or written now: the question is answered without it. One line says why."""


class QuestionEncoder(Protocol):
    """What the cache needs of an embedding model."""

    def vector(self, question: str) -> np.ndarray | None:
        """The vector of a question, of length 1; None where the model does not read it whole."""
        ...

    def identity(self) -> str:
        """What two vectors must share to be compared."""
        ...


@dataclass(frozen=True)
class Scope:
    """What must be the very same for an answer to be used again, the question aside.

    :param place: which index.
    :param version: which state of that index; entries of an earlier one are deleted.
    :param rights: tenant and access set, as the store filters by them.
    :param graph: what runs, and with which models and settings.
    :param inputs: the other inputs of the question, and the day.
    """

    place: str
    version: str
    rights: str
    graph: str
    inputs: str

    def secret(self, form: tuple[str, ...]) -> bytes:
        """What an entry's name and key are made from."""
        return secret_of(self.place, self.version, self.rights, self.graph, self.inputs, json.dumps(form))


@dataclass(frozen=True)
class Hit:
    """An entry that answers the question.

    :param answer: the answer as JSON data.
    :param sources: what it rests on, as it was given to `put`.
    :param age_s: seconds since it was given.
    :param cosine: of the two questions; 1 where they are the same text.
    """

    answer: dict[str, Any]
    sources: dict[str, str]
    age_s: float
    cosine: float


@dataclass(frozen=True)
class CacheState:
    """What a cache holds and how often it helped."""

    path: str
    entries: int = 0
    bytes: int = 0
    oldest_s: float | None = None
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def hit_rate(self) -> float | None:
        """Hits a lookup; None before the first."""
        asked = self.counts.get("hits", 0) + self.counts.get("misses", 0)
        return self.counts.get("hits", 0) / asked if asked else None


class AnswerCache:
    """Answers by scope and question. Safe for several threads and processes.

    Haystack's CacheChecker looks documents up by a meta field; it keeps no answers and knows no principal.

    An entry is found where all of `Scope` is the same, `question_form` of both questions is equal, and either they are the same text or
    the cosine of their vectors is at least `min_cosine`. Its name is a keyed hash of scope and form, and it is sealed with a key of the
    same origin: the file tells how many entries there are and when they were used, and nothing of questions, answers or readers.

    ```python
    cache = AnswerCache(Path("/tmp/answers.sqlite"), max_entries=100)
    scope = Scope("index", "v1", "public", "query", "2026-01-01")
    cache.put(scope, "Who?", {"answer": "Ann [1]."}, {})
    cache.get(scope, "who?")  # None: the vectors could not be compared without an encoder
    cache.get(scope, "Who?").answer  # {'answer': 'Ann [1].'}
    ```
    """

    def __init__(
        self,
        path: Path,
        max_entries: int,
        encoder: QuestionEncoder | None = None,
        min_cosine: float = MIN_COSINE,
        max_age_s: float = DAY_S,
        max_entry_bytes: int = 400_000,
    ) -> None:
        """Nothing is opened or created before the first `put`.

        :param max_entries: >= 1; the least recently used go first.
        :param encoder: compares questions that are worded differently; None: only the same text is found.
        :param min_cosine: from 0 to 1.
        :param max_age_s: seconds, > 0; an older entry is none.
        :param max_entry_bytes: a larger answer is not kept; at most 4,000,000.
        :raises ValueError: a value out of range.
        """
        if max_entries < 1 or not 0 <= min_cosine <= 1 or max_age_s <= 0 or not 1 <= max_entry_bytes <= MAX_PLAIN_BYTES:
            raise ValueError(
                f"AnswerCache: max_entries={max_entries}, min_cosine={min_cosine}, max_age_s={max_age_s}, max_entry_bytes={max_entry_bytes}; "
                f"accepted: 1 or more, 0 to 1, above 0, 1 to {MAX_PLAIN_BYTES}"
            )
        self.path = path
        self.max_entries = max_entries
        self.encoder = encoder
        self.min_cosine = min_cosine
        self.max_age_s = max_age_s
        self.max_entry_bytes = max_entry_bytes
        self._lock = threading.RLock()
        self._open: sqlite3.Connection | None = None
        self._open_of = (0, 0, 0)

    # --- asking

    def get(self, scope: Scope, question: str, now: float | None = None) -> Hit | None:
        """The entry that answers a question, if there is one. It is counted by `count`, once the caller has checked what it rests on.

        :param now: seconds since the epoch, for tests.
        :raises CacheError: the file cannot be read.
        """
        if not self.path.is_file():
            return None
        secret = scope.secret(question_form(question))
        at = time.time() if now is None else now
        with self._opened() as db:
            rows = db.execute(
                "SELECT text, created, sealed FROM entries WHERE name = ? AND created > ? AND created <= ? ORDER BY created DESC LIMIT ?",
                (name_of(secret), at - self.max_age_s, at, MAX_CANDIDATES),
            ).fetchall()
        same = name_of(secret, question.encode("utf-8", "surrogatepass"))
        for text, created, sealed in rows:
            if text == same:
                return self._hit(secret, sealed, at - created, 1.0)
        return self._nearest(secret, rows, question, at)

    def _nearest(self, secret: bytes, rows: list[tuple[bytes, float, bytes]], question: str, at: float) -> Hit | None:
        if not rows or self.encoder is None or (vector := self.encoder.vector(question)) is None:
            return None
        best: Hit | None = None
        for _, created, sealed in rows:
            hit = self._hit(secret, sealed, at - created, 0.0, vector)
            if hit and hit.cosine >= self.min_cosine and (best is None or hit.cosine > best.cosine):
                best = hit
        return best

    def _hit(self, secret: bytes, sealed: bytes, age_s: float, cosine: float, vector: np.ndarray | None = None) -> Hit | None:
        try:
            kept = json.loads(unseal(secret, sealed))
            if vector is not None:
                cosine = self._cosine(kept["vector"], vector)
            return Hit(dict(kept["answer"]), dict(kept["sources"]), max(age_s, 0.0), cosine)
        except (SealError, ValueError, KeyError, TypeError) as error:
            raise CacheError(f"{self.path}: an entry cannot be read: {type(error).__name__}") from error

    def _cosine(self, kept: dict[str, str] | None, vector: np.ndarray) -> float:
        if not kept or self.encoder is None or kept["of"] != self.encoder.identity():
            return 0.0
        other = np.frombuffer(base64.b64decode(kept["values"]), dtype=np.float32)
        return float(other @ vector) if other.shape == vector.shape else 0.0

    # --- keeping

    def put(self, scope: Scope, question: str, answer: Mapping[str, Any], sources: Mapping[str, str], now: float | None = None) -> bool:
        """Keep an answer, and delete what is too old, too much, or of an earlier state of the same index.

        :param sources: what the answer rests on; given back with it.
        :returns: whether it was kept; one that is too large is not.
        :raises CacheError: the file cannot be written.
        """
        plain = json.dumps({"answer": answer, "sources": sources, "vector": self._packed(question)}).encode()
        if len(plain) > self.max_entry_bytes:
            return False
        at = time.time() if now is None else now
        secret = scope.secret(question_form(question))
        place, version = name_of(secret_of(scope.place), b"place"), name_of(secret_of(scope.place, scope.version), b"version")
        text = name_of(secret, question.encode("utf-8", "surrogatepass"))
        row = (name_of(secret), text, place, version, at, at, seal(secret, plain))
        with self._opened(create=True) as db:
            db.execute("BEGIN IMMEDIATE")
            db.execute(
                "DELETE FROM entries WHERE (place = ? AND version <> ?) OR created <= ? OR created > ?", (place, version, at - self.max_age_s, at)
            )
            db.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            db.execute(
                "DELETE FROM entries WHERE (name, text) IN (SELECT name, text FROM entries ORDER BY used DESC LIMIT -1 OFFSET ?)", (self.max_entries,)
            )
            db.execute("COMMIT")
        return True

    def _packed(self, question: str) -> dict[str, str] | None:
        if self.encoder is None or (vector := self.encoder.vector(question)) is None:
            return None
        return {"of": self.encoder.identity(), "values": base64.b64encode(vector.astype(np.float32).tobytes()).decode()}

    def count(self, scope: Scope, question: str, *, hit: bool) -> None:
        """Count a lookup; a hit makes its entries the last to go.

        :raises CacheError: the file cannot be written.
        """
        with self._opened(create=True) as db:
            db.execute("BEGIN IMMEDIATE")
            db.execute("INSERT INTO counts VALUES (?, 1) ON CONFLICT (what) DO UPDATE SET number = number + 1", ("hits" if hit else "misses",))
            if hit:
                db.execute("UPDATE entries SET used = ? WHERE name = ?", (time.time(), name_of(scope.secret(question_form(question)))))
            db.execute("COMMIT")

    def drop(self, scope: Scope, question: str) -> None:
        """Delete the entries for a question, whose sources have changed.

        :raises CacheError: the file cannot be written.
        """
        with self._opened() as db:
            db.execute("DELETE FROM entries WHERE name = ?", (name_of(scope.secret(question_form(question))),))

    # --- clearing

    def drop_all(self) -> int:
        """Delete all entries, and say how many those were; the counts stay.

        :raises CacheError: the file cannot be written.
        """
        if not self.path.is_file():
            return 0
        with self._opened() as db:
            return db.execute("DELETE FROM entries").rowcount

    def clear(self) -> None:
        """Delete the file with all entries and counts, also one that cannot be read.

        :raises CacheError: it cannot be deleted.
        """
        self.close()
        try:
            for suffix in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        except OSError as error:
            raise CacheError(f"{self.path}: {error.strerror}") from error

    def state(self) -> CacheState:
        """What is in it.

        :raises CacheError: the file cannot be read.
        """
        if not self.path.is_file():
            return CacheState(str(self.path))
        with self._opened() as db:
            entries, size, oldest = db.execute("SELECT count(*), coalesce(sum(length(sealed)), 0), min(created) FROM entries").fetchone()
            counts = dict(db.execute("SELECT what, number FROM counts").fetchall())
        age = None if oldest is None else max(0.0, time.time() - oldest)
        return CacheState(str(self.path), entries, size, age, counts)

    @contextmanager
    def _opened(self, *, create: bool = False) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._connection(create=create)
            except (sqlite3.Error, OSError) as error:
                self.close()
                raise CacheError(f"{self.path}: {' '.join(str(error).split())}") from error

    def _connection(self, *, create: bool) -> sqlite3.Connection:
        """The connection of this process to the file that is there now: it may have been cleared by another process, or this one forked."""
        if create and not self.path.is_file():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        stat = self.path.stat()
        now = (os.getpid(), stat.st_dev, stat.st_ino)
        if self._open is None or self._open_of != now:
            self.close()
            uri = f"{self.path.resolve().as_uri()}?mode=rw"
            self._open = sqlite3.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
            self._open_of = now
            self._open.execute("PRAGMA journal_mode = WAL")
            self._open.executescript(f"PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; {_SCHEMA}")
        return self._open

    def close(self) -> None:
        """Let go of the file; the next use opens it again. A connection of the process that this one was forked from is left to it."""
        with self._lock:
            if self._open is not None and self._open_of[0] == os.getpid():
                self._open.close()  # rolls back what was not committed
            self._open = None

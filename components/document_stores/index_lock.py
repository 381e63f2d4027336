"""One process opens an embedded index. The operating system's lock is the truth; the file beside it tells who holds it."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import IO, Any

LOCK_FILE = "index.lock"


class IndexLockedError(RuntimeError):
    """Another process holds the index. `pid` and `url` (of its server, if it declared one) are attributes."""

    def __init__(self, folder: Path, pid: int | None, url: str | None) -> None:
        self.folder, self.pid, self.url = folder, pid, url
        at = f", which serves {url}" if url else ""
        super().__init__(f"the index in {folder} is held by process {pid or 'unknown'}{at}; stop it or hand the work to it")


def read_holder(folder: Path) -> dict[str, Any]:
    """Who wrote the lock file last: `{"pid": int, "url": str | None}`, or {} where there is none. Says nothing about whether it still runs."""
    try:
        holder = json.loads((folder / LOCK_FILE).read_text())
    except (OSError, ValueError):
        return {}
    return holder if isinstance(holder, dict) else {}


def is_held(folder: Path) -> bool:
    """Whether a process holds the lock of a folder just now."""
    try:
        with (folder / LOCK_FILE).open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False  # closing the file gives it back


class IndexLock:
    """An exclusive lock on a folder. The system drops it when the process ends, however it ends, so a stale file is taken over."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file: IO[str] | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._file is not None

    def acquire(self) -> None:
        """Take the lock and write this process into the file; nothing happens if it is held already.

        :raises IndexLockedError: another process, or another lock object in this one, holds it.
        """
        if self._file is not None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        file = (self.folder / LOCK_FILE).open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            holder = read_holder(self.folder)
            raise IndexLockedError(self.folder, holder.get("pid"), holder.get("url")) from None
        self._file = file
        self.declare(None)

    def declare(self, url: str | None) -> None:
        """Record the URL of the server that this process runs, for whoever finds the index locked."""
        if self._file is None:
            raise RuntimeError("declare() needs the lock; call acquire() first")
        self._file.truncate(0)
        self._file.write(json.dumps({"pid": os.getpid(), "url": url}))  # opened for appending: always at the end
        self._file.flush()

    def release(self) -> None:
        """Give the lock back."""
        if self._file is not None:
            self._file.truncate(0)
            self._file.close()
            self._file = None

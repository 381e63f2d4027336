"""Uploads wait for their turn: one writer at a time, a bounded queue, and a bounded memory of what became of each."""

from __future__ import annotations

import contextlib
import queue
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from app.errors import SakshyaError
from components.access.principal import Principal

KEPT = 200
"""Finished jobs that are remembered; the oldest is forgotten first."""


class State(StrEnum):
    """Where a job is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Stopped(Exception):
    """The server is being stopped; what was committed is kept."""


class QueueFullError(Exception):
    """As many jobs wait as may."""


Work = Callable[[Callable[[int, int, str], None]], dict[str, Any]]
"""What a job does: called with a progress function, gives the report."""


@dataclass
class Job:
    """One piece of writing."""

    owner: Principal
    total: int
    work: Work | None
    size: int = 0
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    state: State = State.WAITING
    done: int = 0
    report: dict[str, Any] | None = None
    error: str | None = None
    created_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    over: threading.Event = field(default_factory=threading.Event)

    def visible_to(self, principal: Principal) -> bool:
        """Whoever made it may see it, and the administrators of its tenant."""
        return self.owner.tenant == principal.tenant and principal.user is not None and (principal.is_admin or self.owner.user == principal.user)

    def to_dict(self) -> dict[str, Any]:
        """The job as plain data."""
        return {
            "id": self.id,
            "state": self.state.value,
            "done": self.done,
            "total": self.total,
            "created_at": self.created_at,
            "report": self.report,
            "error": self.error,
        }


class Jobs:
    """Runs jobs one after the other in a thread of its own."""

    def __init__(self, waiting: int, max_bytes: int, kept: int = KEPT) -> None:
        """:param waiting: jobs that may wait.
        :param max_bytes: of the files that wait in memory, all together; a job that waits alone may have more.
        """
        self._queue: queue.Queue[Job | None] = queue.Queue(maxsize=waiting)
        self._max_bytes, self._bytes = max_bytes, 0
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._kept, self._lock, self._stopping = kept, threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def add(self, owner: Principal, total: int, work: Work, size: int = 0) -> Job:
        """Put a job at the end of the queue.

        :param size: bytes that it holds until it is done.
        :raises QueueFullError: as many wait as may, or the server is stopping.
        """
        job = Job(owner, total, work, size)
        with self._lock:
            if self._stopping.is_set() or (self._bytes and self._bytes + size > self._max_bytes):
                raise QueueFullError
            try:
                self._queue.put_nowait(job)
            except queue.Full:
                raise QueueFullError from None
            self._jobs[job.id] = job
            self._bytes += size
            over = [i for i, j in self._jobs.items() if j.over.is_set()]
            for old in over[: max(0, len(over) - self._kept)]:
                del self._jobs[old]
        return job

    def get(self, job_id: str, principal: Principal) -> Job | None:
        """The job, where there is one that the principal may see."""
        with self._lock:
            job = self._jobs.get(job_id)
        return job if job and job.visible_to(principal) else None

    def stop(self, within_s: float) -> None:
        """Take no more, let the running job finish its batch, and wait that long for it."""
        with self._lock:
            self._stopping.set()
        with contextlib.suppress(queue.Full):
            self._queue.put_nowait(None)
        self._thread.join(within_s)

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            self._finish(job)

    def _finish(self, job: Job) -> None:
        from hayhooks import log

        def progress(done: int, total: int, _name: str) -> None:
            job.done, job.total = done, total
            if self._stopping.is_set() and done < total:
                raise Stopped

        work, job.work = job.work, None  # the bytes are let go with it
        job.state = State.RUNNING
        try:
            if self._stopping.is_set() or work is None:
                raise Stopped
            job.report = work(progress)
            job.state = State.DONE
        except Stopped:
            job.state, job.error = State.FAILED, "the server was stopped; what was committed is kept, send the files again"
        except SakshyaError as error:
            log.error("job {}: {}", job.id, error)
            job.state, job.error = State.FAILED, "indexing failed; the server's log has the reason under this job's id"
        except Exception as error:  # noqa: BLE001  one job must not end the thread of all
            log.opt(exception=error).error("job {}: unexpected error", job.id)
            job.state, job.error = State.FAILED, "indexing failed; the server's log has the reason under this job's id"
        finally:
            del work
            with self._lock:
                self._bytes -= job.size
            job.over.set()

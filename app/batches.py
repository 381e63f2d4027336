"""Batches of sources through the indexing graph: bounded in memory, two at a time, and one that fails is taken apart."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.errors import SakshyaError, one_line
from components.routers.source_meta import UNREAD

if TYPE_CHECKING:
    from haystack.dataclasses import ByteStream

logger = logging.getLogger(__name__)

Run = Callable[[dict[str, Any]], dict[str, Any]]
"""Runs the indexing graph on `sources`, `meta`, `graph_version` and returns its `report`. Called by two threads at once."""

MAX_FILES = 32
"""Sources of one run of the graph."""
MIN_FILES, MIN_BATCHES = 4, 6
MAX_BYTES = 8_000_000
"""Bytes of one run of the graph; a larger file runs alone. A megabyte of plain text takes some 20 MB while it is embedded."""
IN_FLIGHT = 2
"""Batches at once: while one is embedded, the next is read."""
CRASH = "crash"


@dataclass
class Item:
    """A source with its meta, and its size in bytes."""

    source: str | Path | ByteStream
    meta: dict[str, Any] = field(default_factory=dict)
    size: int = 0

    @property
    def name(self) -> str:
        """What a report calls it."""
        return str(self.meta.get("uri") or self.meta.get("path") or self.source)


def batches(items: Iterable[Item], max_files: int = MAX_FILES, max_bytes: int = MAX_BYTES) -> Iterator[list[Item]]:
    """Group items in order so that no group has more than `max_files`, nor more than `max_bytes` unless it is one item."""
    batch: list[Item] = []
    size = 0
    for item in items:
        if batch and (len(batch) >= max_files or size + item.size > max_bytes):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item.size
    if batch:
        yield batch


def files_of_a_batch(count: int) -> int:
    """Sources of a batch where `count` are to be indexed: some batches even of a few sources, or nothing would be read beside embedding.

    >>> files_of_a_batch(5), files_of_a_batch(100), files_of_a_batch(10_000)
    (4, 17, 32)
    """
    return min(MAX_FILES, max(MIN_FILES, -(-count // MIN_BATCHES)))


def run_batches(
    run: Run, items: Sequence[Item], graph_version: str, max_files: int | None, max_bytes: int
) -> Iterator[tuple[list[Item], list[dict[str, Any]]]]:
    """Run the graph over all items, `IN_FLIGHT` batches at once, and give each batch with its reports, in order.

    Where two items have one identity, one batch at a time: the later must win.

    :raises Exception: what concerns the index or the settings and not a source; batches that run are waited for.
    """
    names = [item.name for item in items]
    ahead = IN_FLIGHT if len(set(names)) == len(names) else 1
    running: deque[tuple[list[Item], Future[list[dict[str, Any]]]]] = deque()
    waiting = batches(items, max_files or files_of_a_batch(len(items)), max_bytes)
    pool = ThreadPoolExecutor(ahead, "index")
    wait = True
    try:
        while True:
            while len(running) < ahead and (batch := next(waiting, None)) is not None:
                running.append((batch, pool.submit(copy_context().run, _reports, run, batch, graph_version)))
            if not running:
                return
            batch, future = running.popleft()
            yield batch, future.result()
    except KeyboardInterrupt:
        wait = False  # what a killed batch leaves, the next run heals
        raise
    finally:
        pool.shutdown(wait=wait, cancel_futures=True)


def _reports(run: Run, batch: list[Item], graph_version: str) -> list[dict[str, Any]]:
    return list(_run_batch(run, batch, graph_version))


def _systemic(error: BaseException) -> bool:
    """Whether an error concerns the index or the settings, so that trying the files one by one would only repeat it."""
    from components.document_stores.fingerprint import FingerprintError
    from components.document_stores.index_lock import IndexLockedError

    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, SakshyaError | FingerprintError | IndexLockedError | PermissionError | MemoryError):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _run_batch(run: Run, batch: list[Item], graph_version: str) -> Iterator[dict[str, Any]]:
    """Reports of a batch; one that fails is halved until the sources that make it fail are alone and named."""
    values = {"sources": [item.source for item in batch], "meta": [item.meta for item in batch], "graph_version": graph_version}
    try:
        yield run(values)
    except Exception as error:
        if _systemic(error):
            raise
        if len(batch) == 1:
            yield {**_crashed(run, batch[0], one_line(error), graph_version), CRASH: one_line(error)}
            return
        middle = len(batch) // 2
        for half in (batch[:middle], batch[middle:]):
            yield from _run_batch(run, half, graph_version)


def _crashed(run: Run, item: Item, reason: str, graph_version: str) -> dict[str, Any]:
    """The report of a source that crashed the graph: run once more as one that could not be read, so that it is in the manifest."""
    values = {"sources": [item.source], "meta": [{**item.meta, UNREAD: reason}], "graph_version": graph_version}
    try:
        return run(values)
    except Exception:  # what crashed is not the source alone; the failure is reported all the same
        logger.debug("%s is not in the manifest", item.name, exc_info=True)
        return {"failed": [{"source": item.name, "reason": reason}]}

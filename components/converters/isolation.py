"""Parsing in processes that can be killed: limits on time and memory for each source, and a crash that takes nothing with it.

A parser of a damaged or hostile file can loop, fill the memory or take its process down, and no thread can be stopped. So each source is
read by one of a few child processes, which all converters share. `pebble` supplies the pool that heals; what it lacks is here and in
`reader_process.py`: a limit on memory, a time limit that the kernel keeps, and children that inherit nothing of the program that started them.

The children are forked from a fork server, which has imported the parsers. A child in place of a killed one is ready in some 50 ms; a spawned one
would import for seconds. Once they are warm, reading a small file here costs about 1 ms more than in this process.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from components.converters import reader_context, reader_process
from components.converters.outcome import UnreadableError

if TYPE_CHECKING:
    from pebble import ProcessPool

logger = logging.getLogger(__name__)

WORKERS = 2
TASKS_OF_A_WORKER = 500
"""Then a fresh one takes its place: parsers leak."""
GRACE_S = 5.0
"""Seconds after its time limit at which the pool stops a child that the kernel has not."""
STALLED_S = 90.0
"""Seconds beyond the time limit in which the pool finishes nothing at all: then the pool is broken, and is replaced."""
READERS_NEED = ("components.converters.outcome", "components.converters.decoding", "components.routers.content_sniffer")
LOST = object()
"""In the place of a result: the pool broke before there was one."""


class Readers:
    """The children: started when they are first needed, and replaced when they are broken. Safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._pool: ProcessPool | None = None
        self._finished = 0.0
        self._modules: dict[str, None] = dict.fromkeys(READERS_NEED)

    def preload(self, modules: Iterable[str]) -> None:
        """Name modules that children shall have imported before they read; it counts until the first child is started."""
        self._modules.update(dict.fromkeys(modules))

    def start(self) -> None:
        """Start the children beside what this program does now."""
        if self._pool is None:
            threading.Thread(target=self._start_quietly, name="start-readers", daemon=True).start()

    def call(self, function: str, call: tuple[tuple[Any, ...], dict[str, Any]], timeout_s: float, max_memory_mb: int) -> Future[bytes]:
        """Have a function called by the next child that is free."""
        arguments = pickle.dumps(call, protocol=5)  # what a child cannot unpickle must fail in its task, not on the way to it
        with self._lock:
            given = (function, arguments, timeout_s, max_memory_mb)
            future = self._started().schedule(reader_process.call, args=given, timeout=timeout_s + GRACE_S)
        future.add_done_callback(self._note)
        return future

    def wait(self, futures: Iterable[Future[bytes]], timeout_s: float) -> None:
        """Wait for all; where nothing is finished any more, not even for other callers, replace the children, which ends the waiting."""
        pool, begun, pending = self._pool, time.monotonic(), set(futures)
        while pending:
            _, pending = wait(pending, timeout=1.0, return_when=FIRST_COMPLETED)
            if pending and time.monotonic() - max(begun, self._finished) > timeout_s + STALLED_S:
                self._replace(pool)
                for future in pending:
                    with contextlib.suppress(Exception):  # it was finished just now
                        future.set_exception(BrokenProcessPool("nothing is finished any more"))

    def close(self) -> None:
        """End the children; the next call starts new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()
            pool.join()

    def forget(self) -> None:
        """In a fork of this program: the children are not its own."""
        self._lock, self._pool = threading.RLock(), None

    def _note(self, _: Future[bytes]) -> None:
        self._finished = time.monotonic()

    def _started(self) -> ProcessPool:
        from pebble import ProcessPool

        with self._lock:
            if self._pool is not None and not self._pool.active:
                self._replace(self._pool)
            if self._pool is None:
                reader_context.preload(self._modules)
                self._pool = ProcessPool(
                    max_workers=WORKERS,
                    max_tasks=TASKS_OF_A_WORKER,
                    initializer=reader_process.prepare,
                    initargs=(tuple(self._modules),),
                    context=reader_context.ReaderContext(),
                )
                self._finished = time.monotonic()
            self._pool.active  # noqa: B018  starts it  # pyright: ignore[reportUnusedExpression]
            return self._pool

    def _start_quietly(self) -> None:
        try:
            self._started()
        except Exception:
            logger.debug("the children could not be started", exc_info=True)  # the first source meets the same and says so

    def _replace(self, pool: ProcessPool | None) -> None:
        with self._lock:
            if pool is None or self._pool is not pool:
                return
            self._pool = None
        logger.debug("the readers broke and are replaced")
        pool.stop()
        pool.join()


_readers = Readers()
preload = _readers.preload
start = _readers.start
close = _readers.close


def run_isolated(
    function: Callable[..., Any],
    arguments: Sequence[tuple[Any, ...]],
    keywords: Mapping[str, Any] | None = None,
    *,
    timeout_s: float,
    max_memory_mb: int,
) -> list[Any]:
    """Call a function in the children, once for each tuple of arguments.

    :param function: of a module, not of a class or another function; arguments and result are pickled.
    :param keywords: keyword arguments of every call.
    :param timeout_s: seconds for each call; waiting for a child does not count.
    :param max_memory_mb: megabytes that a call may take beyond what its child has already.
    :returns: results in the order of the arguments. A call that failed gives an `UnreadableError` in its place: with the words of the function's
        own, or with what became of the child.
    """
    name = f"{function.__module__}:{function.__qualname__}"
    calls = [(given, dict(keywords or {})) for given in arguments]
    results = _run(name, calls, timeout_s, max_memory_mb)
    for place, result in enumerate(results):  # what was lost with the pool, once more and alone: one of them may have broken it
        if result is LOST:
            again = _run(name, [calls[place]], timeout_s, max_memory_mb)[0]
            results[place] = UnreadableError("the process that reads files was lost, twice") if again is LOST else again
    return results


def _run(name: str, calls: Sequence[tuple[tuple[Any, ...], dict[str, Any]]], timeout_s: float, max_memory_mb: int) -> list[Any]:
    futures: list[Future[bytes]] = []
    try:
        futures += (_readers.call(name, call, timeout_s, max_memory_mb) for call in calls)
        _readers.wait(futures, timeout_s)
        return [_result(future, timeout_s) for future in futures]
    except BaseException:
        for future in futures:
            future.cancel()
        raise


def _result(future: Future[bytes], timeout_s: float) -> Any:
    from pebble import ProcessExpired

    try:
        answer: reader_process.Answer = pickle.loads(future.result(0))  # noqa: S301  written by a child, from a function of ours
    except ProcessExpired as error:
        if error.pid:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(error.pid, signal.SIGKILL)  # what the parser itself has started
        return UnreadableError(_ending(error.exitcode, timeout_s))
    except TimeoutError:
        return UnreadableError(_ending(-signal.SIGALRM, timeout_s))
    except (BrokenProcessPool, CancelledError):
        return LOST
    done, value, trace = answer
    if done:
        return value
    if trace:
        logger.debug("%s", trace)
    return UnreadableError(value)


def _ending(exitcode: int | None, timeout_s: float) -> str:
    if exitcode == -signal.SIGALRM:
        return f"reading it took longer than {timeout_s:g} s, which is the limit"
    if exitcode == -signal.SIGKILL:
        return "the process that read it was killed, most likely because the machine ran out of memory"
    name = signal.Signals(-exitcode).name if exitcode and -exitcode in list(signal.Signals) else f"exit code {exitcode}"
    return f"the parser crashed on it ({name}): the file is damaged, or made to do that"


os.register_at_fork(after_in_child=_readers.forget)
atexit.register(close)

"""What happens inside a child that reads sources: its limits, and its answer as plain bytes. See `isolation.py`."""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing import parent_process
from typing import Any

MEGABYTE = 1 << 20
Answer = tuple[bool, Any, str]
"""Whether it was read; the value, or the reason as one line; the traceback where the reason is not the parser's own."""


def prepare(modules: tuple[str, ...]) -> None:
    """Make this process ready to read: silent, in a group of its own, gone with its parent, with the parsers imported."""
    silence()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a parser in C never comes back to a handler of Python's
    os.setpgid(0, 0)  # what a parser itself starts is stopped with it
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    for module in modules:
        importlib.import_module(module)


def silence() -> None:
    """Send what parsers print to nowhere: the standard output of the program belongs to its answer."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def _leave_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def call(function: str, arguments: bytes, timeout_s: float, max_memory_mb: int) -> bytes:
    """Call a function under limits.

    After `timeout_s` seconds the kernel ends this process, whatever it is doing. Memory beyond `max_memory_mb` MB above what is in use now is
    refused to it. The answer is pickled under the same limits.

    :param function: `module:name`.
    :param arguments: a pickled pair: positional and keyword arguments.
    :returns: a pickled `Answer`.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, timeout_s)
    _limit_memory(max_memory_mb)
    try:
        answer = _answer(function, arguments, max_memory_mb)
    finally:
        _limit_memory(None)
        signal.setitimer(signal.ITIMER_REAL, 0)
    return answer


def _answer(function: str, arguments: bytes, max_memory_mb: int) -> bytes:
    from components.converters.decoding import NotTextError
    from components.converters.outcome import UnreadableError
    from components.routers.content_sniffer import UnsupportedError

    try:
        positional, keywords = pickle.loads(arguments)  # noqa: S301  written by the parent
        return pickle.dumps((True, _found(function)(*positional, **keywords), ""), protocol=5)
    except (UnreadableError, UnsupportedError, NotTextError) as error:
        return _refusal(str(error), "")
    except MemoryError:
        gc.collect()
        return _refusal(f"reading it takes more than {max_memory_mb} MB of memory, which is the limit", "")
    except RecursionError:
        return _refusal("it is nested too deeply to be read", "")
    except BaseException as error:  # noqa: BLE001  a parser may raise anything, even what is no Exception; it becomes one failure
        return _refusal(f"the file is damaged or not what it seems to be: {type(error).__name__}: {error}", traceback.format_exc(limit=-20))


def _refusal(reason: str, trace: str) -> bytes:
    return pickle.dumps((False, reason, trace), protocol=5)


def _found(function: str) -> Callable[..., Any]:
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found


def _limit_memory(megabytes: int | None) -> None:
    """Refuse address space beyond what is in use and so many MB; None: as much as this process was born with."""
    if not sys.platform.startswith("linux"):
        return  # no other system keeps this limit
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    soft = hard
    if megabytes is not None:
        with open("/proc/self/statm", "rb") as status:  # noqa: PTH123  Path would be one more thing to go wrong here
            soft = int(status.read().split()[0]) * resource.getpagesize() + megabytes * MEGABYTE
        soft = soft if hard == resource.RLIM_INFINITY else min(soft, hard)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))

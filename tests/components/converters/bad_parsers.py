"""Parsers that do what a hostile file makes a parser do. Each takes a source's bytes."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from components.converters.outcome import UnreadableError


def echo(data: bytes) -> str:
    return data.decode()


def sleep_and_echo(data: bytes) -> str:
    time.sleep(float(data))
    return data.decode()


def loop(data: bytes) -> str:
    while True:
        pass


def loop_in_c(data: bytes) -> str:
    """Holds the GIL, so that nothing of Python runs in that process."""
    ctypes.pythonapi.PyErr_CheckSignals.restype = ctypes.c_int
    return str(pow(3, 10**9))


def eat_memory(data: bytes) -> str:
    held = []
    while True:
        held.append(bytearray(1 << 24))


def abort(data: bytes) -> str:
    os.abort()


def segfault(data: bytes) -> str:
    return ctypes.string_at(0).decode()


def leave(data: bytes) -> str:
    os._exit(3)


def end_program(data: bytes) -> str:
    raise SystemExit(2)


def kill_itself(data: bytes) -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


def recurse(data: bytes) -> str:
    return recurse(data)


def refuse(data: bytes) -> str:
    raise UnreadableError("the file says\nno")


def fail(data: bytes) -> str:
    raise ZeroDivisionError("a fault of the parser")


def unpicklable(data: bytes) -> object:
    return lambda: data


def chatter(data: bytes) -> str:
    print("to standard output")
    print("to standard error", file=sys.stderr)
    os.write(1, b"to descriptor 1\n")
    os.write(2, b"to descriptor 2\n")
    return "said"


def pid(data: bytes) -> int:
    return os.getpid()


def main_module(data: bytes) -> str:
    return str(getattr(sys.modules["__main__"], "__file__", None))


def modules(data: bytes) -> list[str]:
    return sorted(name for name, module in sys.modules.items() if module is not None)


def start_and_loop(data: bytes) -> str:
    """Starts a program, writes its pid where `data` says, and never returns."""
    program = subprocess.Popen(["sleep", "60"])
    Path(data.decode()).write_text(str(program.pid))
    return loop(data)


BY_WORD = {b"loop": loop, b"eat": eat_memory, b"abort": abort, b"segfault": segfault, b"leave": leave}


def by_content(data: bytes) -> str:
    """Misbehaves as the bytes say; other bytes are echoed."""
    return BY_WORD.get(data, echo)(data)


def sleep_and_pid(data: bytes) -> int:
    time.sleep(float(data))
    return os.getpid()


def peak_after_eating(data: bytes) -> tuple[int, int]:
    """Resident bytes before, and at the peak of eating all that is granted."""
    import resource

    def used(field: str) -> int:
        status = Path("/proc/self/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith(field))) * 1024

    before = used("VmRSS")
    held = []
    try:
        while True:
            held.append(bytearray(b"x" * (1 << 20)))
    except MemoryError:
        held.clear()
    return before, max(used("VmHWM"), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)

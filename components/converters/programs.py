"""Runs another program on a file, in a folder of its own, and stops it on time."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from components.converters.outcome import UnreadableError

MEGABYTE = 1 << 20


def run_program(
    command: Sequence[str | Path], *, timeout_s: float, folder: Path, max_memory_mb: int | None = None, data: bytes | None = None
) -> bytes:
    """Run a program and return what it writes to its standard output.

    It gets no environment but a path, a home in the given folder and a locale, so that it finds no settings and no display. It and all it starts
    are killed when the time is over, and when this process is stopped with its group.

    :param folder: working folder and home.
    :param max_memory_mb: address space in MB; None: as much as the system gives, also where this process may have less.
    :param data: its standard input.
    :raises UnreadableError: it failed, or took too long.
    """

    def limit() -> None:  # after the fork: only calls that are safe there
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard if max_memory_mb is None else max_memory_mb * MEGABYTE, hard))

    name = Path(command[0]).name
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
    started = subprocess.Popen(  # noqa: S603  the command is ours, and no shell reads it
        [str(part) for part in command],
        stdin=subprocess.PIPE if data is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment,
        preexec_fn=limit,  # noqa: PLW1509  readers have one thread that runs Python
    )
    try:
        output, errors = started.communicate(data, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise UnreadableError(f"{name} took longer than {timeout_s:g} s on it, which is the limit") from None
    finally:
        if started.poll() is None:
            _stop(started)
    if started.returncode:
        reason = errors.decode("utf-8", "replace").strip().splitlines()
        raise UnreadableError(f"{name} cannot read it: {reason[-1][:300] if reason else f'exit code {started.returncode}'}")
    return output


def _stop(started: subprocess.Popen[bytes]) -> None:
    """Kill a program and its children, which stay in the group of this process."""
    for pid in [*_descendants(started.pid), started.pid]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    started.communicate()


def _descendants(pid: int) -> list[int]:
    children: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children += [int(child) for child in path.read_text().split()]
        except OSError:
            continue
    return [below for child in children for below in (*_descendants(child), child)]

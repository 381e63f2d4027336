"""Entry point of the `sakshya` command. Ctrl-C, whenever it comes, ends in one line and exit code 130; so nothing but this is imported first."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

STOPPED = 130
"""Exit code of a command that was stopped with Ctrl-C: 128 and the number of the signal."""


def main() -> None:
    """Load the command line and run it.

    While modules load, and again when all is done, an interrupt ends the process at once: there is nothing to put in order, and an exception would
    be shown, or lost, by whichever library is being imported. In between it is Python's own, so that a command can end what it began.
    """
    try:
        signal.signal(signal.SIGINT, _leave)
        from app.cli import main as command_line

        sys.unraisablehook = _unraisable
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            command_line()
        finally:
            signal.signal(signal.SIGINT, _leave_silently)
    except KeyboardInterrupt:
        _leave()


def _leave(*_: Any) -> None:
    """Say so, as JSON too where that is asked for, and end the process."""
    os.write(2, b"sakshya: stopped\n")
    if "--json" in sys.argv:
        os.write(1, b'{"error": "stopped"}\n')
    os._exit(STOPPED)


def _leave_silently(*_: Any) -> None:
    os._exit(STOPPED)


def _unraisable(unraisable: Any) -> None:
    """An interrupt that came where Python cannot raise it, in a callback of an import for instance, ends the process all the same."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _leave()
    sys.__unraisablehook__(unraisable)

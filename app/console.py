"""How commands speak: tables and bars on a terminal, one JSON object with `--json`, one line for an error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec

import typer
from rich.console import Console

from app.entry import STOPPED
from app.errors import SakshyaError, UsageError, plain
from config.settings import SettingsError

P = ParamSpec("P")

out = Console(highlight=False, soft_wrap=False)
err = Console(stderr=True, highlight=False)


def print_json(data: Any) -> None:
    """One JSON object on standard output."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")


def fail(message: str, code: int, as_json: bool, **more: Any) -> typer.Exit:
    """Say what went wrong on standard error (and as JSON where asked, with `more` beside it) and return the exit to raise."""
    for line in message.splitlines() or [""]:
        sys.stderr.write(f"sakshya: {line}\n")
    if as_json:
        print_json({"error": message, **more})
    return typer.Exit(code)


WRITING = frozenset({"index", "remove"})
"""Commands that write the index, by the names of their functions."""


def reports_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Turn the errors a person can act on into one line and the exit code of the contract: 1 failed, 2 wrong use, 130 stopped."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        as_json = bool(kwargs.get("as_json"))
        try:
            command(*args, **kwargs)
        except (UsageError, SettingsError) as error:
            raise fail(str(error), 2, as_json) from None
        except SakshyaError as error:
            raise fail(str(error), 1, as_json) from None
        except KeyboardInterrupt:
            writes = command.__name__ in WRITING
            said = "stopped; what was committed is kept, run the command again to go on" if writes else "stopped"
            raise fail(said, STOPPED, as_json) from None
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:  # the last door: a person gets a line, `--verbose` the traceback
            if _verbose:
                raise
            raise fail(f"{plain(error)} (--verbose before the command shows the traceback)", 1, as_json) from None

    return wrapped


_verbose = False


def set_verbose(value: bool) -> None:
    """Whether unexpected errors show their traceback."""
    global _verbose  # noqa: PLW0603 - one switch of the process, set once by the entry point
    _verbose = value


@contextmanager
def progress_bar(description: str, total: int | None, *, shown: bool) -> Iterator[Callable[[int, str], None]]:
    """A progress bar on standard error while a terminal is there; yields `advance(steps, what)`."""
    if not shown or not err.is_terminal:
        yield lambda _steps, _what: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[what]}"),
    )
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task(description, total=total, what="")
        yield lambda steps, what: progress.update(task, advance=steps, what=what)

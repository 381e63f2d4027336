"""Errors that a person reads: one clear line, no traceback."""

from __future__ import annotations


class SakshyaError(Exception):
    """Something failed and is named. The command line ends with exit code 1."""


class UsageError(SakshyaError):
    """Wrong use: an argument, a path, a name. The command line ends with exit code 2."""


class GraphError(SakshyaError):
    """A graph that cannot be loaded or run. The message names the file and, where there is one, the component."""


def plain(error: BaseException) -> str:
    """What went wrong in words: of an error that Haystack wrapped its cause, and a class name only where the error is none of ours.

    >>> plain(PermissionError("reading needs a key"))
    'reading needs a key'
    """
    while type(error).__module__.startswith("haystack.") and error.__cause__ is not None:
        error = error.__cause__
    ours = type(error).__module__.partition(".")[0] in {"app", "components", "config", "evaluation"}
    known = ours or isinstance(error, (ValueError, PermissionError)) or type(error).__module__.startswith("haystack.")
    return one_line(error) if known else f"{type(error).__name__}: {one_line(error)}"


def one_line(error: BaseException) -> str:
    """What went wrong, on one line: Haystack's JSON dump of a component's parameters and any further lines are left out.

    >>> one_line(ValueError("first\\nsecond"))
    'first second'
    """
    text = str(error) or type(error).__name__
    for marker in ("Original error: ", "Error: "):
        _, found, tail = text.rpartition(marker)
        if found:
            text = tail
            break
    return " ".join(text.split())

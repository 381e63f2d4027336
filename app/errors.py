"""Errors that a person reads: one clear line, no traceback."""

from __future__ import annotations


class SakshyaError(Exception):
    """Something failed and is named. The command line ends with exit code 1."""


class UsageError(SakshyaError):
    """Wrong use: an argument, a path, a name. The command line ends with exit code 2."""


class GraphError(SakshyaError):
    """A graph that cannot be loaded or run. The message names the file and, where there is one, the component."""


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

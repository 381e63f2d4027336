"""One fault of a graph, as one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Level(StrEnum):
    """error: the graph does not do what it says. warning: it runs, and something in it is likely a mistake."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, order=True)
class Problem:
    """A fault. `where` is the dotted path of the key, for instance `fuser.k`; empty for the whole file. `line` is from 1."""

    file: str
    line: int
    where: str
    message: str
    level: Level = Level.ERROR

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        return f"{self.file}:{self.line}: {self.level.value}: {where}{self.message}"

    def to_json(self) -> dict[str, Any]:
        """The fault as plain JSON data."""
        return {"file": self.file, "line": self.line, "where": self.where, "message": self.message, "level": self.level.value}


def accepted(name: str, options: Iterable[str], *, most: int = 8) -> str:
    """What would be accepted instead of a name: close names first, else the options there are.

    >>> accepted("wieghts", ["k", "weights", "top_k"])
    "did you mean 'weights'?"
    >>> accepted("x", ["k", "top_k"])
    'accepted: k, top_k'
    """
    options = sorted(set(options))
    close = difflib.get_close_matches(name, options, n=2, cutoff=0.7)
    if close:
        return f"did you mean {' or '.join(repr(option) for option in close)}?"
    if not options:
        return "none is accepted"
    more = f" and {len(options) - most} more" if len(options) > most else ""
    return f"accepted: {', '.join(options[:most])}{more}"

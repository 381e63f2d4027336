"""The line that tells an embedding model where a chunk stands: title > heading > heading, and the columns of a cut table."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from components.preprocessors.sections import one_line

JOIN = " > "
COLUMNS = " | columns: "
ELLIPSIS = "…"
_SPACES = re.compile(r"\s{2,}")
_NUMBER = re.compile(r"\d")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SENTENCE_END = re.compile(r"[^.\s]{3,}[.;!?।。]$")
_LONGEST_NAME = 60
_RULE = re.compile(r"[\s|:+=-]*")


def context_header(title: str, heading_path: Sequence[str], fits: Callable[[str], bool]) -> str:
    """Title and headings on one line; what does not fit is left out from the middle.

    Whole headings go first, those in the middle before the outer and the inner ones; then words, then characters.

    >>> context_header("Leave policy", ["Leave", "Annual leave"], lambda line: True)
    'Leave policy > Leave > Annual leave'
    >>> context_header("Leave policy", ["Leave", "Annual leave"], lambda line: len(line) < 32)
    'Leave policy > … > Annual leave'
    """
    parts = [part for part in (one_line(title), *map(one_line, heading_path)) if part]
    line = JOIN.join(parts)
    if not line or fits(line):
        return line
    for kept in range(len(parts) - 1, 1, -1):
        first = kept - kept // 2
        line = JOIN.join([*parts[:first], ELLIPSIS, *parts[len(parts) - kept // 2 :]])
        if fits(line):
            return line
    return _without_middle(line.split(" "), " ", fits) or _without_middle(list(line), "", fits)


def _without_middle(pieces: list[str], join: str, fits: Callable[[str], bool]) -> str:
    """The longest line of first and last pieces that fits; empty where not even two do."""
    low, high, best = 2, len(pieces) - 1, ""
    while low <= high:
        kept = (low + high) // 2
        first = kept - kept // 2
        line = join.join([*pieces[:first], ELLIPSIS, *pieces[len(pieces) - kept // 2 :]])
        if fits(line):
            low, best = kept + 1, line
        else:
            high = kept - 1
    return best


def is_rule(row: str) -> bool:
    """Whether a row of a table is a line drawn between rows, as `|---|---|`."""
    return _RULE.fullmatch(row) is not None


def cells_of(row: str) -> list[str]:
    """The cells of a row, divided by `|`, else by tabs, else by two spaces or more."""
    divider = "|" if "|" in row else "\t" if "\t" in row.strip() else None
    cells = row.strip().removeprefix("|").removesuffix("|").split(divider) if divider else _SPACES.split(row.strip())
    return [one_line(cell) for cell in cells]


def names_columns(row: str) -> bool:
    """Whether the first row of a table names its columns: several short cells, no sentence among them, and no number but a year.

    A table that goes on from another page begins with data, which must not be shown as the names of columns.

    >>> names_columns("| Grade | Days in 2024 |"), names_columns("281 | Rash driving. | Fine."), names_columns("Sick leave | 10 days")
    (True, False, False)
    """
    cells = cells_of(row)
    return (
        sum(bool(cell) for cell in cells) > 1
        and not is_rule(row)
        and all(len(cell) <= _LONGEST_NAME and not _SENTENCE_END.search(cell) and not _NUMBER.search(_YEAR.sub("", cell)) for cell in cells)
    )


def columns_suffix(header_row: str, fits: Callable[[str], bool]) -> str:
    """What the header row of a table adds to the context header of rows that do not follow it in their chunk; empty for a single column.

    Columns that do not fit are left out from the end.

    >>> columns_suffix("| Grade | Days |", lambda line: True)
    ' | columns: Grade | Days'
    """
    cells = [cell for cell in cells_of(header_row) if cell]
    if len(cells) < 2:
        return ""
    for kept in range(len(cells), 0, -1):
        suffix = COLUMNS + " | ".join(cells[:kept] + ([ELLIPSIS] if kept < len(cells) else []))
        if fits(suffix):
            return suffix
    return ""

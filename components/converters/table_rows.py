"""Rows of a table as text: merged cells, names of columns in several rows, figures cut over several cells."""

from __future__ import annotations

import re

from components.converters.outcome import one_line
from components.converters.sheet_tables import header_rows, stacked

_BEFORE = re.compile(r"[$€£¥₹(]|[A-Z]{0,3}\$|\(\s*[$€£¥₹]")
_AFTER = re.compile(r"\)|%|\)\s*%|%\s*\)")
Cell = tuple[str, int, int, bool]
"""Text, columns and rows that it covers, and whether it is a header cell."""
_MAX_SPAN = 1000


def grid(rows: list[list[Cell]]) -> tuple[list[list[str]], list[list[bool]]]:
    """The cells of a table as a rectangle, and where its header cells are.

    A cell that covers rows stands in each; one that covers columns stands in the first, unless it is a header cell.
    """
    texts: list[list[str]] = []
    heads: list[list[bool]] = []
    above: dict[int, tuple[int, str, bool]] = {}
    for row in rows:
        line: list[tuple[str, bool]] = []
        below: dict[int, tuple[int, str, bool]] = {}
        for text, columns, down, head in row:
            _take_from_above(line, above, below)
            for number in range(min(columns, _MAX_SPAN)):
                shown = text if not number or head else ""
                if down > 1:
                    below[len(line)] = (min(down, _MAX_SPAN) - 1, shown, head)
                line.append((shown, head))
        _take_from_above(line, above, below)
        above = below
        texts.append([text for text, _ in line])
        heads.append([head for _, head in line])
    width = max(map(len, texts), default=0)
    return [line + [""] * (width - len(line)) for line in texts], [marks + [False] * (width - len(marks)) for marks in heads]


def _take_from_above(line: list[tuple[str, bool]], above: dict[int, tuple[int, str, bool]], below: dict[int, tuple[int, str, bool]]) -> None:
    """Fill the next places of a row with cells that reach down into it."""
    while len(line) in above:
        left, text, head = above[len(line)]
        if left > 1:
            below[len(line)] = (left - 1, text, head)
        line.append((text, head))


def table_lines(rows: list[list[Cell]], headed: int = 0) -> tuple[str, dict[str, int]]:
    """A table as lines of cells between ` | `, and its block fields.

    Rows that name the columns become one, where more than one row is marked so or holds no figures while those below do. Signs of currency,
    brackets and percent signs in cells of their own go to their figure; empty rows and columns go.

    :param rows: cells by row.
    :param headed: how many rows at the top the file marks as headers; 0: those of header cells.

    >>> table_lines([[("Grade", 1, 1, True), ("Days", 1, 1, True)], [("A", 1, 1, False), ("20", 1, 1, False)]])
    ('Grade | Days\\nA | 20', {'header_rows': 1})
    """
    texts, heads = grid(rows)
    lines = [_whole_figures([one_line(text).replace(" | ", " / ") for text in line]) for line in texts]
    filled = [number for number, line in enumerate(lines) if any(line)]
    lines, heads = [lines[n] for n in filled], [heads[n] for n in filled]
    if not lines:
        return "", {}
    if not headed:
        while headed < len(lines) - 1 and all(head or not text for text, head in zip(lines[headed], heads[headed], strict=True)):
            headed += 1
    marked = bool(headed)
    headed = min(headed, len(lines) - 1) or header_rows(lines)
    lines = _without_empty_columns(lines, headed)
    if headed > 1:
        lines = [[stacked([line[n] for line in lines[:headed]]) for n in range(len(lines[0]))], *lines[headed:]]
    fields = {"header_rows": 1} if marked or headed > 1 else {}
    return "\n".join(" | ".join(line) for line in lines), fields


def _whole_figures(line: list[str]) -> list[str]:
    """`$`, `1,234`, `)` in neighbouring cells as one."""
    line = list(line)
    for number, text in enumerate(line):
        following = next((n for n in range(number + 1, min(number + 3, len(line))) if line[n]), None)
        if text and following is not None and _BEFORE.fullmatch(text) and line[following][0] in "0123456789(.-—–":
            line[following], line[number] = text + line[following], ""
    for number, text in enumerate(line):
        before = next((n for n in range(number - 1, max(number - 3, -1), -1) if line[n]), None)
        if text and before is not None and _AFTER.fullmatch(text) and (line[before][-1].isdigit() or line[before][-1] in "—-"):
            line[before], line[number] = line[before] + text, ""
    return line


def _without_empty_columns(lines: list[list[str]], headed: int) -> list[list[str]]:
    """Leave out columns without a value below their name, unless the name stands nowhere else."""
    body, head = lines[headed:], lines[:headed]
    kept = []
    for n in range(len(lines[0])):
        elsewhere = all(not line[n] or any(line[n] == line[m] for m in (n - 1, n + 1) if 0 <= m < len(line)) for line in head)
        if any(line[n] for line in body) or not elsewhere:
            kept.append(n)
    return [[line[n] for n in kept] for line in lines]

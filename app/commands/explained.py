"""How an explained search looks: a column for each stage, two lines for each candidate, those that go on first, then those dropped, latest first."""

from __future__ import annotations

from string import ascii_lowercase
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

LEAST = 40
"""Columns of the screen that the passages keep; where the names of the stages leave fewer, letters stand for them."""
ABSENT = "–"


def explain_table(explained: dict[str, Any], width: int, top_k: int | None = None) -> Group:
    """The candidates of an explained search.

    :param width: columns of the screen.
    :param top_k: candidates at most; None: all.
    """
    stages = list(dict.fromkeys(stage["name"] for stage in explained["stages"]))
    candidates = explained["candidates"][:top_k]
    rows = [_cells(candidate, stages) for candidate in candidates]
    heads = [name.replace("_", "\n").replace(".", "\n").splitlines() for name in stages]
    spans = [max(len(line) for cells in rows for line in cells[column].split("\n")) for column in range(len(stages))] if rows else []
    named = [max(span, *map(len, head)) for span, head in zip(spans, heads, strict=True)] if rows else []
    lettered = sum(named) + 2 * len(named) > width - LEAST
    letters = [ascii_lowercase[i % 26] * (1 + i // 26) for i in range(len(stages))]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), expand=True, header_style="bold")
    table.add_column("#", justify="right", no_wrap=True)
    for letter, head in zip(letters, heads, strict=True):
        table.add_column(letter if lettered else "\n".join(head), justify="right", no_wrap=True)
    table.add_column("passage, and why it was dropped", ratio=1, no_wrap=True, overflow="ellipsis")
    fate: Any = ...
    for number, (candidate, cells) in enumerate(zip(candidates, rows, strict=True), 1):
        dropped = candidate["dropped"]
        if fate is not ... and (dropped or {}).get("stage") != fate:
            table.add_row()
        fate = (dropped or {}).get("stage")
        what = Text(_passage(candidate), style="" if dropped is None else "dim")
        reason = candidate["text"] if dropped is None else f"{dropped['stage']}: {dropped['reason']}"
        what.append(f"\n{reason}", style="dim" if dropped is None else "yellow")
        table.add_row(str(number), *cells, what)
    legend = [Text("   ".join(f"{letter} {name}" for letter, name in zip(letters, stages, strict=True)), style="bold"), Text()] if lettered else []
    return Group(*legend, table, Text(), *_notes(explained, top_k))


def _cells(candidate: dict[str, Any], stages: list[str]) -> list[str]:
    """Rank over score, a cell for each stage; a score that the stage only passed on is left out."""
    cells, before = [], None
    for name in stages:
        place = candidate["stages"].get(name)
        if place is None:
            cells.append(ABSENT)
            continue
        score = place["score"]
        cells.append(f"{place['rank']}\n{'' if score is None or score == before else short(score)}")
        before = score
    return cells


def short(score: float) -> str:
    """A score in three significant digits, without a leading zero.

    >>> short(0.03252), short(12.345), short(-0.5)
    ('.0325', '12.3', '-.5')
    """
    text = f"{score:.3g}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _passage(candidate: dict[str, Any]) -> str:
    where = " > ".join(str(part) for part in (candidate.get("title"), *candidate.get("heading_path", [])) if part)
    return where + (f", p. {candidate['page']}" if candidate.get("page") else "")


def _notes(explained: dict[str, Any], top_k: int | None) -> list[Text]:
    kept = sum(candidate["kept"] for candidate in explained["candidates"])
    total = len(explained["candidates"])
    lines = [f"{total} candidates, {kept} kept. Each stage: rank over score; {ABSENT} where it did not have it."]
    if top_k is not None and total > top_k:
        lines.append(f"{total - top_k} more: a larger --top-k, or --json, lists them")
    for stage in explained["stages"]:
        if stage["skipped"]:
            lines.append(f"{stage['name']} passed all through: {stage['skipped']}")
        if not stage["candidates_out"]:
            lines.append(f"{stage['name']} gave nothing")
        lines += [f"degraded: {reason}" for reason in stage["degraded"]]
    return [Text(line, style="yellow" if number else "") for number, line in enumerate(lines)]

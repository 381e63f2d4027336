"""`sakshya draw`: a picture of a graph."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from app.commands.options import AsJson
from app.console import err, print_json, reports_errors
from app.drawing.mermaid import to_mermaid
from app.drawing.picture import picture_of
from app.drawing.render import render
from app.errors import UsageError
from app.graphs import graph_path
from config.settings import home


class Format(StrEnum):
    """Formats of a drawing."""

    SVG = "svg"
    PNG = "png"
    MERMAID = "mermaid"


@reports_errors
def draw(
    graph: Annotated[str, typer.Argument(help="A graph of pipelines/ by name, or a path to a YAML file.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; its ending chooses the format. Default: NAME.svg here.")
    ] = None,
    kind: Annotated[Format | None, typer.Option("--format", help="Where the file's ending does not say it.")] = None,
    dark: Annotated[bool, typer.Option("--dark", help="Dark PNG. An SVG follows its reader's scheme by itself.")] = False,
    trace: Annotated[Path | None, typer.Option("--trace", help="JSON of `ask --json` or `search --json`: times and counts on the nodes.")] = None,
    as_json: AsJson = False,
) -> None:
    """Draw a graph as SVG, PNG or Mermaid, offline.

    Its faults are said as `check` says them. A graph with errors is drawn all the same where it can be, and the exit code is 1.
    """
    if as_json and str(output) == "-":
        raise UsageError("--output - and --json both want standard output; accepted: one of them")
    path = graph_path(graph)
    chosen = kind or _format_of(output)
    result = _read_trace(trace) if trace else {}
    picture = picture_of(path, result)
    strange = {stage["name"] for stage in result.get("trace", [])} - {node.id for node in picture.nodes}
    if strange:
        raise UsageError(f"{trace} is a run of another graph{_named(result)}: {path.stem} has no {', '.join(sorted(map(str, strange)))}")
    errors = _say_faults(path)
    data = to_mermaid(picture).encode("utf-8") if chosen is Format.MERMAID else render(picture, chosen.value, dark=dark)
    if output is not None and str(output) == "-":
        sys.stdout.buffer.write(data)
        _end(errors)
        return
    target = output or Path(f"{path.stem}.{'mmd' if chosen is Format.MERMAID else chosen.value}")
    try:
        target.write_bytes(data)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from error
    if as_json:
        print_json({"graph": path.stem, "file": str(target), "format": chosen.value, "bytes": len(data), "errors": errors})
    else:
        err.print(f"{target} ({len(data):,} bytes)", soft_wrap=True)
    _end(errors)


def _say_faults(path: Path) -> int:
    """What `check` says of the graph, on standard error; how many of it are errors."""
    from app.checking.check import check_graphs
    from app.checking.problem import Level

    ours = sorted((home() / "pipelines").glob("*.yml"))
    problems = check_graphs([path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path], beside=ours)
    for problem in problems:
        err.print(str(problem), markup=False, soft_wrap=True)
    return sum(problem.level is Level.ERROR for problem in problems)


def _end(errors: int) -> None:
    """A drawing of a graph that cannot run is there to look at, and no success."""
    if errors:
        raise typer.Exit(1)


def _format_of(output: Path | None) -> Format:
    endings = {".svg": Format.SVG, ".png": Format.PNG, ".mmd": Format.MERMAID, ".mermaid": Format.MERMAID}
    if output is None or str(output) == "-":
        return Format.SVG
    if output.suffix.lower() not in endings:
        raise UsageError(f"{output}: the ending chooses the format; accepted: {', '.join(endings)}, or give --format")
    return endings[output.suffix.lower()]


def _read_trace(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except ValueError:
        raise UsageError(f"{path} is not JSON; accepted: the output of `sakshya ask --json` or `search --json`") from None
    stages = data.get("trace") if isinstance(data, dict) else None
    if not isinstance(stages, list) or not all(isinstance(s, dict) and "name" in s and isinstance(s.get("ms"), (int, float)) for s in stages):
        raise UsageError(f"{path} has no `trace`; accepted: the output of `sakshya ask --json` or `search --json`")
    return data


def _named(result: dict[str, Any]) -> str:
    return f" ({result['graph']})" if result.get("graph") else ""

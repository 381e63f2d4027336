"""`sakshya check`: every fault of the graphs, one line each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.checking.check import check_graphs
from app.checking.problem import Level
from app.commands.options import AsJson
from app.console import err, out, print_json, reports_errors
from app.graphs import graph_path
from config.settings import home


@reports_errors
def check(
    graphs: Annotated[list[str] | None, typer.Argument(help="Graphs by name or path. Default: every graph of pipelines/.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find every fault of the graphs: file, line, component, key, and what is accepted."""
    paths = [graph_path(name) for name in graphs] if graphs else sorted((home() / "pipelines").glob("*.yml"))
    paths = [path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path for path in paths]
    problems = check_graphs(paths)
    errors = sum(problem.level is Level.ERROR for problem in problems)
    if as_json:
        print_json({"graphs": [str(path) for path in paths], "errors": errors, "problems": [problem.to_json() for problem in problems]})
    else:
        for problem in problems:
            out.print(str(problem), markup=False, soft_wrap=True)
        warnings = len(problems) - errors
        err.print(f"{len(paths)} graph{'s' * (len(paths) != 1)}: {errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}")
    if errors:
        raise typer.Exit(1)

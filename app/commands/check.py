"""`sakshya check`: every fault of the graphs, one line each; or a schema of graphs for an editor."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.checking.check import check_graphs
from app.checking.problem import Level, Problem
from app.commands.options import AsJson
from app.console import err, out, print_json, reports_errors
from app.errors import UsageError
from app.graphs import graph_path
from config.settings import home


@reports_errors
def check(
    graphs: Annotated[list[str] | None, typer.Argument(help="Graphs by name or path. Default: every graph of pipelines/.")] = None,
    schema: Annotated[
        Path | None,
        typer.Option("--schema", metavar="FILE", help="Write a JSON Schema of graphs for an editor instead, `-` to standard output."),
    ] = None,
    docs: Annotated[bool, typer.Option("--schema-docs", help="With --schema: the docstrings of Haystack's parts too, not only of ours.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find every fault of the graphs: file, line, component, key, and what is accepted."""
    if schema is not None:
        if graphs:
            raise UsageError("--schema goes without graphs: it is made from the installed components")
        _write_schema(schema, docs, as_json)
        return
    if docs:
        raise UsageError("--schema-docs goes with --schema FILE")
    ours = sorted((home() / "pipelines").glob("*.yml"))
    paths, absent = _found(graphs) if graphs else (ours, [])
    if not paths:
        raise UsageError(f"there is no graph in {home() / 'pipelines'}")
    paths = [path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path for path in paths]
    problems = [*check_graphs(paths, beside=ours), *absent]
    errors = sum(problem.level is Level.ERROR for problem in problems)
    if as_json:
        print_json(
            {
                "graphs": [*map(str, paths), *(problem.file for problem in absent)],
                "errors": errors,
                "problems": [problem.to_json() for problem in problems],
            }
        )
    else:
        for problem in problems:
            out.print(str(problem), markup=False, soft_wrap=True)
        warnings = len(problems) - errors
        count = len(paths) + len(absent)
        err.print(f"{count} graph{'s' * (count != 1)}: {errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}")
    if errors:
        raise typer.Exit(1)


def _found(names: Sequence[str]) -> tuple[list[Path], list[Problem]]:
    """The files of the graphs that there are, and a fault for each of the others.

    :raises UsageError: none of them is there.
    """
    paths, absent = [], []
    for name in names:
        try:
            paths.append(graph_path(name))
        except UsageError as error:
            absent.append(Problem(name, 1, "", str(error)))
            if len(absent) == len(names):
                raise
    return paths, absent


def _write_schema(file: Path, docs: bool, as_json: bool) -> None:
    if not file.parent.is_dir():
        raise UsageError(f"cannot write {file}: there is no folder {file.parent}")
    from app.checking.schema import graph_schema, schema_text

    schema = graph_schema(docs=docs)
    text = schema_text(schema)
    if str(file) == "-":
        sys.stdout.write(text)
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error
    types = len(schema["definitions"]["component"]["properties"]["type"]["enum"])
    if as_json:
        print_json({"schema": str(file), "components": types, "bytes": len(text.encode("utf-8"))})
    else:
        err.print(f"{file} ({types} components, {len(text.encode('utf-8')):,} bytes)")

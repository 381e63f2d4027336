"""`sakshya evaluate graphs`: several graphs on one question set, quality beside cost."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from app.commands.options import AsJson, Groups, Tenant, reader
from app.console import out, print_json, progress_bar, reports_errors
from app.errors import UsageError
from app.graphs import graph_path
from components.access.principal import DEFAULT_TENANT

DEFAULT_GRAPHS = "query,query_fast,query_strong"


@reports_errors
def graphs(
    questions: Annotated[
        Path,
        typer.Argument(
            metavar="SET", help="Questions, one JSON object a line (docs/evaluation.md), over your index; or a test collection in the layout of BEIR."
        ),
    ],
    names: Annotated[str, typer.Option("--graphs", help="Query graphs, with commas between.")] = DEFAULT_GRAPHS,
    k: Annotated[int, typer.Option("--k", min=1, help="Collections: all gold documents within the first k.")] = 5,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first questions.")] = None,
    index_graph: Annotated[str, typer.Option("--index-graph", help="Collections: the indexing graph.")] = "index",
    index_dir: Annotated[Path | None, typer.Option("--index-dir", help="Collections: where the index is kept.")] = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="Folder of what was asked and found; questions that are in it are not asked again.")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Write a picture there, .svg.")] = None,
    tenant: Tenant = DEFAULT_TENANT,
    groups: Groups = "",
    as_json: AsJson = False,
) -> None:
    """Compare graphs: quality with 95 % intervals beside calls, tokens, cost and time of each."""
    from evaluation.graph_comparison import comparison_tables

    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if not wanted:
        raise UsageError("--graphs is empty; accepted: names of query graphs, with commas between")
    for name in wanted:
        graph_path(name)  # a wrong name must not cost an hour
    if plot is not None and plot.suffix != ".svg":
        raise UsageError(f"--plot {plot}: accepted is a file that ends in .svg")
    if questions.is_dir():
        title, rows = _collection(questions, wanted, k, limit, index_graph, index_dir, save, as_json)
    else:
        title, rows = _questions(questions, wanted, limit, save, reader(tenant, groups), as_json)
    if plot is not None:
        from evaluation.comparison_plot import comparison_svg

        try:
            plot.write_text(comparison_svg(rows, title), encoding="utf-8")
        except ValueError as error:
            raise UsageError(str(error)) from None
    if as_json:
        print_json({"set": title, "graphs": [row.to_json() for row in rows]})
    else:
        for table in comparison_tables(rows, title):
            out.print(table)


def _questions(path, wanted, limit, save, principal, as_json):
    from app.comparing_graphs import on_questions
    from evaluation.data import DataError
    from evaluation.questions import read_questions

    try:
        asked = list(read_questions(path))[:limit]
    except (DataError, OSError) as error:
        raise UsageError(str(error)) from None
    with progress_bar("asking", len(asked) * len(wanted), shown=not as_json) as advance:
        rows = on_questions(wanted, asked, principal, save=save, advance=advance)
    return f"{path.stem}: {len(asked)} questions", rows


def _collection(path, wanted, k, limit, index_graph, index_dir, save, as_json):
    from app.comparing_graphs import on_collection
    from app.evaluating import prepared_index
    from evaluation.beir import read_beir
    from evaluation.data import DataError

    try:
        data = read_beir(path).limited(limit)
    except DataError as error:
        raise UsageError(str(error)) from None
    with ExitStack() as stack:
        with progress_bar(f"indexing {data.name}", len(data.corpus), shown=not as_json) as advance:
            index = stack.enter_context(prepared_index(data, index_graph, folder=index_dir, advance=advance))
        with progress_bar("asking", len(data.queries) * len(wanted), shown=not as_json) as advance:
            rows = on_collection(wanted, data, index, k=k, save=save, advance=advance)
    return f"{data.name}: {len(data.queries)} questions", rows

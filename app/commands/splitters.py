"""`sakshya evaluate splitters`: the same questions over the same files, cut in different ways."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from app.commands.options import AsJson, names
from app.console import err, out, print_json, reports_errors
from app.graphs import load_graph
from evaluation.splitter_comparison import Row, comparison_table


@reports_errors
def splitters(
    sets: Annotated[
        list[str],
        typer.Argument(metavar="SET…", help="A test collection in the layout of BEIR, or FILES=QUESTIONS: a folder or file, and questions on it."),
    ],
    only: Annotated[str, typer.Option("--splitters", help="Which ones, with commas between. Default: all.")] = "",
    graph: Annotated[str, typer.Option("--graph", help="The query graph that asks.")] = "query",
    split: Annotated[str | None, typer.Option("--split", help="A file of qrels/ without .tsv. Default: test, or the only one.")] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", min=2, help="Of a collection, so many documents with every relevant one of the queries kept.")
    ] = None,
    index_dir: Annotated[Path | None, typer.Option("--index-dir", help="Keep the indexes there. Default: they are removed.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the bootstrap.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Index each set with each splitter and ask it through one query graph: recall@5, nDCG@10, chunks, tokens, seconds."""
    from app.comparing import SPLITTERS, compare_splitter, index_graph, read_set

    chosen = names(only) or SPLITTERS
    for name in chosen:
        load_graph(index_graph(name), phase="indexing")  # a wrong name must not cost an hour of embedding
    load_graph(graph, phase="query", only=["documents"])
    tests = [read_set(argument, split, sample) for argument in sets]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="sakshya-splitters-") as temporary:
        folder = index_dir.expanduser().resolve() if index_dir else Path(temporary)
        for test in tests:
            own: list[Row] = []
            places: dict = {}
            for name in chosen:
                err.print(f"{test.data.name}: {name}", markup=False, soft_wrap=True)
                own.append(compare_splitter(name, test, graph, folder, places, seed))
            rows += own
            if not as_json:
                out.print(comparison_table(test.data.name, own))
                for note in dict.fromkeys(note for row in own for note in row.notes):
                    err.print(f"note: {note}", markup=False, soft_wrap=True)
    if as_json:
        print_json({"splitters": [row.to_json() for row in rows], "graph": graph})

"""`sakshya evaluate`: measures over question sets, through the graphs themselves."""

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from app import query
from app.commands.grading import grading
from app.commands.graphs import graphs
from app.commands.grounding import grounding
from app.commands.options import AsJson, GraphName, Groups, Tenant, reader
from app.commands.recall import recall
from app.commands.refusal import refusal
from app.commands.splitters import splitters
from app.console import err, out, print_json, progress_bar, reports_errors
from app.errors import UsageError
from app.graphs import load_graph
from components.access.principal import DEFAULT_TENANT
from components.answer import Answer
from evaluation.answers import evaluate_answers, report_table
from evaluation.beir import read_beir
from evaluation.data import DataError
from evaluation.questions import read_questions
from evaluation.ranking_measures import DEFAULT_CUTOFFS
from evaluation.retrieval import RetrievalReport, compare, comparison_table, stage_table
from evaluation.retrieval import report_table as retrieval_table

SHOWN = 5
"""Failed queries that are named."""

evaluate = typer.Typer(help="Measure answers, retrieval, and the graph search of your own index.", no_args_is_help=True)
evaluate.command("grading")(grading)
evaluate.command("graphs")(graphs)
evaluate.command("grounding")(grounding)
evaluate.command("recall")(recall)
evaluate.command("refusal")(refusal)
evaluate.command("splitters")(splitters)


@evaluate.command("answers")
@reports_errors
def answers(
    questions: Annotated[Path, typer.Argument(metavar="FILE", help="Questions, one JSON object a line; see docs/evaluation.md.")],
    graph: GraphName = "query",
    tenant: Tenant = DEFAULT_TENANT,
    groups: Groups = "",
    save: Annotated[Path | None, typer.Option("--save", help="Write every answer there, one JSON object a line.")] = None,
    as_json: AsJson = False,
) -> None:
    """Answer every question of a set and count: right, wrong, rightly declined, wrongly declined, with 95 % intervals."""
    try:
        loaded_questions = read_questions(questions)
    except (DataError, OSError) as error:
        raise UsageError(str(error)) from None
    principal = reader(tenant, groups)
    loaded = load_graph(graph, phase="query")
    query.require_index(loaded)
    loaded.warm_up()
    collected: list[Answer] = []
    with progress_bar("asking", len(loaded_questions), shown=not as_json) as advance:

        def ask(question: str) -> Answer:
            answer = asyncio.run(query.ask(loaded, question, principal=principal))
            collected.append(answer)
            advance(1, question[:40])
            return answer

        report = evaluate_answers(loaded_questions, ask)
    if save:
        lines = [json.dumps({"id": q.id, "answer": a.to_json()}, ensure_ascii=False) for q, a in zip(loaded_questions, collected, strict=True)]
        save.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if as_json:
        print_json({**report.to_json(), "graph": loaded.name, "index_version": query.index_version(loaded)})
    else:
        out.print(report_table(report))


@evaluate.command("retrieval")
@reports_errors
def retrieval(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A test collection in the layout of BEIR: corpus.jsonl, queries.jsonl, qrels/*.tsv.")],
    graph: GraphName = "query",
    against: Annotated[str | None, typer.Option("--against", help="A second query graph, over the same index and queries.")] = None,
    index_graph: Annotated[str, typer.Option("--index-graph", help="The indexing graph.")] = "index",
    split: Annotated[str | None, typer.Option("--split", help="A file of qrels/ without .tsv. Default: test, or the only one.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first queries; the corpus stays whole.")] = None,
    cutoffs: Annotated[list[int] | None, typer.Option("--k", min=1, help="k of recall@k and precision@k. Repeatable. Default: 1, 5, 10.")] = None,
    index_dir: Annotated[
        Path | None, typer.Option("--index-dir", help="Where the index of a collection is kept. Default: evaluation/ in the data folder.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Index anew, whatever is kept.")] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the bootstrap and the randomisation test.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Index a test collection with a graph and ask its queries: nDCG@10, recall, precision, MRR and MAP with 95 % intervals, and times."""
    from app.evaluating import measure_graph, prepared_index

    try:
        data = read_beir(folder, split).limited(limit)
    except DataError as error:
        raise UsageError(str(error)) from None
    ks = tuple(cutoffs) if cutoffs else DEFAULT_CUTOFFS
    asked = [graph] if against is None else [graph, against]
    for name in asked:
        load_graph(name, phase="query", only=["documents"])  # a wrong name must not cost an hour of embedding
    reports = []
    with ExitStack() as stack:
        with progress_bar(f"indexing {data.name}", len(data.corpus), shown=not as_json) as advance:
            index = stack.enter_context(prepared_index(data, index_graph, folder=index_dir, fresh=fresh, advance=advance))
        for name in asked:
            with progress_bar(f"asking {Path(name).stem}", len(data.queries), shown=not as_json) as advance:
                reports.append(measure_graph(name, data, index, cutoffs=ks, seed=seed, advance=advance))
    if as_json:
        print_json(_retrieval_json(reports))
    else:
        _show_retrieval(reports)
    for note in dict.fromkeys(note for report in reports for note in report.notes):
        err.print(f"note: {note}", markup=False, soft_wrap=True)
    failed = [f"query {name} ({report.graph}): {reason}" for report in reports for name, reason in report.failed.items()]
    for line in failed[:SHOWN]:
        err.print(f"sakshya: {line}", markup=False, soft_wrap=True)
    if failed:
        raise typer.Exit(1)


def _retrieval_json(reports: list[RetrievalReport]) -> dict[str, Any]:
    """The first graph's report; a second one stands in `against`, and `difference` holds first - second."""
    first, *others = reports
    report = first.to_json()
    for other in others:
        report["against"] = other.to_json()
        report["difference"] = {name: found.to_json() for name, found in compare(first, other).items()}
    return report


def _show_retrieval(reports: list[RetrievalReport]) -> None:
    out.print(comparison_table(*reports) if len(reports) == 2 else retrieval_table(reports[0]))
    for report in reports:
        out.print(stage_table(report))

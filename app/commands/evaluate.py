"""`sakshya evaluate`: measures over question sets, through the graphs themselves."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer

from app import query
from app.commands.options import AsJson, GraphName, Groups, Tenant, reader
from app.console import out, print_json, progress_bar, reports_errors
from app.errors import UsageError
from app.graphs import load_graph
from components.access.principal import DEFAULT_TENANT
from components.answer import Answer
from evaluation.answers import evaluate_answers, report_table
from evaluation.data import DataError
from evaluation.questions import read_questions

evaluate = typer.Typer(help="Measure answers over a question set.", no_args_is_help=True)


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

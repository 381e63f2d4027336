"""`sakshya evaluate refusal`: when to refuse, measured and fitted on your own questions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.options import AsJson, GraphName, Groups, Tenant, reader
from app.console import err, out, print_json, reports_errors
from app.errors import UsageError
from app.graphs import load_graph
from app.judging import Kept, judged_sets, over_collection
from app.query import require_index
from components.access.principal import DEFAULT_TENANT
from config.settings import home
from evaluation.beir import read_beir
from evaluation.questions import read_questions

if TYPE_CHECKING:
    from evaluation.refusal import Judged


@reports_errors
def refusal(
    sets: Annotated[
        list[Path],
        typer.Argument(metavar="DIR|FILE…", help="Test collections in the layout of BEIR, question sets, or what --save wrote."),
    ],
    graph: GraphName = "query",
    limit: Annotated[int, typer.Option("--limit", min=2, help="Queries of a collection; each is asked with and without what answers it.")] = 200,
    save: Annotated[Path | None, typer.Option("--save", help="A folder: what was found of each question, to fit again without asking.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the curves there, as SVG.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Fit weights and threshold on all sets together and write them.")] = False,
    model: Annotated[Path | None, typer.Option("--model", help="File of the weights. Default: models/refusal/refusal.json.")] = None,
    index_dir: Annotated[Path | None, typer.Option("--index-dir", help="Where indexes of collections are kept.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 0,
    tenant: Tenant = DEFAULT_TENANT,
    groups: Groups = "",
    as_json: AsJson = False,
) -> None:
    """Precision and recall of refusing, with answered accuracy and coverage, at every threshold; of several sets, each measured with weights
    fitted on the others, and all of them pooled."""
    from app.refusing import judge_collection, judge_questions
    from components.validators.refusal_features import read_model
    from components.validators.refusal_gate import PACKAGED
    from evaluation.refusal import curve, fitted, judged_to_json, known_answers, read_judged
    from evaluation.refusal_report import POOLED, measured, report_json, report_table, rules_for

    def ask(path: Path, stack: ExitStack) -> tuple[int, Iterator[Judged]]:
        if path.is_dir():
            data = read_beir(path)
            loaded = over_collection(stack, data, graph, index_dir, shown=not as_json)
            return 2 * min(limit, len(data.queries)), judge_collection(loaded, data, known_answers(path), limit, seed)
        questions = read_questions(path)
        loaded = load_graph(graph, phase="query")
        require_index(loaded)
        loaded.warm_up()
        return len(questions), judge_questions(loaded, questions, reader(tenant, groups))

    judged = judged_sets(sets, Kept("features", read_judged, judged_to_json), ask, save=save, shown=not as_json)
    if POOLED in judged:
        raise UsageError(f"a set named {POOLED}; accepted: any other name, that is the row of all sets")
    file = model or home() / PACKAGED
    shipped = read_model(file) if file.is_file() else None
    try:
        rules = {name: rules_for(name, judged, shipped) for name in judged}
        made = write and fitted(
            [j for found in judged.values() for j in found], said=", ".join(f"{name} ({len(found)})" for name, found in judged.items())
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    found = measured(judged, rules)
    if plot and any(rules.values()):
        from evaluation.refusal_plot import refusal_svg

        drawn = {name: list(ways.values())[-1] for name, ways in rules.items() if ways}
        curves = {name: curve(rule, judged[name]) for name, rule in drawn.items()}
        plot.write_text(refusal_svg(curves, {name: rule.threshold for name, rule in drawn.items()}), encoding="utf-8")
    if made:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(made.to_json(), indent=2) + "\n", encoding="utf-8")
        err.print(f"wrote {file}: threshold {made.threshold:.2f}", markup=False, soft_wrap=True)
    if as_json:
        print_json(report_json(judged, found))
    else:
        out.print(report_table(found))

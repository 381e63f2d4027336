"""`sakshya evaluate refusal`: when to refuse, measured and fitted on your own questions."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.options import AsJson, GraphName, Groups, Tenant, reader
from app.console import err, out, print_json, progress_bar, reports_errors
from app.errors import UsageError
from components.access.principal import DEFAULT_TENANT
from config.settings import home
from evaluation.data import DataError, read_jsonl

if TYPE_CHECKING:
    from components.validators.refusal_features import RefusalModel
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
    fitted on the others."""
    from components.validators.refusal_features import read_model
    from components.validators.refusal_gate import PACKAGED
    from evaluation.refusal import auroc, curve, point, report_table

    if save:
        save.mkdir(parents=True, exist_ok=True)
    judged: dict[str, list[Judged]] = {}
    for path in sets:
        name = path.name.removesuffix(".jsonl")
        if name in judged:
            raise UsageError(f"{path}: a second set named {name}; accepted: sets of different names")
        try:
            judged[name] = _judged(path, graph, limit, seed, index_dir, reader(tenant, groups), save and save / f"{name}.jsonl", as_json)
        except (DataError, OSError) as error:
            raise UsageError(str(error)) from None
    file = model or home() / PACKAGED
    rows, curves, chosen, report = {}, {}, {}, {}
    shipped = read_model(file) if file.is_file() else None
    for name, members in judged.items():
        rules = {"as shipped": shipped} if shipped else {}
        others = [j for other, found in judged.items() if other != name for j in found]
        if others:
            rules["fitted on the others"] = _fit(others, ", ".join(other for other in judged if other != name))
        report[name] = {"questions": len(members), "answerable": sum(j.answerable for j in members)}
        rows[f"{name}: generator alone"] = report[name]["generator alone"] = point(_never(), members, 0.0)
        for how, rule in rules.items():
            rows[f"{name}: {how}"] = found = point(rule, members, rule.threshold)
            report[name][how] = {**found.to_json(), "AUROC": auroc(rule, members), "weights": rule.to_json()["weights"]}
            rows[f"{name}: {how}, gate alone"] = point(rule, members, rule.threshold, gate_only=True)
            curves[name], chosen[name] = curve(rule, members), rule.threshold
        report[name]["generator alone"] = report[name]["generator alone"].to_json()
    if plot and curves:
        from evaluation.refusal_plot import refusal_svg

        plot.write_text(refusal_svg(curves, chosen), encoding="utf-8")
    if write:
        rule = _fit([j for found in judged.values() for j in found], ", ".join(f"{name} ({len(found)})" for name, found in judged.items()))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(rule.to_json(), indent=2) + "\n", encoding="utf-8")
        err.print(f"wrote {file}: threshold {rule.threshold:.2f}", markup=False, soft_wrap=True)
    if as_json:
        print_json(report)
    else:
        out.print(report_table(rows, "Refusal"))


def _never() -> RefusalModel:
    from components.validators.refusal_features import RefusalModel

    return RefusalModel(0.0, {}, {}, 0.0)


def _fit(judged: list[Judged], said: str) -> RefusalModel:
    from evaluation.refusal import fitted

    try:
        return fitted(judged, said=said)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _judged(path, graph, limit, seed, index_dir, principal, save, as_json) -> list[Judged]:
    from evaluation.refusal import judged_to_json, known_answers, read_judged

    if path.is_file() and "features" in next(read_jsonl(path))[1]:
        return read_judged(path)
    from app.evaluating import prepared_index
    from app.graphs import load_graph
    from app.query import require_index
    from app.refusing import judge_collection, judge_questions
    from evaluation.beir import read_beir
    from evaluation.questions import read_questions

    found: list[Judged] = []
    with ExitStack() as stack:
        lines = stack.enter_context(save.open("w", encoding="utf-8")) if save else None
        if path.is_dir():
            data = read_beir(path)
            with progress_bar(f"indexing {data.name}", len(data.corpus), shown=not as_json) as advance:
                index = stack.enter_context(prepared_index(data, folder=index_dir, advance=advance))
            loaded = load_graph(graph, phase="query", store=index.where)
            loaded.warm_up()
            total, judging = 2 * min(limit, len(data.queries)), judge_collection(loaded, data, known_answers(path), limit, seed)
        else:
            questions = read_questions(path)
            loaded = load_graph(graph, phase="query")
            require_index(loaded)
            loaded.warm_up()
            total, judging = len(questions), judge_questions(loaded, questions, principal)
        advance = stack.enter_context(progress_bar(f"asking {path.name}", total, shown=not as_json))
        for judged in judging:
            found.append(judged)
            if lines:
                lines.write(json.dumps(judged_to_json(judged), ensure_ascii=False) + "\n")
                lines.flush()
            advance(1, judged.id)
    return found

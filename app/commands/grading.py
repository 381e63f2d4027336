"""`sakshya evaluate grading`: what the verdicts of the retrieval grader are worth, measured and fitted on your own questions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.options import AsJson, GraphName
from app.console import err, out, print_json, reports_errors
from app.errors import UsageError
from app.judging import Kept, judged_sets, over_collection
from config.settings import home
from evaluation.beir import read_beir

if TYPE_CHECKING:
    from components.validators.passage_grades import PassageGrader
    from evaluation.grading import JudgedRetrieval


@reports_errors
def grading(
    sets: Annotated[list[Path], typer.Argument(metavar="DIR|FILE…", help="Test collections in the layout of BEIR, or what --save wrote.")],
    graph: GraphName = "query",
    limit: Annotated[int, typer.Option("--limit", min=2, help="Queries of a collection; each is asked with and without what answers it.")] = 100,
    top_k: Annotated[int, typer.Option("--top-k", min=1, help="Passages graded, as `top_k` of the grader.")] = 6,
    save: Annotated[Path | None, typer.Option("--save", help="A folder: what was found for each question, to fit again without asking.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Fit weights and thresholds on all sets together and write them.")] = False,
    model: Annotated[Path | None, typer.Option("--model", help="File of the weights. Default: models/retrieval-grader/grader.json.")] = None,
    index_dir: Annotated[Path | None, typer.Option("--index-dir", help="Where indexes of collections are kept.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 0,
    as_json: AsJson = False,
) -> None:
    """Precision and recall of the verdicts correct and incorrect, and how many stay ambiguous; of several sets, each measured with weights
    and thresholds fitted on the others."""
    from app.grading import judge_retrievals
    from components.validators.passage_grades import read_grader
    from components.validators.retrieval_grader import PACKAGED
    from evaluation.grading import judged_to_json, read_judged, report_table, worths

    def ask(path: Path, stack: ExitStack) -> tuple[int, Iterator[JudgedRetrieval]]:
        data = read_beir(path)
        loaded = over_collection(stack, data, graph, index_dir, only=["documents"], shown=not as_json)
        return 2 * min(limit, len(data.queries)), judge_retrievals(loaded, data, limit, top_k, seed)

    judged = judged_sets(sets, Kept("passages", read_judged, judged_to_json), ask, save=save, shown=not as_json)
    file = model or home() / PACKAGED
    rules: dict[str, dict[str, PassageGrader]] = {name: {} for name in judged}
    for name in judged:
        if file.is_file():
            rules[name]["as shipped"] = read_grader(file)
        if others := [one for other, found in judged.items() if other != name for one in found]:
            rules[name]["fitted on the others"] = _fit(others, "")
    rows = {f"{name} ({len(judged[name])}): {how}": worths(rule, judged[name]) for name, found in rules.items() for how, rule in found.items()}
    if write:
        said = ", ".join(f"{name} ({len(found)})" for name, found in judged.items())
        rule = _fit([one for found in judged.values() for one in found], f"sakshya evaluate grading: {said}, the best {top_k} passages")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(rule.to_json(), indent=2) + "\n", encoding="utf-8")
        err.print(
            f"wrote {file}: incorrect below {rule.thresholds.lower:.2f}, correct from {rule.thresholds.upper:.2f}", markup=False, soft_wrap=True
        )
    if as_json:
        shares = {
            row: {verdict: {"precision": w.precision.to_json(), "recall": w.recall.to_json()} for verdict, w in found.items()}
            for row, found in rows.items()
        }
        fitted_limits = {f"{n}: {how}": {"lower": r.thresholds.lower, "upper": r.thresholds.upper} for n, f in rules.items() for how, r in f.items()}
        print_json({"verdicts": shares, "thresholds": fitted_limits})
    else:
        out.print(report_table(rows))


def _fit(judged: list[JudgedRetrieval], said: str) -> PassageGrader:
    from evaluation.grading import fitted

    try:
        return fitted(judged, said)
    except ValueError as error:
        raise UsageError(str(error)) from None

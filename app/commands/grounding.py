"""`sakshya evaluate grounding`: how well the grounding check tells claims that their passages carry."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.options import AsJson
from app.console import out, print_json, progress_bar, reports_errors
from app.errors import UsageError


@reports_errors
def grounding(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="JSON lines of claim, context, label, perhaps question; see docs/answers.md."),
    ],
    model: Annotated[
        str | None, typer.Option("--model", help="packaged, a folder or hub name, chat, or none. Default: as the graphs, from the settings.")
    ] = None,
    rule: Annotated[Path | None, typer.Option("--rule", help="A rule file in the place of the model's own.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first claims of each file.")] = None,
    resamples: Annotated[int, typer.Option("--resamples", min=10, help="Of the bootstrap.")] = 500,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the bootstrap.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Measure supported against the rest: AUROC and balanced accuracy of the check and of each of its parts, with 95 % intervals."""
    from components.validators.chat_judge import ChatJudge
    from components.validators.grounding_models import CHAT, NONE, model_name
    from components.validators.grounding_rule import read_rule
    from components.validators.nli_model import load_nli_model
    from config.settings import settings
    from evaluation.data import DataError
    from evaluation.grounding import evaluate_grounding, read_claims_file, report_table

    names = [file.stem for file in files]
    if len(set(names)) != len(names):
        raise UsageError(f"two files of the same name: {', '.join(names)}")
    here = settings()
    name = model_name(model)
    try:
        claims = {file.stem: read_claims_file(file)[:limit] for file in files}
        fixed = read_rule(rule) if rule else None
        judge = None if name == NONE else ChatJudge() if name == CHAT else load_nli_model(name, here.grounding_device, here.grounding_labels)
    except (DataError, ValueError, OSError) as error:
        raise UsageError(str(error)) from None
    total = sum(len(some) for some in claims.values())
    with progress_bar("reading claims", total, shown=not as_json) as advance:
        try:
            report = evaluate_grounding(claims, judge, fixed, seed=seed, resamples=resamples, advance=lambda done: advance(done, ""))
        except DataError as error:
            raise UsageError(str(error)) from None
    if as_json:
        print_json(report.to_json())
    else:
        out.print(report_table(report))

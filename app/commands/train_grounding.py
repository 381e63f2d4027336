"""`sakshya train grounding`: a checker that says whether a passage carries a claim, trained on claims made from your own documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from app.commands.options import BatchSize, HeldOut, LearningRate, Output, Training, with_options
from app.console import err, out, print_json, reports_errors
from app.errors import UsageError

Sources = Annotated[
    list[Path], typer.Argument(exists=True, help="Text to train on: BEIR folders, .jsonl files with `text`, folders of .md and .txt files.")
]


def _bar(things: Iterable[Any], what: str, count: int) -> Iterable[Any]:
    from rich.progress import track

    return track(things, description=what, total=count, console=err, transient=True) if err.is_terminal else things


@dataclass(frozen=True)
class CheckerTraining(Training):
    """As every training, with what suits this one."""

    output: Output = Path("models/my-grounding")
    batch_size: BatchSize = 32
    learning_rate: LearningRate = 8e-5
    held_out: HeldOut = 0.07


@reports_errors
@with_options
def grounding(
    sources: Sources,
    training: CheckerTraining,
    base: Annotated[str, typer.Option("--base", help="`packaged`, or the folder or name of the model to begin with.")] = "packaged",
    size: Annotated[int | None, typer.Option("--size", min=10, help="Claims, at most.")] = None,
    frozen_layers: Annotated[int, typer.Option("--frozen-layers", min=-1, help="First layers left as they are; -1: none, nor the embeddings.")] = 2,
) -> None:
    """Train a grounding checker, measure it on passages held out, and write it as int8 ONNX with the rule beside it.

    Use it by SAKSHYA_GROUNDING_MODEL=FOLDER.
    """
    from components.embedders.sentence_transformer_encoder import PACKAGED, packaged_folder
    from evaluation.training.grounding import Recipe
    from evaluation.training.grounding_run import train_grounding

    model = str(packaged_folder()) if base == PACKAGED else base
    recipe = Recipe(model, training.seed, training.epochs, training.steps, training.batch_size, training.learning_rate, frozen_layers)
    shown = err.is_terminal and not training.as_json
    try:
        report = train_grounding(
            sources,
            training.output,
            recipe,
            held_out=training.held_out,
            size=size,
            fresh=training.fresh,
            progress=_bar,
            progress_bar=shown,
        )
    except (ValueError, RuntimeError) as error:
        raise UsageError(str(error)) from None
    if training.as_json:
        print_json(report)
        return
    from rich.table import Table

    table = Table(title=f"{report['held_out']} claims held out, trained on {report['pairs']}")
    for column in ("claims made by", "number", "right, 32 bits", "right, int8"):
        table.add_column(column, justify="left" if column.startswith("claims") else "right")
    for how, one in report["fp32"]["by_edit"].items():
        table.add_row(how, str(one["pairs"]), f"{one['accuracy']:.2f}", f"{report['int8']['by_edit'][how]['accuracy']:.2f}")
    table.add_section()
    for name in ("accuracy", "balanced_accuracy", "auroc"):
        table.add_row(name.replace("_", " "), "", f"{report['fp32'][name]:.3f}", f"{report['int8'][name]:.3f}")
    out.print(table)
    out.print(f"{training.output} ({report['megabytes']} MB). Use it: SAKSHYA_GROUNDING_MODEL={training.output}")

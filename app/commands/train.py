"""`sakshya train`: small models for your own documents. Each command makes its own data, trains, measures on what was held out, and exports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

train = typer.Typer(help="Train a ranker, an embedder or a grounding checker on your own documents.", no_args_is_help=True)

Output = Annotated[Path, typer.Option("--output", "-o", help="Folder for the model, its checkpoints and its report. A stopped run goes on there.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of the data, the order and the weights: the same seed gives the same model.")]
Epochs = Annotated[float, typer.Option("--epochs", min=0.0, help="Passes over the data.")]
Steps = Annotated[int | None, typer.Option("--steps", min=1, help="Stop after so many steps, whatever --epochs says.")]
BatchSize = Annotated[int, typer.Option("--batch-size", min=1, help="Examples a step.")]
LearningRate = Annotated[float, typer.Option("--learning-rate", min=0.0, help="Peak; it warms up over the first tenth and falls to 0.")]
HeldOut = Annotated[
    float, typer.Option("--held-out", min=0.0, max=0.9, help="Share of the sources kept for the report; nothing of them is trained on.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Begin anew, whatever the output folder holds.")]

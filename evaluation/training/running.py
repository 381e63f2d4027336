"""What both trainings of networks share: arguments of sentence-transformers' trainers, checkpoints to go on from, progress, and what is missing."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

NEEDED = ("accelerate", "datasets", "onnx")
CHECKPOINTS = "checkpoints"
STATE = "training.json"
Progress = Callable[[int, int, float | None], None]
"""Called with steps done, steps in all, and the loss where it is known."""


class TrainingError(RuntimeError):
    """A training that cannot be run or gone on with; one line for a person."""


@dataclass(frozen=True)
class Run:
    """How to train.

    :param output: folder of model, checkpoints and report.
    :param epochs: passes over the data; `steps` overrules it.
    :param save_every: steps from one checkpoint to the next.
    """

    output: Path
    seed: int = 0
    epochs: float = 1.0
    steps: int | None = None
    batch_size: int = 16
    learning_rate: float = 2e-5
    save_every: int = 100


def check_installed() -> None:
    """:raises TrainingError: a package of the extra `train` is missing."""
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        raise TrainingError(f"training needs {', '.join(missing)}: pip install -e '.[train]'")


def prepare(run: Run, kind: str, base: str, fresh: bool, data: str) -> bool:
    """Make the folder, or check that it holds the same training. Whether there is something to go on from.

    :param data: a digest of what is trained on.
    :raises TrainingError: it holds another training.
    """
    wanted = {"kind": kind, "base": base, "data": data, **{k: v for k, v in asdict(run).items() if k not in ("output", "save_every")}}
    if fresh:
        for name in (CHECKPOINTS, STATE):
            path = run.output / name
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
    run.output.mkdir(parents=True, exist_ok=True)
    file = run.output / STATE
    if file.is_file():
        there = json.loads(file.read_text(encoding="utf-8"))
        if other := [f"{name} {there.get(name)!r}, now {value!r}" for name, value in wanted.items() if there.get(name) != value]:
            raise TrainingError(f"{run.output} holds another training ({'; '.join(other)}). Accepted: the same options, another folder, or --fresh")
        return last_checkpoint(run.output) is not None
    file.write_text(json.dumps(wanted, indent=2) + "\n", encoding="utf-8")
    return False


def last_checkpoint(output: Path) -> str | None:
    """The newest whole checkpoint; one whose writing was cut off has no trainer state."""
    found = [p for p in (output / CHECKPOINTS).glob("checkpoint-*") if (p / "trainer_state.json").is_file()]
    return str(max(found, key=lambda p: int(p.name.rpartition("-")[2]))) if found else None


def arguments(run: Run) -> dict[str, Any]:
    """For `CrossEncoderTrainingArguments` and `SentenceTransformerTrainingArguments`."""
    return {
        "output_dir": str(run.output / CHECKPOINTS),
        "num_train_epochs": run.epochs,
        "max_steps": run.steps or -1,
        "per_device_train_batch_size": run.batch_size,
        "learning_rate": run.learning_rate,
        "warmup_steps": 0.1,  # below 1: a share
        "seed": run.seed,
        "data_seed": run.seed,
        "save_strategy": "steps",
        "save_steps": run.save_every,
        "save_total_limit": 2,
        "logging_steps": 10,
        "report_to": "none",
        "disable_tqdm": True,
        "dataloader_pin_memory": False,
        "use_cpu": not _has_accelerator(),
    }


def _has_accelerator() -> bool:
    import torch

    return torch.cuda.is_available() or torch.backends.mps.is_available()


def progress_callback(progress: Progress) -> Any:
    """A callback of transformers' trainer that tells steps and loss, and prints nothing."""
    from transformers import TrainerCallback

    class Tell(TrainerCallback):
        loss: float | None = None

        def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any) -> None:
            self.loss = (logs or {}).get("loss", self.loss)

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            progress(state.global_step, state.max_steps, self.loss)

    return Tell()


def quieted(trainer: Any, progress: Progress) -> Any:
    """The trainer, telling its progress to us alone."""
    from transformers.trainer_callback import PrinterCallback

    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(progress_callback(progress))
    return trainer

"""Trains the grounding checker: a cross-encoder that says of a premise and a claim whether it is supported, contradicted or unsupported.

The loss is cross-entropy over the three labels, the usual one of natural-language inference (Bowman et al. 2015). The trainer is
sentence-transformers' `CrossEncoderTrainer`; embeddings and the first layers stay as the base model has them, which halves the time and keeps
what it learnt from far more text than this.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.training.grounding_pairs import LABELS, SUPPORTED_LABEL, Pair

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

MAX_TOKENS = 256
CHECKPOINTS = "checkpoints"


@dataclass(frozen=True)
class Recipe:
    """How to train.

    :param base: folder or name of the model to begin with.
    :param epochs: passes over the data.
    :param steps: stop after so many, whatever `epochs` says; None: no stop.
    :param frozen_layers: layers, from the first, that stay as they are, with the embeddings; -1: nothing is frozen.
    """

    base: str
    seed: int = 0
    epochs: float = 1.0
    steps: int | None = None
    batch_size: int = 32
    learning_rate: float = 8e-5
    frozen_layers: int = 2


def split_pairs(pairs: Sequence[Pair], held_out: float, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Pairs to train on and pairs held out; all of one passage are on the same side.

    :param held_out: share of the passages, 0 to 0.9.
    """
    passages = sorted({(pair.corpus, pair.passage) for pair in pairs})
    random.Random(seed).shuffle(passages)  # noqa: S311
    kept = set(passages[: round(len(passages) * held_out)])
    sides: tuple[list[Pair], list[Pair]] = ([], [])
    for pair in pairs:
        sides[(pair.corpus, pair.passage) in kept].append(pair)
    return sides


def write_pairs(pairs: Sequence[Pair], file: Path) -> None:
    """JSON lines with claim, context, label and how."""
    with file.open("w", encoding="utf-8") as lines:
        for pair in pairs:
            entry = {**asdict(pair), "context": pair.premise}
            lines.write(json.dumps({key: value for key, value in entry.items() if key != "premise"}, ensure_ascii=False) + "\n")


def read_pairs(file: Path) -> list[Pair]:
    """What `write_pairs` wrote."""
    found = []
    for line in file.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        found.append(Pair(premise=entry.pop("context"), **entry))
    return found


def train(pairs: Sequence[Pair], output: Path, recipe: Recipe, *, progress_bar: bool = True) -> CrossEncoder:
    """Train, or go on from the last checkpoint in `output`.

    :returns: the trained model, in 32 bits.
    """
    from datasets import Dataset
    from sentence_transformers import CrossEncoder
    from sentence_transformers.cross_encoder import CrossEncoderTrainer, CrossEncoderTrainingArguments
    from sentence_transformers.cross_encoder.losses import CrossEntropyLoss
    from transformers.trainer_utils import get_last_checkpoint

    from evaluation.training.length_batches import length_batches

    model = CrossEncoder(recipe.base, num_labels=len(LABELS), max_length=MAX_TOKENS, device="cpu")
    config: Any = model.model.config  # pyright: ignore[reportOptionalMemberAccess]
    model.max_length = min(MAX_TOKENS, int(getattr(config, "max_position_embeddings", MAX_TOKENS)))
    config.id2label = dict(enumerate(LABELS))
    config.label2id = {label: i for i, label in enumerate(LABELS)}
    freeze(model.model, recipe.frozen_layers)
    data = Dataset.from_dict(
        {
            "premise": [pair.premise for pair in pairs],
            "claim": [pair.claim for pair in pairs],
            "label": [LABELS.index(pair.label) for pair in pairs],
        }
    )
    lengths = [len(pair.premise) + len(pair.claim) for pair in pairs]
    checkpoints = output / CHECKPOINTS
    arguments = CrossEncoderTrainingArguments(
        output_dir=str(checkpoints),
        num_train_epochs=recipe.epochs,
        max_steps=recipe.steps or -1,
        per_device_train_batch_size=recipe.batch_size,
        learning_rate=recipe.learning_rate,
        warmup_steps=0.06,
        lr_scheduler_type="linear",
        weight_decay=0.01,
        seed=recipe.seed,
        data_seed=recipe.seed,
        save_steps=200,
        save_total_limit=1,
        logging_steps=50,
        report_to=[],
        use_cpu=True,
        disable_tqdm=not progress_bar,
        dataloader_num_workers=0,
        batch_sampler=length_batches(lengths),
    )
    trainer = CrossEncoderTrainer(model=model, args=arguments, train_dataset=data, loss=CrossEntropyLoss(model))
    last = get_last_checkpoint(str(checkpoints)) if checkpoints.is_dir() else None
    trainer.train(resume_from_checkpoint=last)
    return model


def freeze(model: Any, layers: int) -> None:
    """Keep the embeddings and the first `layers` layers of a BERT-like classifier as they are; -1 or a model of another make: nothing."""
    body = next((getattr(model, name) for name in ("bert", "roberta", "deberta") if hasattr(model, name)), None)
    if body is None or layers < 0:
        return
    for part in (body.embeddings, *body.encoder.layer[:layers]):
        for weights in part.parameters():
            weights.requires_grad = False


def held_out_report(probabilities: Any, pairs: Sequence[Pair]) -> dict[str, Any]:
    """How well the held-out pairs are told apart.

    :param probabilities: [n, 3] in the order of `LABELS`.
    :returns: `pairs`, `accuracy` over three labels, `balanced_accuracy` and `auroc` of supported against the rest, and `by_edit` (pairs,
        accuracy) for each edit.
    """
    import numpy as np
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score

    labels = np.array([LABELS.index(pair.label) for pair in pairs])
    guessed = np.asarray(probabilities).argmax(axis=1)
    supported = labels == LABELS.index(SUPPORTED_LABEL)
    score = np.asarray(probabilities)[:, 0]
    hows = sorted({pair.how.split(",")[0] for pair in pairs})
    of = np.array([pair.how.split(",")[0] for pair in pairs])
    return {
        "pairs": len(pairs),
        "accuracy": round(float((guessed == labels).mean()), 4),
        "balanced_accuracy": round(float(balanced_accuracy_score(supported, score >= 0.5)), 4),
        "auroc": round(float(roc_auc_score(supported, score)), 4),
        "by_edit": {how: {"pairs": int((of == how).sum()), "accuracy": round(float((guessed == labels)[of == how].mean()), 3)} for how in hows},
    }

"""Trains a cross-encoder on mined questions with sentence-transformers, and writes it as int8 ONNX too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from components.joiners.rank_fusion import reciprocal_rank_fusion
from evaluation.training.mined import Mined
from evaluation.training.onnx_export import Exported, export_onnx
from evaluation.training.report import HeldOut, ndcg
from evaluation.training.running import Progress, Run, arguments, last_checkpoint, quieted

LONGEST = 256
SOFT = 0.5


def pairs(mined: Sequence[Mined], teacher: Any = None) -> dict[str, list[Any]]:
    """Columns `question`, `passage`, `label`: a positive and its graded negatives a question.

    Labels are 1 and 0; with a teacher the mean of that and of the teacher's cosine, scaled to 0 … 1 over the question's own passages: a
    negative that the teacher finds nearly as good is punished less (Hinton et al., "Distilling the knowledge in a neural network", 2015).

    :param teacher: an `EmbeddingModel`; None: hard labels.
    """
    columns: dict[str, list[Any]] = {"question": [], "passage": [], "label": []}
    for one in mined:
        passages = [one.positive, *one.negatives()]
        labels = np.array([1.0, *[0.0] * (len(passages) - 1)])
        if teacher is not None and len(passages) > 1:
            cosines = teacher.encode_passages(passages) @ teacher.encode_queries([one.question])[0]
            labels = (1 - SOFT) * labels + SOFT * (cosines - cosines.min()) / max(float(np.ptp(cosines)), 1e-6)
        columns["question"] += [one.question] * len(passages)
        columns["passage"] += passages
        columns["label"] += [float(label) for label in labels]
    return columns


def train_ranker(base: str, columns: dict[str, list[Any]], run: Run, resume: bool, progress: Progress) -> Any:
    """A `CrossEncoder` of one label, trained by binary cross-entropy on the columns of `pairs`; saved in the output folder.

    :param base: folder or name of an encoder or cross-encoder.
    :param resume: go on from the last checkpoint.
    """
    from datasets import Dataset
    from sentence_transformers import CrossEncoder
    from sentence_transformers.cross_encoder import CrossEncoderTrainer, CrossEncoderTrainingArguments
    from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss
    from transformers import set_seed

    set_seed(run.seed)  # the new head is drawn at random
    model = CrossEncoder(base, num_labels=1, max_length=LONGEST, device=None)
    given = CrossEncoderTrainingArguments(**arguments(run))
    trainer = CrossEncoderTrainer(model=model, args=given, train_dataset=Dataset.from_dict(columns), loss=BinaryCrossEntropyLoss(model))
    quieted(trainer, progress).train(resume_from_checkpoint=last_checkpoint(run.output) if resume else None)
    model.save_pretrained(str(run.output))
    return model


def export(model: Any, run: Run) -> Exported:
    """`model.onnx`, int8, beside the PyTorch weights."""
    return export_onnx(model.model, model.tokenizer, run.output, max_tokens=LONGEST)


def held_out(model: Any, mined: Sequence[Mined]) -> HeldOut:
    """The order of the first stage, that of the model, and both fused by reciprocal rank."""
    values: dict[str, list[float]] = {"first stage": [], "ranker alone": [], "fused by rank": []}
    for one in mined:
        if not any(one.labels):
            for each in values.values():
                each.append(0.0)
            continue
        scores = np.asarray(model.predict([(one.question, c.shown) for c in one.candidates], show_progress_bar=False))
        order = [int(i) for i in np.argsort(-scores, kind="stable")]
        fused = reciprocal_rank_fusion({"model": map(str, order), "first": map(str, range(len(order)))})
        for name, ranking in zip(values, (range(len(order)), order, [int(f.id) for f in fused]), strict=True):
            values[name].append(ndcg([one.labels[i] for i in ranking]))
    return HeldOut(values)

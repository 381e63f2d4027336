"""Trains an embedding model on mined questions with sentence-transformers: both sides, or the questions' side over a fixed index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.training.mined import Mined
from evaluation.training.report import HeldOut, ndcg
from evaluation.training.running import Progress, Run, arguments, last_checkpoint, quieted

SCALE = 20.0
"""Cosines are multiplied by it before the softmax: a temperature of .05."""


def triples(mined: Sequence[Mined]) -> dict[str, list[str]]:
    """Columns `anchor`, `positive`, `negative`: each question with its answer and its hardest negative; one without a negative is left out."""
    kept = [(one.question, one.positive, negatives[0]) for one in mined if (negatives := one.negatives())]
    return {name: [row[i] for row in kept] for i, name in enumerate(("anchor", "positive", "negative"))}


def train_embedder(base: str, columns: dict[str, list[str]], run: Run, resume: bool, progress: Progress, fixed: Any = None) -> Any:
    """A `SentenceTransformer`, saved in the output folder.

    The loss is that of DPR (Karpukhin et al., "Dense passage retrieval for open-domain question answering", EMNLP 2020), which
    sentence-transformers calls `MultipleNegativesRankingLoss`: of question q_i, its passage p_i+ and the negatives p_i,j-, among which are
    the passages of the other questions of the batch,

        L_i = -log( exp(s(q_i, p_i+)) / ( exp(s(q_i, p_i+)) + sum_j exp(s(q_i, p_i,j-)) ) ),   s(q, p) = 20 cos(q, p).

    DPR takes the inner product and no scale. No question of a batch may have another's passage for its own, so none is drawn twice.

    :param base: folder or name of a sentence-transformers model.
    :param fixed: an `EmbeddingModel` whose passage vectors stay as they are (DPR's passage encoder, frozen): only questions are learned, and
        an index need not be built anew. None: both sides are one model, and the index must be.
    """
    from datasets import Dataset
    from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments
    from sentence_transformers.base.sampler import BatchSamplers
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from transformers import set_seed

    set_seed(run.seed)
    model = SentenceTransformer(base)
    if fixed is None:
        data, loss = Dataset.from_dict(columns), MultipleNegativesRankingLoss(model, scale=SCALE)
    else:
        texts = list(dict.fromkeys([*columns["positive"], *columns["negative"]]))
        place = {text: i for i, text in enumerate(texts)}
        labels = [[place[p], place[n]] for p, n in zip(columns["positive"], columns["negative"], strict=True)]
        data = Dataset.from_dict({"anchor": columns["anchor"], "label": labels})
        loss = query_side_loss(model, fixed.encode_passages(texts))
    given = SentenceTransformerTrainingArguments(**arguments(run), batch_sampler=BatchSamplers.NO_DUPLICATES)
    trainer = SentenceTransformerTrainer(model=model, args=given, train_dataset=data, loss=loss)
    quieted(trainer, progress).train(resume_from_checkpoint=last_checkpoint(run.output) if resume else None)
    model.save_pretrained(str(run.output))
    return model


def query_side_loss(model: Any, vectors: np.ndarray) -> Any:
    """The same loss with passages that do not move: rows of `vectors`, which a batch names by `label`, [positive, negative] a question."""
    import torch

    class QuerySideLoss(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model
            self.register_buffer("passages", torch.tensor(vectors), persistent=False)

        def forward(self, sentence_features: Iterable[dict[str, Any]], labels: Any) -> Any:
            asked = torch.nn.functional.normalize(self.model(next(iter(sentence_features)))["sentence_embedding"], dim=-1)
            shown, inverse = torch.unique(labels, return_inverse=True)  # a passage that two name stands once: it is not its own negative
            passages: Any = self.passages
            scores = SCALE * asked @ passages[shown].T
            return torch.nn.functional.cross_entropy(scores, inverse[:, 0])

        def get_config_dict(self) -> dict[str, Any]:
            return {"scale": SCALE}

    return QuerySideLoss()


def held_out(before: Any, after: Any, mined: Sequence[Mined], passages: Mapping[str, str], fixed: bool) -> HeldOut:
    """Exact search of the questions over the passages, by the model as it was and as it is.

    :param before: an `EmbeddingModel`; `after`: a `SentenceTransformer`.
    :param passages: id to text: all that the questions could be answered by.
    :param fixed: the passages keep the vectors of `before`.
    """
    if not mined:
        return HeldOut({})
    ids, texts, questions = list(passages), list(passages.values()), [one.question for one in mined]
    old = before.encode_passages(texts)
    new = old if fixed else after.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    scored = {
        "before": before.encode_queries(questions) @ old.T,
        "after": after.encode(questions, normalize_embeddings=True, show_progress_bar=False) @ new.T,
    }
    relevant = [{c.id for c in one.candidates if c.relevant} for one in mined]
    values = {}
    for name, scores in scored.items():
        top = np.argsort(-scores, axis=1, kind="stable")[:, :10]
        values[name] = [ndcg([ids[i] in yes for i in row], total=len(yes)) for row, yes in zip(top, relevant, strict=True)]
    return HeldOut(values)

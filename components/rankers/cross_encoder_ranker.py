"""Ranks passages by reading each together with the question."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from haystack import Document, component

from components.chunk import embedded_text
from components.failure import Degradation
from components.joiners.rank_fusion import reciprocal_rank_fusion
from components.rankers.onnx_cross_encoder import OnnxCrossEncoder
from components.rankers.relevance import batches, relevance
from config.model_folder import why_not_loaded
from config.settings import Backend, Device, home, settings

logger = logging.getLogger(__name__)

STAGE = "ranker"
NO_MODEL = "no model"
ACCEPTED = "Accepted: a folder or hub name of a sentence-transformers CrossEncoder with 1 or 2 labels"

Logits = Callable[[list[tuple[str, str]]], Any]
"""Pairs of question and passage in, an array [pairs] or [pairs, labels] out."""


@component
class CrossEncoderRanker:
    """Order passages by the relevance that a cross-encoder gives question and passage, in [0, 1], and keep the best.

    Over sentence-transformers' `CrossEncoder`, or an ONNX file (also int8) on ONNX Runtime alone. Haystack's
    `SentenceTransformersSimilarityRanker` cannot take its model from our settings, has no pass-through where there is none, no time
    budget, and raises where a query should go on with the order it had; it also imports torch with its module.

    Without a model the passages pass in the order they had, and `skipped` says so. A model that cannot be loaded or run does the same
    with an entry in `degraded`; a failed load is remembered, not tried anew at each question.

    >>> from haystack import Document
    >>> CrossEncoderRanker(top_k=1).run(query="leave", documents=[Document(content="a"), Document(content="b")])["skipped"]
    'no model'
    """

    def __init__(
        self,
        model: str | None = None,
        top_k: int = 20,
        batch_size: int = 16,
        device: str | None = None,
        backend: str | None = None,
        timeout_s: float | None = None,
        score_threshold: float | None = None,
        file_name: str | None = None,
        scale: float = 1.0,
        shift: float = 0.0,
        first_stage_weight: float = 0.0,
    ) -> None:
        """:param model: a folder (relative to the clone) or hub name of a cross-encoder with one or two labels; `None`: from settings.
        :param top_k: passages returned, >= 1.
        :param batch_size: pairs scored at once, >= 1.
        :param device: cpu, cuda or mps; `None`: from settings.
        :param backend: torch or onnx; `None`: from settings. onnx needs a local folder.
        :param timeout_s: seconds for scoring, > 0; `None`: no limit. It is looked at between batches, the first of which always runs, and
            passages are then scored in the order they came; the ones left over follow those scored.
        :param score_threshold: passages scored below it are dropped, in [0, 1]; `None`: none.
        :param file_name: which ONNX file of the folder, for instance `model_quantized.onnx`; `None`: `model.onnx`, or the only one.
        :param scale: of the model's logit, > 0, and `shift`, added to it, before the sigmoid: fitted on judged pairs, they make `score` a
            probability, for which a threshold means the same with every model.
        :param first_stage_weight: weight >= 0 of the order in which the passages came, fused by reciprocal rank with the model's own, which
            weighs 1; 0: the model alone decides. Scores and threshold stay the model's.
        :raises ValueError: a value that is not accepted.
        """
        for name, value, fits, accepted in (
            ("scale", scale, lambda v: v > 0, "a number > 0"),
            ("shift", shift, lambda v: True, "a number"),
            ("first_stage_weight", first_stage_weight, lambda v: v >= 0, "a number >= 0"),
        ):
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not fits(value):
                raise ValueError(f"CrossEncoderRanker.{name}={value!r}: accepted is {accepted}")
        self.scale = scale
        self.shift = shift
        self.first_stage_weight = first_stage_weight
        self.model = model
        self.top_k = _at_least_one("top_k", top_k)
        self.batch_size = _at_least_one("batch_size", batch_size)
        self.device = _one_of("device", device, [d.value for d in Device])
        self.backend = _one_of("backend", backend, [b.value for b in Backend])
        if timeout_s is not None and not timeout_s > 0:
            raise ValueError(f"CrossEncoderRanker.timeout_s={timeout_s!r}: accepted is null or seconds > 0")
        self.timeout_s = timeout_s
        if score_threshold is not None and not 0 <= score_threshold <= 1:
            raise ValueError(f"CrossEncoderRanker.score_threshold={score_threshold!r}: accepted is null or a number from 0 to 1")
        self.score_threshold = score_threshold
        self.file_name = file_name
        self._logits: Logits | None = None
        self._load_failure = ""
        self._warm = False
        self._loading = threading.Lock()
        self._scoring = threading.Lock()  # one batch at a time: more threads than cores only slow each other

    def warm_up(self) -> None:
        """Load the model, once. A failure is kept and reported by `run`; nothing is raised."""
        with self._loading:
            if self._warm:
                return
            name = self.model or settings().ranker_model
            if name:
                try:
                    self._logits = _load(name, self.device or settings().ranker_device, self.backend or settings().ranker_backend, self.file_name)
                except Exception as error:  # noqa: BLE001 - whatever the libraries raise, a question must still be answered
                    setting = f"model={name!r}" if self.model else f"SAKSHYA_RANKER_MODEL={name!r}"
                    self._load_failure = f"{setting} was not loaded: {why_not_loaded(name, error, home())}. {ACCEPTED}"
                    logger.error(self._load_failure)  # seen without --verbose too: `evaluate` and the server show no `degraded`
            self._warm = True

    @component.output_types(documents=list[Document], skipped=str, degraded=list[Degradation])
    def run(self, query: str, documents: list[Document], top_k: int | None = None) -> dict[str, Any]:
        """Order the passages.

        :param query: the question.
        :param documents: passages, best first.
        :param top_k: passages returned, >= 1; `None`: as constructed.
        :returns: `documents`, best first, with the relevance as `score` and `{"rank", "score"}` in `meta["ranks"]["ranker"]` (passages
            that were not scored keep the score they had, and have no such entry); `skipped`, `no model` or empty; `degraded`.
        :raises ValueError: top_k < 1.
        """
        limit = self.top_k if top_k is None else _at_least_one("top_k", top_k)
        if not self._warm:
            self.warm_up()
        if self._load_failure:
            return _passed_through(documents, limit, reason=self._load_failure)
        if self._logits is None:
            return _passed_through(documents, limit, skipped=NO_MODEL)
        try:
            scores = self._score(self._logits, query, documents)
        except Exception as error:  # noqa: BLE001 - as above
            reason = f"the ranker model failed: {_one_line(error)}"
            logger.warning(reason)
            return _passed_through(documents, limit, reason=reason)
        order = sorted(scores, key=lambda i: (-scores[i], i))
        if self.first_stage_weight:
            legs = {"model": map(str, order), "first": map(str, sorted(scores))}
            order = [int(fused.id) for fused in reciprocal_rank_fusion(legs, weights={"first": self.first_stage_weight})]
        ranked = [_with_rank(documents[i], rank, scores[i]) for rank, i in enumerate(order, start=1)]
        if self.score_threshold is not None:
            ranked = [d for d in ranked if d.score is not None and d.score >= self.score_threshold]
        rest = [d for i, d in enumerate(documents) if i not in scores]
        degraded = []
        if rest:
            reason = f"ranked {len(scores)} of {len(documents)} passages in the {self.timeout_s:g} s allowed"
            degraded.append(Degradation(stage=STAGE, reason=reason))
        return {"documents": [*ranked, *rest][:limit], "skipped": "", "degraded": degraded}

    def _score(self, logits: Logits, query: str, documents: list[Document]) -> dict[int, float]:
        """Position of a document to its relevance, for as many as the time allows."""
        texts = [embedded_text(d.content or "", str(d.meta.get("context_header") or "")) for d in documents]
        scores: dict[int, float] = {}
        begin, slowest = time.monotonic(), 0.0
        for batch in batches(texts, self.batch_size, by_length=self.timeout_s is None):
            started = time.monotonic()
            if self.timeout_s is not None and scores and started - begin + slowest > self.timeout_s:
                break
            with self._scoring:
                values = relevance(logits([(query, texts[i]) for i in batch]), self.scale, self.shift)
            slowest = max(slowest, time.monotonic() - started)
            scores.update(zip(batch, map(float, values), strict=True))
        return scores


def _load(name: str, device: str, backend: str, file_name: str | None) -> Logits:
    """A function from pairs to logits."""
    given = Path(name).expanduser()
    folder = given if given.is_absolute() else home() / given
    if not folder.is_dir() and (given.is_absolute() or name.startswith((".", "~"))):
        raise ValueError("no such folder")
    if backend == Backend.ONNX:
        if not folder.is_dir():
            raise ValueError("the onnx backend needs a local folder")
        model = OnnxCrossEncoder(folder, file_name, device)
        _check_labels(model.num_labels)
        return model.logits

    from sentence_transformers import CrossEncoder
    from torch.nn import Identity

    encoder = CrossEncoder(str(folder) if folder.is_dir() else name, device=device)
    _check_labels(encoder.num_labels)
    raw = Identity()  # whatever the checkpoint names: its logits are wanted

    def logits(pairs: list[tuple[str, str]]) -> np.ndarray:
        return np.asarray(encoder.predict(pairs, batch_size=len(pairs), activation_fn=raw, show_progress_bar=False))

    return logits


def _check_labels(count: int) -> None:
    if count not in (1, 2):
        raise ValueError(f"it has {count} labels; a ranker has 1 or 2")


def _passed_through(documents: list[Document], limit: int, skipped: str = "", reason: str = "") -> dict[str, Any]:
    return {"documents": list(documents[:limit]), "skipped": skipped, "degraded": [Degradation(stage=STAGE, reason=reason)] if reason else []}


def _with_rank(document: Document, rank: int, score: float) -> Document:
    ranks = {**(document.meta.get("ranks") or {}), STAGE: {"rank": rank, "score": score}}
    return replace(document, score=score, meta={**document.meta, "ranks": ranks})


def _one_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{lines[0] if lines else type(error).__name__}"[:300]


def _at_least_one(name: str, value: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"CrossEncoderRanker.{name}={value!r}: accepted is a whole number >= 1")
    return value


def _one_of(name: str, value: str | None, accepted: list[str]) -> str | None:
    if value is not None and value not in accepted:
        raise ValueError(f"CrossEncoderRanker.{name}={value!r}: accepted are null, {', '.join(accepted)}")
    return value

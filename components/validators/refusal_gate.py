"""Declines where the evidence probably does not hold the answer, whatever the generator wrote."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from haystack import Document, component

from components.answer import Answer, Degraded, Status
from components.embedders.embedding_model import EmbeddingError
from components.failure import Degradation
from components.generators.extraction.language import packaged_language
from components.query.question_parts import parts_of_question
from components.validators.refusal_features import RefusalModel, features_of, read_model
from config.settings import home

logger = logging.getLogger(__name__)

STAGE = "refusal"
PACKAGED = Path("models/refusal/refusal.json")


@component
class RefusalGate:
    """Declines an answer when the evidence is unlikely to hold one: a calibrated probability from retrieval and the match of question and text.

    A generator is asked to answer and tends to; Haystack's routers decide by a condition on one value. Here a logistic function of a few
    features (`refusal_features.py`) says how likely the evidence answers the question. Its weights and threshold stand in a JSON file that a
    person can read; `sakshya evaluate refusal` fits them on your own questions. Only an answer can be refused: what was declined or failed
    passes. Where the embedding package is missing the answer passes too and is `degraded`; the grounding check does not depend on this node.

    >>> from components.answer import Answer
    >>> gate = RefusalGate(model="no/such/file.json")
    >>> gate.run(Answer(status="answered", question="When?", answer="At 7. [1]"), [])["skipped"]
    'no model'
    """

    def __init__(self, model: str | None = None, threshold: float | None = None) -> None:
        """:param model: file of weights; `None`: the one in `models/refusal/`. A file that is not there: the node passes through.
        :param threshold: probability below which is declined, 0 to 1; `None`: as in the file.
        :raises ValueError: a threshold that is none.
        """
        if threshold is not None and (isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1):
            raise ValueError(f"RefusalGate.threshold={threshold!r}: accepted is null or a number from 0 to 1")
        self.model = model
        self.threshold = threshold
        self._rule: RefusalModel | None = None
        self._ready = False

    def warm_up(self) -> None:
        """Read the weights.

        :raises ValueError: the file is there and cannot be used.
        """
        if self._ready:
            return
        path = home() / PACKAGED if self.model is None else Path(self.model)
        self._rule = read_model(path) if path.is_file() else None
        self._ready = True

    @component.output_types(answer=Answer, probability=float | None, features=dict[str, float], degraded=list[Degradation], skipped=str, note=str)
    def run(self, answer: Answer, evidence: list[Document], question: str | None = None) -> dict[str, Any]:
        """Decide.

        :param evidence: the passages that the prompt showed, with the ranks and scores that retrieval gave them in `meta["ranks"]`.
        :param question: as it was searched for, self-contained; `None`: the answer's.
        :returns: `answer`, declined where `probability` is below the threshold; the probability and its `features`; `skipped` where nothing
            was decided.
        """
        self.warm_up()
        passed: dict[str, Any] = {"answer": answer, "probability": None, "features": {}, "degraded": [], "skipped": "", "note": ""}
        if self._rule is None:
            return {**passed, "skipped": "no model"}
        if answer.status is not Status.ANSWERED:
            return {**passed, "skipped": "nothing is answered"}
        if any(document.meta.get("theme_sentence") for document in evidence):
            return {**passed, "skipped": "passages of themes are not chosen by likeness to the question"}
        try:
            features = features_of(answered_part(question or answer.question, answer.missing), evidence, packaged_language())
        except EmbeddingError as error:
            entry = Degraded(stage=STAGE, reason=f"whether the evidence answers was not judged: {str(error).splitlines()[0]}")
            logger.warning(entry.reason)
            degraded = [*answer.degraded, entry]
            return {**passed, "answer": answer.model_copy(update={"degraded": degraded}), "degraded": [Degradation(stage=STAGE, reason=entry.reason)]}
        probability = self._rule.probability(features)
        threshold = self._rule.threshold if self.threshold is None else self.threshold
        note = f"the evidence answers with probability {probability:.2f}, threshold {threshold:.2f}"
        if probability < threshold:
            answer = declined(answer)
        return {**passed, "answer": answer, "probability": probability, "features": features, "note": note}


def answered_part(question: str, missing: str) -> str:
    """The question without the parts that the answer says are missing: those are declined already, and must not take the others with them.

    >>> answered_part("What does a loaf cost, and who is the baker?", "the baker (not found: “baker”)")
    'What does a loaf cost?'
    """
    lacking = [subject.split(" (not found")[0].strip().casefold() for subject in missing.split("; ")]
    parts = parts_of_question(question) if any(lacking) else [question]
    left = [part for part in parts if not any(subject and subject in part.casefold() for subject in lacking)]
    return " ".join(left) if left and len(left) < len(parts) else question


def declined(answer: Answer) -> Answer:
    """The answer as a declined one: what was asked is missing, nothing is claimed or cited."""
    missing = answer.missing or " ".join(answer.question.split())
    said = f"The documents do not say: {missing.rstrip('?.! ')}"
    return answer.model_copy(update={"status": Status.DECLINED, "answer": said, "missing": missing, "citations": [], "claims": []})

"""Give a question its dense vector."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from haystack import component

from components.embedders.dense_document_embedder import check_model
from components.embedders.embedding_encoder import EmbeddingError
from components.embedders.embedding_model import EmbeddingModel, embedding_model
from components.embedders.question_language import Reading
from components.failure import Degradation

STAGE = "dense_embedder"
NOTED_BELOW = 0.25
"""Share read under which a reader is told."""


@component
class DenseTextEmbedder:
    """Turns a question into the vector that meets those of `DenseDocumentEmbedder`.

    Where the model or its endpoint fails, the vector is empty and `degraded` says why: the graph goes on with its other legs. The same
    where the question is mostly in a script that the model does not read: its vector would be as good as drawn by lot. In a language of
    the same script that it does not read, the vector is given, and `reading` says how little a fuser should trust it.

    Haystack's SentenceTransformersTextEmbedder needs the model's name in the graph and tells no fingerprint, by which a
    question with another model than the index's is refused.

    ```python
    from components.embedders.dense_text_embedder import DenseTextEmbedder

    len(DenseTextEmbedder().run("How many days of leave?")["embedding"])  # 384
    ```
    """

    def __init__(self, model: str | None = None) -> None:
        """Store the setting; nothing is loaded.

        :param model: `packaged`, a folder, or a hub name; None: from settings. It must be the one that built the index.
        :raises ValueError: neither a name nor None.
        """
        check_model(model)
        self.model = model

    def warm_up(self) -> None:
        """Load the model and compute its fingerprint, if that can be done now; `run` tries again and says what is wrong."""
        with suppress(EmbeddingError):
            embedding_model(self.model).fingerprint()

    @component.output_types(embedding=list[float], fingerprint=dict[str, Any], reading=float, floor=float, degraded=list[Degradation])
    def run(self, text: str) -> dict[str, Any]:
        """Embed.

        :returns: `embedding`, of length 1 (empty where the model failed or cannot read the question), the `fingerprint` of the model,
            `reading`, the part of the question that it reads, from 0 to 1, `floor`, the cosine of unrelated texts, and `degraded`.
        :raises TypeError: no string.
        """
        if not isinstance(text, str):
            raise TypeError(f"{type(self).__name__} takes a string; documents are embedded by DenseDocumentEmbedder")
        try:
            embedder = embedding_model(self.model)
            reading = embedder.reading(text)
            vector = [] if reading.other_script else embedder.encode_queries([text])[0].tolist()
            reasons = [unread(embedder, reading, left_out=not vector)] if reading.share < NOTED_BELOW else []
            fingerprint, floor = embedder.fingerprint(), embedder.unrelated_cosine()
        except EmbeddingError as error:
            vector, fingerprint, floor, reading, reasons = [], {}, 0.0, Reading(0.0), [str(error)]
        degraded = [Degradation(stage=STAGE, reason=reason) for reason in reasons]
        return {"embedding": vector, "fingerprint": fingerprint, "reading": reading.share, "floor": floor, "degraded": degraded}


def unread(embedder: EmbeddingModel, reading: Reading, left_out: bool) -> str:
    """What the model cannot do with a question, and what could, on one line."""
    languages = ", ".join(sorted(embedder.languages or ()))
    what = "retrieval by meaning is left out" if left_out else "retrieval by meaning counts little"
    return (
        f"{embedder.name} reads {languages}, and the question cannot be read: {reading.reason}; {what}. "
        "A model for more languages: SAKSHYA_EMBEDDING_MODEL=packaged-multilingual, then index again"
    )

"""Give a question its dense vector."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from haystack import component

from components.embedders.dense_document_embedder import check_model
from components.embedders.embedding_encoder import EmbeddingError
from components.embedders.embedding_model import embedding_model
from components.failure import Degradation

STAGE = "dense_embedder"


@component
class DenseTextEmbedder:
    """Turns a question into the vector that meets those of `DenseDocumentEmbedder`.

    Where the model or its endpoint fails, the vector is empty and `degraded` says why: the graph goes on with its other legs.

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

    @component.output_types(embedding=list[float], fingerprint=dict[str, Any], degraded=list[Degradation])
    def run(self, text: str) -> dict[str, Any]:
        """Embed.

        :returns: `embedding`, of length 1 (empty where the model failed), the `fingerprint` of the model, and `degraded`.
        :raises TypeError: no string.
        """
        if not isinstance(text, str):
            raise TypeError(f"{type(self).__name__} takes a string; documents are embedded by DenseDocumentEmbedder")
        try:
            embedder = embedding_model(self.model)
            return {"embedding": embedder.encode_queries([text])[0].tolist(), "fingerprint": embedder.fingerprint(), "degraded": []}
        except EmbeddingError as error:
            return {"embedding": [], "fingerprint": {}, "degraded": [Degradation(stage=STAGE, reason=str(error))]}

"""Give a question its dense vector."""

from __future__ import annotations

from typing import Any

from haystack import component

from components.embedders.dense_document_embedder import check_model
from components.embedders.embedding_model import embedding_model


@component
class DenseTextEmbedder:
    """Turns a question into the vector that meets those of `DenseDocumentEmbedder`.

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
        """Load the model and compute its fingerprint.

        :raises EmbeddingError: it cannot be loaded or reached.
        """
        embedding_model(self.model).fingerprint()

    @component.output_types(embedding=list[float], fingerprint=dict[str, Any])
    def run(self, text: str) -> dict[str, Any]:
        """Embed.

        :returns: `embedding`, of length 1, and the `fingerprint` of the model.
        :raises TypeError: no string.
        :raises EmbeddingError: the model failed, or gave a vector with NaN.
        """
        if not isinstance(text, str):
            raise TypeError(f"{type(self).__name__} takes a string; documents are embedded by DenseDocumentEmbedder")
        embedder = embedding_model(self.model)
        return {"embedding": embedder.encode_queries([text])[0].tolist(), "fingerprint": embedder.fingerprint()}

"""Give documents their dense vector."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import Any

from haystack import Document, component

from components.embedders.embedded_fields import check_documents, check_fields, embedded_fields
from components.embedders.embedding_model import EmbeddingModel, embedding_model

_one_batch = Lock()


@component
class DenseDocumentEmbedder:
    """Gives each document the vector of its text, by the embedding model of this process.

    Haystack's SentenceTransformersDocumentEmbedder needs the model's name in the graph, has no separate model for questions,
    tells no fingerprint, and its OpenAI counterpart goes on without vectors where the endpoint fails. Here a vector is
    never missing: the run fails with one line.

    ```python
    from haystack import Document
    from components.embedders.dense_document_embedder import DenseDocumentEmbedder

    len(DenseDocumentEmbedder().run([Document(content="Twenty days of leave.")])["documents"][0].embedding)  # 384
    ```
    """

    def __init__(
        self,
        model: str | None = None,
        meta_fields_to_embed: list[str] | None = None,
        embedding_separator: str = "\n",
        batch_size: int | None = None,
        progress_bar: bool = False,
    ) -> None:
        """Store the settings; nothing is loaded.

        :param model: `packaged`, a folder, or a hub name; None: from settings.
        :param meta_fields_to_embed: meta fields read before the content.
        :param embedding_separator: text between them.
        :param batch_size: texts at once, 1 or more; None: from settings.
        :param progress_bar: show one, on a terminal only.
        :raises ValueError: a value that is not accepted.
        """
        check_fields(meta_fields_to_embed, embedding_separator)
        check_model(model)
        if batch_size is not None and (isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1):
            raise ValueError(f"batch_size={batch_size!r} is not accepted. Accepted: null (from settings), or a number of 1 or more")
        self.model = model
        self.meta_fields_to_embed = meta_fields_to_embed
        self.embedding_separator = embedding_separator
        self.batch_size = batch_size
        self.progress_bar = progress_bar

    def warm_up(self) -> None:
        """Load the model and compute its fingerprint.

        :raises EmbeddingError: it cannot be loaded or reached.
        """
        self._embedder().fingerprint()

    @component.output_types(documents=list[Document], fingerprint=dict[str, Any])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        """Embed. The same text is embedded once. One run at a time in this process: beside it another batch is read, not embedded as well.

        :param documents: left as they are; the output holds copies.
        :returns: `documents` in the same order, and the `fingerprint` of the model, also for an empty list.
        :raises TypeError: no list of Documents.
        :raises EmbeddingError: the model failed, or gave a vector with NaN.
        """
        check_documents(documents, type(self).__name__)
        embedder = self._embedder()
        fingerprint = embedder.fingerprint()
        texts = [embedded_fields(document, self.meta_fields_to_embed, self.embedding_separator) for document in documents]
        row_of = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        with _one_batch:
            vectors = embedder.encode_passages(list(row_of), self.batch_size, progress_bar=self.progress_bar)
        embedded = [replace(document, embedding=vectors[row_of[text]].tolist()) for document, text in zip(documents, texts, strict=True)]
        return {"documents": embedded, "fingerprint": fingerprint}

    def _embedder(self) -> EmbeddingModel:
        return embedding_model(self.model)  # asked anew each time: shared by all, and never copied with the component


def check_model(model: object) -> None:
    """Accept a name or None.

    :raises ValueError: anything else.
    """
    if model is not None and (not isinstance(model, str) or not model.strip()):
        raise ValueError(f"model={model!r} is not accepted. Accepted: null (from settings), packaged, a folder, or a hub name")

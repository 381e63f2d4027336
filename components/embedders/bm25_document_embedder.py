"""Give documents their BM25 vector."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from haystack import Document, component

from components.embedders.bm25 import check_bm25, embed_document, fingerprint
from components.embedders.embedded_fields import check_documents, check_fields, embedded_fields


@component
class BM25DocumentEmbedder:
    """Gives each document a sparse BM25 vector, right in every script, with no model and no download.

    Haystack has sparse embedders only for models. Its BM25 retriever works in memory alone, and a store's own BM25
    cuts Devanagari at its vowel signs and knows no codes. The IDF comes from the engine (`Modifier.IDF`).
    A document without a term gets `sparse_embedding=None`: the store then keeps no sparse vector for it, and BM25 never
    finds it. (A zero vector would score NaN.)

    ```python
    from haystack import Document
    from components.embedders.bm25_document_embedder import BM25DocumentEmbedder

    BM25DocumentEmbedder().run([Document(content="Error ERR_404")])["documents"][0].sparse_embedding
    ```
    """

    def __init__(
        self,
        k1: float = 1.2,
        b: float = 0.75,
        avg_len: float = 100,
        language: str | None = "en",
        meta_fields_to_embed: list[str] | None = None,
        embedding_separator: str = "\n",
    ) -> None:
        """Store the settings.

        :param k1: how slowly a repeated term stops counting; 0 or more.
        :param b: how much a long document is held back; 0 to 1.
        :param avg_len: terms of a usual chunk; fixed, so that a vector never depends on its neighbours.
        :param language: whose stemmer and stop words serve its script (`bm25_terms.LANGUAGES`); None: neither, in any script.
        :param meta_fields_to_embed: meta fields read before the content.
        :param embedding_separator: text between them.
        :raises ValueError: a value outside its range, or an unknown language.
        """
        check_bm25(k1, b, avg_len, language)
        check_fields(meta_fields_to_embed, embedding_separator)
        self.k1 = k1
        self.b = b
        self.avg_len = avg_len
        self.language = language
        self.meta_fields_to_embed = meta_fields_to_embed
        self.embedding_separator = embedding_separator

    @component.output_types(documents=list[Document], fingerprint=dict[str, Any])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        """Embed.

        :param documents: left as they are; the output holds copies.
        :returns: `documents` in the same order, and the `fingerprint` of the settings, also for an empty list.
        :raises TypeError: no list of Documents.
        """
        check_documents(documents, type(self).__name__)
        embedded = []
        for document in documents:
            text = embedded_fields(document, self.meta_fields_to_embed, self.embedding_separator)
            embedded.append(replace(document, sparse_embedding=embed_document(text, self.k1, self.b, self.avg_len, self.language)))
        return {"documents": embedded, "fingerprint": fingerprint(self.k1, self.b, self.avg_len, self.language)}

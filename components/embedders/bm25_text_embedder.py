"""Give a question its BM25 vector."""

from __future__ import annotations

from typing import Any

from haystack import component
from haystack.dataclasses import SparseEmbedding

from components.embedders.bm25 import check_bm25, embed_query, fingerprint


@component
class BM25TextEmbedder:
    """Turns a question into the sparse vector that meets those of `BM25DocumentEmbedder`.

    Haystack has no BM25 for a vector store. The settings must be those of the index: the query vector itself needs only
    `language`, the rest travels in the fingerprint, by which a mismatch is refused.

    ```python
    from components.embedders.bm25_text_embedder import BM25TextEmbedder

    BM25TextEmbedder().run("What does section 498A punish?")["sparse_embedding"]
    ```
    """

    def __init__(self, k1: float = 1.2, b: float = 0.75, avg_len: float = 100, language: str | None = "en") -> None:
        """Store the settings; see `BM25DocumentEmbedder`.

        :raises ValueError: a value outside its range, or an unknown language.
        """
        check_bm25(k1, b, avg_len, language)
        self.k1 = k1
        self.b = b
        self.avg_len = avg_len
        self.language = language

    @component.output_types(sparse_embedding=SparseEmbedding, fingerprint=dict[str, Any])
    def run(self, text: str) -> dict[str, Any]:
        """Embed.

        :returns: `sparse_embedding`, empty where the text holds no term, and the `fingerprint` of the settings.
        :raises TypeError: no string.
        """
        if not isinstance(text, str):
            raise TypeError(f"{type(self).__name__} takes a string; documents are embedded by BM25DocumentEmbedder")
        return {"sparse_embedding": embed_query(text, self.language), "fingerprint": fingerprint(self.k1, self.b, self.avg_len, self.language)}

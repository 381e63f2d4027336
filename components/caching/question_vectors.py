"""Vectors of questions for the answer cache, by the embedding model of the settings."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from components.embedders.embedding_model import EmbeddingError, embedding_model

UNKNOWN_WINDOW = 128
"""Tokens of a question that are compared where it is not known how many the model reads (an endpoint)."""


class QuestionVectors:
    """Gives a vector only to a question that the model reads whole: to it, two long questions that begin alike are one, and so are any two in
    a script that it does not know.
    """

    def vector(self, question: str) -> np.ndarray | None:
        """The vector, of length 1; None where the model failed or does not read the whole question."""
        model = embedding_model()
        try:
            window = model.max_seq_length or UNKNOWN_WINDOW
            if model.reading(question).share < 1 or model.count_tokens(f"{model.query_prefix}{question}") > window - 2:
                return None
            return model.encode_queries([question])[0]
        except EmbeddingError:
            return None

    def identity(self) -> str:
        """Hash of the model's fingerprint, the vectors of its fixed texts included."""
        return hashlib.sha256(json.dumps(embedding_model().fingerprint(), sort_keys=True).encode()).hexdigest()

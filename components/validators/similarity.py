"""How like a claim and its passages are in meaning, by the packaged embedding model: what word overlap and exact checks cannot see.

The cosine of two sentences of all-MiniLM-L6-v2 (Reimers and Gurevych, "Sentence-BERT", EMNLP 2019; its training data holds entailment pairs). It is
always the packaged model, whatever the index was built with: the rule's weights are fitted to its cosines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from components.validators.word_overlap import best_windows, sentences

Encode = Callable[[list[str]], np.ndarray]
"""Texts in, unit vectors [n, d] out."""

SENTENCES = 3
"""Sentences of the passages that a claim is compared with, those with most of its words."""


def packaged_encode() -> Encode:
    """The packaged model's vectors.

    :raises EmbeddingError: its package is not installed.
    """
    from components.embedders.embedding_model import embedding_model
    from components.embedders.sentence_transformer_encoder import PACKAGED

    model = embedding_model(PACKAGED)
    return lambda texts: np.asarray(model.encode_passages(texts), dtype=np.float64)


def compared(claim: str, passages: Sequence[str]) -> list[str]:
    """The sentences of the passages with most of a claim's words, best first.

    >>> compared("Rent is due.", ["Pets cost 2 a day. Rent is due on the first."])[0]
    'Rent is due on the first.'
    """
    parts = [part for passage in passages if passage.strip() for part in sentences(passage)]
    return [parts[i] for i in best_windows(claim, parts, SENTENCES)]


def similarities(claims: Sequence[tuple[str, Sequence[str]]], encode: Encode) -> list[float]:
    """The largest cosine of each claim with a text of its passages, in [-1, 1]; 0 where there is none. Every text is encoded once.

    :param claims: (claim, passages) each.
    """
    wanted = [compared(claim, passages) for claim, passages in claims]
    texts = list(dict.fromkeys(text for (claim, _), some in zip(claims, wanted, strict=True) for text in (claim, *some) if some))
    if not texts:
        return [0.0] * len(claims)
    vectors = dict(zip(texts, encode(texts), strict=True))
    return [max((float(vectors[claim] @ vectors[text]) for text in some), default=0.0) for (claim, _), some in zip(claims, wanted, strict=True)]

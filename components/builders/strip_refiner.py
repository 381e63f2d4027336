"""Cuts passages into strips, keeps those that speak of the question, and puts them together again."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import regex
from haystack import Document, component

from components.builders.injection import instruction_ranges
from components.builders.passage_ranges import narrowed_to
from components.builders.sentence_runs import LANGUAGE, has_rows, sentence_groups
from components.dropped import Dropped
from components.embedders.bm25_tokenizer import document_terms, query_terms
from components.embedders.embedding_model import EmbeddingError
from components.failure import Degradation
from components.generators.extraction.language import packaged_language

logger = logging.getLogger(__name__)

STAGE = "strips"
_LEANS = regex.compile(r"\s*(?:it|they|this|these|those|he|she|such|both|its|their|his|her|the\s+(?:same|latter|former))\b", regex.I)
"""How a sentence begins that means nothing without the one before it."""


def word_scores(question: str, strips: Sequence[str]) -> list[float]:
    """Share of the question's terms that each strip holds, 0 to 1, a term weighing its idf over the strips; 0 for a question without terms.

    >>> [round(s, 2) for s in word_scores("towel fee", ["A towel is 3 euros.", "The fee is due.", "Tea is free.", "The towel fee."])]
    [0.5, 0.5, 0.0, 1.0]
    """
    wanted = {term for term in query_terms(question, LANGUAGE) if not term.endswith("~")}
    held = [set(document_terms(strip, LANGUAGE)) & wanted for strip in strips]
    counts = Counter(term for terms in held for term in terms)
    idf = {term: math.log(1 + len(strips) / counts[term]) if counts[term] else math.log(1 + len(strips)) for term in sorted(wanted)}
    total = math.fsum(idf.values())
    return [math.fsum(sorted(idf[term] for term in terms)) / total if total else 0.0 for terms in held]


def strip_scores(question: str, strips: Sequence[str]) -> tuple[list[float], list[Degradation]]:
    """How much each text speaks of the question, 0 to 1: the mean of `word_scores` and the cosine of both; and why there are only words."""
    by_words = word_scores(question, strips)
    if not strips:
        return by_words, []
    try:
        readings = packaged_language().read([question, *strips])
    except EmbeddingError as error:
        reason = f"sentences were compared by words alone: {str(error).splitlines()[0]}"
        logger.warning(reason)
        return by_words, [Degradation(stage=STAGE, reason=reason)]
    asked = readings[0].vector
    return [(w + max(0.0, float(asked @ r.vector))) / 2 for w, r in zip(by_words, readings[1:], strict=True)], []


def kept_runs(strips: Sequence[tuple[int, int]], keep: Sequence[bool]) -> list[tuple[int, int]]:
    """The kept strips as half-open ranges, those that follow each other as one.

    >>> kept_runs([(0, 5), (6, 9), (10, 14)], [True, True, False]), kept_runs([(0, 5), (6, 9), (10, 14)], [True, False, True])
    ([(0, 9)], [(0, 5), (10, 14)])
    """
    runs: list[tuple[int, int]] = []
    before = False
    for (start, end), chosen in zip(strips, keep, strict=True):
        if chosen:
            runs = [*runs[:-1], (runs[-1][0], end)] if before else [*runs, (start, end)]
        before = chosen
    return runs


@component
class StripRefiner:
    """Keeps of each passage the sentences that speak of the question: the knowledge refinement of corrective RAG (Yan et al. 2024).

    Decompose, filter, recompose: a strip is a sentence with the proviso or list that belongs to it, its score the mean of the words that it
    shares with the question and the cosine of both; what scores too far below the best strip of all passages is left out, and so is every
    instruction to a model. Strips keep their place: each run of them is a passage whose content is exactly the stored text at its offsets, so it
    can be quoted. Tables stay whole. A passage of which nothing is left is dropped, never the best one. Haystack has no such component.

    >>> text = "Towels cost 3 euros. The pool was built in 1970. This does not apply to members."
    >>> passage = Document(content=text, meta={"char_start": 10, "char_end": 10 + len(text)})
    >>> [(d.content, d.meta["char_start"]) for d in StripRefiner(keep=0.9).run("What does a towel cost?", [passage])["documents"]]
    [('Towels cost 3 euros.', 10)]
    """

    def __init__(self, keep: float = 0.5, max_runs: int = 3) -> None:
        """Create the refiner.

        :param keep: part of the best strip's score from which a strip is kept, 0 (all) to 1 (only the best).
        :param max_runs: runs of one passage that stay apart, >= 1; with more, the passage is kept from the first to the last of them.
        :raises ValueError: a value that is not accepted.
        """
        if isinstance(keep, bool) or not isinstance(keep, int | float) or not 0 <= keep <= 1:
            raise ValueError(f"StripRefiner.keep={keep!r}: accepted is a number from 0 to 1")
        if isinstance(max_runs, bool) or not isinstance(max_runs, int) or max_runs < 1:
            raise ValueError(f"StripRefiner.max_runs={max_runs!r}: accepted is a whole number >= 1")
        self.keep = keep
        self.max_runs = max_runs

    @component.output_types(documents=list[Document], dropped=list[Dropped], degraded=list[Degradation], note=str)
    def run(self, question: str, documents: list[Document]) -> dict[str, Any]:
        """Refine passages.

        :param documents: passages, best first. They are not changed.
        :returns: `documents`: the passages' runs in the same order, each passage's in the order of its text; `dropped`; `degraded` where only words
            could be compared; `note`: how many sentences are left.
        """
        strips = [sentence_groups(d.content or "") if not has_rows(d.content or "") else [] for d in documents]
        texts = [(d.content or "")[start:end] for d, spans in zip(documents, strips, strict=True) for start, end in spans]
        scores, degraded = strip_scores(question, texts)
        least = self.keep * max(scores, default=0.0)
        refined: list[Document] = []
        dropped: list[Dropped] = []
        left = at = 0
        for place, (document, spans) in enumerate(zip(documents, strips, strict=True)):
            text, own = document.content or "", scores[at : at + len(spans)]
            at += len(spans)
            if not spans:
                refined.append(document)
                continue
            orders = instruction_ranges(text)
            harmless = [not any(a < end and start < b for a, b in orders) for start, end in spans]
            keep = [score >= least and fine for score, fine in zip(own, harmless, strict=True)]
            if not any(keep) and place == 0 and any(harmless):
                best = max((i for i, fine in enumerate(harmless) if fine), key=lambda i: own[i])
                keep = [i == best for i in range(len(spans))]
            for i in range(len(spans) - 1, 0, -1):
                if keep[i] and harmless[i - 1] and _LEANS.match(text[spans[i][0] : spans[i][1]]):
                    keep[i - 1] = True
            runs = kept_runs(spans, keep)
            left += sum(keep)
            if not runs:
                dropped.append(Dropped(id=document.id, reason="no sentence of it speaks of the question"))
            elif all(keep) and not orders:
                refined.append(document)
            else:
                whole = len(runs) > self.max_runs and not orders
                refined += _narrowed(document, [(runs[0][0], runs[-1][1])] if whole else runs[: self.max_runs])
        note = f"{left} of {len(texts)} sentences kept, {len(dropped)} of {len(documents)} passages left out"
        return {"documents": refined, "dropped": dropped, "degraded": degraded, "note": note}


def _narrowed(document: Document, runs: Sequence[tuple[int, int]]) -> list[Document]:
    """A passage for each run; the first keeps the id."""
    found = [narrowed_to(document, start, end) for start, end in runs]
    return [found[0], *(replace(d, id=f"{document.id}#{d.meta['char_start']}") for d in found[1:])]

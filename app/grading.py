"""Judging what a graph retrieves: the questions of a test collection with their relevant documents, and without them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from app import query
from app.evaluating import ASKER
from app.graphs import Graph
from app.judging import asked_twice
from components.generators.extraction.language import packaged_language
from components.validators.passage_grades import passage_features
from evaluation.beir import BeirSet
from evaluation.grading import JudgedPassage, JudgedRetrieval


def judge_retrievals(graph: Graph, data: BeirSet, limit: int, top_k: int, seed: int = 0) -> Iterator[JudgedRetrieval]:
    """Retrieve for `limit` queries of a collection, each twice: as it is, and with its relevant documents filtered out.

    :param graph: loaded over an index of the collection, with `only=["documents"]`.
    :param top_k: passages judged, as many as the grader looks at.
    :raises GraphError: the graph failed.
    """
    for asked in asked_twice(data, limit, seed):
        documents, _ = asyncio.run(query.retrieve(graph, asked.text, principal=ASKER, filters=asked.filters))
        passages = (
            JudgedPassage(d.meta.get("source_id") in asked.gold, passage_features(asked.text, d, packaged_language())) for d in documents[:top_k]
        )
        yield JudgedRetrieval(asked.id, tuple(passages))

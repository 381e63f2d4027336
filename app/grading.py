"""Judging what a graph retrieves: the questions of a test collection with their relevant documents, and without them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator

from app import query
from app.evaluating import ASKER
from app.graphs import Graph
from components.access.principal import DEFAULT_TENANT
from components.chunk import source_id
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
    chosen = list(data.queries.items())
    random.Random(seed).shuffle(chosen)  # noqa: S311 - a sample, no secret
    for name, text in chosen[:limit]:
        gold = {source_id(DEFAULT_TENANT, "", document) for document, grade in data.qrels[name].items() if grade > 0}
        without = {"field": "meta.source_id", "operator": "not in", "value": sorted(gold)}
        for said, filters in (("with", None), ("without", without)):
            documents, _ = asyncio.run(query.retrieve(graph, text, principal=ASKER, filters=filters))
            passages = tuple(
                JudgedPassage(d.meta.get("source_id") in gold, passage_features(text, d, packaged_language())) for d in documents[:top_k]
            )
            yield JudgedRetrieval(f"{name}:{said}", passages)

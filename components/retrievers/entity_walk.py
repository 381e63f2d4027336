"""From the names of a question to chunks, over the graph of chunks and what they name. Pure functions.

HippoRAG (Gutierrez et al., NeurIPS 2024): personalised PageRank (Haveliwala 2002) from the question's entities, each weighing the more the fewer
chunks name it. As in HippoRAG 2 (2025), the passages of the first stage are starting points too, so that the walk begins in the right place also
where the question names nothing.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import networkx as nx

from components.document_stores.entity_rows import Mention, Relation
from components.embedders.bm25_tokenizer import document_terms
from components.query.names import name_key, names_in

LONGEST = 6
"""Terms of a name that is looked up."""
_ABOUT = 2.0
"""Weight of the edge between a chunk and what it is about, beside 1 for what it names once."""


def candidate_keys(question: str, language: str = "en") -> list[str]:
    """Keys under which a question may name something: its names by their form, and every run of two or more terms; single terms with a digit.

    >>> candidate_keys("who heads the lake office?")
    ['head lake offic', 'head lake', 'lake offic']
    """
    keys = [name_key(name) for name in names_in(question)]
    terms = document_terms(question, language)
    for length in range(min(LONGEST, len(terms)), 0, -1):
        for start in range(len(terms) - length + 1):
            run = terms[start : start + length]
            if length > 1 or any(c.isdigit() for c in run[0]):
                keys.append(" ".join(run))
    return [key for key in dict.fromkeys(keys) if key]


def longest_only(keys: Collection[str]) -> list[str]:
    """Without the keys that stand inside another: of `lake office of uln` and `lake office` the first.

    >>> longest_only(["lake offic uln", "lake offic", "uln", "sand"])
    ['lake offic uln', 'sand']
    """
    return [key for key in keys if not any(key != other and f" {key} " in f" {other} " for other in keys)]


def walk(
    mentions: Iterable[tuple[str, Mention]],
    relations: Iterable[Relation],
    entities: Mapping[str, float],
    passages: Mapping[str, float],
    alpha: float = 0.5,
) -> dict[str, float]:
    """Chunks by the probability that a walk from the starting points has come there, best first; chunks alone, ties by id.

    What a walk that has just begun adds to its own starting point is taken off: it tells what the first stage said already.

    :param mentions: (chunk, mention): the edges between chunks and entities.
    :param relations: edges between entities.
    :param entities: starting weights of entities; together they weigh as much as the passages, where there are both.
    :param passages: starting weights of chunks.
    :param alpha: probability of another step, 0 to 1; HippoRAG takes 0.5.

    >>> told = [("a", Mention("lake", "Lake")), ("a", Mention("sand", "Sand")), ("b", Mention("sand", "Sand")), ("c", Mention("pool", "Pool"))]
    >>> list(walk(told, [], {"lake": 1.0}, {}))
    ['a', 'b']
    """
    graph: nx.Graph = nx.Graph()
    for chunk, mention in mentions:
        weight = _ABOUT if mention.kind == "title" else 1.0 + math.log(max(1, mention.count))
        graph.add_edge(("chunk", chunk), ("entity", mention.entity), weight=weight)
    for relation in relations:
        head, tail = ("entity", relation.head), ("entity", relation.tail)
        if head in graph and tail in graph and head != tail:
            known = graph.get_edge_data(head, tail, {"weight": 0.0})["weight"]
            graph.add_edge(head, tail, weight=known + relation.weight)
    for chunk in passages:
        graph.add_node(("chunk", chunk))
    start: dict[tuple[str, str], float] = {}
    for kind, weights in (("entity", entities), ("chunk", passages)):
        inside = {(kind, name): weight for name, weight in weights.items() if (kind, name) in graph and weight > 0}
        total = math.fsum(inside.values())
        start.update({node: weight / total for node, weight in inside.items()})
    if not start:
        return {}
    scores = nx.pagerank(graph, alpha=alpha, personalization=start, nstart=start, weight="weight", max_iter=200, tol=1e-8)
    walked = {node: score - (1 - alpha) * start.get(node, 0.0) for node, score in scores.items()}
    found = {name: score for (kind, name), score in walked.items() if kind == "chunk" and score > 0}
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def bridged(scores: Mapping[str, float], mentions: Iterable[tuple[str, Mention]], asked: Collection[str], passages: Sequence[str]) -> list[str]:
    """The chunks, in the order of their scores, that are about something which the question or one of the passages names; not the passages.

    :param asked: entities of the question.
    :param passages: chunks whose names lead on; without any, all chunks are given.

    >>> told = [("a", Mention("lake", "Lake")), ("b", Mention("lake", "Lake", "title")), ("c", Mention("lake", "Lake"))]
    >>> bridged({"c": 0.3, "b": 0.2, "a": 0.1}, told, [], ["a"])
    ['b']
    """
    if not passages:
        return list(scores)
    told = list(mentions)
    named = {mention.entity for chunk, mention in told if chunk in passages} | set(asked)
    about = {chunk for chunk, mention in told if mention.kind == "title" and mention.entity in named}
    return [chunk for chunk in scores if chunk in about and chunk not in passages]


def rank_weights(chunks: Sequence[str]) -> dict[str, float]:
    """Starting weights of passages by their place: 1 / rank."""
    return {chunk: 1.0 / rank for rank, chunk in enumerate(chunks, start=1)}

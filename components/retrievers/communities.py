"""Communities of names, and the sentence that says most of each. Pure functions.

GraphRAG (Edge et al., 2024) splits the graph of entities into communities and lets a chat model summarise each. Here a community is summarised by
its most central sentence (LexRank by degree: Erkan and Radev, JAIR 2004), so that what is shown can be cited.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np

from components.document_stores.entity_rows import Mention, Relation
from components.embedders.bm25_tokenizer import document_terms

MAX_ENTITIES = 1500
MAX_SENTENCES = 200
MIN_TERMS = 4
"""A shorter sentence summarises nothing."""


LONGEST = 300


@dataclass(frozen=True)
class Community:
    """Names that stand together.

    :param entities: their keys, the most connected first.
    :param chunks: the chunks that name most of them, the best first.
    """

    entities: list[str]
    chunks: list[str]


def communities(mentions: Iterable[tuple[str, Mention]], relations: Iterable[Relation], at_most: int) -> list[Community]:
    """Communities by Louvain (Blondel et al., 2008), those with the most chunks first; each chunk belongs to one.

    Names of a single chunk count only where few are in two: a graph of a handful of chunks. The same rows give the same communities.

    :param at_most: communities returned, 1 or more.
    """
    held: dict[str, dict[str, float]] = defaultdict(dict)
    for chunk, mention in mentions:
        held[mention.entity][chunk] = 2.0 if mention.kind == "title" else 1.0 + math.log(max(1, mention.count))
    shared = {entity: chunks for entity, chunks in held.items() if len(chunks) > 1}
    kept = shared if len(shared) >= 10 else held
    names = sorted(kept, key=lambda e: (-len(kept[e]), e))[:MAX_ENTITIES]
    graph: nx.Graph = nx.Graph()
    graph.add_nodes_from(names)
    for relation in relations:
        if relation.head in graph and relation.tail in graph and relation.head != relation.tail:
            known = graph.get_edge_data(relation.head, relation.tail, {"weight": 0.0})["weight"]
            graph.add_edge(relation.head, relation.tail, weight=known + relation.weight)
    if not graph:
        return []
    groups = [sorted(group) for group in nx.community.louvain_communities(graph, weight="weight", seed=0)]
    degree = dict(graph.degree(weight="weight"))
    group_of = {entity: number for number, group in enumerate(groups) for entity in group}
    weight: dict[str, Counter[int]] = defaultdict(Counter)
    for entity, number in group_of.items():
        for chunk, count in kept[entity].items():
            weight[chunk][number] += count * (1.0 + math.log1p(degree[entity]))  # pyright: ignore[reportArgumentType]
    chunks: dict[int, list[tuple[float, str]]] = defaultdict(list)
    for chunk, counts in weight.items():
        number, score = min(counts.items(), key=lambda item: (-item[1], item[0]))
        chunks[number].append((-score, chunk))
    found = [
        Community(sorted(groups[number], key=lambda e: (-degree[e], e)), [chunk for _, chunk in sorted(inside)]) for number, inside in chunks.items()
    ]
    return sorted(found, key=lambda c: (-len(c.chunks), c.chunks[0]))[:at_most]


def central_sentence(texts: Sequence[Sequence[str]], idf: Mapping[str, float] | None = None, language: str = "en") -> tuple[int, int] | None:
    """Position (text, sentence) of the sentence that is most like all others: the mean cosine of their terms, rare ones weighing more.

    Rows of tables, lists and sentences of more than `LONGEST` characters count only where there is nothing else.

    :param texts: the sentences of each text.
    :returns: None where no sentence has `MIN_TERMS` terms.

    >>> central_sentence([["The lake office tests the lake water."], ["Water of the lake is tested monthly.", "Towels are blue and soft."]])
    (0, 0)
    """
    places = [(i, j) for i, sentences in enumerate(texts) for j in range(len(sentences))][:MAX_SENTENCES]
    terms = [Counter(document_terms(texts[i][j], language)) for i, j in places]
    usable = [n for n, counts in enumerate(terms) if len(counts) >= MIN_TERMS]
    usable = [n for n in usable if _reads_alone(texts[places[n][0]][places[n][1]])] or usable
    if not usable:
        return None
    known = Counter(term for counts in terms for term in counts)
    columns = {term: n for n, term in enumerate(sorted(known))}
    rows = np.zeros((len(usable), len(columns)))
    for row, n in enumerate(usable):
        for term, count in terms[n].items():
            rows[row, columns[term]] = count * math.log(1 + len(terms) / known[term]) * (idf or {}).get(term, 1.0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    likeness = (rows @ rows.T).mean(axis=1)
    return places[usable[int(likeness.round(9).argmax())]]


def _reads_alone(sentence: str) -> bool:
    text = sentence.strip()
    return len(text) <= LONGEST and "\n" not in text and "|" not in text and text.endswith((".", "!", "।", "。"))

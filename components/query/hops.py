"""Bridges between passages: what the evidence names that the question does not, and which passage it leads to. Pure functions.

A question over several documents ("who heads the office that gives permits?") is answered by a passage that the question's words do not find:
it is about something that another passage names. HotpotQA calls these bridge questions (Yang et al., EMNLP 2018). MDR (Xiong et al., ICLR 2021)
and IRCoT (Trivedi et al., ACL 2023) retrieve in hops, with a trained encoder or a chat model that writes each next query; here names are followed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import regex
from haystack import Document

from components.embedders.bm25_tokenizer import document_terms
from components.failure import Degradation
from components.joiners.fusion_evidence import terms_of
from components.preprocessors.sentences import split_sentences
from components.query.names import about, name_key, names_in

LOOKED_AT = 5
"""Passages of a hop whose names may lead on."""
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’.-]*")


@dataclass(frozen=True)
class Hop:
    """One retrieval.

    :param query: what was asked.
    :param entity: the name that was followed; empty for the first hop and where a chat model wrote the query.
    :param documents: what was found, best first.
    """

    query: str
    entity: str = ""
    documents: list[Document] = field(default_factory=list)


@dataclass(frozen=True)
class HopPath:
    """The hops so far, and what is asked next.

    :param pending: query and entity of the next hop; None where none is planned.
    :param degraded: what went wrong on the way.
    """

    hops: list[Hop] = field(default_factory=list)
    pending: tuple[str, str] | None = None
    degraded: list[Degradation] = field(default_factory=list)

    def found(self, query: str, documents: list[Document]) -> HopPath:
        """The path with one more hop; of a later one what may be used, since all of it is copied at every node."""
        entity = self.pending[1] if self.pending else ""
        hop = Hop(query, entity, documents if not self.hops else documents[:LOOKED_AT])
        return HopPath([*self.hops, hop], degraded=self.degraded)

    def asking(self, query: str, entity: str) -> HopPath:
        """The path with a hop planned."""
        return replace(self, pending=(query, entity))


@dataclass(frozen=True)
class Bridge:
    """A name to follow.

    :param score: 0 to 1: how near it stands to what was asked, in how good a passage, and how few others hold it.
    :param passage: number of the passage, from 1, that names it; 0 where the question does.
    """

    name: str
    score: float
    passage: int


def bridges(question: str, hops: Sequence[Hop], keep: int, language: str = "en") -> list[Bridge]:
    """The names that may lead on, best first, none of them followed before.

    Names of the question come first whose words no passage of the first `keep` holds. Then names in the first `LOOKED_AT` passages of each hop
    that are not in the question and that no passage shown is about. The score is place · closeness · rarity: 1 / (1 + log2 rank); the share of
    the question's terms, rare ones weighing more, in the sentence that names it, with the passage's title; 1 less the share of the other
    passages that hold it.

    >>> permits = Document(content="Fishing permits are given by the Lake Office.", meta={"title": "Permits"})
    >>> [b.name for b in bridges("Who heads the office that gives fishing permits?", [Hop("…", "", [permits])], keep=3)]
    ['Lake Office']
    """
    first = hops[0].documents
    asked = terms_of(question, language)
    weights = rarity(asked, first, language)
    followed = {name_key(hop.entity) for hop in hops if hop.entity}
    shown = [title for document in shown_so_far(hops, keep) for title in titles(document)]
    held = set().union(*(held_terms(document, language) for document in first[:keep])) if first else set()
    found: dict[str, Bridge] = {}
    for name in names_in(question):
        key = name_key(name)
        if key not in followed and " " in key and not set(key.split()) <= held:
            found[key] = Bridge(name, 1.0, 0)
    texts = [_terms(_text(document), language)[0] for document in first]
    number = 0
    for hop in hops:
        for rank, document in enumerate(hop.documents[:LOOKED_AT], start=1):
            number += 1
            title_terms = set(document_terms(" ".join(titles(document)), language))
            for name, sentence in _named(document):
                key = name_key(name)
                if key in followed or set(key.split()) <= asked or about(name, shown):
                    continue
                close = share(weights, set(document_terms(sentence, language)) | title_terms)
                others = max(0, sum(f" {key} " in text for text in texts) - 1)
                score = close * (1 - others / len(texts)) / (1 + math.log2(rank))
                if key not in found or score > found[key].score:
                    found[key] = Bridge(name, round(score, 4), number)
    return sorted(found.values(), key=lambda b: (-b.score, b.passage, b.name))


def next_query(question: str, hops: Sequence[Hop], entity: str, keep: int, language: str = "en") -> str:
    """The entity, then the question's words that no passage of the first `keep` holds, in their order.

    >>> office = Document(content="Fishing permits are given by the Lake Office.", meta={"title": "Permits"})
    >>> next_query("Who heads the office that gives fishing permits?", [Hop("…", "", [office])], "Lake Office", 3)
    'Lake Office heads gives'
    """
    missing = uncovered(question, [document for hop in hops for document in hop.documents[:keep]], language)
    known = set(name_key(entity).split())
    words = [word.group() for word in _WORD.finditer(question)]
    rest = [word for word in words if (own := terms_of(word, language)) and own <= missing and not own & known]
    return " ".join([entity, *dict.fromkeys(rest)])


def uncovered(question: str, documents: Sequence[Document], language: str = "en") -> set[str]:
    """Terms of the question that none of the passages holds."""
    return terms_of(question, language).difference(*(held_terms(document, language) for document in documents))


def answered_by_one(question: str, documents: Sequence[Document], language: str = "en") -> bool:
    """Whether one of the passages holds every term of the question: then there is nothing to look for elsewhere."""
    asked = terms_of(question, language)
    return any(asked <= held_terms(document, language) for document in documents)


def joined(question: str, hops: Sequence[Hop], keep: int, places: int, language: str = "en") -> list[Document]:
    """The passages of all hops, each once: the first hop's best, then what later hops found, then the rest of the first.

    :param keep: places at the top that stay the first hop's.
    :param places: passages of later hops that stand behind them, at most; of hops that followed a name only those that are about it, or that
        name it and hold something of the question that the first hop's best do not.
    """
    if not hops:
        return []
    first = hops[0].documents
    reached: dict[str, Document] = {}
    top = {document.id for document in first[:keep]}
    missing = uncovered(question, first[:keep], language)
    for number, hop in enumerate(hops[1:], start=2):
        for document in _leading(hop, missing, language):
            if document.id not in top:
                reached.setdefault(document.id, _marked(document, number, hop))
    inserted = list(reached.values())[:places]
    taken = top | {document.id for document in inserted}
    return [*first[:keep], *inserted, *(document for document in first[keep:] if document.id not in taken)]


def _leading(hop: Hop, missing: set[str], language: str) -> list[Document]:
    """The passages of a later hop that are what it looked for, best first; at most two."""
    best = hop.documents[:LOOKED_AT]
    if not hop.entity:
        return best[:2]
    named = [document for document in best if about(hop.entity, titles(document))]
    if named:
        return named[:1]
    key = f" {name_key(hop.entity)} "
    gains = []
    for rank, document in enumerate(best):
        if key in _terms(_text(document), language)[0] and (gain := len(missing & held_terms(document, language))):
            gains.append((-gain, rank, document))
    return [document for *_, document in sorted(gains, key=lambda item: item[:2])][:1]


def _marked(document: Document, number: int, hop: Hop) -> Document:
    ranks = {**(document.meta.get("ranks") or {}), "hop": {"rank": number, "score": document.score}}
    return replace(document, meta={**document.meta, "ranks": ranks, "hop_query": hop.query})


def shown_so_far(hops: Sequence[Hop], keep: int) -> list[Document]:
    """The first hop's best, and the best of each later one."""
    return [*(hops[0].documents[:keep] if hops else []), *(hop.documents[0] for hop in hops[1:] if hop.documents)]


def titles(document: Document) -> list[str]:
    """What a passage is called: its title and its innermost heading."""
    path = document.meta.get("heading_path") or []
    return [str(part) for part in (document.meta.get("title"), *path[-1:]) if part]


def held_terms(document: Document, language: str = "en") -> frozenset[str]:
    """Terms of a passage, its title and headings."""
    return _terms(_text(document), language)[1]


def rarity(terms: Collection[str], documents: Sequence[Document], language: str = "en") -> dict[str, float]:
    """How rare each term is among the passages: BM25's IDF over them."""
    counts = Counter(term for document in documents for term in held_terms(document, language) & set(terms))
    return {term: math.log(1 + (len(documents) - counts[term] + 0.5) / (counts[term] + 0.5)) for term in terms}


def share(weights: Mapping[str, float], held: Collection[str]) -> float:
    """Part of the weight that what is held has."""
    total = math.fsum(weights.values())
    return math.fsum(weight for term, weight in weights.items() if term in held) / total if total else 0.0


@lru_cache(maxsize=2048)
def _terms(text: str, language: str) -> tuple[str, frozenset[str]]:
    """The terms of a text in their order, with spaces around them, and as a set."""
    found = document_terms(text, language)
    return f" {' '.join(found)} ", frozenset(found)


def _named(document: Document) -> list[tuple[str, str]]:
    """Names of a passage, each with the sentence in which it stands."""
    text = document.content or ""
    spans = split_sentences(text)
    found = []
    for name in names_in(text):
        at = text.find(name)
        sentence = next((text[start:end] for start, end in spans if start <= at < end), text)
        found.append((name, sentence))
    return found


def _text(document: Document) -> str:
    return " ".join([str(document.meta.get("context_header") or document.meta.get("title") or ""), document.content or ""])

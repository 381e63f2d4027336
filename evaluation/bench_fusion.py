"""Fusions of the dense and the BM25 leg beside each leg alone, on test collections in the layout of BEIR, and the weights chosen leaving one out.

    python -m evaluation.bench_fusion DIR... [--cache FOLDER]

Documents are split as the indexing graph splits them, each leg finds 50 chunks exactly (no approximation), a document ranks by its best chunk. No
identifier ranker and no cross-encoder. The last lines choose the weights of `AdaptiveFuser` on all sets but one, and show them on that one.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from haystack import Document

from components.chunk import embedded_text
from components.embedders.bm25 import embed_document, embed_query
from components.embedders.embedding_model import embedding_model
from components.joiners.adaptive_fuser import AdaptiveFuser
from components.joiners.fusion_evidence import Evidence, gathered, leg_weights
from components.joiners.rank_fusion import reciprocal_rank_fusion
from components.joiners.score_fusion import convex_combination
from components.preprocessors.heading_splitter import HeadingSplitter
from evaluation.beir import BeirSet, read_beir
from evaluation.data import DataError
from evaluation.ranking_measures import NDCG, ranking_values
from evaluation.retrieval import document_ranking

PER_LEG = 50
K1, B, AVG_LEN, LANGUAGE = 1.2, 0.75, 100.0, "en"
GRID = {"dense_weight": (0.4, 0.6, 0.8), "identifier_factor": (0.5, 1.0), "coverage_power": (0.0, 1.0, 2.0)}


@dataclass(frozen=True)
class Legs:
    """What both legs found for each question of a set.

    :param found: query to leg to chunk ids and scores, best first.
    :param document: chunk to the document it is of.
    :param evidence: query to what the adaptive fuser knows of it.
    :param floor: cosine of unrelated texts.
    """

    found: dict[str, dict[str, dict[str, float]]]
    document: dict[str, str]
    evidence: dict[str, Evidence]
    floor: float


def search(data: BeirSet, model: str | None = None) -> Legs:
    """Both legs over a set; `model` as in `embedding_model`."""
    from scipy.sparse import csr_matrix

    embedder = embedding_model(model)
    whole = [
        Document(content=d.text if d.text.strip() else d.title, meta={"title": d.title, "source_id": d.id})
        for d in data.corpus.values()
        if d.text.strip() or d.title.strip()
    ]
    chunks = HeadingSplitter(model=model).run(whole)["documents"]
    texts = {c.id: embedded_text(c.content or "", c.meta["context_header"]) for c in chunks}
    ids: list[str] = list(texts)
    vectors = embedder.encode_passages(list(texts.values()))
    column: dict[int, int] = {}
    entries: list[tuple[int, int, float]] = []
    for row, text in enumerate(texts.values()):
        if (sparse := embed_document(text, K1, B, AVG_LEN, LANGUAGE)) is not None:
            entries += [(row, column.setdefault(index, len(column)), value) for index, value in zip(sparse.indices, sparse.values, strict=True)]
    rows, columns, values = (np.array(part) for part in zip(*entries, strict=True))
    matrix = csr_matrix((values, (rows, columns)), shape=(len(ids), len(column)))
    frequency = np.bincount(columns, minlength=len(column))
    idf = np.log(1 + (len(ids) - frequency + 0.5) / (frequency + 0.5))
    found, evidence = {}, {}
    for query, text in data.queries.items():
        reading = embedder.reading(text)
        cosines = vectors @ embedder.encode_queries([text])[0]
        asked, weights = embed_query(text, LANGUAGE), np.zeros(len(column))
        for index, value in zip(asked.indices, asked.values, strict=True):
            if (place := column.get(index)) is not None:
                weights[place] = value * idf[place]
        legs = {"dense": {} if reading.other_script else _best(ids, cosines), "sparse": _best(ids, matrix @ weights, above=0.0)}
        found[query] = legs
        dense, sparse = ([(id_, texts[id_]) for id_ in list(legs[leg])[:10]] for leg in ("dense", "sparse"))
        evidence[query] = gathered(text, dense, sparse, reading.share, LANGUAGE)
    return Legs(found, {c.id: str(c.meta["source_id"]) for c in chunks}, evidence, embedder.unrelated_cosine())


def _best(ids: Sequence[str], scores: np.ndarray, above: float = -np.inf) -> dict[str, float]:
    order = np.argsort(-scores, kind="stable")[:PER_LEG]
    return {str(ids[int(i)]): float(scores[i]) for i in order if scores[i] > above}


Fusion = Callable[[Mapping[str, Mapping[str, float]], Evidence, float], Sequence[str]]
"""Legs, evidence and floor of a question to ids, best first."""


def adaptive(dense_weight: float, identifier_factor: float, coverage_power: float) -> Fusion:
    """The arithmetic of `AdaptiveFuser` with these weights."""

    def fuse(legs: Mapping[str, Mapping[str, float]], evidence: Evidence, floor: float) -> list[str]:
        weights = leg_weights(evidence, dense_weight, identifier_factor, coverage_power)
        given = {leg: weight for leg, weight in weights.items() if legs[leg]}
        if not any(given.values()):
            given = dict.fromkeys(given, 1.0)
        return [f.id for f in convex_combination(legs, given, floors={"dense": floor}, missing={"sparse": 0.0})]

    return fuse


def _scores(method: str) -> Fusion:
    missing = {"sparse": 0.0} if method == "theoretical" else None
    return lambda legs, evidence, floor: [f.id for f in convex_combination(legs, None, method, {"dense": floor}, missing)]


def _own() -> Fusion:
    fuser = AdaptiveFuser()
    return adaptive(fuser.dense_weight, fuser.identifier_factor, fuser.coverage_power)


FUSIONS: dict[str, Fusion] = {
    "BM25": lambda legs, evidence, floor: list(legs["sparse"]),
    "dense": lambda legs, evidence, floor: list(legs["dense"]),
    "RRF": lambda legs, evidence, floor: [f.id for f in reciprocal_rank_fusion(legs)],
    "min-max": _scores("min_max"),
    "z-score": _scores("z_score"),
    "theoretical": _scores("theoretical"),
    "adaptive": _own(),
}


def measured(data: BeirSet, legs: Legs, fuse: Fusion) -> float:
    """Mean nDCG@10 of a fusion."""
    rankings = {q: document_ranking(legs.document[id_] for id_ in fuse(found, legs.evidence[q], legs.floor))[:10] for q, found in legs.found.items()}
    return float(ranking_values(data.qrels, rankings)[NDCG].mean())


def left_out(gains: Mapping[str, Mapping[tuple[float, ...], float]]) -> dict[str, tuple[tuple[float, ...], float]]:
    """Weights chosen on all sets but one, and their gain on that one.

    Chosen is the greatest mean gain over the better leg, of which more than .02 counts as .02 and a loss three times: a fusion is to be
    safe before it is good on one set.

    :param gains: set to weights to the gain.
    """

    def worth(weights: tuple[float, ...], others: Sequence[str]) -> float:
        return float(np.mean([min(g, 0.02) if g > 0 else 3 * g for g in (gains[name][weights] for name in others)]))

    chosen = {}
    for name, by_weights in gains.items():
        others = [other for other in gains if other != name]
        best = max(by_weights, key=lambda weights: worth(weights, others))
        chosen[name] = (best, by_weights[best])
    return chosen


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line. Exit codes: 0 done, 2 wrong use."""
    from rich.console import Console
    from rich.table import Table

    parser = argparse.ArgumentParser(prog="python -m evaluation.bench_fusion", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="test collections in the layout of BEIR")
    parser.add_argument("--model", default=None, help="embedding model; the settings' where absent")
    parser.add_argument("--cache", type=Path, default=None, help="folder that keeps what the legs found, by collection, model and limit")
    parser.add_argument("--limit", type=int, default=None, help="only the first queries")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    given = parser.parse_args(arguments)
    err = Console(stderr=True)
    results: dict[str, dict[str, float]] = {}
    gains: dict[str, dict[tuple[float, ...], float]] = {}
    try:
        for folder in given.folders:
            data = read_beir(folder).limited(given.limit)
            with err.status(f"{data.name}: searching"):
                legs = cached_legs(data, given.model, given.cache)
            results[data.name] = {name: measured(data, legs, fuse) for name, fuse in FUSIONS.items()}
            if len(given.folders) > 1:
                with err.status(f"{data.name}: weights"):
                    best = max(results[data.name]["BM25"], results[data.name]["dense"])
                    gains[data.name] = {w: measured(data, legs, adaptive(*w)) - best for w in itertools.product(*GRID.values())}
    except (DataError, ValueError) as error:
        err.print(f"[red]{error}", highlight=False)
        return 2
    chosen = left_out(gains) if gains else {}
    if given.json:
        print(json.dumps({NDCG: results, "left_out": {n: {"weights": dict(zip(GRID, w, strict=True)), "gain": g} for n, (w, g) in chosen.items()}}))
        return 0
    table = Table(title="nDCG@10 of fusions; gain: adaptive over the better leg, in the end with weights chosen on the other sets")
    for column in ("set", *FUSIONS, "gain", *GRID, "gain left out"):
        table.add_column(column, justify="left" if column == "set" else "right")
    for name, by_fusion in results.items():
        gain = by_fusion["adaptive"] - max(by_fusion["BM25"], by_fusion["dense"])
        weights, out = chosen.get(name, ((), None))
        shown = [f"{w:g}" for w in weights] or [""] * len(GRID)
        table.add_row(name, *(f"{value:.4f}" for value in by_fusion.values()), f"{gain:+.4f}", *shown, "" if out is None else f"{out:+.4f}")
    Console().print(table)
    return 0


def cached_legs(data: BeirSet, model: str | None, folder: Path | None) -> Legs:
    """What `search` gives, kept in a folder by collection, questions and model; None: not kept."""
    name = embedding_model(model).name.replace("/", "_")
    file = folder / f"{data.name}.{data.digest[:12]}.{len(data.queries)}.{name}.json" if folder else None
    if file and file.is_file():
        kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return Legs(kept["found"], kept["document"], {q: Evidence(**e) for q, e in kept["evidence"].items()}, kept["floor"])
    legs = search(data, model)
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(legs), ensure_ascii=False), encoding="utf-8")
    return legs


if __name__ == "__main__":
    sys.exit(main())

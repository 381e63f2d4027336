"""The learned fusion beside the first stage, its weights fitted on all sets but the one measured; or the weights that are shipped.

    python -m evaluation.bench_learned_fusion DIR... [--cache FOLDER] [--only-measured NAME] [--save FILE]

Each DIR is a test collection in the layout of BEIR. Candidates are those of the default graph: both legs by exact search, the adaptive fusion,
the identifier ranker. Every set is ranked by weights fitted on the others; a set named with `--only-measured` is fitted on never.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from haystack import Document

from components.joiners.adaptive_fuser import AdaptiveFuser
from components.preprocessors.heading_splitter import HeadingSplitter
from components.rankers.identifier_ranker import IdentifierRanker
from components.rankers.learned_ranker import candidate
from components.rankers.ranking_features import features
from evaluation.beir import BeirSet, read_beir
from evaluation.bench_fusion import Legs, cached_legs
from evaluation.bootstrap import paired_difference
from evaluation.data import DataError
from evaluation.ranking_measures import NDCG, ranking_values
from evaluation.training.fusion import PENALTY, Judged, fit, ranked


def judged(data: BeirSet, legs: Legs) -> dict[str, Judged]:
    """The candidates of each question with their features and grades."""
    whole = [
        Document(content=d.text if d.text.strip() else d.title, meta={"title": d.title, "source_id": d.id})
        for d in data.corpus.values()
        if d.text.strip() or d.title.strip()
    ]
    chunks = {chunk.id: chunk for chunk in HeadingSplitter(model=None).run(whole)["documents"]}
    fuser, identifiers, found = AdaptiveFuser(), IdentifierRanker(), {}
    for query, text in data.queries.items():
        dense, sparse = ([replace(chunks[id_], score=score) for id_, score in legs.found[query][leg].items()] for leg in ("dense", "sparse"))
        fused = fuser.run(text, dense=dense, sparse=sparse, reading=legs.evidence[query].reading, floor=legs.floor)["documents"]
        given = identifiers.run(text, fused)["documents"]
        groups = tuple(str(d.meta["source_id"]) for d in given)
        grades = np.array([max(0, data.qrels[query].get(name, 0)) for name in groups], dtype=float)
        found[query] = Judged(features(text, [candidate(d) for d in given]), grades, groups)
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line. Exit codes: 0 done, 2 wrong use."""
    from rich.console import Console
    from rich.table import Table

    parser = argparse.ArgumentParser(prog="python -m evaluation.bench_learned_fusion", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="test collections in the layout of BEIR")
    parser.add_argument("--cache", type=Path, default=None, help="folder that keeps what the legs found")
    parser.add_argument("--only-measured", action="append", default=[], metavar="NAME", help="a set that no weights are fitted on; repeatable")
    parser.add_argument("--penalty", type=float, default=PENALTY, help="of squared weights")
    parser.add_argument("--save", type=Path, default=None, help="write the weights of all sets (but those only measured) there")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    given = parser.parse_args(arguments)
    err = Console(stderr=True)
    sets: dict[str, tuple[BeirSet, dict[str, Judged]]] = {}
    try:
        for folder in given.folders:
            data = read_beir(folder)
            with err.status(f"{data.name}: searching"):
                sets[data.name] = (data, judged(data, cached_legs(data, None, given.cache)))
        fitted = {name: list(found.values()) for name, (_, found) in sets.items() if name not in given.only_measured}
        rows, gains = {}, []
        for name, (data, found) in sets.items():
            others = {other: questions for other, questions in fitted.items() if other != name}
            weights = fit(others, given.penalty)
            first, learned = (
                ranking_values(data.qrels, {q: rank(j)[:10] for q, j in found.items()})[NDCG]
                for rank in (lambda j: list(dict.fromkeys(j.groups)), lambda j, w=weights: ranked(j, w))
            )
            difference = paired_difference(learned, first)
            gains.append(np.asarray(learned) - np.asarray(first))
            rows[name] = {"first": float(np.mean(first)), "learned": float(np.mean(learned)), "difference": difference.to_json(), "weights": weights}
    except (DataError, ValueError) as error:
        err.print(f"[red]{error}", highlight=False)
        return 2
    rng = np.random.default_rng(0)
    means = [float(np.mean([rng.choice(gain, len(gain)).mean() for gain in gains])) for _ in range(2000)]
    mean = {"value": float(np.mean([g.mean() for g in gains])), "low": float(np.quantile(means, 0.025)), "high": float(np.quantile(means, 0.975))}
    if given.save:
        weights = fit(fitted, given.penalty)
        told = {"fitted_on": {name: len(questions) for name, questions in fitted.items()}, "penalty": given.penalty, "weights": weights}
        given.save.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    if given.json:
        print(json.dumps({NDCG: rows, "mean": mean}))
        return 0
    table = Table(title="nDCG@10, weights fitted on the other sets")
    for column in ("set", "questions", "first stage", "learned", "difference", "95 %", "p"):
        table.add_column(column, justify="left" if column == "set" else "right")
    for name, row in rows.items():
        d = row["difference"]
        figures = (f"{row['first']:.4f}", f"{row['learned']:.4f}", f"{d['value']:+.4f}", f"{d['low']:+.4f} to {d['high']:+.4f}", f"{d['p']:.4f}")
        table.add_row(name, str(len(sets[name][1])), *figures)
    table.add_row("mean", "", "", "", f"{mean['value']:+.4f}", f"{mean['low']:+.4f} to {mean['high']:+.4f}", "")
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Measures of a ranking, a value for each query: nDCG@10, recall@k, precision@k, MRR, MAP.

Computed by `ir_measures` over trec_eval's own code (MacAvaney, Macdonald and Ounis, "Streamlining evaluation with ir-measures", ECIR 2022).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

DEFAULT_CUTOFFS = (1, 5, 10)
NDCG = "nDCG@10"
MRR = "MRR"
MAP = "MAP"


def measure_names(cutoffs: Sequence[int] = DEFAULT_CUTOFFS) -> list[str]:
    """Names of the measures, in the order in which a report shows them.

    >>> measure_names([4])
    ['nDCG@10', 'recall@4', 'precision@4', 'MRR', 'MAP']

    :raises ValueError: a cutoff below 1, or none.
    """
    return list(_measures(cutoffs))


def _measures(cutoffs: Sequence[int]) -> dict[str, Any]:
    from ir_measures import AP, RR, P, R, nDCG

    if not cutoffs or any(isinstance(k, bool) or not isinstance(k, int) or k < 1 for k in cutoffs):
        raise ValueError(f"cutoffs {list(cutoffs)!r}; accepted: one or more whole numbers of 1 or more")
    ordered = sorted(set(cutoffs))
    return {
        NDCG: nDCG @ 10,
        **{f"recall@{k}": R @ k for k in ordered},
        **{f"precision@{k}": P @ k for k in ordered},
        MRR: RR,
        MAP: AP,
    }


def ranking_values(
    qrels: Mapping[str, Mapping[str, int]], rankings: Mapping[str, Sequence[str]], cutoffs: Sequence[int] = DEFAULT_CUTOFFS
) -> dict[str, np.ndarray]:
    """Every measure of every query.

    :param qrels: query to document to degree; above 0 is relevant. nDCG takes the degree as gain (Järvelin and Kekäläinen 2002).
    :param rankings: query to documents, best first, each once. A query that is missing or found nothing counts 0.
    :param cutoffs: k of recall@k (share of the relevant documents among the first k) and precision@k (share of the first k that is
        relevant; of fewer than k found, the missing count as not relevant).
    :returns: measure to values, in the order of `qrels`. MRR and MAP see the ranking as far as it goes.
    :raises ValueError: no query, or a cutoff that is not accepted.

    >>> values = ranking_values({"q": {"d": 1}}, {"q": ["x", "y", "d"]}, [4])
    >>> {name: round(float(value[0]), 4) for name, value in values.items()}
    {'nDCG@10': 0.5, 'recall@4': 1.0, 'precision@4': 0.25, 'MRR': 0.3333, 'MAP': 0.3333}
    """
    import ir_measures

    measures = _measures(cutoffs)
    if not qrels:
        raise ValueError("no query to measure; accepted: one or more")
    row = {query: number for number, query in enumerate(qrels)}
    column = {measure: name for name, measure in measures.items()}
    # the score is the place from the end: trec_eval sorts by score, and would break ties by id
    run = {query: {document: float(len(ids) - place) for place, document in enumerate(ids)} for query, ids in rankings.items() if query in row}
    values = {name: np.zeros(len(row)) for name in measures}
    if any(run.values()):
        for found in ir_measures.iter_calc(list(measures.values()), {query: dict(judged) for query, judged in qrels.items()}, run):
            values[column[found.measure]][row[found.query_id]] = found.value
    return values

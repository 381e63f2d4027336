"""BM25 of the engine beside bm25s (Lù 2024) with the same settings, on test collections in the layout of BEIR.

    python -m evaluation.bench_bm25 DIR...

Whole documents, title and text, without chunks. Four rankings: bm25s (Lucene) with its own tokeniser, stop words and the English stemmer; bm25s over
our terms; ours with `avg_len` at the mean of the collection; ours with the graph's fixed `avg_len`. Equal settings must give equal rankings.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from haystack import Document

from components.access.principal import DEFAULT_TENANT, PUBLIC, Principal, acting_as
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from components.embedders.bm25 import check_bm25
from components.embedders.bm25_document_embedder import BM25DocumentEmbedder
from components.embedders.bm25_text_embedder import BM25TextEmbedder
from components.embedders.bm25_tokenizer import document_terms, query_terms
from evaluation.beir import BeirSet, read_beir
from evaluation.bootstrap import bootstrap_mean, paired_difference
from evaluation.data import DataError
from evaluation.ranking_measures import NDCG, ranking_values

if TYPE_CHECKING:
    from rich.table import Table

TOP_K = 100
BATCH = 1000
OWN, TERMS, MEAN, FIXED = "bm25s", "bm25s, our terms", "ours, mean length", "ours, fixed length"
QUIET: Callable[[str], None] = lambda stage: None  # noqa: E731


def document_text(data: BeirSet, name: str) -> str:
    """What is indexed of a document: the title on a line of its own, then the text."""
    document = data.corpus[name]
    return f"{document.title}\n{document.text}" if document.title else document.text


def measure(
    data: BeirSet, k1: float = 1.2, b: float = 0.75, avg_len: float = 100, language: str = "en", progress: Callable[[str], None] = QUIET
) -> dict[str, Any]:
    """nDCG@10 of the four rankings, and paired differences.

    :param avg_len: the fixed one.
    :raises ValueError: a setting that is not accepted.
    :returns: plain JSON data: `nDCG@10` by ranking with a 95 % interval, `difference` of ours at the mean length to both of bm25s with p.
    """
    check_bm25(k1, b, avg_len, language)
    names = [name for name in data.corpus if document_text(data, name).strip()]
    terms = [document_terms(document_text(data, name), language) for name in names]
    mean = float(np.mean([len(t) for t in terms]))
    progress("bm25s")
    rankings = {
        OWN: _bm25s(data, names, _own_terms([document_text(data, n) for n in names]), map(Counter, _own_terms([*data.queries.values()])), k1, b),
        TERMS: _bm25s(data, names, terms, (query_terms(text, language) for text in data.queries.values()), k1, b),
    }
    for label, length in ((MEAN, mean), (FIXED, avg_len)):
        progress(label)
        rankings[label] = _ours(data, names, BM25DocumentEmbedder(k1, b, length, language), BM25TextEmbedder(k1, b, length, language))
    values = {label: ranking_values(data.qrels, found)[NDCG] for label, found in rankings.items()}
    return {
        "set": data.name,
        "queries": len(data.queries),
        "documents": len(data.corpus),
        "mean_terms": round(mean, 1),
        NDCG: {label: bootstrap_mean(found).to_json() for label, found in values.items()},
        "difference": {other: paired_difference(values[MEAN], values[other]).to_json() for other in (OWN, TERMS, FIXED)},
    }


def _own_terms(texts: list[str]) -> list[list[str]]:
    import bm25s
    import Stemmer

    found: Any = bm25s.tokenize(texts, stopwords="en", stemmer=Stemmer.Stemmer("english"), return_ids=False, show_progress=False)
    return [list(terms) for terms in found]


def _bm25s(
    data: BeirSet, names: list[str], terms: list[list[str]], asked: Iterable[Mapping[str, float]], k1: float, b: float
) -> dict[str, list[str]]:
    """Rankings by bm25s; a term of a query counts as often as its weight says."""
    import bm25s

    engine = bm25s.BM25(method="lucene", k1=k1, b=b)
    engine.index(terms, show_progress=False)
    known = set(engine.vocab_dict)
    rankings = {}
    for query, words in zip(data.queries, asked, strict=True):
        scores = np.zeros(len(names))
        for word, weight in words.items():
            if word in known:
                scores += weight * engine.get_scores([word])
        best = np.argsort(-scores, kind="stable")[:TOP_K]
        rankings[query] = [names[i] for i in best if scores[i] > 0]
    return rankings


def _ours(data: BeirSet, names: list[str], embedder: Any, asker: Any) -> dict[str, list[str]]:
    meta = {"kind": "chunk", "tenant": DEFAULT_TENANT, "access": [PUBLIC]}
    with tempfile.TemporaryDirectory(prefix="sakshya-bm25-") as folder:
        store = SakshyaDocumentStore(path=folder, index="bm25")
        try:
            with acting_as(Principal.system()):
                for start in range(0, len(names), BATCH):
                    batch = [Document(id=n, content=document_text(data, n), meta={**meta, "source_id": n}) for n in names[start : start + BATCH]]
                    store.write_documents([d for d in embedder.run(batch)["documents"] if d.sparse_embedding is not None])
            with acting_as(Principal(user="bench", tenant=DEFAULT_TENANT)):
                return {
                    query: [d.id for d in store._query_by_sparse(asker.run(text)["sparse_embedding"], top_k=TOP_K)]
                    for query, text in data.queries.items()
                }
        finally:
            store.shutdown()


def table(reports: Sequence[dict[str, Any]]) -> Table:
    """The reports for a terminal."""
    from rich.table import Table

    found = Table(title="BM25, nDCG@10", caption="difference: ours at the mean length minus bm25s over our terms, with its 95 % interval")
    for column in ("set", "n", OWN, TERMS, MEAN, FIXED, "difference"):
        found.add_column(column, justify="left" if column == "set" else "right")
    for report in reports:
        shares = [f"{report[NDCG][label]['value']:.4f}" for label in (OWN, TERMS, MEAN, FIXED)]
        away = report["difference"][TERMS]
        found.add_row(report["set"], str(report["queries"]), *shares, f"{away['value']:+.4f}\n{away['low']:+.4f}\n{away['high']:+.4f}")
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line. Exit codes: 0 done, 2 wrong use."""
    from rich.console import Console

    parser = argparse.ArgumentParser(prog="python -m evaluation.bench_bm25", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="test collections in the layout of BEIR")
    parser.add_argument("--k1", type=float, default=1.2)
    parser.add_argument("--b", type=float, default=0.75)
    parser.add_argument("--avg-len", type=float, default=100, help="the fixed length of the last ranking (100)")
    parser.add_argument("--language", default="en", help="whose stemmer and stop words serve our terms (en)")
    parser.add_argument("--limit", type=int, default=None, help="only the first queries")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    given = parser.parse_args(arguments)
    err = Console(stderr=True)
    reports = []
    try:
        for folder in given.folders:
            data = read_beir(folder).limited(given.limit)
            with err.status(f"{data.name}: reading"):
                reports.append(measure(data, given.k1, given.b, given.avg_len, given.language))
    except (DataError, ValueError) as error:
        err.print(f"[red]{error}", highlight=False)
        return 2
    except ImportError as error:
        err.print(f"[red]{error.name} is not installed: pip install -e .[dev]", highlight=False)
        return 2
    if given.json:
        print(json.dumps({"reports": reports}))
    else:
        Console().print(table(reports))
    return 0


if __name__ == "__main__":
    sys.exit(main())

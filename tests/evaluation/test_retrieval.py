import pytest
from rich.console import Console

from evaluation.beir import BeirDocument, BeirSet
from evaluation.retrieval import Retrieved, compare, comparison_table, evaluate_retrieval, report_table, stage_table

RANKS = {"q1": 1, "q2": 3, "q3": None, "q4": 1, "q5": 2}


def collection() -> BeirSet:
    corpus = {name: BeirDocument(name, "", name) for name in ("d", *(f"x{i}" for i in range(9)))}
    return BeirSet("toy", "test", corpus, {q: q for q in RANKS}, {q: {"d": 1} for q in RANKS}, ["of the files"])


def search(query: str) -> Retrieved:
    """Two passages of each document, so that a document's own second passage takes no rank."""
    rank = RANKS[query]
    ids = [f"x{i}" for i in range(9)]
    found = ids if rank is None else [*ids[: rank - 1], "d", *ids[rank - 1 :]]
    return Retrieved([name for name in found for _ in range(2)], {"leg": 2.0, "total": 5.0}, stages={"leg": ["d"] if rank else []})


def text(table) -> str:
    console = Console(width=140, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(table)
    return console.export_text()


def test_a_document_ranks_by_its_best_passage():
    done = []
    report = evaluate_retrieval(collection(), search, cutoffs=[4], graph="g", index_version="c@1.1", on_query=done.append)
    assert done == list(RANKS)
    assert report.metrics["recall@4"].value == pytest.approx(0.8)
    assert report.metrics["MRR"].value == pytest.approx(0.5667, abs=5e-5)
    data = report.to_json()
    assert set(data["metrics"]) == {"nDCG@10", "recall@4", "precision@4", "MRR", "MAP"}
    assert data["metrics"]["recall@4"]["low"] <= 0.8 <= data["metrics"]["recall@4"]["high"]
    assert data["latency_ms"] == {"leg": {"p50": 2.0, "p95": 2.0}, "total": {"p50": 5.0, "p95": 5.0}}
    assert data["stages"]["leg"]["nDCG@10"]["value"] == pytest.approx(0.8)  # as if the leg were the last
    assert (data["queries"], data["graph"], data["index_version"], data["warnings"]) == (5, "g", "c@1.1", ["of the files"])


def test_what_broke_counts_0_and_is_named():
    def broken(query: str) -> Retrieved:
        if query == "q1":
            return Retrieved((), failed="the engine is gone")
        found = search(query)
        return Retrieved(found.documents, found.stage_ms, ["dense_embedder: no model", "dense_embedder: no model"])

    report = evaluate_retrieval(collection(), broken, cutoffs=[1])
    assert report.metrics["recall@1"].value == pytest.approx(0.2)
    assert report.failed == {"q1": "the engine is gone"}
    assert "dense_embedder: no model (4 of 5 queries)" in report.notes


def test_a_cutoff_beyond_what_the_graph_gives_is_told():
    report = evaluate_retrieval(collection(), search, cutoffs=[5, 100])
    assert any("at most 10 documents a query: recall@100 cannot see further" in note for note in report.notes)


def test_two_graphs_are_compared_over_the_same_queries():
    first = evaluate_retrieval(collection(), search, cutoffs=[4], graph="a")
    worse = evaluate_retrieval(collection(), lambda query: Retrieved(search(query).documents[2:]), cutoffs=[4], graph="b")
    found = compare(first, worse)
    assert found["MRR"].value == pytest.approx(first.metrics["MRR"].value - worse.metrics["MRR"].value)
    assert found["MRR"].p == pytest.approx(1.0) or 0 < found["MRR"].p <= 1
    assert all(difference.value == 0 and difference.p == 1 for difference in compare(first, first).values())
    with pytest.raises(ValueError, match="different queries"):
        compare(first, evaluate_retrieval(collection().limited(2), search))
    shown = text(comparison_table(first, worse))
    assert "paired randomisation" in shown and "MRR" in shown and "0.567" in shown


def test_the_tables_say_what_was_measured():
    report = evaluate_retrieval(collection(), search, cutoffs=[4], graph="g")
    shown = text(report_table(report)) + text(stage_table(report))
    assert "toy (test): 5 queries, graph g" in shown
    assert "0.567" in shown and "5.0" in shown

import math

import pytest

from evaluation.ranking_measures import measure_names, ranking_values


def ranked(rank: int | None) -> list[str]:
    """Ten documents, the relevant one at this rank."""
    others = [f"x{i}" for i in range(10)]
    return others if rank is None else [*others[: rank - 1], "d", *others[rank - 1 :]]


def test_ranks_of_the_contract():
    ranks = [1, 3, None, 1, 2]
    qrels = {f"q{i}": {"d": 1} for i in range(5)}
    values = ranking_values(qrels, {f"q{i}": ranked(rank) for i, rank in enumerate(ranks)}, [1, 4])
    means = {name: float(v.mean()) for name, v in values.items()}
    assert means["recall@4"] == pytest.approx(0.8)
    assert means["recall@1"] == pytest.approx(0.4)
    assert means["precision@4"] == pytest.approx(0.2)
    assert means["MRR"] == pytest.approx(0.5667, abs=5e-5)
    assert means["MAP"] == pytest.approx(means["MRR"])  # one relevant document a query
    assert means["nDCG@10"] == pytest.approx((1 + 1 / 2 + 0 + 1 + 1 / math.log2(3)) / 5)


def test_degrees_are_the_gains():
    values = ranking_values({"q": {"a": 3, "b": 1, "n": 0}}, {"q": ["b", "n", "a"]})
    ideal = 3 + 1 / math.log2(3)
    assert values["nDCG@10"][0] == pytest.approx((1 + 3 / 2) / ideal)
    assert values["MAP"][0] == pytest.approx((1 + 2 / 3) / 2)


def test_a_query_that_found_nothing_counts():
    values = ranking_values({"q1": {"d": 1}, "q2": {"d": 1}, "q3": {"d": 1}}, {"q1": ["d"], "q2": []})
    assert values["MRR"].tolist() == [1, 0, 0]
    assert ranking_values({"q": {"d": 1}}, {})["MRR"].tolist() == [0]


def test_the_order_is_the_ranking_whatever_the_ids():
    names = ["m", "a", "z", "d"]
    assert ranking_values({"q": {"d": 1}}, {"q": names})["MRR"][0] == pytest.approx(0.25)


def test_names_and_refusals():
    assert measure_names([5, 1, 5]) == ["nDCG@10", "recall@1", "recall@5", "precision@1", "precision@5", "MRR", "MAP"]
    for wrong in ([], [0], [True], [1.5]):
        with pytest.raises(ValueError, match="accepted: one or more whole numbers"):
            measure_names(wrong)
    with pytest.raises(ValueError, match="no query"):
        ranking_values({}, {})

import pytest
from haystack import Document, Pipeline
from hypothesis import given
from hypothesis import strategies as st

from components.rankers.diversity import capped, maximal_marginal_relevance, relevance_of
from components.rankers.diversity_ranker import DiversityRanker


def passage(id_, content="text", score=None, source=None, container=None, embedding=None):
    meta = {"source_id": source or id_, "container_id": container or source or id_}
    return Document(id=id_, content=content, score=score, meta=meta, embedding=embedding)


def order(ranker, documents):
    return [d.id for d in ranker.run(documents)["documents"]]


def test_mmr_with_the_numbers_of_hand():
    relevance = [1.0, 0.8, 0.6]
    similar = {frozenset({0, 1}): 0.9, frozenset({0, 2}): 0.1, frozenset({1, 2}): 0.2}
    # after 0: item 1 gives .5 * .8 - .5 * .9 = -.05, item 2 gives .5 * .6 - .5 * .1 = .25
    assert maximal_marginal_relevance(relevance, lambda a, b: similar[frozenset({a, b})], 0.5, 3) == [0, 2, 1]
    assert maximal_marginal_relevance(relevance, lambda a, b: similar[frozenset({a, b})], 1.0, 3) == [0, 1, 2]
    assert maximal_marginal_relevance(relevance, lambda a, b: similar[frozenset({a, b})], 0.5, 1) == [0, 1, 2]


@given(st.lists(st.one_of(st.none(), st.floats(-5, 5)), max_size=8), st.floats(0, 1), st.integers(1, 9))
def test_mmr_is_an_order_of_the_same_items(scores, weight, count):
    relevance = relevance_of(scores)
    assert all(0 <= r <= 1 for r in relevance)
    places = maximal_marginal_relevance(relevance, lambda a, b: 1 / (1 + abs(a - b)), weight, count)
    assert sorted(places) == list(range(len(scores)))


@given(st.lists(st.sampled_from(["a", "b", None]), max_size=12), st.integers(1, 4))
def test_capped(groups, most):
    within, beyond = capped(groups, most)
    assert sorted(within + beyond) == list(range(len(groups)))
    assert within == sorted(within)
    assert beyond == sorted(beyond)
    for group in ("a", "b"):
        assert sum(groups[i] == group for i in within) == min(most, groups.count(group))


def test_rows_of_one_file_go_behind_and_none_is_lost():
    rows = [passage(f"r{n}", source=f"r{n}", container="csv") for n in range(4)]
    pages = [passage("p0", source="p"), passage("p1", source="p"), passage("q")]
    mixed = [*rows[:3], pages[0], rows[3], *pages[1:]]
    assert order(DiversityRanker(max_records=2), mixed) == ["r0", "r1", "p0", "p1", "q", "r2", "r3"]
    assert order(DiversityRanker(max_per_source=1), mixed) == ["r0", "r1", "r2", "p0", "r3", "q", "p1"]
    assert DiversityRanker().run(mixed) == {"documents": mixed, "degraded": [], "skipped": "no limit and no mmr_weight"}


def test_mmr_by_vectors_and_by_words():
    near = [
        passage("a", score=0.9, embedding=[1.0, 0.0]),
        passage("b", score=0.8, embedding=[1.0, 0.01]),
        passage("c", score=0.7, embedding=[0.0, 1.0]),
    ]
    assert order(DiversityRanker(mmr_weight=0.4), near) == ["a", "c", "b"]
    words = [passage("a", "leave is twenty days", 0.9), passage("b", "leave is twenty days off", 0.8), passage("c", "the lamp blinks", 0.7)]
    assert order(DiversityRanker(mmr_weight=0.4), words) == ["a", "c", "b"]


class BrokenStore:
    def get_documents_by_id(self, ids, *, with_embeddings=False):
        raise ConnectionError("no route\nsecond line")


def test_a_store_that_fails_is_said():
    words = [passage("a", "leave is twenty days", 0.9), passage("b", "leave is twenty days off", 0.8), passage("c", "the lamp blinks", 0.7)]
    out = DiversityRanker(BrokenStore(), mmr_weight=0.4).run(words)
    assert [d.id for d in out["documents"]] == ["a", "c", "b"]
    assert "no route second line" in out["degraded"][0]["reason"]


@pytest.mark.parametrize("parameters", [{"mmr_weight": 2}, {"mmr_count": 0}, {"max_per_source": 0}, {"max_records": True}, {"mmr_count": None}])
def test_refused_at_construction(parameters):
    [name] = parameters
    with pytest.raises(ValueError, match=rf"DiversityRanker\.{name}=.*accepted"):
        DiversityRanker(**parameters)


def test_yaml_round_trip():
    pipeline = Pipeline()
    pipeline.add_component("diversity", DiversityRanker(max_records=2))
    text = pipeline.dumps()
    assert Pipeline.loads(text).dumps() == text

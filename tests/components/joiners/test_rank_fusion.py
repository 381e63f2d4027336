from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.joiners.rank_fusion import reciprocal_rank_fusion

DENSE = ["C4", "C1", "C3", "C2"]
SPARSE = ["C1", "C3", "C4", "C2"]


def test_scores_are_those_of_the_formula_worked_by_hand():
    fused = reciprocal_rank_fusion({"dense": DENSE, "sparse": SPARSE}, k=60)
    assert [f.id for f in fused] == ["C1", "C4", "C3", "C2"]
    assert [f.score for f in fused] == pytest.approx([0.032522, 0.032266, 0.032002, 0.031250], abs=5e-7)
    assert fused[0].ranks == {"dense": 2, "sparse": 1}


def test_weight_multiplies_its_leg_alone():
    fused = {f.id: f.score for f in reciprocal_rank_fusion({"dense": ["a", "b"], "sparse": ["b"]}, k=10, weights={"sparse": 3.0})}
    assert fused["a"] == pytest.approx(1 / 11)
    assert fused["b"] == pytest.approx(1 / 12 + 3 / 11)


def test_leg_of_weight_zero_brings_nothing_in():
    assert [f.id for f in reciprocal_rank_fusion({"dense": ["a"], "sparse": ["b"]}, weights={"sparse": 0})] == ["a"]


def test_tie_goes_to_the_better_rank_then_to_the_id():
    assert [f.id for f in reciprocal_rank_fusion({"x": ["b"], "y": ["a"]})] == ["a", "b"]
    # a at 2 and 2, z at 1 and 4: with k = 0 both score 1.0 and 1.25; take a true tie: 1/2 + 1/2 = 1/1
    fused = reciprocal_rank_fusion({"x": ["z", "a"], "y": ["q", "a"]}, k=0, weights={"x": 1.0, "y": 1.0})
    assert [f.id for f in fused] == ["q", "z", "a"]


def test_repeated_id_counts_where_it_stands_first():
    assert [(f.id, f.ranks["x"]) for f in reciprocal_rank_fusion({"x": ["a", "a", "b"]})] == [("a", 1), ("b", 2)]


ids = st.lists(st.sampled_from("abcdefgh"), max_size=8, unique=True)


@given(st.dictionaries(st.sampled_from(["dense", "sparse", "title"]), ids, max_size=3), st.floats(0, 200))
def test_every_id_once_descending_and_independent_of_the_order_of_legs(rankings, k):
    k = max(k, 1e-3)
    fused = reciprocal_rank_fusion(rankings, k)
    assert sorted(f.id for f in fused) == sorted(set().union(*rankings.values()) if rankings else set())
    assert all(a.score >= b.score for a, b in pairwise(fused))
    again = reciprocal_rank_fusion(dict(reversed(rankings.items())), k)
    assert [(f.id, f.score) for f in again] == [(f.id, f.score) for f in fused]


@given(ids, ids)
def test_better_in_every_leg_is_never_placed_lower(one, two):
    place = {f.id: n for n, f in enumerate(reciprocal_rank_fusion({"dense": one, "sparse": two}))}
    both = set(one) & set(two)
    for a in both:
        for b in both:
            if one.index(a) < one.index(b) and two.index(a) < two.index(b):
                assert place[a] < place[b]

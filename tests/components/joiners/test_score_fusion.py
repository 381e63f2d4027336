import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.joiners.score_fusion import NORMALISATIONS, convex_combination, normalised

SCORES = {"a": 9.0, "b": 6.0, "c": 3.0}


def test_normalisations_worked_by_hand():
    assert normalised(SCORES, "theoretical") == ({"a": 1, "b": pytest.approx(2 / 3), "c": pytest.approx(1 / 3)}, pytest.approx(1 / 3))
    assert normalised(SCORES, "theoretical", floor=-3) == ({"a": 1, "b": 0.75, "c": 0.5}, 0.5)
    assert normalised(SCORES, "min_max") == ({"a": 1, "b": 0.5, "c": 0}, 0)
    deviation = math.sqrt(6)
    values, absent = normalised(SCORES, "z_score")
    assert values == {"a": pytest.approx(3 / deviation), "b": 0, "c": pytest.approx(-3 / deviation)}
    assert absent == values["c"]


def test_a_floor_above_the_scores_does_not_turn_their_order():
    values, _ = normalised({"a": 0.5, "b": 0.4}, "theoretical", floor=0.9)
    assert values == {"a": 1, "b": 0}


@pytest.mark.parametrize("method", NORMALISATIONS)
def test_scores_all_the_same_and_no_scores(method):
    assert len(set(normalised({"a": 2.0, "b": 2.0}, method)[0].values())) == 1
    assert normalised({}, method) == ({}, 0.0)


def test_weights_are_scaled_and_a_leg_of_weight_zero_brings_nothing_in():
    legs = {"dense": {"a": 0.8, "b": 0.4}, "sparse": {"c": 5.0}}
    fused = convex_combination(legs, {"dense": 3, "sparse": 1}, missing={"dense": 0, "sparse": 0})
    assert [(f.id, f.score) for f in fused] == [("a", 0.75), ("b", 0.375), ("c", 0.25)]
    assert [f.id for f in convex_combination(legs, {"sparse": 0})] == ["a", "b"]
    assert convex_combination(legs, {"dense": 0, "sparse": 0}) == []
    assert convex_combination({}) == []


def test_an_empty_leg_leaves_the_other_in_its_order():
    assert [f.id for f in convex_combination({"dense": SCORES, "sparse": {}}, {"dense": 0.1})] == ["a", "b", "c"]


def test_a_leg_without_a_clear_winner_moves_little():
    flat, peaked = {"a": 0.80, "b": 0.79}, {"b": 9.0, "a": 3.0}
    assert convex_combination({"dense": flat, "sparse": peaked})[0].id == "b"


leg = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-5, 50, allow_subnormal=False), max_size=8).map(
    lambda scores: dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))
)


@given(leg, leg, st.sampled_from(sorted(NORMALISATIONS)), st.floats(0.01, 2), st.floats(0.01, 2))
def test_every_id_once_descending_at_most_one_whatever_the_order_of_legs(dense, sparse, method, one, two):
    weights = {"dense": one, "sparse": two}
    fused = convex_combination({"dense": dense, "sparse": sparse}, weights, method)
    assert sorted(f.id for f in fused) == sorted({*dense, *sparse})
    assert all(a.score >= b.score for a, b in pairwise(fused))
    assert method == "z_score" or all(f.score <= 1 + 1e-9 for f in fused)
    again = convex_combination({"sparse": sparse, "dense": dense}, weights, method)
    assert [f.id for f in again] == [f.id for f in fused]


@given(leg, leg, st.sampled_from(sorted(NORMALISATIONS)))
def test_better_in_both_legs_is_never_placed_lower(dense, sparse, method):
    place = {f.id: n for n, f in enumerate(convex_combination({"dense": dense, "sparse": sparse}, None, method))}
    both = set(dense) & set(sparse)
    for a in both:
        for b in both:
            if dense[a] > dense[b] and sparse[a] > sparse[b]:
                assert place[a] <= place[b] or math.isclose(dense[a], dense[b])

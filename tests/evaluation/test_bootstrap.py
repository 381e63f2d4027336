import numpy as np
import pytest

from evaluation.bootstrap import bootstrap_mean, paired_difference


def test_the_interval_is_that_of_the_mean():
    values = np.random.default_rng(1).normal(0.6, 0.2, size=400)
    found = bootstrap_mean(values)
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    assert found.value == pytest.approx(values.mean())
    assert found.low == pytest.approx(values.mean() - half, abs=0.003)
    assert found.high == pytest.approx(values.mean() + half, abs=0.003)


def test_the_seed_decides():
    values = np.random.default_rng(0).random(50)
    assert bootstrap_mean(values, seed=3) == bootstrap_mean(values, seed=3)
    assert bootstrap_mean(values, seed=3) != bootstrap_mean(values, seed=4)


def test_few_queries_by_every_swap():
    # 5 queries, all better: of the 32 ways to swap, 2 are as far from 0
    found = paired_difference([0.5, 0.6, 0.7, 0.8, 0.9], [0.1, 0.1, 0.1, 0.1, 0.1])
    assert found.p == pytest.approx(2 / 32)
    assert found.value == pytest.approx(0.6)


def test_p_is_uniform_where_there_is_no_difference_and_small_where_there_is_one():
    rng = np.random.default_rng(5)
    nothing = [paired_difference(rng.random(40), rng.random(40), permutations=499, seed=i).p for i in range(60)]
    assert 0.35 < np.mean(nothing) < 0.65
    base = rng.random(200) * 0.5
    better = paired_difference(base + rng.normal(0.05, 0.1, 200), base)
    assert better.p < 0.001
    assert better.low > 0
    turned = paired_difference(base, base + 0.05)
    assert turned.high < 0


def test_a_difference_of_two_queries_in_a_thousand_is_none():
    first, second = np.ones(1000), np.ones(1000)
    first[:1] = 0
    second[1:2] = 0
    assert paired_difference(first, second).p == 1.0


def test_refusals():
    with pytest.raises(ValueError, match="over the same queries"):
        paired_difference([1.0], [1.0, 2.0])
    for wrong in ([], [float("nan")]):
        with pytest.raises(ValueError, match="one finite value"):
            bootstrap_mean(wrong)
    with pytest.raises(ValueError, match="confidence 1"):
        bootstrap_mean([1.0], confidence=1)


def test_one_changed_query_of_several_tells_nothing():
    found = paired_difference([1.0, 0.5, 0.5], [0.5, 0.5, 0.5])
    assert found.p == 1.0
    assert found.value == pytest.approx(1 / 6)

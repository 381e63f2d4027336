import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.proportions import Proportion, wilson_interval


# Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I, method 3 (Wilson)
@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_published_intervals(successes, trials, low, high):
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_the_ends_are_exact_and_nothing_is_known_of_nothing():
    assert wilson_interval(0, 7)[0] == 0.0
    assert wilson_interval(7, 7)[1] == 1.0
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert Proportion(0, 0).value is None


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.8, 0.95, 0.99]))
def test_it_holds_the_proportion_and_mirrors(counts, confidence):
    k, n = counts
    low, high = wilson_interval(k, n, confidence)
    assert 0 <= low <= k / n <= high <= 1
    assert low < high
    assert wilson_interval(n - k, n, confidence) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize("arguments", [(-1, 5), (6, 5), (1, 5, 0.0), (1, 5, 1.0)])
def test_out_of_range_is_refused(arguments):
    with pytest.raises(ValueError, match="accepted"):
        wilson_interval(*arguments)

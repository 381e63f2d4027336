import numpy as np
import pytest

from evaluation.latency import quantiles_ms, ratio


def test_quantiles():
    assert quantiles_ms([n / 1000 for n in range(1, 101)]) == {"p50": 50.5, "p95": 95.05}


def test_ratio_holds_the_truth_and_widens_with_the_spread():
    rng = np.random.default_rng(3)
    fast = rng.uniform(0.9, 1.1, 200)
    narrow = ratio(list(fast * 5), list(fast), 50)
    assert narrow == pytest.approx({"value": 5, "low": 5, "high": 5}, rel=0.05)
    wide = ratio(list(rng.uniform(1, 9, 200)), list(fast), 50)
    assert wide["low"] < wide["value"] < wide["high"]
    assert wide["high"] - wide["low"] > narrow["high"] - narrow["low"]
    assert wide["low"] < 5 < wide["high"]


def test_same_answer_each_time():
    a, b = [3.0, 2.0, 5.0], [1.0, 1.5, 0.7]
    assert ratio(a, b, 95) == ratio(a, b, 95)


@pytest.mark.parametrize(("a", "b"), [([], []), ([1.0], [1.0, 2.0])])
def test_refuses_lists_that_are_no_pairs(a, b):
    with pytest.raises(ValueError, match="accepted: two lists of one length"):
        ratio(a, b, 50)

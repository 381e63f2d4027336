import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.rankers.relevance import batches, relevance


def test_one_label_is_the_sigmoid_and_two_are_the_softmax():
    x = np.array([-800.0, -1.5, 0.0, 2.0, 800.0])
    with np.errstate(over="ignore"):
        assert relevance(x) == pytest.approx(1 / (1 + np.exp(-x)))
    two = np.array([[0.3, 1.7], [5.0, -5.0]])
    assert relevance(two) == pytest.approx((np.exp(two) / np.exp(two).sum(axis=1, keepdims=True))[:, 1])


@pytest.mark.parametrize("logits", [[[1.0, 2.0, 3.0]], [[float("nan")]], [float("inf")]])
def test_refuses_what_is_no_ranking(logits):
    with pytest.raises(ValueError, match="the model g"):
        relevance(logits)


@given(st.lists(st.text(max_size=20)), st.integers(1, 7), st.booleans())
def test_batches_hold_every_position_once(texts, size, by_length):
    out = batches(texts, size, by_length)
    flat = [i for batch in out for i in batch]
    assert sorted(flat) == list(range(len(texts)))
    assert all(0 < len(batch) <= size for batch in out)
    lengths = [len(texts[i]) for i in flat]
    assert lengths == sorted(lengths, reverse=True) if by_length else flat == sorted(flat)

"""The formulas of RAG-Sequence and RAG-Token on numbers that can be checked by hand."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.generators.rag_marginals import log_prior, log_sequence_marginal, log_sum_exp, log_token_marginal, marginal, prior

DOTS = [0.785, 0.970, 0.142]
LIKELIHOODS = [0.8, 0.2, 0.08]
"""The example gives only its two marginals, .397 and .264. With priors .666 of what they were, the second is the first times .666, so the fourth
document's likelihood is 0: a near document that does not hold the text. The others are one of the choices that give .397."""


def test_worked_example():
    assert [round(p, 4) for p in prior(DOTS)] == [0.3664, 0.4409, 0.1926]
    assert round(marginal(prior(DOTS), LIKELIHOODS), 3) == 0.397


def test_worked_example_with_a_distracting_document():
    assert [round(p, 3) for p in prior([*DOTS, 1.10])] == [0.244, 0.294, 0.128, 0.334]
    assert round(marginal(prior([*DOTS, 1.10]), [*LIKELIHOODS, 0.0]), 3) == 0.264


def test_sequence_and_token_differ_as_in_the_paper():
    priors = [math.log(0.5)] * 2
    logs = [[math.log(0.9), math.log(0.1)], [math.log(0.1), math.log(0.9)]]
    assert math.exp(log_sequence_marginal(priors, logs)) == pytest.approx(0.09)
    assert math.exp(log_token_marginal(priors, logs)) == pytest.approx(0.25)


def test_long_texts_do_not_underflow():
    assert log_sequence_marginal(log_prior([0, 0]), [[-5.0] * 1000] * 2) == pytest.approx(-5000)
    assert log_sum_exp([]) == -math.inf and log_sum_exp([-math.inf, 0.0]) == 0.0


@settings(deadline=None)
@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8), st.floats(-100, 100))
def test_priors_sum_to_one_and_do_not_mind_a_shift(scores, shift):
    assert math.fsum(prior(scores)) == pytest.approx(1)
    assert prior([s + shift for s in scores]) == pytest.approx(prior(scores))


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-9, 0)), min_size=1, max_size=5))
def test_one_token_texts_have_one_marginal(pairs):
    priors, logs = log_prior([s for s, _ in pairs]), [[v] for _, v in pairs]
    assert log_sequence_marginal(priors, logs) == pytest.approx(log_token_marginal(priors, logs))


def test_wrong_use():
    for scores in ([], [math.nan], [math.inf]):
        with pytest.raises(ValueError, match="finite"):
            log_prior(scores)
    with pytest.raises(ValueError, match="1 documents and 2 likelihoods"):
        marginal([1.0], [0.1, 0.2])
    with pytest.raises(ValueError, match="same text"):
        log_token_marginal([0.0, 0.0], [[-1.0], [-1.0, -2.0]])

"""The arithmetic of what answers cost, and how much of it the evidence has."""

import pytest

from components.generators.costs import Spent, context_share, cost_usd

PRICE = (0.003, 0.015)


def test_a_call_and_a_day_of_calls():
    assert cost_usd(1060, 250, PRICE) == pytest.approx(0.00693)
    assert 50_000 * cost_usd(1060, 250, PRICE) == pytest.approx(346.50)


def test_the_context_is_38_percent_of_it():
    share = context_share(880, 1060, 250, PRICE)  # four passages of 220 tokens; the other 180 are instructions and the question
    assert round(100 * share) == 38 and 50_000 * share * cost_usd(1060, 250, PRICE) == pytest.approx(132.0)


def test_a_model_that_costs_nothing_has_no_share():
    assert context_share(880, 1060, 250, (0, 0)) == 0


def test_sums_know_only_what_all_parts_know():
    total = Spent() + Spent(10, 2, 0.5) + Spent(1, 1, 0.25, estimated=True)
    assert total == Spent(11, 3, 0.75, estimated=True)
    assert (total + Spent(1, 1, None)).cost_usd is None

"""What calls of a chat model cost, by a price for 1000 tokens read and one for 1000 written."""

from __future__ import annotations

from dataclasses import dataclass

Price = tuple[float, float]
"""USD per 1000 tokens read, and per 1000 written."""


@dataclass(frozen=True)
class Spent:
    """Tokens of one or more calls, and what they cost.

    :param cost_usd: None where the price is not known.
    :param estimated: whether an endpoint reported no tokens, so that they were counted here.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    estimated: bool = False

    def __add__(self, other: Spent) -> Spent:
        known = self.cost_usd is not None and other.cost_usd is not None
        return Spent(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            (self.cost_usd or 0) + (other.cost_usd or 0) if known else None,
            self.estimated or other.estimated,
        )


def cost_usd(prompt_tokens: int, completion_tokens: int, price: Price) -> float:
    """USD of a call.

    >>> round(cost_usd(1060, 250, (0.003, 0.015)), 7), round(50_000 * cost_usd(1060, 250, (0.003, 0.015)), 4)
    (0.00693, 346.5)
    """
    return (prompt_tokens * price[0] + completion_tokens * price[1]) / 1000


def context_share(evidence_tokens: int, prompt_tokens: int, completion_tokens: int, price: Price) -> float:
    """Share of a call's cost that its evidence has, from 0 to 1; 0 where the call costs nothing.

    >>> round(context_share(880, 1060, 250, (0.003, 0.015)), 2)
    0.38
    """
    whole = cost_usd(prompt_tokens, completion_tokens, price)
    return cost_usd(evidence_tokens, 0, price) / whole if whole else 0.0

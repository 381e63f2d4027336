"""Diverse orders of ranked passages, as arithmetic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence


def relevance_of(scores: Sequence[float | None]) -> list[float]:
    """Scores between 0 and 1: scaled by the lowest and highest; where one is missing or all are equal, by rank instead.

    >>> relevance_of([4.0, 3.0, 2.0]), relevance_of([None, 1.0])
    ([1.0, 0.5, 0.0], [1.0, 0.5])
    """
    known = [s for s in scores if s is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    if len(known) < len(scores) or high <= low:
        return [1 - rank / len(scores) for rank in range(len(scores))]
    return [(s - low) / (high - low) for s in known]


def maximal_marginal_relevance(relevance: Sequence[float], similarity: Callable[[int, int], float], weight: float, count: int) -> list[int]:
    """The first `count` items of an order in which each next item has the highest weight * relevance - (1 - weight) * (its highest similarity to
    an item before it); ties go to the one that stood first. The others follow in their own order.

    Carbonell and Goldstein, "The use of MMR, diversity-based reranking for reordering documents and producing summaries", SIGIR 1998.

    :param weight: lambda of the paper, in [0, 1]: 1 keeps the order of relevance.

    >>> twins = lambda a, b: 1.0 if {a, b} == {0, 1} else 0.0
    >>> maximal_marginal_relevance([1.0, 0.9, 0.5], twins, 0.5, 3)
    [0, 2, 1]
    """
    left = list(range(len(relevance)))
    nearest = [0.0] * len(relevance)
    chosen: list[int] = []
    while left and len(chosen) < count:
        best = max(left, key=lambda i: (weight * relevance[i] - (1 - weight) * nearest[i], -i))
        left.remove(best)
        for i in left:
            nearest[i] = max(nearest[i], similarity(best, i))
        chosen.append(best)
    return chosen + left


def capped(groups: Sequence[Hashable | None], most: int) -> tuple[list[int], list[int]]:
    """Places of the items that are among the first `most` of their group, and those of the others; None is a group of one.

    >>> capped(["csv", "csv", None, "csv", None], 2)
    ([0, 1, 2, 4], [3])
    """
    seen: Counter[Hashable] = Counter()
    within: list[int] = []
    beyond: list[int] = []
    for place, group in enumerate(groups):
        seen[group] += 1
        (within if group is None or seen[group] <= most else beyond).append(place)
    return within, beyond

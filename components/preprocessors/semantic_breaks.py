"""Where the subject of a text changes: where the sentences before and behind are farther apart than at other places.

After Kamradt, "5 Levels of Text Splitting" (2023): the distance at a place is one minus the cosine of the embeddings of what stands
before and behind it; breaks are the places above a percentile of all distances.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np


def pair_texts(sentences: Sequence[str]) -> list[str]:
    """Each sentence with the one before it, and the last one alone: what stands beside each place between sentences.

    >>> pair_texts(["a", "b", "c"])
    ['a', 'a b', 'b c', 'c']
    """
    return [*(" ".join(sentences[max(0, i - 1) : i + 1]) for i in range(len(sentences))), *sentences[-1:]]


def distances(vectors: np.ndarray) -> list[float]:
    """Cosine distances, in [0, 2], of the two sentences before and the two behind each place between sentences.

    :param vectors: embeddings of `pair_texts`, each of length 1.
    """
    if len(vectors) < 3:
        return []
    return [float(value) for value in np.clip(1 - np.sum(vectors[:-2] * vectors[2:], axis=1), 0, 2)]


def threshold(values: Sequence[float], percentile: float) -> float:
    """The distance above which a place is a break; infinite where there is nothing to compare."""
    return float(np.percentile(values, percentile)) if len(values) > 1 else float("inf")


def semantic_runs(
    sizes: Sequence[int], gaps: Sequence[float], may_break: Sequence[bool], least_gap: float, limit: int, least: int
) -> list[tuple[int, int]]:
    """Runs of sentences between breaks, none larger than `limit`.

    A stretch that is too large is cut at its largest gap where both sides have `least`, again and again; neighbouring runs of which one is
    smaller than `least` are joined where they fit.

    :param sizes: size of each sentence, none above `limit`.
    :param gaps: `gaps[i]` is the distance between sentence i - 1 and i; the first is not looked at.
    :param may_break: `may_break[i]`: nothing that belongs together is parted before sentence i; not heeded where a run could not fit otherwise.

    >>> semantic_runs([10] * 6, [0, .1, .1, .8, .1, .1], [True] * 6, .5, 100, 10)
    [(0, 3), (3, 6)]
    """
    breaks = [i for i in range(1, len(sizes)) if may_break[i] and gaps[i] > least_gap]
    bounds = [0, *breaks, len(sizes)]
    runs: list[tuple[int, int]] = []
    for start, end in pairwise(bounds):
        stack = [(start, end)]
        while stack:
            first, last = stack.pop()
            if sum(sizes[first:last]) <= limit:
                runs.append((first, last))
                continue
            cut = _best_cut(sizes, gaps, may_break, first, last, least)
            stack += [(cut, last), (first, cut)]
    joined: list[tuple[int, int]] = []
    for first, last in runs:
        if joined:
            before = joined[-1][0]
            small = min(sum(sizes[before:first]), sum(sizes[first:last])) < least
            if small and sum(sizes[before:last]) <= limit:
                joined[-1] = (before, last)
                continue
        joined.append((first, last))
    return joined


def _best_cut(sizes: Sequence[int], gaps: Sequence[float], may_break: Sequence[bool], first: int, last: int, least: int) -> int:
    places = range(first + 1, last)
    for good in (
        [i for i in places if may_break[i] and sum(sizes[first:i]) >= least and sum(sizes[i:last]) >= least],
        [i for i in places if may_break[i]],
    ):
        if good:
            return max(good, key=lambda i: (gaps[i], -i))
    return (first + last) // 2

"""Batches of training pairs of like length: less padding, and so about half the time, in a random order all the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from sentence_transformers.base.sampler import DefaultBatchSampler

GROUP = 40
"""Batches that are sorted by length together; the more, the less padding and the less chance."""


class LengthBatches(DefaultBatchSampler):
    """A batch sampler for sentence-transformers' trainers, which have none by length: they tokenize in the collator."""

    def __init__(self, lengths: Sequence[int], batch_size: int, drop_last: bool, seed: int = 0) -> None:
        """Create the sampler.

        :param lengths: of each row, in any unit.
        """
        self.lengths = lengths
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Another order in each epoch."""
        self.epoch = epoch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.lengths), self.batch_size)
        return whole + bool(rest and not self.drop_last)

    def __iter__(self) -> Iterator[list[int]]:
        rng = random.Random(self.seed * 1000 + self.epoch)  # noqa: S311
        rows = list(range(len(self.lengths)))
        rng.shuffle(rows)
        found = []
        for start in range(0, len(rows), GROUP * self.batch_size):
            group = sorted(rows[start : start + GROUP * self.batch_size], key=self.lengths.__getitem__)
            found += [group[i : i + self.batch_size] for i in range(0, len(group), self.batch_size)]
        if self.drop_last:
            found = [batch for batch in found if len(batch) == self.batch_size]
        rng.shuffle(found)
        yield from found


def length_batches(lengths: Sequence[int]) -> Callable[..., LengthBatches]:
    """What the trainers' `batch_sampler` argument takes; a checkpoint can hold it.

    :param lengths: of each row, in any unit.
    """
    return partial(_make, list(lengths))


def _make(lengths: Sequence[int], _: Any, batch_size: int = 32, drop_last: bool = False, seed: int = 0, **__: Any) -> LengthBatches:
    return LengthBatches(lengths, batch_size, drop_last, seed)

"""Cuts a text at the coarsest separator that gives pieces small enough, and each larger piece at the next finer one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from components.preprocessors.long_units import Count, split_long

Sized = tuple[int, int, int]
"""`text[start:end]` and its size."""


def recursive_spans(text: str, start: int, end: int, separators: Sequence[str], limit: int, count: Count, overlap: int = 0) -> list[Sized]:
    """Spans of `text[start:end]` of at most `limit`, without white space at their ends.

    Pieces between two separators are joined as long as they fit; a separator belongs to the piece before it. A piece that is larger is cut by
    itself with the next separator, and at words and graphemes where there is none.

    :param overlap: size of the pieces that a span repeats from the one before, at most.
    :param count: sizes of texts; the size of a span is taken as the sum over its pieces.

    >>> text = "one two. three four. five"
    >>> [text[a:b] for a, b, _ in recursive_spans(text, 0, 25, [". ", " "], 2, lambda texts: [len(t.split()) for t in texts])]
    ['one two.', 'three four.', 'five']
    """
    if not separators:
        return split_long(text, start, end, limit, count)
    parts = _trimmed(text, _cut(text, start, end, separators[0]))
    sizes = count([text[left:right] for left, right in parts])
    spans: list[Sized] = []
    run: list[Sized] = []
    own = 0  # pieces of the run that are not repeated

    def close() -> None:
        if own:
            spans.append((run[0][0], run[-1][1], sum(size for *_, size in run)))

    for (left, right), size in zip(parts, sizes, strict=True):
        if size > limit:
            close()
            run, own = [], 0
            spans.extend(recursive_spans(text, left, right, separators[1:], limit, count, overlap))
            continue
        if sum(s for *_, s in run) + size > limit:
            close()
            run, own = _tail(run, min(overlap, limit - size)), 0
        run.append((left, right, size))
        own += 1
    close()
    return spans


def _tail(run: Sequence[Sized], room: int) -> list[Sized]:
    """The last pieces that fit into some room, never all."""
    kept = len(run)
    while kept > 1 and run[kept - 1][2] <= room:
        kept -= 1
        room -= run[kept][2]
    return list(run[kept:])


def _cut(text: str, start: int, end: int, separator: str) -> list[tuple[int, int]]:
    cuts = [start]
    position = text.find(separator, start, end)
    while position >= 0:
        cuts.append(position + len(separator))
        position = text.find(separator, position + len(separator), end)
    return [(left, right) for left, right in pairwise([*cuts, end]) if left < right]


def _trimmed(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in spans:
        content = text[start:end]
        if content.strip():
            found.append((start + len(content) - len(content.lstrip()), start + len(content.rstrip())))
    return found

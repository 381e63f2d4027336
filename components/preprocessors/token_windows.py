"""Windows of a fixed number of tokens: arithmetic on token numbers, and where the tokens of a text begin."""

from __future__ import annotations

from collections.abc import Sequence

LONGEST_WORD = 16
"""Tokens. A window does not begin or end inside a word, unless the word has more."""


def token_windows(tokens: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Half-open ranges of `size` tokens, each beginning `overlap` tokens before the end of the one before; the last ends with the text.

    There are ceil((tokens - overlap) / (size - overlap)) of them, one at least, and none lies inside its neighbour.

    >>> token_windows(100, 40, 10)
    [(0, 40), (30, 70), (60, 100)]
    >>> len(token_windows(50_000, 500, 100)), len(token_windows(50_000, 1000, 200))
    (125, 63)

    :raises ValueError: an overlap that is not smaller than the size, or a number below 0.
    """
    if not 0 <= overlap < size:
        raise ValueError(f"overlap={overlap}; accepted: a whole number from 0, less than size={size}")
    if tokens <= 0:
        return []
    windows = [(0, min(size, tokens))]
    while windows[-1][1] < tokens:
        start = windows[-1][1] - overlap
        windows.append((start, min(start + size, tokens)))
    return windows


def at_words(windows: Sequence[tuple[int, int]], words: Sequence[int], reach: int) -> list[tuple[int, int]]:
    """Move edges that fall inside a word to its beginning, so that windows hold whole words; as many windows as before.

    :param words: for each token the first token of its word.
    :param reach: an edge moves fewer tokens than this; not more than the distance between two windows, so that none is swallowed.

    >>> at_words([(0, 4), (3, 6)], [0, 1, 2, 2, 2, 5], 3)
    [(0, 2), (2, 6)]
    """

    def moved(edge: int) -> int:
        return words[edge] if edge < len(words) and edge - words[edge] < reach else edge

    return [(moved(start), moved(end)) for start, end in windows]

"""Cuts a sentence that is too long for a chunk: at clauses, else between words, else between graphemes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from zlib import crc32

import regex

from components.preprocessors.packing import Bound, pack

Count = Callable[[Sequence[str]], list[int]]
Span = tuple[int, int]

_WORD = regex.compile(r"\S+")
_GRAPHEME = regex.compile(r"\X")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_CLAUSE_END = regex.compile(r"[,;:—–，、；：،؛][\p{Pe}\p{Pf}\"']*$")
_LONG_WORD = 24
_LONGEST_GRAPHEME = 64


def key_of(text: str) -> int:
    """A hash of a text that is the same on every machine."""
    return crc32(text.encode("utf-8", "surrogatepass"))


def grapheme_start(text: str, position: int) -> int:
    """The position, or the beginning of the grapheme that it falls into.

    >>> grapheme_start("cafe\u0301", 4)
    3
    """
    for match in _GRAPHEME.finditer(text, max(0, position - _LONGEST_GRAPHEME), min(len(text), position + 1)):
        if match.start() < position < match.end():
            return match.start()
    return position


def split_long(text: str, start: int, end: int, limit: int, count: Count) -> list[tuple[int, int, int]]:
    """Cut `text[start:end]` into pieces of at most `limit`; each is (start, end, size), without white space at its ends.

    A word is cut only where it is too long by itself or its script writes no spaces, a grapheme only where it is too long by itself.

    :param count: sizes of texts, for instance in tokens; the size of a piece is taken as the sum over its words.
    """
    atoms = _atoms(text, start, end, limit, count)
    if not atoms:
        return []
    sizes = [size for _, _, size in atoms]
    bounds = [Bound.BLOCK if number and _CLAUSE_END.search(text[slice(*atoms[number - 1][:2])]) else Bound.SENTENCE for number in range(len(atoms))]
    keys = [key_of(text[left:right]) for left, right, _ in atoms]
    runs = pack(sizes, bounds, keys, lambda _: limit)
    return [(atoms[first][0], atoms[last - 1][1], sum(sizes[first:last])) for first, last in runs]


def _atoms(text: str, start: int, end: int, limit: int, count: Count) -> list[tuple[int, int, int]]:
    words: list[Span] = []
    for match in _WORD.finditer(text, start, end):
        long = match.end() - match.start() > _LONG_WORD
        words.extend(_graphemes(text, match.start(), match.end()) if long and _UNSPACED.search(match.group()) else [match.span()])
    for finer in (_graphemes, _characters):
        sized = _sized(text, words, count)
        if all(size <= limit for _, _, size in sized):
            return sized
        words = []
        for left, right, size in sized:
            words.extend(finer(text, left, right) if size > limit else [(left, right)])
    return [(left, right, min(size, limit)) for left, right, size in _sized(text, words, count)]


def _sized(text: str, spans: list[Span], count: Count) -> list[tuple[int, int, int]]:
    sizes = count([text[left:right] for left, right in spans])
    return [(left, right, size) for (left, right), size in zip(spans, sizes, strict=True)]


def _graphemes(text: str, start: int, end: int) -> list[Span]:
    return [match.span() for match in _GRAPHEME.finditer(text, start, end)]


def _characters(_: str, start: int, end: int) -> list[Span]:
    return [(position, position + 1) for position in range(start, end)]

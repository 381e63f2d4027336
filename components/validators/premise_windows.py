"""The parts of long passages against which a claim is read: windows of whole sentences, and pairs of them. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from components.validators.word_overlap import best_windows, content_terms, sentences

MAX_WORDS = 120
"""Words of a window; with a claim of 60 words it is about 240 tokens."""
MAX_WINDOWS = 3
"""Windows of one claim that a model reads; the pair comes on top."""


@lru_cache(maxsize=2048)
def windows_of(text: str, max_words: int = MAX_WORDS) -> tuple[str, ...]:
    """Windows of successive sentences, each as long as `max_words` allows, the last sentence of one repeated in the next.

    A text that fits is one window. A single sentence that is longer is cut into windows of words that overlap by half.

    :param max_words: >= 2.

    >>> windows_of("One two. Three four. Five six.", 4)
    ('One two. Three four.', 'Three four. Five six.')
    """
    text = text.strip()
    if len(text.split()) <= max_words:
        return (text,) if text else ()
    parts = [piece for sentence in sentences(text) for piece in _pieces(sentence, max_words)]
    sizes = [len(part.split()) for part in parts]
    windows: list[str] = []
    first = 0
    while first < len(parts):
        last, size = first + 1, sizes[first]
        while last < len(parts) and size + sizes[last] <= max_words:
            size += sizes[last]
            last += 1
        windows.append(" ".join(parts[first:last]))
        if last == len(parts):
            break
        first = last - 1 if last - first > 1 and sizes[last - 1] + sizes[last] <= max_words else last
    return tuple(windows)


def _pieces(sentence: str, max_words: int) -> list[str]:
    found = sentence.split()
    if len(found) <= max_words:
        return [sentence]
    step = max(1, max_words // 2)
    return [" ".join(found[i : i + max_words]) for i in range(0, len(found) - step, step)]


def premises(claim: str, passages: Sequence[str], max_words: int = MAX_WORDS, count: int = MAX_WINDOWS) -> list[str]:
    """What a model reads beside a claim: the windows that hold most of its words, and one pair.

    The pair is for claims that need two places: the best window, joined with the one that holds most of the words which it lacks; its parts are
    sentences where the windows together would be too long. There is none where one window holds all that the others do.

    :param passages: texts; windows never run from one into the next.
    :param count: windows at most, >= 1.

    >>> premises("Rent is 5 and pets cost 2", ["Rent is 5 a day.", "Pets cost 2 a day.", "Bins are green."], count=1)
    ['Pets cost 2 a day.', 'Pets cost 2 a day. Rent is 5 a day.']
    """
    windows = list(dict.fromkeys(window for passage in passages for window in windows_of(passage, max_words)))
    if not windows:
        return []
    chosen = [windows[i] for i in best_windows(claim, windows, count)]
    pair = joined_pair(claim, windows, chosen[0], max_words)
    return chosen if pair is None or pair in chosen else [*chosen, pair]


def joined_pair(claim: str, windows: Sequence[str], best: str, max_words: int) -> str | None:
    """The best window and the one that adds most of what it lacks, joined; None where none adds anything."""
    lacking = set(content_terms(claim)) - set(content_terms(best))
    if not lacking:
        return None
    added = [(len(lacking & set(content_terms(window))), -i) for i, window in enumerate(windows)]
    gain, position = max(added)
    if not gain:
        return None
    other = windows[-position]
    if len(best.split()) + len(other.split()) <= max_words:
        return f"{best} {other}"
    half = max_words // 2
    return f"{_trimmed_to(claim, best, half)} {_trimmed_to(' '.join(lacking), other, half)}"


def _trimmed_to(wanted: str, window: str, max_words: int) -> str:
    """The sentences of a window that hold most of what is wanted, in their order, as many as fit; at least one."""
    parts = sentences(window)
    kept: list[int] = []
    size = 0
    for i in best_windows(wanted, parts, len(parts)):
        if kept and size + len(parts[i].split()) > max_words:
            continue
        kept.append(i)
        size += len(parts[i].split())
    return " ".join(parts[i] for i in sorted(kept))

"""What the ink of a line's picture tells: base line, type size, ends of words, width of strokes. Arrays only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

X_HEIGHT = 0.47  # of the type size: a small letter without ascender (Times .45, Helvetica .52)
CAPITAL = 0.68  # of the type size: a capital or a digit (Times .66, Helvetica .72)
_ASCENDERS = set("bdfhklt")
_SAME = 0.35  # of the fullest rows: small letters have .45 and more where they are emptiest, ascenders .3 and less


def ink_of(picture: np.ndarray) -> np.ndarray:
    """Where a picture of a line is ink: Otsu's threshold (1979), the rarer side being ink.

    :param picture: height × width × 3, 8 bits.
    :returns: booleans, height × width.
    """
    import cv2

    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    _, dark = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    ink = dark > 0
    return ink if ink.mean() <= 0.5 else ~ink


def base_and_size(ink: np.ndarray, text: str) -> tuple[float, float]:
    """Base line and type size in pixels.

    Rows are full of ink between the base line and the top of the small letters, or of the capitals where the line has no small ones.

    :param text: what the line says.
    """
    height = ink.shape[0]
    rows = ink.mean(axis=1)
    small = sum(c.islower() and c not in _ASCENDERS for c in text)
    if not rows.any():
        return 0.8 * height, 0.75 * height
    peak = float(np.sort(rows)[-max(1, height // 8) :].mean())
    full = np.flatnonzero(rows >= _SAME * peak)
    top, base = _widest_run(full)
    letters = sum(c.isalnum() for c in text)
    ratio = X_HEIGHT if small * 4 >= letters else CAPITAL
    size = (base - top) / ratio
    return float(base), float(np.clip(size, 0.4 * height, 1.1 * height))


def _widest_run(rows: np.ndarray) -> tuple[float, float]:
    """First row and the one after the last of the longest stretch of neighbours; a gap of one row parts none."""
    parts = np.split(rows, np.flatnonzero(np.diff(rows) > 2) + 1)
    part = max(parts, key=len)
    return float(part[0]), float(part[-1] + 1)


def word_ends(ink: np.ndarray, text: str, places: Sequence[float]) -> list[tuple[float, float]]:
    """Where each word begins and ends, in pixels.

    :param text: of the line.
    :param places: of its characters but for spaces, as parts of the width. Where they do not fit the text, words are laid out by their lengths.
    """
    words, width = text.split(), ink.shape[1]
    if len(places) != sum(map(len, words)):
        total, at, starts = max(1, len(" ".join(words))), 0, []
        for word in words:
            starts.append((at / total * width, (at + len(word)) / total * width))
            at += len(word) + 1
        return starts
    columns = np.asarray(ink.any(axis=0))
    filled = np.flatnonzero(columns)
    first, last = (float(filled[0]), float(filled[-1] + 1)) if len(filled) else (0.0, float(width))
    ends: list[float] = [first]
    at = 0
    for word in words[:-1]:
        at += len(word)
        low, high = int(places[at - 1] * width), int(np.ceil(places[at] * width))
        ends += _gap(columns, low, high)
    ends.append(last)
    return [(start, max(end, start + 1)) for start, end in zip(ends[::2], ends[1::2], strict=True)]


def _gap(columns: np.ndarray, low: int, high: int) -> list[float]:
    """Both ends of the widest gap in the ink between two columns; their middle where there is none."""
    empty = np.flatnonzero(~columns[low:high])
    if not len(empty):
        return [(low + high) / 2] * 2
    parts = np.split(empty, np.flatnonzero(np.diff(empty) > 1) + 1)
    part = max(parts, key=len)
    return [float(low + part[0]), float(low + part[-1] + 1)]


def stroke_width(ink: np.ndarray) -> float:
    """Usual length of a run of ink along a row, in pixels: as wide as upright strokes are. 0 where there is no ink."""
    if ink.shape[1] < 2 or not ink.any():
        return 0.0
    edges = np.diff(ink.astype(np.int8), axis=1, prepend=0, append=0)
    starts, ends = np.nonzero(edges == 1)[1], np.nonzero(edges == -1)[1]
    return float(np.median(ends - starts))


def explained(ink: np.ndarray, places: Sequence[float], size: float) -> float:
    """The part of the ink that stands at a recognised character, from 0 to 1: within half the type size of its middle.

    :param places: of the characters, as parts of the width.
    """
    columns = ink.sum(axis=0)
    total = int(columns.sum())
    if not total or not len(places):
        return 0.0
    middles = np.sort(np.asarray(places)) * ink.shape[1]
    at = np.arange(ink.shape[1]) + 0.5
    after = np.clip(np.searchsorted(middles, at), 0, len(middles) - 1)
    distance = np.minimum(np.abs(middles[after] - at), np.abs(middles[np.maximum(after - 1, 0)] - at))
    return float(columns[distance <= 0.5 * size].sum() / total)

"""The marks that begin the items of a list: bullets, dashes, numbers and letters."""

from __future__ import annotations

import re
from dataclasses import dataclass

BULLET = re.compile(r"[•▪●◦‣■□➢✓\uf000-\uf0ff]\s?|[-–*]\s")
_NUMBER = re.compile(r"(\(?)(\d{1,3}|[a-z]|[A-Z]|[ivx]{2,5})([.)])(?=\s|$)")
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii", "xviii", "xix", "xx")


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark: its text, and each reading of it as a kind of counting and a value ("(i)" is a letter or a Roman one). A bullet has none."""

    text: str
    readings: tuple[tuple[str, int], ...] = ()

    def follows(self, other: Mark) -> bool:
        """Whether it is the next mark after another in the same list: the same bullet, or the next number."""
        if not self.readings:
            return self.text == other.text
        return any((kind, value - 1) in other.readings for kind, value in self.readings)


def item_mark(text: str) -> Mark | None:
    """The mark that a text begins with, or None.

    >>> item_mark("b) a power supply").follows(item_mark("a) the gateway"))
    True
    """
    bullet = BULLET.match(text)
    if bullet:
        return Mark(bullet.group().strip())
    match = _NUMBER.match(text)
    if not match:
        return None
    before, value, after = match.groups()
    readings: list[tuple[str, int]] = []
    if value.isdigit():
        readings.append((f"{before}1{after}", int(value)))
    if len(value) == 1 and value.isalpha():
        readings.append((f"{before}{'a' if value.islower() else 'A'}{after}", ord(value.lower()) - ord("a") + 1))
    if value in _ROMAN:
        readings.append((f"{before}i{after}", _ROMAN.index(value) + 1))
    return Mark(match.group(), tuple(readings)) if readings else None


def is_mark(text: str) -> bool:
    """Whether a text is a mark and nothing else."""
    mark = item_mark(f"{text} ")
    return mark is not None and mark.text == text.strip()

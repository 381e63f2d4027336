"""Synonyms and opposites from WordNet's own files, for paraphrases and contradictions of training claims.

Debian's package `wordnet-base` puts the files into /usr/share/wordnet. NLTK's reader refuses a folder without `lexnames`, which that package
leaves out. File format: wndb(5WN), Fellbaum (1998), WordNet.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

FOLDER = Path("/usr/share/wordnet")
FILES = {"NOUN": "noun", "VERB": "verb", "ADJ": "adj", "ADV": "adv"}
"""The file of a universal part of speech."""


class WordNet:
    """The first, most frequent sense of each word.

    :param folder: where `index.noun`, `data.noun` and the like are. A folder without them gives no word, and `available` is False.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder
        self.available = all((folder / f"{kind}.{name}").is_file() for kind in ("index", "data") for name in FILES.values())
        self._first = {part: _first_senses(folder / f"index.{name}") for part, name in FILES.items()} if self.available else {}

    @lru_cache(maxsize=50_000)  # noqa: B019  one object a run
    def _sense(self, lemma: str, part: str) -> tuple[list[str], list[str]]:
        offset = self._first.get(part, {}).get(lemma.lower())
        if offset is None:
            return [], []
        words, pointers = self._line(part, offset)
        own = next((i for i, word in enumerate(words, 1) if word.lower() == lemma.lower()), 0)
        opposite = []
        for kind, place, source, target in pointers:
            if kind == "!" and source == own:
                others, _ = self._line(part, place)
                opposite += [others[target - 1]] if 0 < target <= len(others) else []
        return [word for word in words if word.lower() != lemma.lower()], opposite

    def synonyms(self, lemma: str, part: str) -> list[str]:
        """Single words of the first sense, without the word itself.

        :param part: NOUN, VERB, ADJ or ADV.
        """
        return [word for word in self._sense(lemma, part)[0] if word.isalpha()]

    def opposites(self, lemma: str, part: str) -> list[str]:
        """Single words that are its opposite in the first sense."""
        return [word for word in self._sense(lemma, part)[1] if word.isalpha()]

    def _line(self, part: str, offset: int) -> tuple[list[str], list[tuple[str, int, int, int]]]:
        with (self.folder / f"data.{FILES[part]}").open("rb") as file:
            file.seek(offset)
            fields = file.readline().decode("ascii", "replace").split(" | ")[0].split()
        count = int(fields[3], 16)
        words = [fields[4 + 2 * i].split("(")[0] for i in range(count)]
        at = 4 + 2 * count
        pointers = []
        for i in range(int(fields[at])):
            kind, place, _, ends = fields[at + 1 + 4 * i : at + 5 + 4 * i]
            pointers.append((kind, int(place), int(ends[:2], 16), int(ends[2:], 16)))
        return words, pointers


def _first_senses(file: Path) -> dict[str, int]:
    """Offset of the first sense of each word that a text of the sense-tagged corpus uses in it."""
    found: dict[str, int] = {}
    for line in file.read_text("ascii", "replace").splitlines():
        if line.startswith(" "):
            continue
        fields = line.split()
        pointers = int(fields[3])
        if int(fields[5 + pointers]):  # senses that occur in tagged text
            found[fields[0]] = int(fields[6 + pointers])
    return found

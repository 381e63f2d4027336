"""Questions with what both legs of retrieval found for them: what every training starts from, kept in a file so that a stopped run goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from evaluation.training.questions import Asked

BANDS = ((0, 5), (5, 15), (15, 40))
"""Places among the irrelevant candidates that negatives are taken from: hard, middling, easy."""
ALIKE = 0.8
"""Share of a candidate's words in the positive's, from which on it is taken for another copy of it and is no negative."""


@dataclass(frozen=True)
class Found:
    """A candidate, in the order of the first stage; the legs as `ranking_features.Candidate` has them."""

    id: str
    source: str
    text: str
    title: str = ""
    fused: float = 0.0
    dense: tuple[int, float] | None = None
    sparse: tuple[int, float] | None = None
    relevant: bool = False

    @property
    def shown(self) -> str:
        """What a ranker reads of it."""
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True)
class Mined:
    """A question, its answer, and its candidates."""

    question: str
    kind: str
    source: str
    positive: str
    candidates: tuple[Found, ...]

    @property
    def labels(self) -> list[bool]:
        """Relevance of the candidates."""
        return [c.relevant for c in self.candidates]

    def negatives(self) -> list[str]:
        """One irrelevant candidate of each band, as far as there are; a copy of the positive is none."""
        words = set(self.positive.casefold().split())
        wrong = [c for c in self.candidates if not c.relevant]
        kept = [c.shown for c in wrong if not _copy(set(c.text.casefold().split()), words)]
        return [kept[low + (len(self.question) % max(1, min(high, len(kept)) - low))] for low, high in BANDS if low < len(kept)]


def _copy(words: set[str], positive: set[str]) -> bool:
    return bool(words) and len(words & positive) / len(words) >= ALIKE


def mine(
    asked: Sequence[Asked],
    search: Callable[[str], Sequence[Found]],
    file: Path,
    on_question: Callable[[str], None] = lambda text: None,
) -> list[Mined]:
    """Search every question, or take what the file holds of an earlier run.

    :param search: a question to its candidates, best first; whether they are relevant is filled in here.
    :param file: JSON lines, appended to after each question.
    :param on_question: called after each.
    """
    known = {mined.question: mined for mined in read_mined(file)} if file.is_file() else {}
    result = []
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as out:
        for one in asked:
            mined = known.get(one.text)
            if mined is None:
                candidates = tuple(replace(c, relevant=c.id in one.relevant or c.source in one.relevant) for c in search(one.text))
                mined = Mined(one.text, one.kind, one.source, one.passage, candidates)
                out.write(json.dumps(asdict(mined), ensure_ascii=False) + "\n")
                out.flush()
            result.append(mined)
            on_question(one.text)
    return result


def read_mined(file: Path) -> list[Mined]:
    """The questions of a file; a last line that was cut off is left out."""
    found = []
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            data = json.loads(line)
        except ValueError:
            continue
        for candidate in data["candidates"]:
            candidate.update({leg: tuple(candidate[leg]) if candidate[leg] else None for leg in ("dense", "sparse")})
        found.append(Mined(**{**data, "candidates": tuple(Found(**c) for c in data["candidates"])}))
    return found


def split(mined: Sequence[Mined], share: float, seed: int) -> tuple[list[Mined], list[Mined]]:
    """To train on, and held out: whole sources, chosen by a hash of their id, so that more data moves none from one to the other.

    :param share: of the sources held out, from 0 to below 1. Where all would fall on one side, the questions themselves are split.
    """

    def out(name: str) -> bool:
        digest = hashlib.blake2b(f"{seed}:{name}".encode(), digest_size=4).digest()
        return int.from_bytes(digest, "big") / 2**32 < share

    sides = [out(m.source) for m in mined]
    if share > 0 and len(set(sides)) < 2:
        sides = [out(m.question) for m in mined]
    return [m for m, held in zip(mined, sides, strict=True) if not held], [m for m, held in zip(mined, sides, strict=True) if held]

"""Wrong hits of the answer cache: random principals ask near-twin questions of an index that is edited meanwhile.

    python -m evaluation.cache_trials --trials 10000

Every question is looked up as the door does it, and answered without the cache too, by what depends on the meaning of the question, its
other inputs, and everything that the principal may read. A hit is wrong where the two answers differ.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from haystack import Document
from haystack.document_stores.types import DuplicatePolicy

from components.access.principal import Principal, acting_as
from components.answer import Answer, Evidence, Status
from components.caching.answer_cache import AnswerCache, QuestionEncoder
from components.caching.kept_answer import KeptAnswer
from components.caching.question_form import question_form
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from evaluation.near_twins import Asked, again, ask_one, twin
from evaluation.proportions import wilson_interval

TENANTS = ("north", "south")
GROUPS = ("public", "legal", "hr")
SOURCES = 12
RECENT = 12
"""Questions that are asked again."""


def answered(store: SakshyaDocumentStore, question: Asked, identity: str, inputs: dict[str, Any]) -> Answer:
    """The answer to a question for the current principal: whatever changes what it depends on changes it."""
    seen = sorted(store.filter_documents(), key=lambda document: document.id)
    told = [question.meaning, identity, inputs, [[d.content, sorted(d.meta["access"])] for d in seen]]
    said = hashlib.sha256(json.dumps(told).encode()).hexdigest()
    places = [{"source_id": d.meta["source_id"], "title": "", "char_start": 0, "char_end": len(d.content or "")} for d in seen]
    shown = [Evidence(n=n, id=d.id, text=d.content or "", **place) for n, (d, place) in enumerate(zip(seen, places, strict=True), 1)]
    status = Status.ANSWERED if shown else Status.DECLINED
    return Answer(status=status, question=question.text, answer=said, evidence=shown)


@dataclass
class Counts:
    """What became of the trials."""

    trials: int = 0
    hits: int = 0
    wrong: int = 0
    reworded: int = 0
    """Hits on an answer that was given to another wording."""
    missed: int = 0
    """Lookups without a hit where the same had been asked with the same rights since the last change."""
    edits: int = 0


class World:
    """An index that is written to, and who asks it.

    :param rng: all that is random.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.store = SakshyaDocumentStore(location=":memory:", index="trials", embedding_dim=2)
        self._drawn = 0
        for number in range(SOURCES):
            self._write(number, rng.choice(TENANTS), [rng.choice(GROUPS)])
        self._commit()

    def principal(self) -> Principal:
        """Who asks next; two of the same rights are two people."""
        groups = tuple(group for group in GROUPS[1:] if self.rng.random() < 0.4)
        return Principal(f"user{self.rng.randrange(5)}", groups, self.rng.choice(TENANTS), is_admin=self.rng.random() < 0.1)

    def edit(self) -> None:
        """Add, change, move, hide or remove a source; half of the edits are not committed yet, as in the middle of a run."""
        number, what = self.rng.randrange(SOURCES), self.rng.random()
        tenant = self.rng.choice(TENANTS)
        with acting_as(Principal.system()):
            ours = {"field": "meta.source_id", "operator": "==", "value": f"s{number}"}
            if what < 0.2:
                self.store.delete_by_filter(ours)
            elif what < 0.4 and (found := self.store.filter_documents(ours)):
                self.store.set_meta(ours, {"access": [group for group in found[0].meta["access"] if group != "public"]})
            else:
                self.store.delete_by_filter(ours)
                self._write(number, tenant, self.rng.sample(GROUPS, self.rng.randint(1, 2)))
        if self.rng.random() < 0.5:
            self._commit()

    def _write(self, number: int, tenant: str, access: list[str]) -> None:
        self._drawn += 1
        meta = {"source_id": f"s{number}", "kind": "chunk", "tenant": tenant, "access": access}
        document = Document(id=f"{number}-{self._drawn}", content=f"text {self._drawn}", meta=meta, embedding=[1.0, 0.0])
        with acting_as(Principal.system()):
            self.store.write_documents([document], policy=DuplicatePolicy.OVERWRITE)

    def _commit(self) -> None:
        with acting_as(Principal.system()):
            self.store.commit()


@dataclass(frozen=True)
class Turn:
    """Who asks what, of which graph, with which other inputs."""

    question: Asked
    principal: Principal
    identity: str
    inputs: dict[str, Any]


def next_turn(world: World, recent: list[Turn], rng: random.Random) -> Turn:
    """A new question, or one that was asked a little ago: by someone of the same rights, or with one thing changed."""
    if not recent or rng.random() < 0.3:
        return Turn(ask_one(rng), world.principal(), "one", {"top_k": None, "as_of": None})
    turn, what = rng.choice(recent), rng.random()
    question = twin(turn.question, rng) if what < 0.35 else again(turn.question, rng)
    principal, identity, inputs = replace(turn.principal, user=f"user{rng.randrange(5)}"), turn.identity, turn.inputs
    if 0.35 <= what < 0.45:
        principal = world.principal()
    elif 0.45 <= what < 0.5:
        identity = rng.choice(("one", "another graph"))
    elif 0.5 <= what < 0.55:
        inputs = {"top_k": rng.choice((None, 3)), "as_of": rng.choice((None, "2024-01-01", "2023-12-31"))}
    return Turn(question, principal, identity, inputs)


def trials(number: int, cache: AnswerCache, seed: int = 0, edit_every: int = 25, progress: Any = lambda done: None) -> Counts:
    """Run the trials.

    :param edit_every: questions between two edits, on average.
    """
    rng = random.Random(seed)  # noqa: S311
    world, counts = World(rng), Counts()
    asked: dict[Any, str] = {}
    recent: list[Turn] = []
    for done in range(number):
        if rng.random() < 1 / edit_every:
            world.edit()
            counts.edits += 1
            asked.clear()
        turn = next_turn(world, recent, rng)
        recent = [*recent[-RECENT:], turn]
        question, principal, identity, inputs = turn.question, turn.principal, turn.identity, turn.inputs
        with acting_as(principal):
            kept = KeptAnswer(cache, world.store, identity, question.text, inputs)
            found, _ = kept.find()
            fresh = answered(world.store, question, identity, inputs)
            if found is None:
                kept.keep(fresh)
        counts.trials += 1
        rights = (principal.tenant, principal.is_admin or principal.groups, identity, *inputs.values(), question.meaning)
        if found is not None:
            counts.hits += 1
            counts.reworded += asked.get(rights, question.text) != question.text
            counts.wrong += found != fresh
        elif rights in asked:
            counts.missed += 1
        asked.setdefault(rights, question.text)
        progress(done + 1)
    return counts


class Vectors(QuestionEncoder):
    """The model's vectors, each made once."""

    def __init__(self, inner: QuestionEncoder) -> None:
        self._inner, self._known = inner, dict[str, Any]()

    def vector(self, question: str) -> Any:
        """As the model's."""
        if question not in self._known:
            self._known[question] = self._inner.vector(question)
        return self._known[question]

    def identity(self) -> str:
        """As the model's."""
        return self._inner.identity()


class Blind(QuestionEncoder):
    """One vector for all questions: only the words keep them apart. Whatever another model lets through, this one does too."""

    def vector(self, question: str) -> Any:
        """A vector."""
        return np.ones(1, dtype=np.float32)

    def identity(self) -> str:
        """A name."""
        return "blind"


@contextmanager
def words_unread() -> Iterator[None]:
    """What the cosine alone would do: the words of a question count for nothing."""
    from components.caching import answer_cache

    answer_cache.question_form = lambda question: ()
    try:
        yield
    finally:
        answer_cache.question_form = question_form


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--edit-every", type=int, default=25, help="questions between two edits, on average")
    parser.add_argument("--without-words", action="store_true", help="for comparison: only the cosine decides")
    parser.add_argument("--any-cosine", action="store_true", help="the hardest case: every two questions count as near, only the words decide")
    given = parser.parse_args()
    if given.trials < 1 or given.edit_every < 1:
        parser.error("accepted: --trials 1 or more, --edit-every 1 or more")

    from components.caching.question_vectors import QuestionVectors

    def progress(done: int) -> None:
        if done % 500 == 0:
            sys.stderr.write(f"\r{done:,} of {given.trials:,}")

    with tempfile.TemporaryDirectory() as folder:
        cache = AnswerCache(Path(folder) / "answers.sqlite", 1000, Blind() if given.any_cosine else Vectors(QuestionVectors()))
        with words_unread() if given.without_words else nullcontext():
            counts = trials(given.trials, cache, given.seed, given.edit_every, progress)
    low, high = wilson_interval(counts.wrong, counts.trials)
    sys.stderr.write("\r")
    print(
        json.dumps(
            {
                "trials": counts.trials,
                "edits": counts.edits,
                "hits": counts.hits,
                "hits_on_another_wording": counts.reworded,
                "repeated_without_a_hit": counts.missed,
                "wrong_hits": counts.wrong,
                "wrong_share_95": [round(low, 6), round(high, 6)],
            },
            indent=2,
        )
    )
    sys.exit(1 if counts.wrong else 0)


if __name__ == "__main__":
    main()

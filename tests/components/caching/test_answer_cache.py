from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from components.caching.answer_cache import AnswerCache, CacheError, Scope
from components.caching.sealing import SealError, seal, secret_of, unseal

SCOPE = Scope("place", "v1", "tenant a, public", "graph", "inputs")
ANSWER = {"answer": "Twenty days of leave. [1]"}


class Turned:
    """Vectors of which the angle is known: the cosine of any two questions is `cosine`."""

    def __init__(self, cosine: float, name: str = "model") -> None:
        self.cosine, self.name, self.given = cosine, name, 0

    def vector(self, question: str) -> np.ndarray | None:
        self.given += 1
        angle = 0.0 if self.given % 2 else np.arccos(self.cosine)
        return np.array([np.cos(angle), np.sin(angle)], dtype=np.float32)

    def identity(self) -> str:
        return self.name


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "answers.sqlite"


def test_the_same_text_is_found_and_nothing_else_without_vectors(file: Path) -> None:
    cache = AnswerCache(file, 10)
    assert cache.get(SCOPE, "How many days?") is None
    assert not file.exists()
    assert cache.put(SCOPE, "How many days?", ANSWER, {"chunk": "state"})
    hit = cache.get(SCOPE, "How many days?")
    assert hit is not None
    assert (hit.answer, hit.sources, hit.cosine) == (ANSWER, {"chunk": "state"}, 1.0)
    assert cache.get(SCOPE, "how many days?") is None


@pytest.mark.parametrize("field", ["place", "version", "rights", "graph", "inputs"])
def test_another_scope_finds_nothing(file: Path, field: str) -> None:
    cache = AnswerCache(file, 10)
    cache.put(SCOPE, "How many days?", ANSWER, {})
    assert cache.get(replace(SCOPE, **{field: "other"}), "How many days?") is None


@pytest.mark.parametrize(("cosine", "found"), [(0.981, True), (0.979, False), (-1.0, False)])
def test_another_wording_is_found_from_the_cosine_on(file: Path, cosine: float, *, found: bool) -> None:
    cache = AnswerCache(file, 10, Turned(cosine))
    cache.put(SCOPE, "How many days?", ANSWER, {})
    assert (cache.get(SCOPE, "how many days") is not None) == found


def test_vectors_of_another_model_are_not_compared(file: Path) -> None:
    AnswerCache(file, 10, Turned(1.0, "one")).put(SCOPE, "How many days?", ANSWER, {})
    assert AnswerCache(file, 10, Turned(1.0, "two")).get(SCOPE, "how many days") is None


def test_close_vectors_do_not_outweigh_other_words(file: Path) -> None:
    cache = AnswerCache(file, 10, Turned(1.0))
    cache.put(SCOPE, "What is section 303?", ANSWER, {})
    assert cache.get(SCOPE, "What is section 103?") is None


def test_size_and_age_are_bounded(file: Path) -> None:
    cache = AnswerCache(file, 3, max_age_s=100)
    for n in range(6):
        cache.put(SCOPE, f"Question {n}?", ANSWER, {}, now=1000.0 + n)
    assert cache.state().entries == 3
    assert cache.get(SCOPE, "Question 5?", now=1050.0) is not None
    assert cache.get(SCOPE, "Question 5?", now=1106.0) is None
    assert cache.get(SCOPE, "Question 5?", now=1004.0) is None, "an entry from the future"
    assert cache.get(SCOPE, "Question 2?", now=1010.0) is None
    assert not cache.put(SCOPE, "Long?", {"answer": "x" * 500_000}, {})


def test_what_was_used_last_stays(file: Path) -> None:
    cache = AnswerCache(file, 2)
    cache.put(SCOPE, "First?", ANSWER, {})
    cache.put(SCOPE, "Second?", ANSWER, {})
    cache.count(SCOPE, "First?", hit=True)
    cache.put(SCOPE, "Third?", ANSWER, {})
    assert [cache.get(SCOPE, text) is not None for text in ("First?", "Second?", "Third?")] == [True, False, True]


def test_entries_of_an_earlier_state_go_with_the_next_one(file: Path) -> None:
    cache = AnswerCache(file, 10)
    cache.put(SCOPE, "One?", ANSWER, {})
    cache.put(replace(SCOPE, place="elsewhere"), "One?", ANSWER, {})
    cache.put(replace(SCOPE, version="v2"), "Two?", ANSWER, {})
    assert cache.state().entries == 2


def test_counts_and_clearing(file: Path) -> None:
    cache = AnswerCache(file, 10)
    cache.count(SCOPE, "One?", hit=False)
    cache.put(SCOPE, "One?", ANSWER, {})
    cache.count(SCOPE, "One?", hit=True)
    assert (cache.state().hit_rate, cache.state().entries) == (0.5, 1)
    assert cache.drop_all() == 1
    assert cache.state().hit_rate == 0.5
    cache.clear()
    assert list(file.parent.iterdir()) == []
    assert cache.state().hit_rate is None


def test_nothing_stands_in_the_clear(file: Path) -> None:
    cache = AnswerCache(file, 10)
    cache.put(replace(SCOPE, rights="tenant secretive"), "How many days?", ANSWER, {"chunk-name": "state"})
    written = b"".join(part.read_bytes() for part in file.parent.iterdir())
    for word in (b"Twenty", b"days", b"secretive", b"chunk-name", b"place"):
        assert word not in written.replace(b"place BLOB", b"").replace(b"place,", b"")
    assert file.stat().st_mode & 0o077 == 0


def test_a_broken_file_is_told_and_can_be_cleared(file: Path) -> None:
    cache = AnswerCache(file, 10)
    file.parent.mkdir()
    file.write_bytes(b"no database at all, " * 500)
    for call in (lambda: cache.get(SCOPE, "One?"), lambda: cache.put(SCOPE, "One?", ANSWER, {}), cache.state):
        with pytest.raises(CacheError, match=r"answers\.sqlite: file is not a database"):
            call()
    cache.clear()
    assert cache.put(SCOPE, "One?", ANSWER, {})


def test_a_changed_entry_is_told(file: Path) -> None:
    cache = AnswerCache(file, 10)
    cache.put(SCOPE, "One?", ANSWER, {})
    with sqlite3.connect(file) as db:
        db.execute("UPDATE entries SET sealed = zeroblob(80)")
    with pytest.raises(CacheError, match="cannot be read"):
        cache.get(SCOPE, "One?")


def test_a_locked_file_is_told_soon(file: Path) -> None:
    cache = AnswerCache(file, 10)
    cache.put(SCOPE, "One?", ANSWER, {})
    with sqlite3.connect(file, isolation_level=None) as db:
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(CacheError, match="locked"):
            cache.put(SCOPE, "Two?", ANSWER, {})
        assert cache.get(SCOPE, "One?") is not None


def test_threads_and_processes_share_it(file: Path) -> None:
    cache, faults = AnswerCache(file, 50), []

    def work(name: int) -> None:
        for n in range(20):
            try:
                cache.put(SCOPE, f"Question {name} {n}?", {"answer": f"{name} {n}"}, {})
                hit = cache.get(SCOPE, f"Question {name} {n}?")
                if hit is not None and hit.answer != {"answer": f"{name} {n}"}:
                    faults.append(hit)
            except CacheError as error:
                if "locked" not in str(error):
                    faults.append(error)

    code = (
        "import sys; from pathlib import Path; from components.caching.answer_cache import *\n"
        "c = AnswerCache(Path(sys.argv[1]), 50)\n"
        "for n in range(20):\n    c.put(Scope('place', 'v1', 'r', 'g', 'i'), f'P {n}?', {}, {})"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(file)], cwd=Path(__file__).parents[3])
    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert other.wait() == 0
    assert faults == []
    assert 0 < cache.state().entries <= 50


@pytest.mark.parametrize("given", [{"max_entries": 0}, {"max_entries": 1, "min_cosine": 1.1}, {"max_entries": 1, "max_age_s": 0}])
def test_values_out_of_range(tmp_path: Path, given: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="accepted"):
        AnswerCache(tmp_path / "a", **given)  # pyright: ignore[reportArgumentType]


def test_only_the_secret_opens_a_seal() -> None:
    secret = secret_of("one", "two")
    assert unseal(secret, seal(secret, b"text")) == b"text"
    for wrong in (secret_of("onet", "wo"), b""):
        with pytest.raises(SealError):
            unseal(wrong, seal(secret, b"text"))
    with pytest.raises(SealError):
        unseal(secret, b"")

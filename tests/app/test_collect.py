import os
import threading
import time
from pathlib import Path

import pytest

from app.batches import Item, batches
from app.errors import SakshyaError, UsageError
from app.finding import collect
from app.indexing import index_items
from app.sources import joined
from components.access.principal import Principal, current_principal
from config.settings import settings


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    for name in ("b.md", "a.md", "sub/c.txt", "sub/deep/d.md", ".hidden.md", ".git/config", "sub/.cache/x.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    return root


def names(found):
    return [item.relative for item in found]


def test_folders_are_walked_in_order_without_hidden_files(docs):
    assert names(collect([docs])[0]) == ["a.md", "b.md", "sub/c.txt", "sub/deep/d.md"]


def test_a_folder_and_its_subfolder_give_the_same_identity(docs, monkeypatch):
    monkeypatch.chdir(docs.parent)
    whole = {f.path for f in collect(["docs"])[0]}
    assert {f.path for f in collect(["docs/sub"])[0]} < whole
    assert {f.path for f in collect(["docs", "docs/sub/../sub", docs / "a.md"])[0]} == whole


def test_the_index_is_no_document_of_its_own(docs, monkeypatch):
    monkeypatch.setenv("SAKSHYA_DATA_DIR", str(docs / "sub"))
    settings.cache_clear()
    assert names(collect([docs])[0]) == ["a.md", "b.md"]
    (docs / "linked").symlink_to(docs / "sub")
    assert names(collect([docs])[0]) == ["a.md", "b.md"]
    with pytest.raises(UsageError, match="the folder of the index itself"):
        collect([docs / "sub" / "deep"])


def test_an_alias_makes_the_identity_portable(docs, tmp_path):
    moved = tmp_path / "elsewhere"
    before = [(f.path, f.uri) for f in collect([docs], alias="handbook")[0]]
    docs.rename(moved)
    assert [(f.path, f.uri) for f in collect([moved], alias="handbook")[0]] == before
    assert before[0] == ("a.md", "handbook/a.md")


def test_two_files_of_one_identity_are_refused(docs, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("another")
    with pytest.raises(UsageError, match=r"both handbook/a\.md"):
        collect([docs, other], alias="handbook")


def test_globs(docs):
    assert names(collect([docs], include=["*.md"], exclude=["sub/deep/"])[0]) == ["a.md", "b.md"]
    assert names(collect([docs], exclude=["sub/**"])[0]) == ["a.md", "b.md"]
    with pytest.raises(UsageError, match="pattern"):
        collect([docs], include=["!x"])


def test_a_path_that_does_not_exist_is_wrong_use(docs):
    with pytest.raises(UsageError, match="nowhere"):
        collect([docs, docs / "nowhere"])


def test_a_hidden_path_that_is_named_is_taken(docs):
    assert names(collect([docs / ".git"])[0]) == ["config"]
    assert names(collect([docs / ".hidden.md"])[0]) == [".hidden.md"]


def test_links_end_and_give_nothing_twice(docs, tmp_path):
    (docs / "loop").symlink_to(docs, target_is_directory=True)
    (docs / "sub/up").symlink_to("..", target_is_directory=True)
    (docs / "again").symlink_to(docs / "sub", target_is_directory=True)
    (docs / "copy.md").symlink_to(docs / "a.md")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "e.md").write_text("e")
    (outside / "back").symlink_to(docs, target_is_directory=True)
    (docs / "linked").symlink_to(outside, target_is_directory=True)
    (docs / "secret.md").symlink_to(outside / "e.md")
    found, failed = collect([docs])
    assert names(found) == ["a.md", "b.md", "sub/c.txt", "sub/deep/d.md"]
    assert sorted(Path(f["source"]).name for f in failed) == ["linked", "secret.md"]
    assert all("leads out of the folder" in f["reason"] for f in failed)


def test_a_file_name_that_is_not_unicode_can_be_reported(docs):
    Path(os.fsdecode(os.fsencode(docs) + b"/caf\xe9.md")).write_text("x")
    found = next(f for f in collect([docs])[0] if "caf" in f.path)
    assert found.path.encode()
    assert found.file.read_text() == "x"


def test_batches_by_count_and_bytes():
    def sizes(*values):
        return [[item.size for item in batch] for batch in batches([Item("x", size=v) for v in values], max_files=3, max_bytes=10)]

    assert sizes(1, 1, 1, 1) == [[1, 1, 1], [1]]
    assert sizes(6, 6, 50, 4, 6) == [[6], [6], [50], [4, 6]]
    assert sizes() == []


def test_text_is_joined_at_its_offsets():
    assert joined([(4, "cd"), (0, "ab")]) == "ab\n\ncd"
    assert joined([(2, "cd"), (0, "ab")]) == "abcd"
    assert joined([]) == ""


def run_that_crashes(wrong: set[str], words: str = "a fault in {}"):
    def run(values):
        bad = [s for s in values["sources"] if s in wrong]
        if bad:
            raise RuntimeError(words.format(bad[0]))
        return {"added": list(values["sources"]), "failed": []}

    return run


def test_a_source_that_crashes_the_graph_is_named_and_the_rest_is_indexed():
    items = [Item(str(n)) for n in range(20)]
    steps: list[tuple[int, int]] = []
    report = index_items(
        run_that_crashes({"3", "11"}), items, principal=Principal("t", is_admin=True), max_files=8, on_progress=lambda d, n, _: steps.append((d, n))
    )
    assert report["failed"] == [{"source": "3", "reason": "a fault in 3"}, {"source": "11", "reason": "a fault in 11"}]
    assert report["added"] == [str(n) for n in range(20) if n not in {3, 11}]
    assert steps == [(8, 20), (16, 20), (20, 20)]


def test_a_graph_that_always_fails_alike_is_one_error():
    with pytest.raises(SakshyaError, match="8 sources in a row failed with: no model"):
        index_items(run_that_crashes({str(n) for n in range(50)}, "no model"), [Item(str(n)) for n in range(50)], principal=Principal("t"))


def test_a_batch_is_read_while_another_runs_and_reports_keep_their_order():
    both = threading.Barrier(2, timeout=20)
    seen = []

    def run(values):
        if len(seen) < 2:
            seen.append(values["sources"][0])
            both.wait()  # only two at once get past it
        return {"added": list(values["sources"]), "chunks": 1}

    report = index_items(run, [Item(str(n)) for n in range(5)], principal=Principal("t"), max_files=1)
    assert (report["added"], report["chunks"]) == (list("01234"), 5)


def test_no_more_batches_are_in_flight_than_may_be_and_one_identity_is_never_twice():
    lock, running, most = threading.Lock(), [0], [0]

    def run(values):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.01)
        with lock:
            running[0] -= 1
        return {}

    index_items(run, [Item(str(n)) for n in range(12)], principal=Principal("t"), max_files=1)
    assert most[0] == 2
    most[0] = 0
    index_items(run, [Item("x", {"path": "same"}) for _ in range(4)], principal=Principal("t"), max_files=1)
    assert most[0] == 1


def test_the_principal_reaches_every_batch():
    seen = set()
    index_items(lambda _: seen.add(current_principal().user) or {}, [Item(str(n)) for n in range(6)], principal=Principal("asha"), max_files=1)
    assert seen == {"asha"}

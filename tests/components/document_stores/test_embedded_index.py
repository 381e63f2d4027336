"""The embedded index on disk: one opener, what survives a kill, and optimising while it is read."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from haystack import Document
from haystack.dataclasses import SparseEmbedding

from components.access.principal import Principal, acting_as
from components.document_stores.edge_client import EdgeClient
from components.document_stores.index_lock import LOCK_FILE, IndexLockedError
from components.document_stores.sakshya_document_store import SakshyaDocumentStore

ROOT = Path(__file__).parents[3]
META = {"tenant": "default", "access": ["public"]}
PREAMBLE = """
import sys, time
from haystack import Document
from components.access.principal import Principal, acting_as
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
store = SakshyaDocumentStore(path=sys.argv[1], index="i", embedding_dim=2)
meta = {"tenant": "default", "access": ["public"]}
with acting_as(Principal(user="child")):
"""


def child(path: Path, body: str) -> subprocess.Popen:
    code = PREAMBLE + "\n".join("    " + line for line in body.strip().splitlines())
    return subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def open_store(path: Path) -> SakshyaDocumentStore:
    return SakshyaDocumentStore(path=str(path), index="i", embedding_dim=2)


@pytest.fixture(autouse=True)
def asha():
    with acting_as(Principal(user="asha")):
        yield


def test_a_second_process_is_told_who_holds_the_index(tmp_path):
    holder = child(
        tmp_path,
        """
store.write_documents([Document(id="1", embedding=[1.0, 0.0], meta=meta)])
store.declare_server("http://127.0.0.1:8000")
print("ready", flush=True)
time.sleep(120)
""",
    )
    try:
        assert holder.stdout.readline() == "ready\n", holder.stderr.read()
        store = open_store(tmp_path)
        for use in (
            store.count_documents,
            lambda: store.write_documents([Document(id="2", meta=META)]),
            lambda: store.declare_server("http://b"),
        ):
            with pytest.raises(IndexLockedError) as error:
                use()
            message = str(error.value)
            assert str(tmp_path) in message and str(holder.pid) in message and "http://127.0.0.1:8000" in message and "\n" not in message
            assert (error.value.pid, error.value.url) == (holder.pid, "http://127.0.0.1:8000")
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        assert json.loads((tmp_path / LOCK_FILE).read_text())["pid"] == holder.pid  # stale, and taken over
        assert store.count_documents() == 1
        assert json.loads((tmp_path / LOCK_FILE).read_text()) == {"pid": os.getpid(), "url": None}
        store.shutdown()
    finally:
        holder.kill()
        holder.wait()


def test_what_was_acknowledged_survives_a_kill(tmp_path):
    writer = child(
        tmp_path,
        """
for n in range(100_000):
    store.write_documents([Document(id=f"{n}", content="x", embedding=[1.0, float(n)], meta={**meta, "n": n})])
    if n % 5 == 4:
        store.set_meta({"field": "n", "operator": "==", "value": n - 4}, {"touched": True})
        store.delete_documents([f"{n - 3}"])
    print(n, flush=True)
""",
    )
    acknowledged = -1
    for line in writer.stdout:
        acknowledged = int(line)
        if acknowledged >= 60:
            os.kill(writer.pid, signal.SIGKILL)
            break
    rest = writer.stdout.read().split()
    writer.wait()
    assert acknowledged >= 60, writer.stderr.read()
    acknowledged = int(rest[-1]) if rest else acknowledged
    store = open_store(tmp_path)
    found = {d.meta["n"]: d for d in store.filter_documents()}
    done = range(acknowledged + 1)
    full = (acknowledged + 1) // 5 * 5
    assert {n for n in done if not (n % 5 == 1 and n < full)} <= set(found)
    assert not {n for n in found if n % 5 == 1 and n < full}
    assert all(found[n].meta.get("touched") for n in range(0, full, 5))
    assert len(store._query_by_embedding([1.0, 3.0], top_k=1000)) == len(found)
    store.shutdown()


def big(count: int, start: int = 0) -> list[Document]:
    rng = random.Random(start)
    return [
        Document(
            id=f"{start + i:06d}",
            embedding=[rng.gauss(0, 1) for _ in range(64)],
            sparse_embedding=SparseEmbedding([i % 97], [1.0]),
            meta={**META, "n": start + i},
        )
        for i in range(count)
    ]


@pytest.fixture
def grown(tmp_path):
    """Written twice, so that the points left behind give the optimiser something to do."""
    store = SakshyaDocumentStore(path=str(tmp_path), index="i", write_batch_size=1000)
    from haystack.document_stores.types import DuplicatePolicy

    for _ in range(2):
        store.write_documents(big(3000), DuplicatePolicy.OVERWRITE)
    yield store
    store.shutdown()


def test_optimising_while_others_read_and_write(grown):
    stop, failures, reads, written = threading.Event(), [], [0], []
    root = Principal(user="root", is_admin=True)

    def read():
        with acting_as(Principal(user="reader")):
            while not stop.is_set():
                try:
                    assert len(grown._query_by_embedding([1.0] * 64, top_k=10)) == 10
                    assert grown.get_documents_by_id(["000007"])[0].meta["n"] == 7
                    reads[0] += 1
                except Exception as error:  # noqa: BLE001
                    failures.append(error)
                time.sleep(0.002)

    def write():
        with acting_as(Principal(user="writer")):
            for start in range(10_000, 10_500, 100):
                grown.write_documents(big(100, start))
                written.append(start)
                time.sleep(0.01)

    threads = [threading.Thread(target=read), threading.Thread(target=read), threading.Thread(target=write)]
    before = EdgeClient.open(grown.path)
    generation = before._files("i").current()
    for thread in threads:
        thread.start()
    with acting_as(root):
        for _ in range(2):
            grown.optimize()
    threads[2].join()
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == [] and reads[0] > 0 and len(written) == 5
    assert before._files("i").current() != generation
    assert [p.name for p in (Path(grown.path) / "i").glob("g*")] == [before._files("i").current().name]
    before.close()
    assert grown.count_documents() == 3500
    path = grown.path
    grown.shutdown()
    again = SakshyaDocumentStore(path=path, index="i")
    assert again.count_documents() == 3500
    again.shutdown()


def test_optimising_for_administrators_only(grown):
    with pytest.raises(PermissionError):
        grown.optimize()


def test_a_failed_optimisation_leaves_the_index_as_it_was(grown, monkeypatch):
    monkeypatch.setattr("components.document_stores.edge_client.edge_optimize.__file__", "/nonexistent.py")
    with acting_as(Principal(user="root", is_admin=True)), pytest.raises(RuntimeError, match="unchanged"):
        grown.optimize()
    assert grown.count_documents() == 3000
    assert len(list((Path(grown.path) / "i").glob("g*"))) == 1


@pytest.mark.parametrize("delay", [0.4, pytest.param(0.05, marks=pytest.mark.long), pytest.param(0.9, marks=pytest.mark.long)])
def test_killed_while_optimising(tmp_path, delay):
    worker = child(
        tmp_path,
        """
store.write_documents([Document(id=f"{n}", embedding=[1.0, float(n)], meta=meta) for n in range(500)])
print("ready", flush=True)
with acting_as(Principal(user="root", is_admin=True)):
    for _ in range(100):
        store.optimize()
""",
    )
    assert worker.stdout.readline() == "ready\n", worker.stderr.read()
    time.sleep(delay)
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    store = open_store(tmp_path)
    assert store.count_documents() == 500
    assert len(store._query_by_embedding([1.0, 2.0], top_k=500)) == 500
    assert store.write_documents([Document(id="new", embedding=[1.0, 0.0], meta=META)]) == 1
    store.shutdown()


def test_one_open_index_a_process_for_all_who_ask(tmp_path):
    first, second = EdgeClient.open(tmp_path), EdgeClient.open(tmp_path / "x" / "..")
    assert first is second
    first.declare_server("http://a")
    first.close()
    with pytest.raises(IndexLockedError):
        EdgeClient(tmp_path).declare_server("http://b")
    second.close()
    third = EdgeClient.open(tmp_path)
    assert third is not first
    third.declare_server("http://c")
    third.close()


def test_the_graph_is_built_when_much_of_a_large_index_is_not_in_it(grown, monkeypatch):
    root = Principal(user="root", is_admin=True)
    with acting_as(root):
        assert not grown.optimize_if_due()  # small: comparing with every vector is quick
        monkeypatch.setattr("components.document_stores.edge_client.GRAPH_PAYS", 1000)
        assert grown.optimize_if_due()
        assert not grown.optimize_if_due()
    with acting_as(Principal(user="writer")):
        grown.write_documents(big(1000, 20_000))
    with acting_as(root):
        assert grown.optimize_if_due()
    with pytest.raises(PermissionError):
        grown.optimize_if_due()

"""The life of archives and mails in the default indexing graph: their members are added, changed, lost and broken."""

from pathlib import Path

import pytest

from app.graphs import load_graph
from app.indexing import index_paths
from app.sources import equals, find_source, list_sources, remove_source, source_text, state_of
from tests.components.routers.containers import mail, zipped


@pytest.fixture
def index(store, admin):
    graph = load_graph("index", phase="indexing")

    def run(*paths: Path, **options) -> dict:
        return index_paths(lambda v: graph.run(v)["report"], paths, store=store, graph_version=graph.version, max_files=64, **options)

    return run


def contents(store, root: Path) -> dict[str, str]:
    """The texts of all chunks by what their uri adds to the folder."""
    chunks = store.filter_documents(equals("kind", "chunk"), with_embeddings=False)
    return {d.meta["uri"].removeprefix(f"{root}/"): d.content for d in sorted(chunks, key=lambda d: d.meta["uri"])}


A = "The archive of the north holds the lists of ships."
B = "The archive of the south holds the lists of harbours."
C = "id,title,text\n7,Leave,Twenty days of leave a year.\n8,Pay,Pay day is the last working day.\n"


def test_members_of_an_archive_live_by_it(index, store, tmp_path):
    root = tmp_path / "kb"
    root.mkdir()
    file = root / "a.zip"
    members = [("north.txt", A), ("deep/south.txt", B), ("rows.csv", C)]

    file.write_bytes(zipped(*members))
    report = index(root)
    assert ([Path(u).name for u in report["added"]], report["failed"]) == (["a.zip"], [])
    assert list(contents(store, root)) == ["a.zip#deep/south.txt", "a.zip#north.txt", "a.zip#rows.csv#7", "a.zip#rows.csv#8"]
    entry = list_sources(store)[0]
    assert (entry["title"], entry["mime_type"], entry["complete"], entry["chunks"]) == ("a.zip", "application/zip", True, 4)
    version = report["index_version"]
    again = index(root)
    assert ([Path(u).name for u in again["unchanged"]], again["index_version"]) == (["a.zip"], version)

    members[0] = ("north.txt", A + " It was closed in 1990.")
    file.write_bytes(zipped(*members, ("new.txt", "A new list of lighthouses.")))
    report = index(root)
    assert ([Path(u).name for u in report["updated"]], report["embedded"]) == (["a.zip"], 2)
    assert contents(store, root)["a.zip#north.txt"].endswith("1990.")

    file.write_bytes(zipped(*members[1:], ("new.txt", b"%PDF-1.4 broken")))  # north.txt is gone, new.txt is broken
    report = index(root)
    assert [f["source"].removeprefix(f"{root}/") for f in report["failed"]] == ["a.zip#new.txt"]
    assert list(contents(store, root)) == ["a.zip#deep/south.txt", "a.zip#new.txt", "a.zip#rows.csv#7", "a.zip#rows.csv#8"]
    assert contents(store, root)["a.zip#new.txt"] == "A new list of lighthouses."  # what failed keeps its old version
    assert state_of(list_sources(store)[0])["state"] == "partial"

    file.write_bytes(zipped(("rows.csv", b"\x00\x01\x02" * 50)))  # a member with records fails as a whole
    report = index(root)
    assert [f["source"].removeprefix(f"{root}/") for f in report["failed"]] == ["a.zip#rows.csv"]
    assert state_of(list_sources(store)[0])["state"] == "failed"  # nothing in it can be read, so the whole old version stays
    assert len(contents(store, root)) == 4

    file.write_bytes(zipped(("rows.csv", b"\x00\x01\x02" * 50), ("north.txt", A)))
    index(root)
    assert list(contents(store, root)) == ["a.zip#north.txt", "a.zip#rows.csv#7", "a.zip#rows.csv#8"]

    file.write_bytes(zipped(*members))
    assert index(root)["failed"] == []
    assert state_of(list_sources(store)[0])["state"] == "ok"
    file.rename(root / "b.zip")
    report = index(root, prune=True)
    assert (report["embedded"], report["failed"]) == (0, [])
    assert list(contents(store, root)) == ["b.zip#deep/south.txt", "b.zip#north.txt", "b.zip#rows.csv#7", "b.zip#rows.csv#8"]
    chunk = store.filter_documents(equals("uri", f"{root}/b.zip#deep/south.txt"))[0]
    assert (chunk.meta["path"], chunk.meta["title"], chunk.meta["file_name"]) == (f"{root}/b.zip#deep/south.txt", "South", "south.txt")

    shown = find_source(store, f"{root}/b.zip#deep/south.txt")
    assert source_text(store, shown["source_id"]) == B
    assert find_source(store, "south.txt")["source_id"] == shown["source_id"]
    with pytest.raises(Exception, match=r"inside .*b\.zip"):
        remove_source(store, "south.txt")
    assert remove_source(store, "b.zip") == [f"{root}/b.zip"]
    assert contents(store, root) == {} and list_sources(store) == []


def test_a_mail_is_indexed_whatever_becomes_of_its_attachments(index, store, tmp_path):
    root = tmp_path / "kb"
    root.mkdir()
    file = root / "m.eml"

    file.write_bytes(bytes(mail("The budget of the harbour is fixed.", ("list.txt", b"Cranes: seven."), ("bad.pdf", b"%PDF-1.4 broken"))))
    report = index(root)
    assert [f["source"].removeprefix(f"{root}/") for f in report["failed"]] == ["m.eml#bad.pdf"]
    assert list(contents(store, root)) == ["m.eml", "m.eml#list.txt"]
    entry = list_sources(store)[0]
    assert (entry["title"], entry["mime_type"]) == ("The budget", "message/rfc822")

    file.write_bytes(bytes(mail("", ("list.txt", b"Cranes: eight."))))  # no text of its own
    report = index(root)
    assert report["failed"] == []
    found = contents(store, root)
    assert found["m.eml#list.txt"] == "Cranes: eight."
    assert "Attachments: list.txt" in found["m.eml"]

    file.write_bytes(bytes(mail("Only words now.")))
    assert index(root)["failed"] == []
    assert list(contents(store, root)) == ["m.eml"]


def test_an_archive_of_which_nothing_can_be_read_fails_with_the_reasons(index, store, tmp_path):
    (tmp_path / "a.zip").write_bytes(zipped(("a.pdf", b"%PDF-1.4 broken"), ("b.bin", b"\x00\x01\x02" * 50)))
    (tmp_path / "good.txt").write_text(A)
    report = index(tmp_path)
    assert {f["source"].removeprefix(f"{tmp_path}/a.zip") for f in report["failed"]} == {"#a.pdf", "#b.bin"}
    assert [Path(u).name for u in report["added"]] == ["good.txt"]
    states = {m["file_name"]: state_of(m)["state"] for m in list_sources(store)}
    assert states == {"a.zip": "failed", "good.txt": "ok"}

"""The default indexing graph from files to the index, with the packaged embedding model."""

from pathlib import Path

import pytest

from app.graphs import load_graph
from app.indexing import index_paths
from app.sources import equals, list_sources, source_text
from app.store import graph_store

LEAVE = "# Leave\n\nStaff get twenty days of leave a year.\n\n## Carry over\n\nFive days may be carried over, unless the manager says no.\n"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    (root / "hr").mkdir(parents=True)
    (root / "leave.md").write_text(LEAVE)
    (root / "hr/pay.html").write_text("<html><head><title>Pay</title></head><body><p>Pay day is the last working day of the month.</p></body></html>")
    (root / "codes.jsonl").write_text('{"id": "k1", "text": "Apples are red."}\n{"id": "k2", "text": "Plums are blue."}\n{}\n')
    (root / "bad.pdf").write_bytes(b"%PDF-1.4 nothing more")
    (root / "empty.txt").write_text("")
    return root


def test_files_to_index_and_back(store, admin, docs):
    graph = load_graph("index", phase="indexing")
    assert graph_store(graph) is store

    def index(*paths, **options):
        return index_paths(lambda v: graph.run(v)["report"], paths, store=store, graph_version=graph.version, **options)

    report = index(docs, rules=[{"match": "hr/**", "access": ["hr"]}])
    assert [Path(uri).name for uri in report["added"]] == ["codes.jsonl", "pay.html", "leave.md"]
    assert {Path(f["source"]).name.partition("#")[0] for f in report["failed"]} == {"bad.pdf", "codes.jsonl", "empty.txt"}
    assert report["embedded"] == report["chunks"] > 3
    sources = {m["file_name"]: m for m in list_sources(store)}
    assert {name: m["complete"] for name, m in sources.items()} == {
        "codes.jsonl": False,
        "leave.md": True,
        "pay.html": True,
        "bad.pdf": False,
        "empty.txt": False,
    }
    assert sources["pay.html"]["access"] == ["hr"]
    assert sources["leave.md"]["title"] == "Leave"

    (docs / "leave.md").write_text(LEAVE.replace("# Leave\n", "# Leave\n\nA first paragraph that was not there.\n"))
    report = index(docs / "leave.md", docs / "hr", access=["public"])
    assert [Path(uri).name for uri in report["updated"]] == ["pay.html", "leave.md"]
    assert report["embedded"] < report["chunks"]

    chunks = store.filter_documents(equals("kind", "chunk"), with_embeddings=False)
    assert {d.meta["file_name"] for d in chunks} == {"codes.jsonl", "leave.md", "pay.html"}
    for chunk in chunks:
        text = source_text(store, chunk.meta["source_id"])
        assert text[chunk.meta["char_start"] : chunk.meta["char_end"]] == chunk.content
        assert chunk.meta["access"] == ["public"]
    again = index(docs / "leave.md", docs / "hr")
    assert (again["updated"], again["embedded"], again["index_version"]) == ([], 0, report["index_version"])

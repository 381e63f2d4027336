"""A test collection through real graphs without the dense leg, so that nothing is embedded."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from app.cli import app
from app.evaluating import MARKER, index_key, measure_graph, prepared_index
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from config.settings import settings
from evaluation.beir import read_beir

ROOT = Path(__file__).parents[2]
TEXTS = {
    "leave": ("Annual leave", "Every employee has twenty days of annual leave in a year."),
    "notice": ("Notice", "A notice period of three months binds both sides."),
    "travel": ("", "Trains are booked in second class, flights in economy."),
    "empty": ("", ""),
}
QUERIES = {"q1": "how many days of annual leave", "q2": "which class on trains", "q3": "the notice period", "q4": "nothing judged"}


@pytest.fixture(autouse=True)
def closed_stores():
    yield
    SakshyaDocumentStore.shutdown_all()


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text("\n".join(json.dumps({"_id": k, "title": t, "text": x}) for k, (t, x) in TEXTS.items()))
    (folder / "queries.jsonl").write_text("\n".join(json.dumps({"_id": k, "text": x}) for k, x in QUERIES.items()))
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tleave\t1\nq2\ttravel\t1\nq3\tnotice\t1\n")
    return folder


def without_dense(tmp_path: Path, name: str, lead: dict[str, str]) -> str:
    """A graph of pipelines/ without what is dense; `lead` joins what is left: receiver to sender."""
    config = yaml.safe_load((ROOT / "pipelines" / f"{name}.yml").read_text(encoding="utf-8"))
    dense = {part for part in config["components"] if part.startswith("dense_")}
    for part in dense:
        del config["components"][part]
    ends = lambda c: {c["sender"].partition(".")[0], c["receiver"].partition(".")[0]}  # noqa: E731
    config["connections"] = [c for c in config["connections"] if not ends(c) & dense]
    config["connections"] += [{"sender": sender, "receiver": receiver} for receiver, sender in lead.items()]
    config["inputs"] = {key: [s for s in sockets if s.partition(".")[0] not in dense] for key, sockets in config["inputs"].items()}
    path = tmp_path / f"{name}_bm25.yml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return str(path)


@pytest.fixture
def graphs(tmp_path: Path) -> tuple[str, str]:
    return without_dense(tmp_path, "index", {"sparse_embedder.documents": "changes.new"}), without_dense(tmp_path, "query", {})


def test_a_collection_is_indexed_once_and_asked_through_the_graph(collection, graphs):
    index_graph, query_graph = graphs
    data = read_beir(collection)
    with prepared_index(data, index_graph) as index:
        report = measure_graph(query_graph, data, index, cutoffs=[1])
    assert index.embedded == 3
    assert report.metrics["recall@1"].value == 1
    assert report.metrics["nDCG@10"].value == 1
    assert report.index_version.startswith("evaluation@")
    assert {"bm25_retriever", "fuser", "total"} <= set(report.latency_ms)
    assert any("1 of 4 documents are empty" in note for note in report.notes)
    assert not (settings().index_dir / settings().collection).exists()  # the index that people ask is another
    with prepared_index(data, index_graph) as again:
        assert again.embedded == 0
        assert measure_graph(query_graph, data, again, cutoffs=[1]).rankings == report.rankings
    with prepared_index(data, index_graph, fresh=True) as anew:
        assert anew.embedded == 3


def test_another_corpus_graph_or_model_is_another_index(collection, graphs, monkeypatch):
    index_graph, _ = graphs
    data = read_beir(collection)
    keys = {index_key(data, index_graph), index_key(data, "index")}
    monkeypatch.setenv("SAKSHYA_EMBEDDING_MODEL", "other")
    settings.cache_clear()
    keys.add(index_key(data, index_graph))
    (collection / "corpus.jsonl").write_text((collection / "corpus.jsonl").read_text().replace("twenty", "thirty"))
    keys.add(index_key(read_beir(collection), index_graph))
    assert len(keys) == 4


def test_an_index_that_was_broken_off_is_completed(collection, graphs):
    index_graph, _ = graphs
    data = read_beir(collection)
    with prepared_index(data, index_graph):
        pass
    marker = settings().index_dir / "evaluation" / index_key(data, index_graph) / MARKER
    marker.unlink()
    with prepared_index(data, index_graph) as index:
        assert index.embedded == 0  # what was there is known by its id
    assert marker.is_file()


def test_a_graphs_own_place_for_its_index_is_not_written(collection, graphs, tmp_path):
    index_graph, query_graph = graphs
    for path in map(Path, graphs):
        config = yaml.safe_load(path.read_text())
        for part in config["components"].values():
            if "document_store" in part.get("init_parameters", {}):
                part["init_parameters"]["document_store"]["init_parameters"] = {"path": str(tmp_path / "production"), "index": "live"}
        path.write_text(yaml.safe_dump(config))
    data = read_beir(collection)
    with prepared_index(data, index_graph) as index:
        assert measure_graph(query_graph, data, index).metrics["MRR"].value == 1
    assert not (tmp_path / "production").exists()


def test_the_command_reports_compares_and_refuses(collection, graphs, tmp_path):
    index_graph, query_graph = graphs
    run = CliRunner().invoke
    common = ["evaluate", "retrieval", str(collection), "--index-graph", index_graph, "--graph", query_graph, "--k", "1", "--k", "3", "--json"]
    done = run(app, [*common, "--limit", "2", "--against", query_graph])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert {"metrics", "latency_ms", "queries", "graph", "index_version"} <= set(report)
    assert report["queries"] == 2
    assert set(report["metrics"]["nDCG@10"]) == {"value", "low", "high"}
    assert {"recall@1", "recall@3", "precision@3"} <= set(report["metrics"])
    assert report["difference"]["MRR"] == {"value": 0.0, "low": 0.0, "high": 0.0, "p": 1.0}
    done = run(app, [*common[:-1]])
    assert done.exit_code == 0, done.output
    assert "toy (test): 3 queries" in done.stdout
    (collection / "qrels" / "test.tsv").write_text("q1\tnowhere\t1\n")
    done = run(app, common)
    assert done.exit_code == 2
    assert "test.tsv:1: document 'nowhere' is not in corpus.jsonl" in json.loads(done.stdout)["error"]
    done = run(app, [*common, "--split", "dev"])
    assert "accepted: test" in json.loads(done.stdout)["error"]
    shutil.rmtree(collection / "qrels")
    assert run(app, common).exit_code == 2

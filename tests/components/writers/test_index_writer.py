import asyncio

import pytest
from haystack import Document, Pipeline, component
from haystack.dataclasses import ByteStream, SparseEmbedding

from components.access.principal import Principal, acting_as
from components.document_stores.fingerprint import FingerprintError
from components.failure import Failure
from components.writers.index_writer import IndexWriter
from tests.light_graph import ADMIN, DENSE, DIMENSION, SPARSE, LightGraph, points


def stream(name: str, text: str, **meta) -> ByteStream:
    return ByteStream(text.encode(), {"path": name, **meta})


def by_kind(store, kind: str) -> list[Document]:
    return sorted(store.filter_documents({"field": "meta.kind", "operator": "==", "value": kind}), key=lambda d: d.content or d.meta["uri"])


def texts(store) -> list[str]:
    return [d.content for d in by_kind(store, "chunk")]


def index(graph: LightGraph, *streams: ByteStream, version: str = "") -> dict:
    return graph.run({"sources": list(streams), "graph_version": version})


@pytest.fixture
def graph(admin, store) -> LightGraph:
    return LightGraph(store)


def test_a_first_run_writes_chunks_sections_and_the_entry(graph, store):
    report = index(graph, stream("a.md", "One.\n\nTwo."), stream("b.md", "Three."))
    assert report["added"] == ["a.md", "b.md"]
    assert (report["embedded"], report["chunks"], report["failed"], report["updated"]) == (3, 3, [], [])
    assert report["index_version"].endswith(".1")
    assert texts(store) == ["One.", "Three.", "Two."]
    assert [d.content for d in by_kind(store, "section")] == ["One.\n\nTwo.", "Three."]
    entry = by_kind(store, "source")[0].meta
    assert (entry["uri"], entry["chunks"], entry["sections"], entry["complete"], entry["title"]) == ("a.md", 2, 1, True, "T")
    assert all(d.meta["indexed_at"] for kind in ("chunk", "section", "source") for d in by_kind(store, kind))


def test_unchanged_is_neither_read_on_nor_committed(graph, store):
    index(graph, stream("a.md", "One."))
    before = points(store)
    report = index(graph, stream("a.md", "One."))
    assert report["unchanged"] == ["a.md"]
    assert (report["embedded"], report["chunks"], report["added"], report["updated"]) == (0, 0, [], [])
    assert report["index_version"].endswith(".1")
    assert points(store) == before
    assert graph.embedder.embedded == ["One."]


def test_an_edit_embeds_the_new_chunk_alone_and_removes_the_old(graph, store):
    index(graph, stream("a.md", "One.\n\nTwo."))
    report = index(graph, stream("a.md", "Zero.\n\nOne.\n\nThree."))
    assert report["updated"] == ["a.md"]
    assert (report["embedded"], report["chunks"]) == (2, 3)
    assert texts(store) == ["One.", "Three.", "Zero."]
    assert graph.embedder.embedded == ["One.", "Two.", "Zero.", "Three."]
    assert {d.content: d.meta["char_start"] for d in by_kind(store, "chunk")}["One."] == 7
    assert len(by_kind(store, "section")) == 1


def test_the_result_is_that_of_a_fresh_index(graph, store):
    index(graph, stream("a.md", "One.\n\nTwo.\n\nOne."))
    index(graph, stream("a.md", "Two.\n\nOne.\n\nFour."))
    after = points(store)
    store.delete_by_filter({"field": "meta.container_id", "operator": "!=", "value": ""})
    assert points(store) == {}
    index(graph, stream("a.md", "Two.\n\nOne.\n\nFour."))
    assert points(store) == after


def test_changed_access_rewrites_payload_and_embeds_nothing(graph, store):
    index(graph, stream("a.md", "One.\n\nTwo."))
    report = index(graph, stream("a.md", "One.\n\nTwo.", access=["hr"]))
    assert (report["updated"], report["embedded"], report["chunks"]) == (["a.md"], 0, 2)
    assert report["index_version"].endswith(".2")
    assert {tuple(d.meta["access"]) for kind in ("chunk", "section", "source") for d in by_kind(store, kind)} == {("hr",)}
    with acting_as(Principal("ravi")):
        assert texts(store) == []


def test_another_graph_version_reads_the_source_again(graph, store):
    index(graph, stream("a.md", "One."), version="g1")
    assert index(graph, stream("a.md", "One."), version="g1")["unchanged"] == ["a.md"]
    report = index(graph, stream("a.md", "One."), version="g2")
    assert (report["updated"], report["embedded"]) == (["a.md"], 0)


def test_a_source_that_fails_keeps_its_old_version(graph, store):
    index(graph, stream("a.md", "One."), stream("b.md", "Two."))
    before = {k: v for k, v in points(store).items() if v["meta"]["uri"] == "a.md"}
    report = index(graph, stream("a.md", "One. BROKEN"), stream("b.md", "Three."), stream("c.md", "BROKEN"), stream("d.md", "\n"))
    assert report["failed"] == [
        {"source": "a.md", "reason": "it is broken"},
        {"source": "c.md", "reason": "it is broken"},
        {"source": "d.md", "reason": "no text was found in it"},
    ]
    assert (report["updated"], report["added"]) == (["b.md"], [])
    after = {k: v for k, v in points(store).items() if v["meta"]["uri"] == "a.md"}
    entry = next(key for key, point in before.items() if point["meta"]["kind"] == "source")
    failing = after[entry]["meta"].pop("manifest")
    mended = before[entry]["meta"].pop("manifest")
    assert after == before
    assert (failing["state"], failing["failures"]) == ("failed", [{"source": "a.md", "reason": "it is broken"}])
    assert failing["digest"] == mended["digest"] != failing["failed_digest"]
    again = index(graph, stream("a.md", "One."))
    assert again["unchanged"] == ["a.md"]
    assert manifest(store, "a.md") == mended


def manifest(store, uri: str) -> dict:
    """What the entry of a source says, without times."""
    return next(p["meta"]["manifest"] for p in points(store).values() if (p["meta"]["kind"], p["meta"]["uri"]) == ("source", uri))


def test_a_source_that_failed_is_in_the_manifest_until_it_is_mended(graph, store):
    index(graph, stream("a.md", "BROKEN", access=["hr"]))
    entry = by_kind(store, "source")[0].meta
    assert (entry["chunks"], entry["complete"], entry["access"], entry["title"]) == (0, False, ["hr"], "a.md")
    assert entry["manifest"]["failures"] == [{"source": "a.md", "reason": "it is broken"}]
    assert entry["manifest"]["failed_at"] == entry["manifest"]["failed_since"]
    with acting_as(Principal("ravi")):
        assert by_kind(store, "source") == []
    with acting_as(Principal("asha", ("hr",))):
        assert len(by_kind(store, "source")) == 1
    again = index(graph, stream("a.md", "BROKEN"))
    assert (again["unchanged"], [f["reason"] for f in again["failed"]]) == ([], ["it is broken"])
    assert by_kind(store, "source")[0].meta["access"] == ["hr"]
    healed = index(graph, stream("a.md", "One."))
    assert (healed["added"], healed["failed"]) == (["a.md"], [])
    entry = by_kind(store, "source")[0].meta
    assert (entry["manifest"]["state"], entry["access"], "failures" in entry["manifest"]) == ("ok", ["hr"], False)


def test_a_source_that_never_could_be_read_is_in_the_manifest(graph, store, tmp_path):
    report = graph.run({"sources": [tmp_path / "gone.md", stream("u.md", "")], "meta": [{}, {"unread_reason": "the server said\n404"}]})
    assert [f["reason"] for f in report["failed"]] == ["cannot be read: No such file or directory", "the server said 404"]
    assert {d.meta["uri"]: d.meta["manifest"]["state"] for d in by_kind(store, "source")} == {str(tmp_path / "gone.md"): "failed", "u.md": "failed"}
    assert report["index_version"].endswith(".0")


def test_a_failed_record_is_named_in_the_manifest_unless_records_have_readers_of_their_own(graph, store):
    index(graph, stream("r.csv", "RECORDS\n\nk1 Apples.\n\nk2 BROKEN"), stream("s.csv", "RECORDS\n\nk1 BROKEN"))
    assert manifest(store, "r.csv")["failures"] == [{"source": "r.csv#k2", "reason": "it is broken"}]
    assert manifest(store, "r.csv")["state"] == "partial"
    assert manifest(store, "s.csv")["failures"][0]["reason"] == "failures in its parts: 1 (the report of the run names them)"


def test_notices_are_warnings_of_the_report_and_of_the_manifest(graph, store):
    said = [{"source": "a.md", "reason": "named .txt, but …"}, {"source": "b.md", "reason": "never shown"}]

    @component
    class Says:
        @component.output_types(notices=list[Failure])
        def run(self, sources: list[ByteStream]) -> dict:
            return {"notices": said if sources else []}

    graph.pipeline.add_component("says", Says())
    graph.pipeline.connect("intake.sources", "says.sources")
    graph.pipeline.connect("says.notices", "writer.notices")
    report = index(graph, stream("a.md", "One."), stream("b.md", "BROKEN"))
    assert report["warnings"] == said[:1]
    assert (manifest(store, "a.md")["state"], manifest(store, "a.md")["warnings"]) == ("ok", said[:1])
    assert index(graph, stream("a.md", "One."))["warnings"] == []
    assert manifest(store, "a.md")["warnings"] == said[:1]


def test_access_is_withdrawn_even_if_the_source_fails(graph, store):
    index(graph, stream("a.md", "One."))
    report = index(graph, stream("a.md", "One. BROKEN", access=["hr"]))
    assert report["failed"][0]["source"] == "a.md"
    assert report["index_version"].endswith(".2")
    with acting_as(Principal("ravi")):
        assert texts(store) == []
    assert index(graph, stream("a.md", "One. BROKEN", access=["hr"]))["index_version"].endswith(".2")
    healed = index(graph, stream("a.md", "One.", access=["hr"]))
    assert healed["updated"] == ["a.md"]
    assert by_kind(store, "source")[0].meta["complete"] is True


def test_readers_are_taken_from_an_old_version_but_never_added(graph, store):
    index(graph, stream("a.md", "One.", access=["hr"]))
    index(graph, stream("a.md", "One. BROKEN", access=["public"]))
    assert by_kind(store, "chunk")[0].meta["access"] == ["hr"]


def test_access_is_withdrawn_even_if_the_file_cannot_be_read(graph, store, tmp_path):
    file = tmp_path / "a.md"
    file.write_text("One.")
    graph.run({"sources": [file]})
    file.unlink()
    report = graph.run({"sources": [file], "meta": {"access": ["hr"]}})
    assert [f["source"] for f in report["failed"]] == [str(file)]
    assert {tuple(d.meta["access"]) for kind in ("chunk", "section", "source") for d in by_kind(store, kind)} == {("hr",)}


def test_a_failed_record_with_a_hash_in_its_key_belongs_to_its_file(graph, store):
    report = index(graph, stream("r#1.csv", "RECORDS\n\nk1 Apples.\n\nk#2#2 BROKEN"))
    assert report["failed"][0]["source"] == "r#1.csv#k#2#2"
    assert by_kind(store, "source")[0].meta["complete"] is False


def test_a_failed_record_leaves_the_rest_and_is_tried_again(graph, store):
    first = index(graph, stream("r.csv", "RECORDS\n\nk1 Apples.\n\nk2 BROKEN\n\nk3 Pears."))
    assert first["added"] == ["r.csv"]
    assert first["failed"] == [{"source": "r.csv#k2", "reason": "it is broken"}]
    assert texts(store) == ["k1 Apples.", "k3 Pears."]
    assert by_kind(store, "source")[0].meta["complete"] is False
    again = index(graph, stream("r.csv", "RECORDS\n\nk1 Apples.\n\nk2 BROKEN\n\nk3 Pears."))
    assert (again["updated"], again["embedded"], len(again["failed"])) == ([], 0, 1)
    assert again["index_version"] == first["index_version"]
    healed = index(graph, stream("r.csv", "RECORDS\n\nk1 Apples.\n\nk2 Plums.\n\nk3 Pears."))
    assert (healed["updated"], healed["embedded"], healed["failed"]) == (["r.csv"], 1, [])
    assert by_kind(store, "source")[0].meta["complete"] is True


def test_a_record_that_fails_keeps_its_old_version(graph, store):
    index(graph, stream("r.csv", "RECORDS\n\nk1 Apples.\n\nk2 Plums.\n\nk3 Pears."))
    index(graph, stream("r.csv", "RECORDS\n\nk1 Quinces.\n\nk2 BROKEN"))
    assert texts(store) == ["k1 Quinces.", "k2 Plums."]


def test_a_file_of_which_every_record_fails_keeps_its_old_version(graph, store):
    index(graph, stream("r.csv", "RECORDS\n\nk1 Apples."))
    report = index(graph, stream("r.csv", "RECORDS\n\nk1 BROKEN\n\nk2 BROKEN"))
    assert [f["source"] for f in report["failed"]] == ["r.csv#k1", "r.csv#k2"]
    assert (report["updated"], texts(store)) == ([], ["k1 Apples."])


def test_another_fingerprint_is_refused_before_anything_is_written(graph, store):
    index(graph, stream("a.md", "One."))
    before = points(store)
    other = LightGraph(store, model="another")
    with pytest.raises(Exception, match="another") as error:
        index(other, stream("a.md", "Two."), stream("b.md", "Three."))
    assert isinstance(error.value.__cause__, FingerprintError)
    assert "hashes" in str(error.value)
    assert points(store) == before


def test_a_chunk_without_its_vector_is_not_written(admin, store):
    meta = {"kind": "chunk", "source_id": "s", "container_id": "s", "tenant": "default", "access": ["public"], "uri": "a", "title": "A"}
    plan = {"uri": "a", "file_name": "a", "source_version": "1", "meta_version": "1", "is_new": True, "meta": meta}
    intake = {"unchanged": [], "failed": [], "access": {}, "sources": {"s": plan}}
    bare = Document(id="1" * 64, content="x", meta=meta)
    writer = IndexWriter(store)
    report = writer.run([bare], intake, dense_fingerprint=DENSE, sparse_fingerprint=SPARSE)["report"]
    assert report["failed"] == [{"source": "a", "reason": "1 of its 1 chunks got no dense vector"}]
    assert texts(store) == []
    whole = Document(id="1" * 64, content="x", meta=meta, embedding=[0.1] * DIMENSION, sparse_embedding=SparseEmbedding([1], [1.0]))
    stranger = Document(id="2" * 64, content="y", meta={**meta, "container_id": "t", "uri": "t"}, embedding=[0.1] * DIMENSION)
    report = writer.run([whole, stranger], intake, dense_fingerprint=DENSE, sparse_fingerprint=SPARSE)["report"]
    assert report["added"] == ["a"]
    assert [f["source"] for f in report["failed"]] == ["t"]
    assert texts(store) == ["x"]


@pytest.mark.parametrize(
    ("method", "step"), [("write_documents", 0), ("write_documents", 1), ("write_documents", 2), ("delete_except", 0), ("commit", 0)]
)
def test_no_kill_leaves_a_change_under_the_old_version(graph, store, monkeypatch, method, step):
    index(graph, stream("a.md", "One."))
    before = store.index_version()
    assert interrupted(graph, store, monkeypatch, method, step, stream("a.md", "Two."))
    index(graph, stream("a.md", "Two."))
    assert store.index_version() != before
    assert texts(store) == ["Two."]


def interrupted(graph, store, monkeypatch, method: str, step: int, *streams: ByteStream) -> bool:
    """Whether a run ended at its call number `step`, from 0, of a method of the store, as if it was killed before it."""
    real, count = getattr(type(store), method), iter(range(100))

    def failing(self, *args, **kwargs):
        if next(count) == step:
            raise KeyboardInterrupt
        return real(self, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(type(store), method, failing)
        try:
            index(graph, *streams)
        except KeyboardInterrupt:
            return True
    return False


@pytest.mark.parametrize("step", [1, 2])
def test_a_source_that_is_put_back_after_a_kill_is_not_taken_for_unchanged(graph, store, monkeypatch, step):
    index(graph, stream("a.md", "One.\n\nTwo."))
    before = points(store)
    assert interrupted(graph, store, monkeypatch, "write_documents", step, stream("a.md", "One.\n\nThree."))
    report = index(graph, stream("a.md", "One.\n\nTwo."))
    assert report["unchanged"] == []
    assert points(store) == before


@pytest.mark.parametrize("step", [1, 2])
def test_no_point_is_ever_outside_the_manifest(graph, store, monkeypatch, step):
    assert interrupted(graph, store, monkeypatch, "write_documents", step, stream("a.md", "One."))
    assert {p["meta"]["container_id"] for p in points(store).values()} == {d.meta["container_id"] for d in by_kind(store, "source")}
    assert index(graph, stream("a.md", "One."))["added"] == ["a.md"]


@component
class Fails:
    def __init__(self, name: str = ""):
        self.name = name

    @component.output_types(failed=list[Failure])
    def run(self, sources: list[ByteStream]):
        return {"failed": [{"source": self.name, "reason": "it would not"}] if self.name else []}


@pytest.mark.parametrize("mode", ["run", "run_async"])
def test_failures_of_many_senders_arrive(admin, store, mode):
    graph = LightGraph(store)
    for name in ("x", "", "y"):
        graph.pipeline.add_component(f"fails_{name}", Fails(name))
        graph.pipeline.connect("intake.sources", f"fails_{name}.sources")
        graph.pipeline.connect(f"fails_{name}.failed", "writer.failed")
    data = {"intake": {"sources": [stream("a.md", "One."), stream("b.md", "BROKEN")]}}
    with acting_as(ADMIN):
        out = graph.pipeline.run(data) if mode == "run" else asyncio.run(graph.pipeline.run_async(data))
    assert {f["source"] for f in out["writer"]["report"]["failed"]} == {"x", "y", "b.md"}
    assert out["writer"]["report"]["added"] == ["a.md"]
    assert texts(store) == ["One."]


def test_nothing_to_do(graph, store):
    report = index(graph)
    assert report["failed"] == report["added"] == []
    assert report["index_version"].endswith(".0")


def test_round_trip_in_plain_yaml(store):
    pipeline = Pipeline()
    pipeline.add_component("writer", IndexWriter(store))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*"])
    assert again.dumps() == pipeline.dumps()

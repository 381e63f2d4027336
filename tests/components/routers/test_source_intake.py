import os
from pathlib import Path

import pytest
from haystack import Pipeline
from haystack.dataclasses import ByteStream

from components.access.principal import ANONYMOUS, Principal, acting_as
from components.chunk import source_id
from components.routers.source_intake import SourceIntake
from config.settings import settings

pytestmark = pytest.mark.usefixtures("admin")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "docs" / "hr" / "pay.md"
    path.parent.mkdir(parents=True)
    path.write_text("Pay day is the last day of the month.")
    return path


def test_defaults_in_a_plain_haystack_run(store, file):
    out = SourceIntake(store).run([str(file)])
    (stream,) = out["sources"]
    assert stream.data == file.read_bytes()
    meta = stream.meta
    assert meta["path"] == meta["uri"] == str(file)
    assert (meta["tenant"], meta["access"], meta["alias"], meta["file_name"]) == ("default", ["public"], "", "pay.md")
    assert meta["source_id"] == meta["container_id"] == source_id("default", "", str(file))
    assert meta["modified_at"].endswith("+00:00")
    assert out["report"]["sources"][meta["container_id"]]["is_new"] is True
    assert out["report"]["failed"] == out["report"]["unchanged"] == []


def test_nobody_reads_no_path(store, file):
    """As in a server of graphs that knows no principal: the machine's files are not its callers'."""
    with acting_as(ANONYMOUS):
        out = SourceIntake(store).run([str(file), ByteStream(data=b"text", meta={"path": "a.md"})])
    assert out["report"]["failed"] == [{"source": str(file), "reason": "this graph reads no path: send the file itself"}]
    assert [stream.data for stream in out["sources"]] == [b"text"]


def test_the_tenant_is_that_of_the_principal(store, file):
    with acting_as(Principal("asha", tenant="acme", is_admin=True)):
        (stream,) = SourceIntake(store).run([file])["sources"]
    assert stream.meta["tenant"] == "acme"


def test_later_layers_win(store, file):
    intake = SourceIntake(store, [{"match": "hr/**", "access": ["hr"], "team": "people"}])
    given = {"access": ["finance"], "rule_path": "hr/pay.md", "team": "x", "year": 2024}
    (ruled,) = intake.run([file], given)["sources"]
    assert (ruled.meta["access"], ruled.meta["team"], ruled.meta["year"]) == (["hr"], "people", 2024)
    (over,) = intake.run([file], {**given, "overrides": {"access": ["board"]}})["sources"]
    assert over.meta["access"] == ["board"]
    assert "rule_path" not in over.meta
    assert "overrides" not in over.meta


def test_a_rule_on_access_is_not_missed_where_no_root_is_known(store, file):
    (stream,) = SourceIntake(store, [{"match": "hr/**", "access": ["hr"]}]).run([file])["sources"]
    assert stream.meta["access"] == ["hr"]


@pytest.mark.parametrize(
    ("meta", "named"),
    [
        ({"access": []}, "access"),
        ({"access": "hr"}, "access"),
        ({"access": None}, "access"),
        ({"valid_from": "soon"}, "valid_from"),
        ({"valid_from": "2024-02-01", "valid_to": "2024-01-01"}, "before"),
        ({"kind": "chunk"}, "kind"),
        ({"uri": 3}, "uri"),
        ({"tenant": ""}, "tenant"),
    ],
)
def test_meta_that_is_not_accepted_fails_that_source_alone(store, file, meta, named):
    other = file.with_name("leave.md")
    other.write_text("Leave.")
    out = SourceIntake(store).run([file, other], [meta, {}])
    assert [s.meta["file_name"] for s in out["sources"]] == ["leave.md"]
    (failure,) = out["report"]["failed"]
    assert failure["source"] == str(file)
    assert named in failure["reason"]
    assert "\n" not in failure["reason"]


def test_what_cannot_be_read_is_named(store, file, monkeypatch):
    monkeypatch.setenv("SAKSHYA_MAX_FILE_MB", "1")
    settings.cache_clear()
    big = file.with_name("big.txt")
    big.write_bytes(b"x" * 1_048_577)
    pipe = file.with_name("pipe")
    os.mkfifo(pipe)
    dangling = file.with_name("dangling")
    dangling.symlink_to("nothing")
    out = SourceIntake(store).run([big, pipe, dangling, file.parent, file.with_name("gone.md"), file, ByteStream(b"x" * 1_048_577, {"path": "b"})])
    assert [s.meta["path"] for s in out["sources"]] == [str(file)]
    reasons = {Path(f["source"]).name: f["reason"] for f in out["report"]["failed"]}
    assert set(reasons) == {"big.txt", "pipe", "dangling", "hr", "gone.md", "b"}
    assert "SAKSHYA_MAX_FILE_MB=1" in reasons["big.txt"]
    assert "regular" in reasons["pipe"]


def test_streams(store):
    streams = [ByteStream(b"a", {"file_name": "a.md"}, "text/markdown"), ByteStream(b"b", {"url": "https://x.test/b"}), ByteStream(b"c")]
    out = SourceIntake(store, allow_paths=False).run(streams)
    assert [(s.meta["uri"], s.mime_type) for s in out["sources"]] == [("a.md", "text/markdown"), ("https://x.test/b", None)]
    assert [f["source"] for f in out["report"]["failed"]] == ["(unnamed stream)"]


def test_a_served_graph_reads_no_path(store, file):
    out = SourceIntake(store, allow_paths=False).run([file, "/etc/passwd"])
    assert out["sources"] == []
    assert len(out["report"]["failed"]) == 2


def test_the_same_source_twice(store, file):
    out = SourceIntake(store).run([file, str(file), ByteStream(b"other", {"path": str(file)})])
    assert len(out["sources"]) == 1
    assert "same identity" in out["report"]["failed"][0]["reason"]


def test_a_list_of_meta_must_fit(store, file):
    with pytest.raises(ValueError, match="2 for 1 sources"):
        SourceIntake(store).run([file], [{}, {}])


def test_round_trip_in_plain_yaml(store):
    pipeline = Pipeline()
    pipeline.add_component("intake", SourceIntake(store, [{"match": "hr/**", "access": ["hr"]}], allow_paths=False))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*"])
    assert again.dumps() == pipeline.dumps()


def test_wrong_rules_are_refused_at_construction(store):
    with pytest.raises(ValueError, match="path rule 1"):
        SourceIntake(store, [{"glob": "hr/**"}])

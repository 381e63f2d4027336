import shutil
from pathlib import Path

import pytest

from app.errors import UsageError
from app.indexing import index_paths
from app.sources import find_source, list_sources, remove_source, source_text
from components.access.principal import Principal, acting_as
from tests.light_graph import LightGraph, points


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    files = {"leave.md": "Leave.\n\nTwenty days.", "hr/pay.md": "Pay day.\n\nThe last day.", "codes.csv": "RECORDS\n\nk1 Apples.\n\nk2 Pears."}
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture
def index(store):
    graph = LightGraph(store)

    def run(*paths, **options):
        return index_paths(graph.run, paths, store=store, **options)

    run.graph = graph
    return run


def uris(names, root):
    return [str(root / name) for name in names]


def test_the_report(index, docs, admin):
    steps = []
    report = index(docs, on_progress=lambda *step: steps.append(step), max_files=2)
    lists = ["added", "updated", "unchanged", "renamed", "removed", "missing", "failed", "warnings", "duplicates", "near_duplicates"]
    assert list(report) == [*lists, "embedded", "chunks", "seconds", "index_version"]
    assert report["added"] == uris(["codes.csv", "hr/pay.md", "leave.md"], docs)
    assert (report["embedded"], report["chunks"], report["failed"]) == (6, 6, [])
    assert report["seconds"] > 0
    assert report["index_version"].endswith(".2")
    assert steps == [(2, 3, str(docs / "hr/pay.md")), (3, 3, str(docs / "leave.md"))]
    again = index(docs)
    assert again["unchanged"] == report["added"]
    assert (again["added"], again["embedded"], again["index_version"]) == ([], 0, report["index_version"])


def test_a_subfolder_is_the_same_sources(index, docs):
    index(docs)
    assert index(docs / "hr")["unchanged"] == uris(["hr/pay.md"], docs)


def test_missing_is_reported_and_pruned_only_under_the_root(index, docs, store, admin):
    index(docs)
    (docs / "leave.md").unlink()
    shutil.rmtree(docs / "hr")
    (docs / "hr").mkdir()
    assert index(docs)["missing"] == uris(["hr/pay.md", "leave.md"], docs)
    report = index(docs / "hr", prune=True)
    assert (report["removed"], report["missing"]) == (uris(["hr/pay.md"], docs), [])
    assert {p["meta"]["file_name"] for p in points(store).values()} == {"leave.md", "codes.csv"}
    assert report["index_version"].endswith(".2")
    assert index(docs / "codes.csv", prune=True)["removed"] == []
    assert index(docs)["missing"] == uris(["leave.md"], docs)


def test_a_file_that_a_glob_leaves_out_is_not_missing(index, docs):
    index(docs)
    report = index(docs, exclude=["hr/"], prune=True)
    assert (report["removed"], report["missing"]) == ([], [])


def test_an_alias_survives_a_move_and_is_pruned_as_a_whole(index, docs, store, tmp_path, admin):
    index(docs, alias="handbook")
    docs.rename(tmp_path / "moved")
    (tmp_path / "moved/leave.md").unlink()
    (docs).mkdir()
    (docs / "x.md").write_text("Other.")
    index(docs)
    report = index(tmp_path / "moved", alias="handbook", prune=True)
    assert report["unchanged"] == ["handbook/codes.csv", "handbook/hr/pay.md"]
    assert report["removed"] == ["handbook/leave.md"]
    assert {m["uri"] for m in list_sources(store)} == {"handbook/codes.csv", "handbook/hr/pay.md", str(docs / "x.md")}


def test_access_and_rules(index, docs, store, admin):
    index(docs, access=["staff"], rules=[{"match": "hr/**", "access": ["hr"], "valid_to": "2030-01-01"}])
    seen = {m["file_name"]: m for m in list_sources(store)}
    assert seen["leave.md"]["access"] == ["staff"]
    assert (seen["pay.md"]["access"], seen["pay.md"]["valid_to"]) == (["hr"], "2030-01-01")
    with acting_as(Principal("ravi", ("staff",))):
        assert {m["file_name"] for m in list_sources(store)} == {"leave.md", "codes.csv"}
    report = index(docs, access=["staff"])
    assert (report["updated"], report["embedded"]) == (uris(["hr/pay.md"], docs), 0)
    assert "valid_to" not in {m["file_name"]: m for m in list_sources(store)}["pay.md"]


def test_what_was_closed_stays_closed_when_access_is_not_said_again(index, docs, store, admin):
    index(docs, access=["staff"])
    (docs / "leave.md").write_text("Leave.\n\nThirty days.")
    (docs / "new.md").write_text("New.\n\nOpen to all.")
    report = index(docs)
    assert (len(report["updated"]), len(report["added"])) == (1, 1)
    with acting_as(admin):
        assert {meta["file_name"]: meta["access"] for meta in list_sources(store)} == {
            "leave.md": ["staff"],
            "pay.md": ["staff"],
            "codes.csv": ["staff"],
            "new.md": ["public"],
        }
    index(docs, access=["public"])
    with acting_as(admin):
        assert {tuple(meta["access"]) for meta in list_sources(store)} == {("public",)}


@pytest.mark.parametrize("options", [{"rules": [{"match": "x"}]}, {"access": []}, {"access": [""]}, {"include": ["#"]}])
def test_wrong_use(index, docs, options):
    with pytest.raises(UsageError):
        index(docs, **options)


def test_tenants_do_not_meet(index, docs, store):
    index(docs, tenant="acme")
    assert index(docs, tenant="other")["added"]
    with acting_as(Principal("a", tenant="acme", is_admin=True)):
        assert len(list_sources(store)) == 3
    (docs / "leave.md").unlink()
    assert index(docs, tenant="acme", prune=True)["removed"]
    with acting_as(Principal("a", tenant="other", is_admin=True)):
        assert len(list_sources(store)) == 3


def test_one_bad_file_never_stops_the_rest(index, docs):
    (docs / "a.md").write_text("CRASH")
    (docs / "b.md").write_text("BROKEN")
    (docs / "c.md").symlink_to("nowhere")
    report = index(docs)
    assert {Path(f["source"]).name: f["reason"] for f in report["failed"]} == {
        "a.md": f"a fault, met in {docs / 'a.md'}",
        "b.md": "it is broken",
        "c.md": "cannot be read: No such file or directory",
    }
    assert len(report["added"]) == 3


def test_finding_a_source(index, docs, store, admin, monkeypatch):
    index(docs)
    (docs / "other").mkdir()
    (docs / "other/leave.md").write_text("Another.")
    index(docs)
    monkeypatch.chdir(docs)
    manifest = {m["uri"]: m for m in list_sources(store)}
    leave = manifest[str(docs / "leave.md")]
    for name in (leave["source_id"], leave["source_id"][:6], leave["uri"], "./leave.md"):
        assert find_source(store, name)["uri"] == leave["uri"]
    assert find_source(store, "pay.md")["uri"] == str(docs / "hr/pay.md")
    monkeypatch.chdir(docs.parent)
    with pytest.raises(UsageError, match=r"names 2 sources: .*other/leave\.md"):
        find_source(store, "leave.md")
    for name in ("nothing.md", "", leave["source_id"][:5]):
        with pytest.raises(UsageError):
            find_source(store, name)
    record = find_source(store, str(docs / "codes.csv#k1"))
    assert find_source(store, record["source_id"])["record_id"] == "k1"
    assert find_source(store, record["source_id"][:8])["record_id"] == "k1"
    assert source_text(store, record["source_id"]) == "k1 Apples."
    assert source_text(store, leave["source_id"]) == "Leave.\n\nTwenty days."


def test_removing_a_source(index, docs, store, admin):
    index(docs)
    with pytest.raises(UsageError, match=r"is inside .*codes\.csv"):
        remove_source(store, str(docs / "codes.csv#k1"))
    version = store.index_version()
    assert remove_source(store, "codes.csv") == uris(["codes.csv"], docs)
    assert store.index_version() != version
    assert {p["meta"]["file_name"] for p in points(store).values()} == {"leave.md", "pay.md"}
    assert index(docs)["added"] == uris(["codes.csv"], docs)


def test_a_principal_of_another_tenant_removes_nothing(index, docs, store, admin):
    index(docs)
    with pytest.raises(UsageError, match="no source"):
        remove_source(store, "codes.csv", tenant="other")


def by_name(store) -> dict:
    return {meta["file_name"]: meta for meta in list_sources(store)}


def test_a_renamed_file_is_moved_and_nothing_is_read_or_embedded(index, docs, store, admin):
    index(docs, access=["hr"])
    before = points(store)
    read = index.graph.splitter.read
    count = len(read)
    (docs / "leave.md").rename(docs / "hr/holidays.md")
    report = index(docs)
    assert report["renamed"] == [{"from": str(docs / "leave.md"), "to": str(docs / "hr/holidays.md")}]
    assert (report["added"], report["updated"], report["missing"], report["removed"], report["embedded"]) == ([], [], [], [], 0)
    assert len(read) == count
    assert by_name(store)["holidays.md"]["access"] == ["hr"]
    assert "leave.md" not in by_name(store)
    moved = points(store)
    assert sorted(p["content"] or "" for p in moved.values()) == sorted(p["content"] or "" for p in before.values())
    again = index(docs)
    assert (len(again["unchanged"]), again["embedded"], again["index_version"]) == (3, 0, report["index_version"])
    store.delete_by_filter({"field": "meta.container_id", "operator": "!=", "value": ""})
    index(docs, access=["hr"])
    assert points(store) == moved


def test_a_renamed_folder_and_records_move_with_their_file(index, docs, store, admin):
    index(docs)
    docs.rename(docs.with_name("handbook"))
    report = index(docs.with_name("handbook"))
    assert (len(report["renamed"]), report["embedded"], len(list_sources(store))) == (3, 0, 3)
    record = find_source(store, str(docs.with_name("handbook") / "codes.csv#k1"))
    assert (record["record_id"], source_text(store, record["source_id"])) == ("k1", "k1 Apples.")


def test_the_rules_of_the_new_path_hold_and_a_name_alone_opens_nothing(index, docs, store, admin):
    rules = [{"match": "hr/**", "access": ["hr"]}, {"match": "open/**", "access": ["public"], "team": "all"}]
    index(docs, rules=rules)
    (docs / "hr/pay.md").rename(docs / "pay.md")
    report = index(docs, rules=rules)
    assert (len(report["renamed"]), by_name(store)["pay.md"]["access"]) == (1, ["hr"])
    (docs / "open").mkdir()
    (docs / "pay.md").rename(docs / "open/pay.md")
    report = index(docs, rules=rules)
    assert (report["embedded"], by_name(store)["pay.md"]["access"], by_name(store)["pay.md"]["team"]) == (0, ["public"], "all")
    with acting_as(Principal("ravi")):
        chunks = store.filter_documents({"field": "meta.kind", "operator": "==", "value": "chunk"})
        assert {c.meta["team"] for c in chunks if c.meta["file_name"] == "pay.md"} == {"all"}


def test_of_two_files_of_the_same_bytes_the_narrower_access_holds(index, docs, store, admin):
    (docs / "hr/leave.md").write_text((docs / "leave.md").read_text())
    index(docs, rules=[{"match": "hr/**", "access": ["hr"]}])
    (docs / "leave.md").rename(docs / "a.md")
    (docs / "hr/leave.md").rename(docs / "b.md")
    (docs / "c.md").write_text((docs / "a.md").read_text())
    report = index(docs, max_files=1)
    assert (len(report["renamed"]), len(report["added"])) == (2, 1)
    assert {by_name(store)[name]["access"][0] for name in ("a.md", "b.md", "c.md")} == {"hr"}


def test_a_file_moved_over_another_takes_its_readers_away(index, docs, store, admin):
    index(docs, rules=[{"match": "hr/**", "access": ["hr"]}])
    (docs / "hr/pay.md").rename(docs / "leave.md")
    report = index(docs)
    assert report["renamed"] == [{"from": str(docs / "hr/pay.md"), "to": str(docs / "leave.md")}]
    assert (by_name(store)["leave.md"]["access"], report["embedded"]) == (["hr"], 0)
    assert {p["content"] for p in points(store).values() if p["meta"]["file_name"] == "leave.md"} == {
        None, "Pay day.", "The last day.", "Pay day.\n\nThe last day.",
    }  # fmt: skip


def test_two_files_that_change_places_open_neither(index, docs, store, admin):
    (docs / "leave.md").write_text("Leave.\n\nTwenty dayz.")
    (docs / "hr/pay.md").write_text("Secret.\n\nTwenty dayz")
    index(docs, rules=[{"match": "hr/**", "access": ["hr"]}])
    (docs / "leave.md").rename(docs / "x")
    (docs / "hr/pay.md").rename(docs / "leave.md")
    (docs / "x").rename(docs / "hr/pay.md")
    index(docs)
    assert (by_name(store)["leave.md"]["access"], by_name(store)["pay.md"]["access"]) == (["hr"], ["hr"])


def test_a_copy_is_no_rename_and_is_reported(index, docs, store, admin):
    long = " ".join(f"word{n}" for n in range(40))
    (docs / "leave.md").write_text(long)
    index(docs)
    (docs / "copy.md").write_text(long)
    (docs / "edited.md").write_text(long + " and more.")
    report = index(docs)
    assert report["renamed"] == []
    assert report["duplicates"] == [{"source": str(docs / "copy.md"), "of": str(docs / "leave.md")}]
    assert [(Path(p["source"]).name, p["similarity"] > 0.8) for p in report["near_duplicates"]] == [("edited.md", True)]
    assert len(list_sources(store)) == 5
    assert index(docs)["duplicates"] == []


def test_a_failing_file_stays_failed_moves_and_goes_with_prune(index, docs, store, admin):
    (docs / "bad.md").write_text("BROKEN")
    index(docs, access=["hr"])
    (docs / "bad.md").rename(docs / "worse.md")
    report = index(docs)
    assert ([Path(f["source"]).name for f in report["failed"]], report["missing"], report["unchanged"][2:]) == (
        ["worse.md"],
        [],
        uris(["leave.md"], docs),
    )
    assert by_name(store)["worse.md"]["access"] == ["hr"]
    (docs / "crash.md").write_text("CRASH")
    index(docs)
    assert by_name(store)["crash.md"]["manifest"]["failures"][0]["reason"].startswith("a fault, met in")
    (docs / "worse.md").unlink()
    assert index(docs)["missing"] == uris(["worse.md"], docs)
    assert index(docs, prune=True)["removed"] == uris(["worse.md"], docs)
    assert "worse.md" not in by_name(store)
    assert remove_source(store, "crash.md") == uris(["crash.md"], docs)

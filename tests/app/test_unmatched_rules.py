"""A rule by path that hits nothing is told, and stops the run where it would leave files open."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import app
from app.errors import UsageError
from app.finding import collect
from app.unmatched_rules import rule_lines, unmatched_rules

HR = {"match": "hr/**", "access": ["hr"]}
TYPO = {"match": "hrr/**", "access": ["hr"]}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    for name in ("leave.md", "hr/pay.md", "board/minutes.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"Text of {name}.")
    (root / "legal").mkdir()
    (root / "legal" / ".keep").write_text("")
    return root


def tried(paths, rules, exclude=(), **options):
    return unmatched_rules(rules, collect(paths, exclude=exclude)[0], paths, **options)


def test_a_mistyped_rule_is_refused_and_says_what_it_was_tried_on(docs):
    (found,) = tried([docs], [HR, TYPO], lines=[1, 4])
    assert (found["rule"], found["line"], found["match"], found["restricts"], found["refused"]) == (2, 4, "hrr/**", True, True)
    assert "none of the 3 paths" in found["reason"] and "board/minutes.md, hr/pay.md, leave.md" in found["reason"]
    assert found["reason"].endswith("there is a folder hr/")


@pytest.mark.parametrize("rule", [{"match": "HR/**", "access": ["hr"]}, {"match": "docs/hr/**", "access": ["hr"]}])
def test_another_case_and_another_root_are_mistakes_too(docs, rule):
    assert tried([docs], [rule])[0]["refused"]


@pytest.mark.parametrize("given", ["hr", "hr/pay.md"])
def test_a_rule_that_would_match_from_a_folder_above_is_refused(docs, given):
    (found,) = tried([docs / given], [HR])
    assert found["refused"] and "from a folder above" in found["reason"]


def test_where_nothing_becomes_open_it_is_a_warning(docs, tmp_path):
    (tmp_path / "empty").mkdir()
    for paths, rule, exclude in (
        ([docs], {"match": "old/**", "valid_to": "2024-07-01"}, ()),  # no access
        ([docs], {"match": "old/**", "access": ["public"]}, ()),
        ([docs], {"match": "legal/**", "access": ["legal"]}, ()),  # the folder is there and empty
        ([docs], HR, ("hr/",)),  # left out
        ([docs / "leave.md"], HR, ()),  # one file, not of this rule
        ([tmp_path / "empty"], HR, ()),
    ):
        (found,) = tried(paths, [rule], exclude)
        assert not found["refused"], (rule, found)


def test_what_matches_is_not_told(docs):
    assert tried([docs], [HR]) == []
    assert unmatched_rules([{"match": "example.org/**", "access": ["hr"]}], [], [], ["example.org/leave.html"]) == []


def test_lines_and_faults():
    assert rule_lines("# two rules\n- {match: a, title: x}\n\n- match: b\n  title: y\n") == [2, 4] and rule_lines("a: 1") == []
    with pytest.raises(UsageError, match="sets nothing"):
        unmatched_rules([{"match": "a"}], [], [])


def test_the_command_indexes_nothing(docs, tmp_path, monkeypatch):
    monkeypatch.setattr("app.commands.index.index_paths", lambda *_, **__: pytest.fail("indexed"))
    rules = tmp_path / "rules.yml"
    rules.write_text("- match: hr/**\n  access: [hr]\n- match: hrr/**\n  access: [hr]\n")
    done = CliRunner().invoke(app, ["index", str(docs), "--rules", str(rules), "--json"])
    said = json.loads(done.stdout)
    assert done.exit_code == 2 and f"{rules}:3: rule 2 (hrr/**)" in said["error"] and "nothing was indexed" in said["error"]
    assert [rule["match"] for rule in said["unmatched_rules"]] == ["hrr/**"]


def test_the_command_goes_on_with_a_warning(docs, tmp_path, monkeypatch):
    lists = ("added", "updated", "unchanged", "renamed", "removed", "missing", "failed", "warnings", "duplicates", "near_duplicates")
    report = {**{name: [] for name in lists}, "chunks": 0, "embedded": 0, "seconds": 0.0, "index_version": ""}
    monkeypatch.setattr("app.commands.index.index_paths", lambda *_, **__: report)
    monkeypatch.setattr("app.commands.index._indexer", lambda _: (lambda values: {}, None, ""))
    rules = tmp_path / "rules.yml"
    rules.write_text("- match: old/**\n  valid_to: 2024-07-01\n")
    done = CliRunner().invoke(app, ["index", str(docs), "--rules", str(rules), "--json"])
    assert done.exit_code == 0 and json.loads(done.stdout)["unmatched_rules"][0]["line"] == 1
    assert "warning:" in done.stderr and "rule 1 (old/**)" in done.stderr

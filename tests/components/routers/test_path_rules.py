from datetime import date

import pytest
import yaml

from components.routers.path_rules import PathRules


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("hr/**", "hr/a.md", True),
        ("hr/**", "hr/x/a.md", True),
        ("hr/**", "x/hr/a.md", False),
        ("hr", "hr/a.md", True),
        ("*.old.md", "a/b/c.old.md", True),
        ("/*.md", "a/b.md", False),
        ("a/*.md", "a/b/c.md", False),
        ("**/drafts/*", "x/y/drafts/a.md", True),
        ("HR/**", "hr/a.md", False),
    ],
)
def test_globs(pattern, path, matches):
    assert bool(PathRules([{"match": pattern, "tag": 1}]).fields(path)) == matches


def test_later_rules_override_field_by_field():
    rules = PathRules([{"match": "hr/**", "access": ["hr"], "team": "people"}, {"match": "hr/open.md", "access": ["public"]}])
    assert rules.fields("hr/open.md") == {"access": ["public"], "team": "people"}
    assert rules.fields("hr/pay.md") == {"access": ["hr"], "team": "people"}
    assert rules.fields("leave.md") == {}


def test_without_a_root_a_rule_matches_below_any_folder():
    rules = PathRules([{"match": "hr/**", "access": ["hr"]}])
    assert rules.fields("/data/docs/hr/pay.md") == {}
    assert rules.fields("/data/docs/hr/pay.md", rooted=False) == {"access": ["hr"]}


def test_a_yaml_date_becomes_text():
    rules = PathRules(yaml.safe_load("[{match: 'old/**', valid_to: 2024-07-01}]"))
    assert rules.rules == [{"match": "old/**", "valid_to": "2024-07-01"}]
    assert PathRules([{"match": "a", "valid_from": date(2024, 1, 2)}]).fields("a") == {"valid_from": "2024-01-02"}


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ({"match": "a"}, "list of mappings"),
        (["hr/**"], "path rule 1"),
        ([{"match": "a", "x": 1}, {"access": ["hr"]}], "path rule 2"),
        ([{"match": "hr/**"}], "sets nothing"),
        ([{"match": "", "x": 1}], "pattern"),
        ([{"match": "!hr", "x": 1}], "pattern"),
        ([{"match": ["hr"], "x": 1}], "pattern"),
        ([{"match": "hr", "access": []}], "access"),
        ([{"match": "hr", "access": "hr"}], "access"),
        ([{"match": "hr", "access": None}], "access"),
        ([{"match": "hr", "valid_to": "July"}], "valid_to"),
        ([{"match": "hr", "valid_from": "2024-02-01", "valid_to": "2024-01-01"}], "before"),
        ([{"match": "hr", "tenant": "other"}], "identifies"),
        ([{"match": "hr", "kind": "chunk"}], "kind"),
    ],
)
def test_wrong_rules_are_refused_in_one_line(rules, named):
    with pytest.raises(ValueError, match=named) as error:
        PathRules(rules)
    assert "\n" not in str(error.value)

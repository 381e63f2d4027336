import json

import pytest

from app.serving.filters import checked_filters
from app.serving.index_routes import file_path
from app.serving.problems import Problem

GOOD = {"field": "meta.mime_type", "operator": "==", "value": "text/csv"}


def deep(levels):
    inner = GOOD
    for _ in range(levels):
        inner = {"operator": "AND", "conditions": [inner]}
    return inner


def test_filters_of_haystack_pass():
    for filters in (GOOD, {}, deep(3), {"field": "größe", "operator": "in", "value": []}):
        assert checked_filters(filters) is filters


@pytest.mark.parametrize(
    "filters",
    [
        {"field": "a"},
        {"operator": "AND"},
        {"operator": "AND", "conditions": []},
        {"operator": "AND", "conditions": ["x"]},
        {**GOOD, "operator": "like"},
        {**GOOD, "field": "a[0]"},
        {**GOOD, "field": 3},
        {**GOOD, "value": {"a": 1}},
        {**GOOD, "value": 2**70},
        {**GOOD, "value": float("nan")},
        {**GOOD, "value": json.loads('"\\ud800"')},
        {**GOOD, "operator": "in", "value": [{}]},
        {**GOOD, "operator": "in", "value": list(range(1000))},
        {**GOOD, "operator": ["=="]},
        {"operator": {}, "conditions": []},
        deep(50),
    ],
)
def test_anything_else_is_a_fault_of_the_request(filters):
    with pytest.raises(ValueError, match=r".") as caught:
        checked_filters(filters)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a.md", "a.md"),
        ("/etc/passwd", "passwd"),
        ("..\\..\\x.md", "x.md"),
        ("a/../b.pdf", "b.pdf"),
        (".env", "env"),
        ("पत्र.md", "पत्र.md"),
        ("a\nb.md", "ab.md"),
    ],
)
def test_a_file_s_name_is_no_path(name, path):
    assert file_path(name) == path


@pytest.mark.parametrize("name", [None, "", "..", "a/", " . ", "\x00", "x" * 300])
def test_a_file_without_a_name_is_refused(name):
    with pytest.raises(Problem):
        file_path(name)

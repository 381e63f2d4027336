"""The table of `sakshya search`: equal titles are told apart by their files."""

from io import StringIO

import pytest
from rich.console import Console
from typer.testing import CliRunner

from app.cli import app
from app.commands.search import passages_table, told_apart
from app.query import score_stage


def test_equal_titles_are_told_apart():
    shared = {"rank": 1, "score": 0.5, "title": "Rules", "heading_path": ["Leave"], "text": "Twenty days."}
    page = Console(file=StringIO(), width=100)
    page.print(passages_table([{**shared, "uri": uri} for uri in ("/a/law.md", "/b/law.md", "/b/mail.eml#note.txt")]))
    text = page.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]
    assert all(name in text for name in ("a/law.md", "b/law.md", " mail.eml#note.txt"))


def shown(*documents):
    page = Console(file=StringIO(), width=100)
    page.print(passages_table([{"rank": 1, "title": "Rules", "text": "Twenty days.", "uri": "/a.md", **one} for one in documents]))
    return page.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]


def test_a_score_says_whose_it_is_and_what_it_is_not():
    text = shown({"score": 0.98321, "score_of": "fusion"}, {"score": 0.5, "score_of": "fusion"})
    assert "score of" in text and "fusion" in text and ".983" in text
    assert "no probabilities" in text and "do not compare" in " ".join(text.split())
    mixed = shown({"score": 0.9, "score_of": "ranker"}, {"score": 0.5, "score_of": "fusion"}, {"score": None})
    assert "score of" not in mixed and "ranker" in mixed and "fusion" in mixed


def test_the_help_says_it_too():
    said = " ".join(CliRunner().invoke(app, ["search", "--help"]).output.replace("│", " ").split())
    assert "no probability" in said and "do not compare" in said


@pytest.mark.parametrize(
    ("score", "ranks", "stage"),
    [
        (0.9, {"dense": {"score": 0.6}, "sparse": {"score": 6.1}, "learned": {"score": 7.0}}, "fusion"),
        (0.6, {"dense": {"score": 0.6}}, "dense"),
        (0.8, {"dense": {"score": 0.6}, "sparse": {"score": 6.1}, "ranker": {"score": 0.8}}, "ranker"),
        (0.8, {"hop": {"rank": 1}}, "fusion"),
        (0.8, {}, ""),
        (None, {"dense": {"score": 0.6}}, ""),
    ],
)
def test_the_stage_of_a_score(score, ranks, stage):
    assert score_stage(score, ranks) == stage


def test_the_end_of_an_address():
    assert told_apart(["https://example.org/", "https://example.org/find/?q=1", "", "/a/b.md", "/a/b.md"]) == [
        "example.org",
        "find/?q=1",
        "",
        "b.md",
        "b.md",
    ]

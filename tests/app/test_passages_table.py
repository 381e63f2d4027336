"""The table of `sakshya search`: equal titles are told apart by their files."""

from io import StringIO

from rich.console import Console

from app.commands.search import passages_table, told_apart


def test_equal_titles_are_told_apart():
    shared = {"rank": 1, "score": 0.5, "title": "Rules", "heading_path": ["Leave"], "text": "Twenty days."}
    page = Console(file=StringIO(), width=100)
    page.print(passages_table([{**shared, "uri": uri} for uri in ("/a/law.md", "/b/law.md", "/b/mail.eml#note.txt")]))
    text = page.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]
    assert all(name in text for name in ("a/law.md", "b/law.md", " mail.eml#note.txt"))


def test_the_end_of_an_address():
    assert told_apart(["https://example.org/", "https://example.org/find/?q=1", "", "/a/b.md", "/a/b.md"]) == [
        "example.org",
        "find/?q=1",
        "",
        "b.md",
        "b.md",
    ]

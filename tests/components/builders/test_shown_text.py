"""Nothing of a document or a model is rendered."""

import pytest

from components.builders.shown_text import known_addresses, shown_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('![a chart](https://e.example/x.png "t") ok', "a chart ok"),
        ("![a][ref] ok", "a ok"),
        ("see [the page](<https://e.example/a>)", "see the page (https://e.example/a)"),
        ("<https://e.example/a> ok", "https://e.example/a ok"),
        ("[x]: https://e.example", "x https://e.example"),
        ("<script>alert(1)</script>", "‹script>alert(1)‹/script>"),
        ("<IMG SRC=x onerror=y>", "‹IMG SRC=x onerror=y>"),
        ("<x-y onclick=z>", "‹x-y onclick=z>"),
        ("<!-- hidden -->", "‹!-- hidden -->"),
        ("[go](javascript:alert)", "go (javascript alert)"),
        ("a < b and vector<int> and List<String>", "a < b and vector<int> and List<String>"),
        ("footnote [4], [the tenant]", "footnote (4), [the tenant]"),
    ],
)
def test_shown_text(text, shown):
    assert shown_text(text) == shown


def test_addresses_of_passages_stay():
    assert known_addresses("At https://a.example/x.", ["at https://a.example/x"]) == ("At https://a.example/x.", 0)
    assert known_addresses("At https://a.example/x?d=1.", ["at https://a.example/x"])[1] == 1
    assert known_addresses("At //a and e.g.", []) == ("At //a and e.g.", 0)

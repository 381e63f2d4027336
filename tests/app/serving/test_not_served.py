"""A graph that is not served: why, in the words that the command line without a server has."""

import pytest

from app.serving.internal_routes import why_not


def test_the_missing_setting_is_named():
    assert "SAKSHYA_CHAT_MODEL is not set" in why_not("query_multi")


@pytest.mark.parametrize(("name", "says"), [("index", " (it is a graph for indexing)"), ("nope", ""), ("../query", ""), ("a/b", ""), ("", "")])
def test_other_names(name, says):
    assert why_not(name) == says

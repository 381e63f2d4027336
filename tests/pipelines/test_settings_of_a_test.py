"""What a test here sets does not reach the next one; the two run in this order."""

import os

from config.settings import settings
from tests.scripted_chat import scripted_chat


def test_one_sets_a_chat_model(monkeypatch):
    with scripted_chat(["Yes."], monkeypatch):
        assert settings().chat_model == "scripted"


def test_the_next_does_not_see_it(own_index):
    assert "SAKSHYA_CHAT_MODEL" not in os.environ
    assert settings().chat_model is None
    assert settings().index_dir == own_index

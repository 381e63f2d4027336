"""Settings: bad values are named with what is accepted; `.env.example` names every setting with its default."""

import re
from pathlib import Path

import pytest

from config.settings import Settings, SettingsError, home, load_settings

EXAMPLE = Path(__file__).parents[2] / ".env.example"


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("SAKSHYA_EMBEDDING_DEVICE", "gpu", "'cpu', 'cuda' or 'mps'"),
        ("SAKSHYA_QDRANT_URL", "localhost:6333", "http:// or https://"),
        ("SAKSHYA_EMBEDDING_BATCH_SIZE", "many", "integer"),
        ("SAKSHYA_MAX_FILE_MB", "0", "greater than or equal to 1"),
        ("SAKSHYA_COLLECTION", "a/b", "letters, digits"),
    ],
)
def test_a_bad_value_is_one_line_with_its_name_and_what_is_accepted(monkeypatch, name, value, accepted):
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    (line,) = str(caught.value).splitlines()
    assert name in line
    assert repr(value) in line
    assert accepted in line


def test_every_bad_value_has_a_line_of_its_own(monkeypatch):
    monkeypatch.setenv("SAKSHYA_EMBEDDING_DEVICE", "gpu")
    monkeypatch.setenv("SAKSHYA_MAX_FILE_MB", "-1")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert len(str(caught.value).splitlines()) == 2


def test_an_empty_value_of_an_optional_setting_is_none(monkeypatch):
    monkeypatch.setenv("SAKSHYA_QDRANT_URL", "")
    monkeypatch.setenv("SAKSHYA_CHAT_MODEL", "  ")
    assert load_settings().qdrant_url is None
    assert load_settings().chat_model is None


def test_a_key_is_never_printed(monkeypatch):
    monkeypatch.setenv("SAKSHYA_CHAT_API_KEY", "top-secret-key")
    assert "top-secret-key" not in repr(load_settings())


def test_the_example_names_every_setting_and_changes_none(monkeypatch):
    lines = dict(re.findall(r"^(SAKSHYA_\w+)=(.*)$", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE))
    assert set(lines) == {f"SAKSHYA_{name}".upper() for name in Settings.model_fields}
    for name in lines:
        monkeypatch.delenv(name, raising=False)
    defaults = Settings(_env_file=None)
    for name, value in lines.items():
        monkeypatch.setenv(name, value)
    assert Settings(_env_file=None) == defaults


def test_an_unknown_setting_of_ours_is_refused_with_a_close_name(monkeypatch):
    monkeypatch.setenv("SAKSHYA_EMBEDING_MODEL", "packaged")
    with pytest.raises(SettingsError, match=r"SAKSHYA_EMBEDING_MODEL is no setting; did you mean SAKSHYA_EMBEDDING_MODEL"):
        load_settings()


def test_home_is_the_clone(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert (home() / "pipelines").is_dir()
    (tmp_path / "pipelines").mkdir()
    assert home() == tmp_path
    monkeypatch.setenv("SAKSHYA_HOME", str(tmp_path / "elsewhere"))
    assert home() == tmp_path / "elsewhere"

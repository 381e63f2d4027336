"""Settings: bad values are named with what is accepted; `.env.example` names every setting with its default."""

import re
from pathlib import Path

import pytest

from config.model_folder import why_not_loaded
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


def test_prices_and_fallbacks_are_json_or_a_file_of_it(monkeypatch, tmp_path):
    monkeypatch.setenv("SAKSHYA_CHAT_PRICES", '{"big": [0.003, 0.015], "own": [0, 0]}')
    table = tmp_path / "fallbacks.json"
    table.write_text('[{"model": "small"}, {"model": "away", "url": "http://other/v1"}, {"model": "third", "url": "http://t/v1", "api_key": "k3"}]')
    for name, value in {"FALLBACKS": str(table), "MODEL": "big", "URL": "http://here/v1", "API_KEY": "k1"}.items():
        monkeypatch.setenv(f"SAKSHYA_CHAT_{name}", value)
    read = load_settings()
    assert read.prices == {"big": (0.003, 0.015), "own": (0.0, 0.0)}
    seen = [(e.model, e.url, e.api_key.get_secret_value() if e.api_key else None) for e in read.chat_endpoints]
    assert seen == [
        ("big", "http://here/v1", "k1"),
        ("small", "http://here/v1", "k1"),
        ("away", "http://other/v1", None),
        ("third", "http://t/v1", "k3"),
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CHAT_PRICES", '{"big": 0.003}'),
        ("CHAT_PRICES", '{"big": [0.003, -1]}'),
        ("CHAT_PRICES", '{"big": [NaN, 1]}'),
        ("CHAT_PRICES", "no-such-file.json"),
        ("CHAT_FALLBACKS", '[{"model": "x", "key": "sk-secret"}]'),
        ("CHAT_FALLBACKS", '[{"model": "x", "url": "other", "api_key": "sk-secret"}]'),
        ("CHAT_FALLBACKS", '{"model": "sk-secret"}'),
    ],
)
def test_prices_and_fallbacks_that_are_none_are_refused_without_a_key(monkeypatch, name, value):
    monkeypatch.setenv(f"SAKSHYA_{name}", value)
    with pytest.raises(SettingsError, match=f"SAKSHYA_{name}") as caught:
        load_settings()
    assert len(str(caught.value).splitlines()) == 1 and "sk-secret" not in str(caught.value)


@pytest.fixture
def folder(tmp_path):
    """Files that a model's folder has; their contents are looked at by whoever loads it."""
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        (tmp_path / name).write_text("{}")
    return tmp_path


MODELS = ["SAKSHYA_EMBEDDING_MODEL", "SAKSHYA_EMBEDDING_QUERY_MODEL", "SAKSHYA_RANKER_MODEL", "SAKSHYA_GROUNDING_MODEL"]


@pytest.mark.parametrize("name", MODELS)
def test_a_model_s_folder_is_looked_at_before_a_library_is(monkeypatch, folder, name):
    monkeypatch.setenv(name, str(folder))
    assert load_settings()
    for value in ("packaged", "intfloat/e5-small-v2"):
        monkeypatch.setenv(name, value)
        assert load_settings()
    cases = {"no such folder": "/no/such/folder", "a file, not a folder": str(folder / "config.json")}
    for fault, value in cases.items():
        monkeypatch.setenv(name, value)
        with pytest.raises(SettingsError) as caught:
            load_settings()
        (line,) = str(caught.value).splitlines()
        assert line.startswith(f"{name}={value!r} is not accepted: {fault}. Accepted: ") and "hub name" in line


@pytest.mark.parametrize(("file", "fault"), [("config.json", "config.json"), ("model.safetensors", "weights"), ("tokenizer.json", "tokenizer")])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_s_folder_that_lacks_a_file_names_it(monkeypatch, folder, name, file, fault):
    (folder / file).unlink()
    monkeypatch.setenv(name, str(folder))
    with pytest.raises(SettingsError, match=f"{name}=.* is not accepted: the folder has no {fault}"):
        load_settings()


def test_a_part_that_a_sentence_transformers_model_names_is_looked_for(monkeypatch, folder):
    (folder / "modules.json").write_text('[{"path": ""}, {"path": "1_Pooling"}]')
    monkeypatch.setenv("SAKSHYA_EMBEDDING_MODEL", str(folder))
    with pytest.raises(SettingsError, match="no folder 1_Pooling"):
        load_settings()
    (folder / "1_Pooling").mkdir()
    assert load_settings()


def test_the_name_of_a_model_at_an_endpoint_is_its_own_affair(monkeypatch):
    monkeypatch.setenv("SAKSHYA_EMBEDDING_MODEL", "/models/e5")
    monkeypatch.setenv("SAKSHYA_EMBEDDING_URL", "http://127.0.0.1:9/v1")
    assert load_settings().embedding_model == "/models/e5"


def test_a_word_of_a_model_setting_is_no_folder(monkeypatch, tmp_path):
    (tmp_path / "none").mkdir()
    (tmp_path / "pipelines").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SAKSHYA_GROUNDING_MODEL", "none")
    assert load_settings().grounding_model == "none"


def test_why_a_model_was_not_loaded_is_told_without_the_words_of_a_hub(tmp_path):
    hub = OSError("We couldn't connect to 'https://hub.example' to load the files, and couldn't find them in the cached files.")
    assert why_not_loaded("org/absent", hub) == "there is no such folder here, and no model of that name could be read from a model hub"
    assert why_not_loaded("org/absent", ValueError("it has 5 labels;\na ranker has 1 or 2.")) == "it has 5 labels; a ranker has 1 or 2"
    assert why_not_loaded(str(tmp_path), OSError("no config")).startswith("the folder has no config.json, no weights")

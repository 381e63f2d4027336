import json

import pytest

from app.serving.keys import read_keys
from components.access.principal import Principal
from config.settings import SettingsError

KEY = "asha-key-0123456789"


def test_a_key_stands_for_a_principal(tmp_path):
    entries = {KEY: {"user": "asha", "groups": ["hr"], "tenant": "acme"}, "root-key-0123456789": {"user": "root", "admin": True}}
    (tmp_path / "keys.yml").write_text(
        "asha-key-0123456789: {user: asha, groups: [hr], tenant: acme}\nroot-key-0123456789: {user: root, admin: true}\n"
    )
    (tmp_path / "keys.json").write_text(json.dumps(entries))
    for value in (json.dumps(entries), str(tmp_path / "keys.yml"), str(tmp_path / "keys.json")):
        keys = read_keys(value)
        assert keys.find(KEY) == Principal("asha", ("hr",), "acme")
        assert keys.find("root-key-0123456789") == Principal("root", is_admin=True)
        assert keys.find(KEY[:-1]) is keys.find("") is keys.find(KEY + "0") is None
    assert not read_keys(None)
    assert not read_keys("  ")


@pytest.mark.parametrize(
    "value",
    [
        json.dumps({"root-key-0123456789": {"user": "r"}, "short": {"user": "asha"}}),
        json.dumps({"root-key-0123456789": {"user": "r"}, KEY: {"user": "asha", "groups": "hr"}}),
        json.dumps({"root-key-0123456789": {"user": "r"}, KEY: {"user": ""}}),
        json.dumps({"root-key-0123456789": {"user": "r"}, KEY: {"user": "asha", "role": "x"}}),
        json.dumps({"root-key-0123456789": {"user": "r"}, KEY: {"user": "asha", "groups": [""]}}),
        json.dumps({"root-key-0123456789": {"user": "r"}, KEY: {"user": "asha", "admin": "yes"}}),
        json.dumps({"root-key-0123456789": {"user": "r"}, KEY: "asha"}),
        json.dumps({"root-key-0123456789": {"user": "r"}, "key with space 0123456": {"user": "asha"}}),
    ],
)
def test_a_bad_entry_is_named_by_its_place_alone(value):
    with pytest.raises(SettingsError, match="entry 2") as caught:
        read_keys(value)
    assert "\n" not in str(caught.value)
    assert not any(key in str(caught.value) for key in json.loads(value))


@pytest.mark.parametrize("value", ["{}", "{", "[1]", "/no/such/file", '{"a": {}, "a": {}}', "\0"])
def test_what_holds_no_keys_is_refused_without_being_repeated(value):
    with pytest.raises(SettingsError, match="SAKSHYA_API_KEYS"):
        read_keys(value)

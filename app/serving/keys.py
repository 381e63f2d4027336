"""API keys and whom they stand for."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from components.access.principal import DEFAULT_TENANT, Principal
from config.settings import SettingsError, home

SETTING = "SAKSHYA_API_KEYS"
MIN_KEY = 16
"""Characters of a key."""
MAX_KEY = 512
ACCEPTED = "accepted is {user: NAME, groups: [NAME, ...], tenant: NAME, admin: true or false}"
NAME = r"^[^\x00-\x1f\x7f]{1,128}$"


class Holder(BaseModel):
    """Whom a key stands for."""

    model_config = ConfigDict(extra="forbid", strict=True)

    user: str = Field(pattern=NAME)
    groups: list[str] = Field(default_factory=list)
    tenant: str = Field(default=DEFAULT_TENANT, pattern=NAME)
    admin: bool = False

    def principal(self) -> Principal:
        """The principal in whose name its requests run."""
        return Principal(user=self.user, groups=tuple(self.groups), tenant=self.tenant, is_admin=self.admin)


def digest(key: str) -> bytes:
    """What is kept of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


class Keys:
    """The keys of a server. Only digests are kept, and every one is compared, so that a reply's time tells nothing of them."""

    def __init__(self, principals: Mapping[bytes, Principal]) -> None:
        self._principals = dict(principals)

    def __bool__(self) -> bool:
        return bool(self._principals)

    def find(self, key: str) -> Principal | None:
        """Whom the key stands for; None where it is not known."""
        asked, found = digest(key), None
        for known, principal in self._principals.items():
            if hmac.compare_digest(known, asked):
                found = principal
        return found


def read_keys(value: str | None) -> Keys:
    """The keys of the setting: a JSON mapping, or the path of a JSON or YAML file that holds one.

    :raises SettingsError: the setting cannot be read, or an entry is not accepted; it is named by its position, its key is not.
    """
    if not value or not value.strip():
        return Keys({})
    text = value.strip()
    where = SETTING
    if not text.startswith("{"):
        path = Path(text).expanduser()
        path = path if path.is_absolute() else home() / path
        where = f"{SETTING} ({path})"
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError, ValueError):
            raise SettingsError(f"{SETTING} is neither a JSON mapping nor the path of a file that can be read") from None
    found: dict[bytes, Principal] = {}
    for number, (key, entry) in enumerate(_mapping(text, where).items(), 1):
        at = f"{where}: entry {number}"
        if not isinstance(key, str) or not MIN_KEY <= len(key) <= MAX_KEY or not key.isascii() or not key.isprintable() or " " in key:
            raise SettingsError(f"{at}: a key is {MIN_KEY} to {MAX_KEY} printable ASCII characters without spaces")
        try:
            found[digest(key)] = Holder.model_validate(entry).principal()
        except ValidationError as error:
            fault = error.errors()[0]
            name = ".".join(map(str, fault["loc"])) or "it"
            raise SettingsError(f"{at}: {name}: {fault['msg']}; {ACCEPTED}") from None
        except ValueError as error:
            raise SettingsError(f"{at}: {error}; {ACCEPTED}") from None
    if not found:
        raise SettingsError(f"{where}: there is no entry; {ACCEPTED} under each key")
    return Keys(found)


def _mapping(text: str, where: str) -> dict[Any, Any]:
    try:
        found = json.loads(text, object_pairs_hook=_without_repeats) if text.lstrip().startswith("{") else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError, RecursionError):
        raise SettingsError(f"{where}: not readable as JSON or YAML, or a name in it stands there twice") from None
    if not isinstance(found, dict):
        raise SettingsError(f"{where}: accepted is a mapping of keys; {ACCEPTED}")
    return found


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name stands there twice")
    return dict(pairs)

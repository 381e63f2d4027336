"""Every test runs without a network and with an index of its own."""

import os

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("UNSTRUCTURED_DISABLE_NOTICE", "1")
os.environ.setdefault("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

from pathlib import Path

import pytest

from config.settings import settings


@pytest.fixture(autouse=True)
def own_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A data directory for this test alone, and settings read anew."""
    monkeypatch.setenv("SAKSHYA_DATA_DIR", str(tmp_path / "sakshya-data"))
    settings.cache_clear()
    yield tmp_path / "sakshya-data"
    settings.cache_clear()

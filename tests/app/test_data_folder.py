"""A folder of the index that is a file, or cannot be written, is told in one line before any document is read."""

import errno
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import app
from app.data_folder import require_writable_index
from app.errors import SakshyaError
from config.settings import SettingsError, load_settings, settings


@pytest.mark.parametrize("below", ["", "/index"])
def test_a_file_is_no_folder(tmp_path, monkeypatch, below):
    (tmp_path / "taken").write_text("x")
    monkeypatch.setenv("SAKSHYA_DATA_DIR", f"{tmp_path}/taken{below}")
    with pytest.raises(SettingsError, match=rf"SAKSHYA_DATA_DIR='.*taken{below}' is not accepted: .*taken is a file. Accepted is a folder"):
        load_settings()


def test_a_folder_that_can_be_written_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("SAKSHYA_DATA_DIR", str(tmp_path / "a" / "b"))
    settings.cache_clear()
    require_writable_index()
    assert (tmp_path / "a" / "b").is_dir() and list((tmp_path / "a" / "b").iterdir()) == []


def test_one_that_cannot_be_written_is_one_line_for_many_documents(tmp_path, monkeypatch):
    for n in range(12):
        (tmp_path / f"{n}.md").write_text(f"Text {n}.")
    folder = "/proc/nowhere" if Path("/proc").is_dir() else str(tmp_path / "locked")
    if not Path("/proc").is_dir():
        (tmp_path / "locked").mkdir(mode=0o500)
    monkeypatch.setenv("SAKSHYA_DATA_DIR", folder)
    settings.cache_clear()
    done = CliRunner().invoke(app, ["index", str(tmp_path)])
    assert done.exit_code == 1
    assert len(done.stderr.strip().splitlines()) == 1 and f"{folder}: the index cannot be written there" in done.stderr


def test_a_full_or_locked_disk_too(tmp_path, monkeypatch):
    def full(**_):
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setenv("SAKSHYA_DATA_DIR", str(tmp_path))
    settings.cache_clear()
    monkeypatch.setattr("app.data_folder.tempfile.TemporaryFile", full)
    with pytest.raises(SakshyaError, match="No space left on device"):
        require_writable_index()

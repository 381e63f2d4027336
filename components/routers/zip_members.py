"""The files of a zip archive, unpacked in memory and counted before that."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator

from components.converters.outcome import UnreadableError, locked
from components.routers.container_members import Budget, Unpacked, is_hidden, safe_path

ENCRYPTED = 0x1
UTF8_NAME = 0x800
RATIO_COUNTS_FROM = 10_000_000
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


def is_folder(data: bytes) -> bool:
    """Whether a zip archive is a folder of files, and no document of a format that is a zip archive too. A damaged one is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = {entry.filename for entry in archive.infolist()}
    except DAMAGED:
        return False
    return not ("[Content_Types].xml" in names or "META-INF/container.xml" in names or {"mimetype", "META-INF/manifest.xml"} <= names)


def zip_members(data: bytes, prefix: str, budget: Budget, found: Unpacked) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of the files.

    :param prefix: stands before each name.
    :param budget: what is left of the limits; sizes and number are those that the archive's directory states, and no more is read than it states.
    :param found: takes failures and notices.
    :raises UnreadableError: more than the limits accept.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(entries) > 3 * budget.limits.members:  # hidden ones are not counted, but reading a million names is not needed to see that
            budget.claim(len(entries), 0)
        shown = [(entry, name) for entry in entries if not is_hidden(safe_path(name := _name(entry)))]
        unpacked, packed = sum(e.file_size for e, _ in shown), sum(e.compress_size for e, _ in shown)
        if unpacked > RATIO_COUNTS_FROM and unpacked > budget.limits.ratio * max(packed, 1):
            raise UnreadableError(
                f"the archive unpacks to {unpacked / 1e6:.0f} MB from {packed / 1e6:.1f} MB, which is refused; "
                f"accepted: up to max_ratio={budget.limits.ratio} times the packed size"
            )
        budget.claim(len(shown), unpacked)
        for entry, wanted in shown:
            name = budget.name(prefix, wanted, found.notices)
            try:
                if stat.S_ISLNK(entry.external_attr >> 16):
                    raise UnreadableError("a link, which is not followed")
                if entry.flag_bits & ENCRYPTED:
                    yield name, _decrypted(data, entry, budget.passwords)
                else:
                    yield name, _content(archive, entry)
            except UnreadableError as error:
                found.failed.append((name, str(error)))


def _name(entry: zipfile.ZipInfo) -> str:
    """The entry's name; one without the mark for UTF-8 is UTF-8 all the same where it can be, since many programs forget the mark."""
    if entry.flag_bits & UTF8_NAME:
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return entry.filename


def _decrypted(data: bytes, entry: zipfile.ZipInfo, passwords: tuple[str, ...]) -> bytes:
    import pyzipper  # zipfile cannot open AES

    for password in passwords:
        try:
            with pyzipper.AESZipFile(io.BytesIO(data)) as archive:
                twin = next(other for other in archive.infolist() if other.header_offset == entry.header_offset)
                with archive.open(twin, pwd=password.encode("utf-8")) as file:
                    content: bytes = file.read(entry.file_size + 1)
            if len(content) == entry.file_size:
                return content
        except Exception:  # noqa: BLE001, S112  the old encryption knows a wrong password only by the content that comes out
            continue
    raise locked("it", passwords)


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(entry) as file:
            content = file.read(entry.file_size + 1)
    except DAMAGED as error:
        raise UnreadableError(f"damaged in the archive: {error}") from None
    if len(content) != entry.file_size:
        raise UnreadableError("damaged in the archive: its size is not what the archive says")
    return content

"""What is inside a container: the files of a zip archive, the attachments of a mail, and those of containers inside them. Runs in a child process."""

from __future__ import annotations

import re

from haystack.dataclasses import ByteStream

from components.converters.outcome import UnreadableError
from components.routers.container_members import Budget, Limits, Member, Unpacked
from components.routers.container_types import OLE2, ole2_type
from components.routers.content_sniffer import file_type
from components.routers.file_types import MAIL, MSG, UnsupportedError, extension_of
from components.routers.locked_office import is_locked, unlocked
from components.routers.mail_members import mail_members, outlook_members
from components.routers.zip_members import is_folder, zip_members

ZIP_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06", b"PK00PK\x03\x04")
_MAIL_EXTENSIONS = {".eml", ".mht", ".mhtml"}
_MAIL_START = re.compile(rb"\s*(?:From \S+@|[A-Za-z][A-Za-z-]*:[ \t])")
_MULTIPART = re.compile(rb"(?i)\bcontent-type:\s*multipart/")


def may_hold_others(data: bytes, file_name: str) -> bool:
    """Whether a source may be a container or encrypted: a quick look, so that other sources need not be sent to a child."""
    if data.startswith((*ZIP_SIGNATURES, OLE2)):
        return True
    return (extension_of(file_name) in _MAIL_EXTENSIONS or bool(_MAIL_START.match(data[:200]))) and bool(_MULTIPART.search(data[:1_000_000]))


def unpack(source: ByteStream, *, limits: Limits, passwords: tuple[str, ...]) -> Unpacked:
    """Open a source as far as the limits allow.

    :param passwords: tried in turn on what is encrypted.
    :raises UnreadableError: an encrypted file that none opens, or an archive of more than the limits accept.
    """
    meta = source.meta or {}
    kind = container_kind(source.data, str(meta.get("file_name") or meta.get("path") or meta.get("uri") or ""))
    found = Unpacked(has_text=kind != "zip")
    budget = Budget(limits, passwords)
    if kind == "office":
        found.data = unlocked(source.data, passwords)
    elif kind:
        _fill(kind, source.data, "", 1, budget, found)
    return found


def _fill(kind: str, data: bytes, path: str, depth: int, budget: Budget, found: Unpacked) -> None:
    """Add what a container holds. A mail whose attachments are too much is read without them.

    :param path: its own path in the source, empty for the source.
    """
    read = {"zip": zip_members, "mail": mail_members, "outlook": outlook_members}[kind]
    prefix = f"{path}#" if path else ""
    try:
        if depth > budget.limits.depth:
            raise UnreadableError(f"it lies {depth} containers deep, which is refused; accepted: up to max_depth={budget.limits.depth}")
        for name, content in read(data, prefix, budget, found):
            try:
                _take(name, content, depth, budget, found)
            except UnreadableError as error:
                found.failed.append((name, str(error)))
    except UnreadableError as error:
        if kind == "zip":
            raise
        found.failed.append((f"{prefix}attachments", str(error)))


def _take(name: str, content: bytes, depth: int, budget: Budget, found: Unpacked) -> None:
    """Add a member and what it holds in its turn."""
    kind = container_kind(content, name) if may_hold_others(content, name) else None
    if kind != "zip":
        found.members.append(Member(name, unlocked(content, budget.passwords) if kind == "office" else content))
    if kind and kind != "office":
        before = len(found.members) + len(found.failed)
        _fill(kind, content, name, depth + 1, budget, found)
        if kind == "zip" and len(found.members) + len(found.failed) == before:
            raise UnreadableError("no file is in it")


def container_kind(data: bytes, file_name: str) -> str | None:
    """`zip`, `mail`, `outlook`; `office` for an encrypted Office file; None for what a converter reads as it is."""
    if data.startswith(ZIP_SIGNATURES):
        return "zip" if is_folder(data) else None
    if data.startswith(OLE2):
        if is_locked(data):
            return "office"
        try:
            return "outlook" if ole2_type(data) == MSG else None
        except UnsupportedError:
            return None  # the router says what it is
    try:
        return "mail" if file_type(data, file_name) == MAIL else None
    except UnsupportedError:
        return None

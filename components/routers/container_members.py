"""What is found in a container, and how much may be."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from components.converters.outcome import UnreadableError
from components.routers.source_meta import printable

_UNSAFE = re.compile(r"[\x00-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Limits:
    """What a container may hold.

    :param members: files in it, those of inner containers included.
    :param depth: containers inside each other, itself included.
    :param unpacked_bytes: bytes of all its files together.
    :param ratio: unpacked bytes to packed ones of an archive; counted from 10 MB.
    :param inline_image_bytes: an image that a mail shows in its text is left out if it is smaller: a logo, a signature.
    """

    members: int
    depth: int
    unpacked_bytes: int
    ratio: int
    inline_image_bytes: int


@dataclass(frozen=True)
class Member:
    """A file in a container.

    :param name: its path in it; behind a `#` the path in an inner container.
    """

    name: str
    data: bytes


@dataclass
class Unpacked:
    """What was found in a source.

    :param has_text: whether the container itself is read too, as a mail is.
    :param data: its bytes after decryption, where it was encrypted.
    :param failed: names and reasons of members that cannot be read.
    :param notices: what a reader should know; one line each.
    """

    has_text: bool = True
    data: bytes | None = None
    members: list[Member] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


class Budget:
    """What is left of the limits of one source, and the names that are taken in it."""

    def __init__(self, limits: Limits, passwords: tuple[str, ...]) -> None:
        self.limits = limits
        self.passwords = passwords
        self.members = 0
        self.bytes = 0
        self._names: set[str] = set()

    def claim(self, members: int, size: int) -> None:
        """Take so many members and bytes.

        :raises UnreadableError: more than there are.
        """
        if self.members + members > self.limits.members:
            raise UnreadableError(
                f"it holds {self.members + members} files or more, which is refused; accepted: up to max_members={self.limits.members}"
            )
        if self.bytes + size > self.limits.unpacked_bytes:
            megabytes, most = (self.bytes + size) / 1e6, self.limits.unpacked_bytes / 1e6
            raise UnreadableError(f"it unpacks to {megabytes:.0f} MB or more, which is refused; accepted: up to max_unpacked_mb={most:g}")
        self.members += members
        self.bytes += size

    def name(self, prefix: str, wanted: str, notices: list[str]) -> str:
        """The name of a member: relative, without steps upward, and not taken: `b (2).txt` where `b.txt` is."""
        safe = safe_path(wanted)
        if safe != wanted.replace("\\", "/").removeprefix("./"):
            notices.append(f"the name {printable(wanted[:200])!r} in it leads elsewhere or cannot be shown; it was read as {safe!r}")
        name, number = f"{prefix}{safe}", 1
        while name in self._names:
            number += 1
            path = PurePosixPath(safe)
            name = f"{prefix}{path.with_name(f'{path.stem} ({number}){path.suffix}')}"
        if number > 1:
            notices.append(f"{safe!r} is in it more than once; number {number} was read as {name!r}")
        self._names.add(name)
        return name


def safe_path(name: str) -> str:
    r"""A member's path without drive, root, `.`, `..`, control and direction characters.

    >>> safe_path("..\\..\\windows/./system.ini"), safe_path("/etc/passwd"), safe_path("C:/a.txt"), safe_path("..")
    ('windows/system.ini', 'etc/passwd', 'a.txt', 'unnamed')
    """
    path = _UNSAFE.sub("", printable(name)).replace("\\", "/")
    path = re.sub(r"^[A-Za-z]:(?=/)", "", path)
    return "/".join(part.strip() for part in path.split("/") if part.strip() not in ("", ".", ".."))[:500] or "unnamed"


def is_hidden(path: str) -> bool:
    """Whether a file is one that systems put into folders for themselves.

    >>> is_hidden("a/.git/config"), is_hidden("__MACOSX/a.txt"), is_hidden("a/b.txt")
    (True, True, False)
    """
    parts = PurePosixPath(path).parts
    return any(p.startswith(".") or p == "__MACOSX" for p in parts) or (bool(parts) and parts[-1].lower() in ("thumbs.db", "desktop.ini"))

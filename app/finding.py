"""Finding what to index: the files under the paths that were given, each once and with its identity."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from app.errors import UsageError
from components.failure import Failure
from components.routers.path_rules import check_pattern
from components.routers.source_meta import printable
from config.settings import settings


@dataclass(frozen=True)
class Found:
    """A file to index.

    :param relative: its path under its root, with `/`.
    :param path: what identifies it: the absolute path, or under an alias the relative one.
    """

    file: Path
    relative: str
    path: str
    uri: str


def absolute(path: str | Path) -> Path:
    """The path from the root, without following links."""
    return Path(os.path.abspath(path))  # noqa: PTH100  resolve() would follow links, and give a file two identities


def _hidden(name: str) -> bool:
    return name.startswith(".")


def _walk(root: Path, failed: list[Failure]) -> Iterator[Path]:
    """Files under a folder without hidden ones; a link is followed once, and not into what the walk sees anyway."""
    seen = {os.path.realpath(root), os.path.realpath(settings().index_dir)}  # the index is no document of its own
    folders, links = [root], []
    while folders or links:
        folder = folders.pop() if folders else links.pop(0)
        real = os.path.realpath(folder)
        if folder != root and real in seen and not folder.is_symlink():
            continue
        if folder.is_symlink() and (real in seen or any(Path(real) in Path(s).parents for s in seen)):
            continue
        seen.add(real)
        try:
            children = sorted(os.scandir(folder), key=lambda child: child.name)
        except OSError as error:
            failed.append({"source": printable(str(folder)), "reason": f"the folder cannot be read: {error.strerror or error}"})
            continue
        for child in children:
            if _hidden(child.name):
                continue
            path = folder / child.name
            if child.is_symlink() and path.exists() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
                failed.append(
                    {"source": printable(str(path)), "reason": "a link that leads out of the folder: index what it points to by its own path"}
                )
                continue
            if child.is_dir(follow_symlinks=False):
                folders.append(path)
            elif child.is_symlink() and path.is_dir():
                links.append(path)
            else:
                yield path


def collect(
    paths: Sequence[str | Path], alias: str = "", include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> tuple[list[Found], list[Failure]]:
    """Files under the paths, sorted, each once, and folders that could not be read.

    Hidden files and folders are left out, unless a path names one itself, and so is the folder of the index. A link is followed within its root,
    except where it leads back to something that is walked anyway; one that leads out of it is a failure, since who may write into a folder need
    not be who may read the rest.

    :param alias: name of the root: sources are then identified by the alias and their path under the root, wherever it lies.
    :param include: globs in the syntax of .gitignore, relative to the root; empty means all.
    :param exclude: likewise; wins over `include`.
    :raises UsageError: a path that does not exist or is inside the index, a glob that is not accepted, or two files of one identity.
    """
    try:
        for pattern in (*include, *exclude):
            check_pattern(pattern)
    except ValueError as error:
        raise UsageError(str(error)) from None
    wanted, unwanted = GitIgnoreSpec.from_lines(include), GitIgnoreSpec.from_lines(exclude)
    failed: list[Failure] = []
    found: dict[str, Found] = {}
    for given in paths:
        root = absolute(given)
        if not str(given) or not root.exists():
            accepted = "; of URLs, http:// and https:// are accepted" if "://" in str(given) else ""
            raise UsageError(f"{printable(str(given))}: no such file or folder{accepted}")
        if Path(os.path.realpath(root)).is_relative_to(os.path.realpath(settings().index_dir)):
            raise UsageError(f"{printable(str(given))}: the folder of the index itself (SAKSHYA_DATA_DIR), or inside it")
        for file in _distinct(_walk(root, failed)) if root.is_dir() else [root]:
            relative = printable(file.relative_to(root).as_posix() if file != root else root.name)
            if (include and not wanted.match_file(relative)) or unwanted.match_file(relative):
                continue
            path = relative if alias else printable(file.as_posix())
            item = Found(file, relative, path, f"{alias}/{relative}" if alias else path)
            if (other := found.setdefault(path, item)).file != file:
                raise UsageError(f"{file} and {other.file} are both {item.uri}: index the folder above them, or give each an alias of its own")
    return sorted(found.values(), key=lambda item: item.path), failed


def _distinct(files: Iterable[Path]) -> list[Path]:
    """The files without links to others of them."""
    listed = list(files)
    real = {os.path.realpath(file) for file in listed if not file.is_symlink()}
    return [file for file in listed if not file.is_symlink() or os.path.realpath(file) not in real]

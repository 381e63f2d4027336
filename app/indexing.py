"""Indexing files: walk the folders, feed batches to the indexing graph, report what became of each source."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pathspec import GitIgnoreSpec

from app.errors import SakshyaError, UsageError, one_line
from app.sources import entries, keeper, remove_containers
from components.access.principal import DEFAULT_TENANT, Principal, acting_as
from components.chunk import source_id
from components.failure import Failure
from components.routers.path_rules import OVERRIDES, RULE_PATH, PathRules, check_pattern
from components.routers.source_meta import check_access, printable

if TYPE_CHECKING:
    from haystack.dataclasses import ByteStream

    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

Run = Callable[[dict[str, Any]], dict[str, Any]]
"""Runs the indexing graph on `sources`, `meta`, `graph_version` and returns its `report`."""
Progress = Callable[[int, int, str], None]
"""Called with sources done, sources in all, and the last one's name."""

MAX_FILES = 64
"""Sources of one run of the graph."""
MAX_BYTES = 32_000_000
"""Bytes of one run of the graph; a larger file runs alone."""
MAX_CRASHES = 8
"""Sources in a row that crash the graph with the same words: then it is the graph, a model or an endpoint, and the rest would fail too."""
CRASH = "crash"
LISTS = ("added", "updated", "unchanged", "removed", "missing", "failed")


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


@dataclass
class Item:
    """A source with its meta, and its size in bytes."""

    source: str | Path | ByteStream
    meta: dict[str, Any] = field(default_factory=dict)
    size: int = 0

    @property
    def name(self) -> str:
        """What a report calls it."""
        return str(self.meta.get("uri") or self.meta.get("path") or self.source)


def _absolute(path: str | Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100  resolve() would follow links, and give a file two identities


def _hidden(name: str) -> bool:
    return name.startswith(".")


def _walk(root: Path, failed: list[Failure]) -> Iterator[Path]:
    """Files under a folder without hidden ones; a link is followed once, and not into what the walk sees anyway."""
    seen = {os.path.realpath(root)}
    folders, links = [root], []
    while folders or links:
        folder = folders.pop() if folders else links.pop(0)
        real = os.path.realpath(folder)
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

    Hidden files and folders are left out, unless a path names one itself. A link is followed within its root, except where it leads back to
    something that is walked anyway; one that leads out of it is a failure, since who may write into a folder need not be who may read the rest.

    :param alias: name of the root: sources are then identified by the alias and their path under the root, wherever it lies.
    :param include: globs in the syntax of .gitignore, relative to the root; empty means all.
    :param exclude: likewise; wins over `include`.
    :raises UsageError: a path that does not exist, a glob that is not accepted, or two files of one identity.
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
        root = _absolute(given)
        if not str(given) or not root.exists():
            raise UsageError(f"{printable(str(given))}: no such file or folder")
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


def batches(items: Iterable[Item], max_files: int = MAX_FILES, max_bytes: int = MAX_BYTES) -> Iterator[list[Item]]:
    """Group items in order so that no group has more than `max_files`, nor more than `max_bytes` unless it is one item."""
    batch: list[Item] = []
    size = 0
    for item in items:
        if batch and (len(batch) >= max_files or size + item.size > max_bytes):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item.size
    if batch:
        yield batch


def _empty() -> dict[str, Any]:
    return {**{name: [] for name in LISTS}, "embedded": 0, "chunks": 0, "seconds": 0.0, "index_version": ""}


def _systemic(error: BaseException) -> bool:
    """Whether an error concerns the index or the settings, so that trying the files one by one would only repeat it."""
    from components.document_stores.fingerprint import FingerprintError
    from components.document_stores.index_lock import IndexLockedError

    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, SakshyaError | FingerprintError | IndexLockedError | PermissionError | MemoryError):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _run_batch(run: Run, batch: list[Item], graph_version: str) -> Iterator[dict[str, Any]]:
    """Reports of a batch; one that fails is halved until the sources that make it fail are alone and named."""
    values = {"sources": [item.source for item in batch], "meta": [item.meta for item in batch], "graph_version": graph_version}
    try:
        yield run(values)
    except Exception as error:
        if _systemic(error):
            raise
        if len(batch) == 1:
            yield {"failed": [{"source": batch[0].name, "reason": one_line(error)}], CRASH: one_line(error)}
            return
        middle = len(batch) // 2
        for half in (batch[:middle], batch[middle:]):
            yield from _run_batch(run, half, graph_version)


def index_items(
    run: Run,
    items: Sequence[Item],
    *,
    principal: Principal,
    graph_version: str = "",
    on_progress: Progress | None = None,
    max_files: int = MAX_FILES,
    max_bytes: int = MAX_BYTES,
) -> dict[str, Any]:
    """Run the indexing graph over sources in batches and merge the reports; `removed` and `missing` stay empty.

    :param run: the graph.
    :param principal: on whose behalf the index is written.
    :raises FingerprintError: the index was built with other models or settings.
    :raises SakshyaError: `MAX_CRASHES` sources in a row crashed the graph with the same words.
    """
    started = time.monotonic()
    total = _empty()
    done = 0
    crashes: list[str] = []
    with acting_as(principal):
        for batch in batches(items, max_files, max_bytes):
            for report in _run_batch(run, batch, graph_version):
                merge(total, report)
                crash = report.get(CRASH)
                crashes = [*(c for c in crashes if c == crash), crash] if crash else []
                if len(crashes) >= MAX_CRASHES:
                    raise SakshyaError(f"{len(crashes)} sources in a row failed with: {crashes[0]}")
            done += len(batch)
            if on_progress:
                on_progress(done, len(items), batch[-1].name)
    total["seconds"] = round(time.monotonic() - started, 3)
    return total


def merge(total: dict[str, Any], report: Mapping[str, Any]) -> None:
    """Add a batch's report to the whole one, in place."""
    for name in LISTS:
        total[name].extend(report.get(name, []))
    for name in ("embedded", "chunks"):
        total[name] += report.get(name, 0)
    total["index_version"] = report.get("index_version") or total["index_version"]


def index_paths(
    run: Run,
    paths: Sequence[str | Path],
    *,
    store: SakshyaDocumentStore | None,
    tenant: str = DEFAULT_TENANT,
    access: Sequence[str] | None = None,
    alias: str = "",
    rules: Sequence[Mapping[str, Any]] = (),
    prune: bool = False,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    graph_version: str = "",
    on_progress: Progress | None = None,
    max_files: int = MAX_FILES,
    max_bytes: int = MAX_BYTES,
) -> dict[str, Any]:
    """Index files and folders.

    :param run: the graph, see `Run`.
    :param store: the index that the graph writes; None where it has no store of ours: then nothing is reported missing.
    :param access: groups that may read these sources; None: `public`. Rules of the graph and `rules` are more specific and win over it.
    :param alias: see `collect`.
    :param rules: path rules that win over the graph's own, see `components.routers.path_rules`.
    :param prune: remove sources under the given folders whose file is gone.
    :returns: `added`, `updated`, `unchanged`, `removed`, `missing` (uris), `failed` (`source`, `reason`), `embedded`, `chunks`, `seconds`,
        `index_version`.
    :raises UsageError: a path, glob, access group or rule that is not accepted.
    :raises FingerprintError: the index was built with other models or settings.
    """
    started = time.monotonic()
    try:
        overrides = PathRules(list(rules))
        groups = check_access(list(access)) if access is not None else None
    except ValueError as error:
        raise UsageError(str(error)) from None
    found, unread = collect(paths, alias, include, exclude)
    items = [Item(f.file, _meta(f, tenant, alias, groups, overrides), _size(f.file)) for f in found]
    principal = keeper(tenant)
    report = index_items(
        run, items, principal=principal, graph_version=graph_version, on_progress=on_progress, max_files=max_files, max_bytes=max_bytes
    )
    report["failed"].extend(unread)
    if store is not None:
        with acting_as(principal):
            gone = missing(store, paths, tenant, alias, found)
            if prune:
                remove_containers(store, list(gone))
            report["removed" if prune else "missing"] = list(gone.values())
            report["index_version"] = store.index_version()
            store.flush()
    report["seconds"] = round(time.monotonic() - started, 3)
    return report


def _meta(found: Found, tenant: str, alias: str, access: list[str] | None, rules: PathRules) -> dict[str, Any]:
    meta: dict[str, Any] = {"tenant": tenant, "alias": alias, "path": found.path, "uri": found.uri, RULE_PATH: found.relative}
    meta["file_name"] = printable(found.file.name)
    if access is not None:
        meta["access"] = access
    if fields := rules.fields(found.relative):
        meta[OVERRIDES] = fields
    return meta


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0  # the intake reads it and says why it cannot


def missing(store: SakshyaDocumentStore, paths: Sequence[str | Path], tenant: str, alias: str, found: Iterable[Found]) -> dict[str, str]:
    """Container ids and uris of sources in the index, under the given folders, whose file is gone. A file that is left out by a glob is not gone.

    With an alias, the folder given is the whole of it: every source of that alias is under it.
    """
    present = {source_id(tenant, alias, f.path) for f in found}
    roots = [root for root in map(_absolute, paths) if root.is_dir()]
    gone = {}
    for entry in entries(store):
        path = entry.meta.get("path", "")
        if entry.meta.get("alias", "") != alias or entry.meta["container_id"] in present:
            continue
        files = [root / path for root in roots] if alias else [Path(path) for root in roots if Path(path).is_relative_to(root)]
        if files and all(_gone(file) for file in files):
            gone[entry.meta["container_id"]] = entry.meta["uri"]
    return gone


def _gone(file: Path) -> bool:
    """Whether there is certainly no such file; a folder that cannot be entered leaves the question open."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False

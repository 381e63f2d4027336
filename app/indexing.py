"""Indexing: feed batches of sources to the indexing graph, and report what became of each."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.duplicates import add_duplicates
from app.errors import SakshyaError, UsageError, one_line
from app.finding import Found, collect
from app.moves import missing, renames
from app.sources import keeper, list_sources, remove_containers
from components.access.principal import DEFAULT_TENANT, Principal, acting_as
from components.routers.path_rules import OVERRIDES, RULE_PATH, PathRules
from components.routers.source_meta import MOVED_FROM, UNREAD, check_access, printable

if TYPE_CHECKING:
    from haystack.dataclasses import ByteStream

    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

logger = logging.getLogger(__name__)
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
LISTS = ("added", "updated", "unchanged", "renamed", "removed", "missing", "failed", "warnings", "duplicates", "near_duplicates")


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
            yield {**_crashed(run, batch[0], one_line(error), graph_version), CRASH: one_line(error)}
            return
        middle = len(batch) // 2
        for half in (batch[:middle], batch[middle:]):
            yield from _run_batch(run, half, graph_version)


def _crashed(run: Run, item: Item, reason: str, graph_version: str) -> dict[str, Any]:
    """The report of a source that crashed the graph: run once more as one that could not be read, so that it is in the manifest."""
    values = {"sources": [item.source], "meta": [{**item.meta, UNREAD: reason}], "graph_version": graph_version}
    try:
        return run(values)
    except Exception:  # what crashed is not the source alone; the failure is reported all the same
        logger.debug("%s is not in the manifest", item.name, exc_info=True)
        return {"failed": [{"source": item.name, "reason": reason}]}


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
    :returns: `added`, `updated`, `unchanged` (uris), `renamed` (`from`, `to`), `removed`, `missing` (uris), `failed`, `warnings` (`source`,
        `reason`), `duplicates`, `near_duplicates` (see `app.duplicates`), `embedded`, `chunks`, `seconds`, `index_version`.
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
    manifest: list[dict[str, Any]] = []
    if store is not None:
        with acting_as(principal):
            manifest = list_sources(store)
        moved = renames(manifest, paths, tenant, alias, found)
        for item in items:
            if item.meta["path"] in moved:
                item.meta[MOVED_FROM] = moved[item.meta["path"]]
    report = index_items(
        run, items, principal=principal, graph_version=graph_version, on_progress=on_progress, max_files=max_files, max_bytes=max_bytes
    )
    report["failed"].extend(unread)
    if store is not None:
        with acting_as(principal):
            gone = missing(manifest, paths, tenant, alias, found)
            if gone:  # a file that was renamed is gone from the index already
                left = {meta["container_id"] for meta in list_sources(store)}
                gone = {container: uri for container, uri in gone.items() if container in left}
            if prune:
                remove_containers(store, list(gone))
            report["removed" if prune else "missing"] = list(gone.values())
            report["index_version"] = store.index_version()
            add_duplicates(store, report)
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

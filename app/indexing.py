"""Indexing: feed batches of sources to the indexing graph, and report what became of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.answer_cache import forget_answers
from app.batches import CRASH, MAX_BYTES, Item, Run, run_batches
from app.duplicates import add_duplicates
from app.errors import SakshyaError, UsageError
from app.finding import Found, collect
from app.moves import is_url, missing, renames
from app.sources import keeper, list_sources, remove_containers
from app.urls import default_fetcher, fetching, split_urls, url_item
from components.access.principal import DEFAULT_TENANT, Principal, acting_as
from components.routers.path_rules import OVERRIDES, RULE_PATH, PathRules
from components.routers.source_meta import MOVED_FROM, check_access, printable

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore
    from components.fetchers.url_fetcher import UrlFetcher

Progress = Callable[[int, int, str], None]
"""Called with sources done, sources in all, and the last one's name."""

MAX_CRASHES = 8
"""Sources in a row that crash the graph with the same words: then it is the graph, a model or an endpoint, and the rest would fail too."""
LISTS = ("added", "updated", "unchanged", "renamed", "removed", "missing", "failed", "warnings", "duplicates", "near_duplicates")


def _empty() -> dict[str, Any]:
    return {**{name: [] for name in LISTS}, "embedded": 0, "chunks": 0, "seconds": 0.0, "index_version": ""}


def index_items(
    run: Run,
    items: Sequence[Item],
    *,
    principal: Principal,
    graph_version: str = "",
    on_progress: Progress | None = None,
    max_files: int | None = None,
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
        for batch, reports in run_batches(run, items, graph_version, max_files, max_bytes):
            for report in reports:
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
    max_files: int | None = None,
    max_bytes: int = MAX_BYTES,
    fetcher: UrlFetcher | None = None,
) -> dict[str, Any]:
    """Index files, folders and URLs.

    :param run: the graph, see `Run`.
    :param store: the index that the graph writes; None where it has no store of ours: then nothing is reported missing.
    :param access: groups that may read these sources; None: `public`. Rules of the graph and `rules` are more specific and win over it.
    :param alias: see `collect`.
    :param rules: path rules that win over the graph's own, see `components.routers.path_rules`.
    :param fetcher: what fetches URLs; None: `app.urls.default_fetcher`.
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
    paths, urls = split_urls(paths)
    found, unread = collect(paths, alias, include, exclude)
    items = [Item(f.file, _meta(f, tenant, alias, groups, overrides), _size(f.file)) for f in found]
    for item in (url_item(url, tenant, groups) for url in urls):
        if fields := overrides.fields(item.meta[RULE_PATH]):
            item.meta[OVERRIDES] = fields
        items.append(item)
    principal = keeper(tenant)
    manifest: list[dict[str, Any]] = []
    if store is not None:
        with acting_as(principal):
            manifest = list_sources(store)
        moved = renames(manifest, paths, tenant, alias, found)
        for item in items:
            if item.meta["path"] in moved:
                item.meta[MOVED_FROM] = moved[item.meta["path"]]
    if urls:
        known = {meta["path"] for meta in manifest if meta.get("chunks") and is_url(meta.get("path", ""))}
        run = fetching(run, fetcher or default_fetcher(), known)
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
            store.optimize_if_due()
        if any(report[name] for name in ("added", "updated", "renamed", "removed")):
            forget_answers()
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

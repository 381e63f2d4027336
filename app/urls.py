"""URLs beside files: told from paths, and fetched batch by batch, so that no more than a batch of them is in memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.batches import Item, Run
from app.errors import UsageError
from app.moves import is_url
from components.routers.path_rules import RULE_PATH
from components.routers.source_meta import UNREAD
from config.settings import settings

if TYPE_CHECKING:
    from components.fetchers.url_fetcher import UrlFetcher

ASSUMED_SIZE = 1_000_000
"""Bytes that a URL counts in a batch, since its size is not known before."""


def split_urls(given: Sequence[str | Path]) -> tuple[list[str | Path], list[str]]:
    """Paths, and URLs as identities, each once and sorted.

    :raises UsageError: a URL that is not accepted.
    """
    urls = [source for source in given if isinstance(source, str) and is_url(source.strip().lower())]
    if not urls:
        return list(given), []
    from components.fetchers.url_fetcher import FetchError, normal_url

    normal = set()
    for url in urls:
        try:
            normal.add(normal_url(url))
        except FetchError as error:
            raise UsageError(f"{url}: {error}") from None
    return [source for source in given if source not in urls], sorted(normal)


def rule_path(url: str) -> str:
    """What path rules match of a URL: `host/path`."""
    return url.partition("://")[2].partition("?")[0]


def url_item(url: str, tenant: str, access: list[str] | None) -> Item:
    """A URL as a source. Its identity is the URL under no alias; path rules match `host/path`."""
    meta: dict[str, Any] = {"tenant": tenant, "alias": "", "path": url, "uri": url, RULE_PATH: rule_path(url)}
    if access is not None:
        meta["access"] = access
    return Item(url, meta, ASSUMED_SIZE)


def default_fetcher() -> UrlFetcher:
    """The fetcher of the command line: as large as a file may be."""
    from components.fetchers.url_fetcher import UrlFetcher

    return UrlFetcher(max_mb=settings().max_file_mb)


def fetching(run: Run, fetcher: UrlFetcher, known: Collection[str] = ()) -> Run:
    """A run that fetches the URLs among its sources first; one that cannot be fetched fails with its reason and is in the manifest.

    One that policy refuses fails too and never reaches the graph, so that the index does not name it; unless it has passages there.

    :param known: URLs that have passages in the index.
    """
    from haystack.dataclasses import ByteStream

    from components.fetchers.url_fetcher import FetchError, RefusedError

    def fetched(values: dict[str, Any]) -> dict[str, Any]:
        sources, metas, refused = [], [], []
        for source, meta in zip(values["sources"], values["meta"], strict=True):
            found: Any = source
            fields = dict(meta)
            if isinstance(source, str) and is_url(source):
                found = ByteStream(b"")
                try:
                    if UNREAD not in fields:
                        found = fetcher.fetch(source)
                except FetchError as error:
                    if isinstance(error, RefusedError) and source not in known:
                        refused.append({"source": str(meta.get("uri") or source), "reason": str(error)})
                        continue
                    fields[UNREAD] = str(error)
            sources.append(found)
            metas.append(fields)
        report = run({**values, "sources": sources, "meta": metas}) if sources or not refused else {}
        return {**report, "failed": [*report.get("failed", []), *refused]} if refused else report

    return fetched

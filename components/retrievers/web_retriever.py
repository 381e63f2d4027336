"""Passages from the web: a search, its pages fetched safely, read as documents are read, and marked as what they are."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from typing import Any, cast
from urllib.parse import urlsplit

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.core.serialization import component_to_dict
from haystack.dataclasses import ByteStream

from components.access.principal import current_principal
from components.builders.injection import instruction_ranges
from components.builders.strip_refiner import strip_scores, word_scores
from components.chunk import source_id
from components.converters.text_converter import TextConverter
from components.deadline import remaining_s
from components.failure import Degradation
from components.fetchers.url_fetcher import FetchError, UrlFetcher, normal_url
from components.preprocessors.heading_splitter import HeadingSplitter
from components.preprocessors.text_cleaner import TextCleaner

logger = logging.getLogger(__name__)

STAGE = "web"
SHARE = 0.4
"""Of what is left of the deadline, for search and pages."""
READ = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown")
"""Types of pages that are read."""
LONGEST_TITLE = 120


@component
class WebRetriever:
    """Passages of web pages for a question: the fallback of corrective RAG (Yan et al. 2024) that reaches the web.

    Any of Haystack's web search components finds the addresses (`run(query)` → `documents`, `links`); what it says of them is not used. Haystack's
    `LinkContentFetcher` would fetch private addresses and any amount; here `UrlFetcher` does it, with limits on time and size. A page is read in a
    child process, without what it hides, cut into chunks with their offsets in its cleaned text, and marked `origin: "web: HOST"`. A page with text
    addressed to a language model is left out whole. What is read is kept nowhere but in the answer.

    Without a search, or where the question is narrowed by a filter, which says that only certain sources count, nothing is fetched and `skipped`
    says so. What fails is named in `degraded`, and the graph goes on.

    >>> WebRetriever().run("opening hours?")["skipped"]
    'no web search is set'
    """

    def __init__(
        self,
        websearch: Any = None,
        pages: int = 3,
        top_k: int = 6,
        timeout_s: float = 10.0,
        max_mb: float = 2.0,
        allow_private: list[str] | None = None,
    ) -> None:
        """Create the retriever.

        :param websearch: a web search component of Haystack, or `SearxngWebSearch`; None: nothing is fetched.
        :param pages: fetched at most, 1 to 10.
        :param top_k: passages returned, >= 1.
        :param timeout_s: seconds for search and pages together, above 0; never more than 40 % of what is left of the deadline.
        :param max_mb: megabytes of a page, above 0.
        :param allow_private: as in `UrlFetcher`; None: from settings.
        :raises ValueError: a value that is not accepted.
        """
        if websearch is not None and not callable(getattr(websearch, "run", None)):
            raise ValueError("WebRetriever.websearch is not accepted: a component with run(query) -> documents, links, or null")
        if isinstance(pages, bool) or not isinstance(pages, int) or not 1 <= pages <= 10:
            raise ValueError(f"WebRetriever.pages={pages!r} is not accepted: a whole number from 1 to 10")
        if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 1:
            raise ValueError(f"WebRetriever.top_k={top_k!r} is not accepted: a whole number >= 1")
        if not timeout_s > 0:
            raise ValueError(f"WebRetriever.timeout_s={timeout_s!r} is not accepted: seconds > 0")
        self.websearch, self.pages, self.top_k = websearch, pages, top_k
        self.timeout_s, self.max_mb, self.allow_private = timeout_s, max_mb, allow_private
        UrlFetcher(max_mb=max_mb, allow_private=allow_private)  # refuses what is not accepted
        self._cleaner, self._splitter = TextCleaner(), HeadingSplitter()

    def to_dict(self) -> dict[str, Any]:
        """Serialise to a dictionary."""
        names = ("pages", "top_k", "timeout_s", "max_mb", "allow_private")
        search = component_to_dict(self.websearch, "websearch") if self.websearch is not None else None
        return default_to_dict(self, websearch=search, **{name: getattr(self, name) for name in names})

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> WebRetriever:
        """Load from a dictionary; the nested search by its own type."""
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document], degraded=list[Degradation], skipped=str, note=str)
    def run(self, query: str, filters: dict[str, Any] | None = None) -> dict[str, Any]:
        """Search and read.

        :param query: what the search is asked. It leaves this machine.
        :param filters: if there are any, nothing is fetched.
        :returns: `documents`, the passages nearest to the question; `degraded`; `skipped`; `note`: the pages.
        """
        nothing: dict[str, Any] = {"documents": [], "degraded": [], "skipped": "", "note": ""}
        if self.websearch is None:
            return {**nothing, "skipped": "no web search is set"}
        if filters:
            return {**nothing, "skipped": "the question is narrowed by a filter"}
        left = remaining_s()
        end = time.monotonic() + (self.timeout_s if left is None else min(self.timeout_s, SHARE * left))
        try:
            links = self._searched(query, end)
        except Exception as error:  # noqa: BLE001 - whatever a search engine's client raises, the question goes on
            return {**nothing, "degraded": [_entry(f"the web search failed: {type(error).__name__}")]}
        streams, failures = self._fetched(links, end)
        documents = [chunk for stream in streams for chunk in self._chunks(stream, max(1.0, end - time.monotonic()), failures)]
        best = self._nearest(query, documents)
        note = f"{len(links)} links, {len(streams)} pages read: {', '.join(sorted({_host(s) for s in streams})) or 'none'}"
        return {**nothing, "documents": best, "degraded": [_entry(reason) for reason in failures], "note": note}

    @component.output_types(documents=list[Document], degraded=list[Degradation], skipped=str, note=str)
    async def run_async(self, query: str, filters: dict[str, Any] | None = None) -> dict[str, Any]:
        """As `run`, in a thread."""
        return await asyncio.to_thread(self.run, query, filters)

    def _searched(self, query: str, end: float) -> list[str]:
        """The addresses that the search names, each once.

        :raises TimeoutError: it took too long.
        """
        search: Any = self.websearch
        found = _in_time(lambda: search.run(query=query), end)
        links: dict[str, None] = {}
        for link in found.get("links") or []:
            try:
                links.setdefault(normal_url(str(link)))
            except FetchError:
                continue
        return list(links)[: self.pages]

    def _fetched(self, links: Sequence[str], end: float) -> tuple[list[ByteStream], list[str]]:
        """The pages in the order of the links, side by side, and one line for each that was not fetched."""
        seconds = max(0.1, end - time.monotonic())
        fetcher = UrlFetcher(timeout_s=seconds, read_timeout_s=seconds, max_mb=self.max_mb, max_redirects=3, allow_private=self.allow_private)
        if not links:
            return [], []

        def one(link: str) -> ByteStream | str:
            try:
                stream = fetcher.fetch(link)
            except FetchError as error:
                return f"{urlsplit(link).hostname}: {error}"
            if (stream.mime_type or READ[0]) not in READ:
                return f"{_host(stream)}: {stream.mime_type} is not read; accepted: {', '.join(READ)}"
            return replace(stream, mime_type=READ[0] if stream.mime_type in (None, READ[1]) else stream.mime_type)

        with ThreadPoolExecutor(len(links)) as pool:
            found = list(pool.map(one, links))
        return [page for page in found if isinstance(page, ByteStream)], [page for page in found if isinstance(page, str)]

    def _chunks(self, stream: ByteStream, seconds: float, failures: list[str]) -> list[Document]:
        """A page as passages with their place in its cleaned text."""
        host = _host(stream)
        read: dict[str, Any] = TextConverter(timeout_s=seconds, max_memory_mb=1024, ocr=False).run([stream])
        failures += [f"{host}: {failed['reason']}" for failed in read["failed"]]
        cleaned = cast("list[Document]", self._cleaner.run(read["documents"])["documents"])
        identity = source_id(current_principal().tenant, STAGE, str(stream.meta["url"]))
        kept = ("uri", "modified_at", "fetched_at", "blocks", "language")
        pages = []
        for document in cleaned:
            if instruction_ranges(document.content or ""):  # who plants one order in a page may plant false figures beside it
                failures.append(f"{host}: left out, it holds text addressed to a language model")
                continue
            meta = {key: document.meta[key] for key in kept if document.meta.get(key) is not None}
            title = " ".join(str(document.meta.get("title") or host).split())[:LONGEST_TITLE]
            pages.append(
                replace(document, meta={**meta, "title": title, "source_id": identity, "origin": f"web: {host}", "mime_type": stream.mime_type})
            )
        split = self._splitter.run(pages)
        failures += [f"{host}: {failed['reason']}" for failed in split["failed"]]
        return split["documents"]

    def _nearest(self, query: str, chunks: list[Document]) -> list[Document]:
        """The best chunks, with the ranks by words and by meaning that the later stages look at."""
        texts = [chunk.content or "" for chunk in chunks]
        scores, _ = strip_scores(query, texts)
        words = word_scores(query, texts)
        meaning = [2 * score - word for score, word in zip(scores, words, strict=True)]
        places = {name: _ranks(values) for name, values in (("dense", meaning), ("sparse", words))}
        order = sorted(range(len(chunks)), key=lambda i: (-scores[i], i))[: self.top_k]
        legs = [
            {"dense": {"rank": places["dense"][i], "score": meaning[i]}, "sparse": {"rank": places["sparse"][i], "score": words[i]}} for i in order
        ]
        return [replace(chunks[i], score=scores[i], meta={**chunks[i].meta, "ranks": ranks}) for i, ranks in zip(order, legs, strict=True)]


def _in_time(work: Callable[[], dict[str, Any]], end: float) -> dict[str, Any]:
    """The result of a client that may know no time limit; its thread is left behind when it is late.

    :raises TimeoutError: it is.
    """
    results: queue.Queue[tuple[dict[str, Any] | None, Exception | None]] = queue.Queue()

    def run() -> None:
        try:
            results.put((work(), None))
        except Exception as error:  # noqa: BLE001 - handed on to whoever waits
            results.put((None, error))

    threading.Thread(target=copy_context().run, args=(run,), daemon=True).start()
    try:
        found, error = results.get(timeout=max(0.05, end - time.monotonic()))
    except queue.Empty:
        raise TimeoutError("the search took too long") from None
    if error is not None:
        raise error
    return found or {}


def _ranks(values: Sequence[float]) -> list[int]:
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))
    return [order.index(i) + 1 for i in range(len(values))]


def _host(stream: ByteStream) -> str:
    """The host that the page came from in the end: a redirect must not lend it another name."""
    return urlsplit(str(stream.meta.get("final_url") or stream.meta.get("url"))).hostname or "?"


def _entry(reason: str) -> Degradation:
    logger.warning("%s: %s", STAGE, reason)
    return Degradation(stage=STAGE, reason=reason[:300])

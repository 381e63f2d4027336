"""Fetches URLs for indexing, or for an answer, without becoming a way into the network that it runs in."""

from __future__ import annotations

import mimetypes
import re
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

import httpcore
import httpx
from haystack import component
from haystack.dataclasses import ByteStream

from components.failure import Failure
from components.fetchers.addresses import AddressError, Allowed
from components.fetchers.pinned_http import Deadline, Resolve, pinned_get, resolve_host
from config.settings import settings

MEGABYTE = 1_000_000
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CODINGS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
_PIECE = 65_536


class FetchError(ValueError):
    """A URL that was not fetched; one line."""


class RefusedError(FetchError):
    """A URL that policy refuses, whatever is there: its scheme, credentials in it, an address that is not public, or a redirect to such."""


def normal_url(url: str) -> str:
    """The URL as the identity of a source: small letters in scheme and host, no default port, no fragment.

    >>> normal_url("HTTPS://Example.org:443/a b#part")
    'https://example.org/a%20b'

    :raises RefusedError: no http or https URL with a host, or one with credentials.
    :raises FetchError: no URL at all.
    """
    try:
        parsed = httpx.URL(url.strip())
        host = parsed.host
    except (httpx.InvalidURL, ValueError, TypeError) as error:
        raise FetchError(f"not a URL: {error}") from None
    if parsed.scheme not in ("http", "https") or not host:
        raise RefusedError("accepted are http:// and https:// URLs with a host")
    if parsed.userinfo:
        raise RefusedError("a URL with a user name or password is refused: it would be stored and shown")
    return str(parsed.copy_with(fragment=None, path=parsed.path or "/"))


@component
class UrlFetcher:
    """Reads http and https URLs into streams, with limits on time, size, redirects and addresses.

    Haystack's LinkContentFetcher follows redirects anywhere, reads any amount, and asks no question about the address, so that a URL, or a page
    that redirects, reaches the services of the machine and its network. Packages that check addresses for `httpx` (httpx-secure, safehttpx)
    cache or re-resolve names through another service and limit neither size nor time. Here `httpcore` connects to the very address that was
    checked, on each redirect anew.

    ```python
    from components.fetchers.url_fetcher import UrlFetcher

    UrlFetcher().run(["http://127.0.0.1/admin"])["failed"][0]["reason"]  # 127.0.0.1 is at 127.0.0.1, which is not a public address; …
    ```
    """

    def __init__(
        self,
        timeout_s: float = 30.0,
        read_timeout_s: float = 10.0,
        max_mb: float = 100.0,
        max_redirects: int = 5,
        allow_private: list[str] | None = None,
        user_agent: str = "sakshya",
    ) -> None:
        """Create the fetcher.

        :param timeout_s: seconds for a URL, its redirects and its whole body; more than 0.
        :param read_timeout_s: seconds without a byte; more than 0.
        :param max_mb: megabytes of a body, as sent and as unpacked; more than 0.
        :param max_redirects: 0 to 20.
        :param allow_private: hosts, addresses and networks that may be fetched from although they are not public; None: from settings.
        :param user_agent: how it names itself.
        :raises ValueError: a value that is not accepted.
        """
        for name, value in (("timeout_s", timeout_s), ("read_timeout_s", read_timeout_s), ("max_mb", max_mb)):
            if not value > 0:
                raise ValueError(f"UrlFetcher: {name}={value!r} is not accepted: it must be more than 0")
        if not 0 <= max_redirects <= 20:
            raise ValueError(f"UrlFetcher: max_redirects={max_redirects!r} is not accepted: 0 to 20")
        Allowed(allow_private or ())
        self.timeout_s = timeout_s
        self.read_timeout_s = read_timeout_s
        self.max_mb = max_mb
        self.max_redirects = max_redirects
        self.allow_private = allow_private
        self.user_agent = user_agent
        self._resolve: Resolve = resolve_host

    @component.output_types(sources=list[ByteStream], failed=list[Failure])
    def run(self, urls: list[str]) -> dict[str, list[ByteStream] | list[Failure]]:
        """Fetch the URLs, one after the other.

        :returns: `sources`, with `url`, `path` and `uri` (the URL asked for, normalised: its identity), `file_name`, `final_url`, `fetched_at`,
            and where the server says so `content_type`, `charset`, `etag` and `modified_at`; `failed` with one line for each of the others.
        """
        sources: list[ByteStream] = []
        failed: list[Failure] = []
        for url in urls:
            try:
                sources.append(self.fetch(url))
            except FetchError as error:
                failed.append({"source": url, "reason": str(error)})
        return {"sources": sources, "failed": failed}

    def fetch(self, url: str) -> ByteStream:
        """One URL as a stream; see `run`.

        :raises RefusedError: policy refuses it; one line.
        :raises FetchError: it was not fetched; one line.
        """
        asked = current = normal_url(url)
        deadline = Deadline(self.timeout_s)
        allowed = Allowed(settings().fetch_private_hosts if self.allow_private is None else self.allow_private)
        headers = {"User-Agent": self.user_agent, "Accept": "*/*", "Accept-Encoding": "gzip, deflate"}
        try:
            for _ in range(self.max_redirects + 1):
                with pinned_get(
                    current, headers, allowed=allowed, resolve=self._resolve, deadline=deadline, read_timeout_s=self.read_timeout_s
                ) as response:
                    told = _headers(response)
                    if response.status not in _REDIRECTS:
                        if response.status != 200:
                            raise FetchError(f"the server answered {response.status}")
                        return _stream(asked, current, told, self._body(response, told))
                    current = _next(current, told.get("location"))
        except AddressError as error:
            raise RefusedError(str(error)) from None
        except (TimeoutError, httpcore.TimeoutException):
            late = f"it took longer than {self.timeout_s:g} s" if deadline.passed else f"the server sent nothing for {self.read_timeout_s:g} s"
            raise FetchError(late) from None
        except (OSError, httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
            raise FetchError(f"cannot be fetched: {' '.join(str(error).split()) or type(error).__name__}") from None
        raise FetchError(f"more than {self.max_redirects} redirects")

    def _body(self, response: httpcore.Response, told: dict[str, str]) -> bytes:
        """The body, unpacked; what is larger than it may be is not read on."""
        limit = int(self.max_mb * MEGABYTE)
        stated = told.get("content-length", "")
        if stated.isdigit() and int(stated) > limit:
            raise FetchError(self._too_large())
        sent = 0

        def pieces() -> Iterator[bytes]:
            nonlocal sent
            for piece in response.iter_stream():
                sent += len(piece)
                if sent > limit:
                    raise FetchError(self._too_large())
                yield piece

        body = bytearray()
        for piece in unpacked(pieces(), told.get("content-encoding", "")):
            body += piece
            if len(body) > limit:
                raise FetchError(self._too_large())
        return bytes(body)

    def _too_large(self) -> str:
        return f"larger than {self.max_mb:g} MB, which is the limit"


def unpacked(pieces: Iterator[bytes], codings: str) -> Iterator[bytes]:
    """A body without its content coding, in parts of at most 64 KB, so that a small body that unpacks to a huge one is stopped in time.

    :raises FetchError: an unknown coding, more than one, or a broken body.
    """
    names = [name for part in codings.lower().split(",") if (name := part.strip()) and name != "identity"]
    if not names:
        yield from pieces
        return
    if len(names) > 1 or names[0] not in _CODINGS:
        raise FetchError(f"the content coding {codings!r} is not accepted; accepted: gzip, deflate")
    unpacker = zlib.decompressobj(_CODINGS[names[0]])
    try:
        for piece in pieces:
            waiting = piece
            while waiting:
                yield unpacker.decompress(waiting, _PIECE)
                waiting = unpacker.unconsumed_tail
        yield unpacker.flush()
    except zlib.error as error:
        raise FetchError(f"the body is not the {names[0]} that the server says: {error}") from None
    if not unpacker.eof:
        raise FetchError("the body was cut off")


def _headers(response: httpcore.Response) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1").strip() for name, value in response.headers}


def _next(current: str, location: str | None) -> str:
    if not location:
        raise FetchError("the server redirects to nowhere")
    try:
        target = normal_url(str(httpx.URL(current).join(location)))
    except (httpx.InvalidURL, FetchError) as error:
        raise RefusedError(f"it redirects to what is refused: {error}") from None
    if current.startswith("https:") and not target.startswith("https:"):
        raise RefusedError("it redirects from https to http, which is refused")
    return target


def _stream(asked: str, final: str, told: dict[str, str], body: bytes) -> ByteStream:
    typed = Message()
    typed["content-type"] = told.get("content-type") or "application/octet-stream"
    mime_type = typed.get_content_type() if "content-type" in told else None
    found: dict[str, Any] = {
        "url": asked,
        "path": asked,
        "uri": asked,
        "file_name": file_name(final, mime_type),
        "final_url": final,
        "fetched_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "content_type": mime_type,
        "charset": typed.get_content_charset() if mime_type else None,
        "etag": told.get("etag"),
        "modified_at": _moment(told.get("last-modified")),
    }
    return ByteStream(body, {key: value for key, value in found.items() if value}, mime_type)


def file_name(url: str, mime_type: str | None) -> str:
    """A name for what a URL holds: the last part of its path, with the extension of its type where it has none, else the host.

    >>> file_name("https://example.org/rules/leave%20policy", "text/html"), file_name("https://example.org/", None)
    ('leave policy.html', 'example.org')
    """
    parsed = httpx.URL(url)
    last = re.sub(r"[\x00-\x1f/\\\\]", "", unquote(PurePosixPath(parsed.path).name)) or parsed.host
    if last == parsed.host or not PurePosixPath(last).suffix:
        last += mimetypes.guess_extension(mime_type or "") or ""
    return last[:200]


def _moment(text: str | None) -> str | None:
    try:
        moment = parsedate_to_datetime(text) if text else None
    except ValueError:
        return None
    return moment.astimezone(UTC).isoformat(timespec="seconds") if moment else None

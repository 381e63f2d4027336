"""HTTP to checked addresses only, within a deadline: the connection goes to the address that was checked, not to a name that is resolved again."""

from __future__ import annotations

import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore

from components.fetchers.addresses import Allowed

Resolve = Callable[[str, int], list[str]]
"""Addresses of a host, as text."""


class Deadline:
    """A moment after which nothing is waited for.

    :param seconds: from now.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def passed(self) -> bool:
        """Whether it is over."""
        return time.monotonic() >= self._end

    def left(self, at_most: float | None = None) -> float:
        """Seconds left, `at_most` so many.

        :raises TimeoutError: none are.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"it took longer than {self.seconds:g} s")
        return left if at_most is None else min(left, at_most)


def resolve_host(host: str, port: int) -> list[str]:
    """Addresses of a host from the system's resolver; every written form of an address (decimal, octal, hexadecimal) becomes a plain one."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in found))


def within(deadline: Deadline, work: Callable[[], list[str]]) -> list[str]:
    """The result of work that cannot be stopped, or an end of waiting for it.

    :raises TimeoutError: it took too long.
    """
    results: queue.Queue[tuple[list[str] | None, OSError | None]] = queue.Queue()

    def run() -> None:
        try:
            results.put((work(), None))
        except (OSError, UnicodeError) as error:
            results.put((None, error if isinstance(error, OSError) else OSError(str(error))))

    threading.Thread(target=run, daemon=True).start()
    try:
        found, error = results.get(timeout=deadline.left())
    except queue.Empty:
        raise TimeoutError(f"it took longer than {deadline.seconds:g} s to find its address") from None
    if error is not None:
        raise error
    return found or []


class _TimedStream(httpcore.NetworkStream):
    """A stream whose every read and write ends with the deadline, also one that comes a byte at a time."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None) -> httpcore.NetworkStream:
        return _TimedStream(self._stream.start_tls(ssl_context, server_hostname, self._deadline.left(timeout)), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _PinnedBackend(httpcore.NetworkBackend):
    """Resolves a host once, checks every address, and connects to one of those."""

    def __init__(self, allowed: Allowed, resolve: Resolve, deadline: Deadline) -> None:
        self._allowed, self._resolve, self._deadline = allowed, resolve, deadline
        self._sync = httpcore.SyncBackend()

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, local_address: str | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        addresses = within(self._deadline, lambda: self._resolve(host, port))
        checked = [self._allowed.check(host, address) for address in addresses]  # one that is not public condemns the host
        if not checked:
            raise OSError(f"{host} has no address")
        for place, address in enumerate(checked):
            try:
                stream = self._sync.connect_tcp(str(address), port, self._deadline.left(timeout), local_address, socket_options)
                return _TimedStream(stream, self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if place == len(checked) - 1:
                    raise
        raise OSError(f"{host} cannot be reached")

    def connect_unix_socket(self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None) -> httpcore.NetworkStream:
        raise PermissionError("no socket of this machine is connected to")

    def sleep(self, seconds: float) -> None:
        self._sync.sleep(seconds)


@contextmanager
def pinned_get(
    url: str, headers: dict[str, str], *, allowed: Allowed, resolve: Resolve, deadline: Deadline, read_timeout_s: float
) -> Iterator[httpcore.Response]:
    """The response to one GET, its body not read yet. No redirect is followed, no proxy and no environment variable is heeded.

    :raises AddressError: the host has an address that is not allowed.
    :raises TimeoutError: the deadline has passed.
    :raises OSError: the host is not found.
    :raises httpcore.NetworkError: and its kin: the connection failed.
    """
    timeouts = dict.fromkeys(("connect", "read", "write", "pool"), read_timeout_s)
    backend = _PinnedBackend(allowed, resolve, deadline)
    with (
        httpcore.ConnectionPool(ssl_context=ssl.create_default_context(), network_backend=backend, retries=0) as pool,
        pool.stream("GET", url, headers=[*headers.items()], extensions={"timeout": timeouts}) as response,
    ):
        yield response

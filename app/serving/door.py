"""The door: every request gets an id, is let in or not, acts in the name of its key, and ends when its caller leaves.

Plain ASGI, no `BaseHTTPMiddleware`: that one hides a caller's leaving, and runs the application in a task of its own.
"""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from app.serving import problems
from app.serving.keys import Keys, digest
from app.serving.limits import TokenBuckets, too_large
from app.serving.problems import Problem
from components.access.principal import ANONYMOUS, Principal, acting_as

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN = frozenset({"/health/live"})
"""Paths that need no key."""
INTERNAL = "/internal/"
LOCAL_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?", re.IGNORECASE)
REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")


def header(scope: Scope, name: bytes) -> bytes | None:
    """The value of a header; None where it is absent or stands there more than once."""
    found = [value for key, value in scope["headers"] if key == name]
    return found[0] if len(found) == 1 else None


class RequestId:
    """Outermost: the request's id, one log line about it, and the answer to an error that nothing else caught."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            if scope["type"] != "websocket":
                await self.app(scope, receive, send)
            return
        from hayhooks import log

        given = header(scope, b"x-request-id")
        name = given.decode() if given and REQUEST_ID.fullmatch(given) else uuid.uuid4().hex[:16]
        state = scope["state"] = {**scope.get("state", {}), "request_id": name}
        started, status = time.perf_counter(), 0

        async def send_with_id(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", []), (b"x-request-id", name.encode())]}
            await send(message)

        with log.contextualize(request_id=name):
            try:
                await self.app(scope, receive, send_with_id)
            except Exception as error:  # noqa: BLE001  the last door: the caller gets no text of it, the log all
                log.opt(exception=error).error("unexpected error")
                if not status:
                    await problems.response(problems.from_status(500), name)(scope, receive, send_with_id)
            finally:
                user = getattr(state.get("principal"), "user", None) or "-"
                path = (scope.get("raw_path") or b"").decode("ascii", "replace")
                ms = (time.perf_counter() - started) * 1000
                level = "DEBUG" if path.startswith("/health/") else "INFO"
                log.log(level, "{} {} {} {:.0f} ms user={!r}", scope["method"], path, status or "gone", ms, user)


class Door:
    """Lets a request in: the host it names, its key, its rate, the size of its body. What it runs acts as the key's principal."""

    def __init__(
        self, app: App, *, keys: Keys, system_key: Keys, rate: TokenBuckets, body_bytes: int, upload_bytes: int, uploads: frozenset[str]
    ) -> None:
        """Create the door.

        :param keys: whom to let in; none: everyone who names this machine, as the anonymous principal.
        :param system_key: the key of the command line on this machine, good for `/internal/` only.
        :param uploads: paths whose body may have `upload_bytes`.
        """
        self.app, self.keys, self.system_key, self.rate = app, keys, system_key, rate
        self.body_bytes, self.upload_bytes, self.uploads = body_bytes, upload_bytes, uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            principal = self._admit(scope)
            limit = self.upload_bytes if scope["path"] in self.uploads or scope["path"].startswith(INTERNAL) else self.body_bytes
            receive = self._limited(scope, receive, limit)
        except Problem as problem:
            await problems.response(problem, scope["state"]["request_id"])(scope, receive, send)
            return
        with acting_as(principal):
            await until_gone(self.app, scope, receive, send)

    def _admit(self, scope: Scope) -> Principal:
        path = scope["path"]
        internal = path.startswith(INTERNAL)
        if not self.keys:
            host = (header(scope, b"host") or b"").decode("latin-1")
            if not LOCAL_HOST.fullmatch(host):  # a page of another site whose name was pointed at this machine
                raise Problem(403, "host", "Without SAKSHYA_API_KEYS the server answers to localhost and 127.0.0.1 only.")
        if path in OPEN:
            return ANONYMOUS
        key = given_key(scope)
        if internal:
            principal = self.system_key.find(key) or self.keys.find(key) if key else None
            scope["state"]["system"] = bool(key and self.system_key.find(key))
            if not principal or not principal.is_admin:
                raise unknown_key()
        elif self.keys:
            principal = self.keys.find(key) if key else None
            if not principal:
                raise unknown_key()
        elif path in self.uploads:  # before a byte of it is read
            raise Problem(401, "key", "Uploading needs a key: set SAKSHYA_API_KEYS. On this machine `sakshya index PATH` works without one.")
        else:
            principal = ANONYMOUS
        scope["state"]["principal"] = principal
        if not internal and scope["method"] not in {"GET", "HEAD", "OPTIONS"}:
            self.rate.check(digest(key) if self.keys and key else (scope.get("client") or ("",))[0])
        return principal

    def _limited(self, scope: Scope, receive: Receive, limit: int) -> Receive:
        declared = header(scope, b"content-length") or b"0"
        if not declared.isdigit() or int(declared[:20]) > limit:
            raise too_large(limit)
        taken = 0

        async def counted() -> MutableMapping[str, Any]:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > limit:
                raise too_large(limit)
            return message

        return counted


def given_key(scope: Scope) -> str | None:
    """The key of `X-API-Key` or of `Authorization: Bearer`; None where there is none, or two that differ."""
    plain, bearer = header(scope, b"x-api-key"), header(scope, b"authorization")
    scheme, _, token = (bearer or b"").partition(b" ")
    found = {value.strip() for value in (plain, token if scheme.lower() == b"bearer" else None) if value and value.strip()}
    return found.pop().decode("latin-1") if len(found) == 1 else None


def unknown_key() -> Problem:
    """The problem of a request without a key that is known."""
    return Problem(401, "key", "This needs a known key, in X-API-Key or Authorization: Bearer.", headers={"WWW-Authenticate": "Bearer"})


async def until_gone(app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """Run the application, and cancel it when the caller leaves: an answer that nobody waits for is not worked out.

    The application's messages go through a queue of one, so that a large body is still read no faster than it is taken.
    """
    messages: asyncio.Queue[MutableMapping[str, Any] | BaseException] = asyncio.Queue(maxsize=1)
    gone = finished = False

    async def take() -> MutableMapping[str, Any]:
        message = await messages.get()
        if isinstance(message, BaseException):
            raise message
        return message

    async def give(message: MutableMapping[str, Any]) -> None:
        nonlocal finished
        await send(message)
        finished = message["type"] == "http.response.body" and not message.get("more_body")

    task = asyncio.create_task(app(scope, take, give))  # pyright: ignore[reportArgumentType]  the context, principal included, is copied

    async def pump() -> None:
        nonlocal gone
        while True:
            try:
                message = await receive()
            except Problem as problem:
                await messages.put(problem)
                return
            if message["type"] == "http.disconnect":
                if not finished:
                    gone = True
                    task.cancel()
                return
            await messages.put(message)

    pumping = asyncio.create_task(pump())
    try:
        await task
    except asyncio.CancelledError:
        if not gone:
            task.cancel()
            raise
    finally:
        pumping.cancel()

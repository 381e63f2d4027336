"""Errors as RFC 9457 problem details. What an exception says goes to the log, never into an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import Response

from app.errors import UsageError

MEDIA_TYPE = "application/problem+json"
MAX_ERRORS = 20
"""Faults of one request that are listed."""


class Problem(HTTPException):
    """An error whose text was written for the caller.

    :param kind: what a program tells it by; the problem's type is `urn:sakshya:KIND`.
    :param detail: one line for a person.
    :param errors: faults of the request, `{"at": "body.question", "reason": ...}` each.
    """

    def __init__(
        self, status: int, kind: str, detail: str, *, headers: Mapping[str, str] | None = None, errors: Sequence[Mapping[str, str]] | None = None
    ) -> None:
        super().__init__(status, detail, dict(headers or {}))
        self.kind, self.errors = kind, errors

    def to_dict(self, request_id: str = "") -> dict[str, Any]:
        """The members of the problem."""
        return {
            "type": f"urn:sakshya:{self.kind}",
            "title": HTTPStatus(self.status_code).phrase,
            "status": self.status_code,
            "detail": self.detail,
            **({"errors": list(self.errors)} if self.errors else {}),
            **({"request_id": request_id} if request_id else {}),
        }


def from_status(status: int) -> Problem:
    """The problem for a bare HTTP status: its text is the status' own, whatever the library that raised it says."""
    phrase = HTTPStatus(status).phrase
    return Problem(
        status, phrase.lower().replace(" ", "-"), f"{phrase}." if status < 500 else "Something failed here; the log has it under the request id."
    )


def response(problem: Problem, request_id: str = "") -> Response:
    """The answer that carries a problem. ASCII, because a request may hold text that UTF-8 cannot."""
    body = json.dumps(problem.to_dict(request_id)).encode("ascii")
    return Response(body, problem.status_code, headers=dict(problem.headers or {}), media_type=MEDIA_TYPE)


def request_id(request: Request) -> str:
    """The id that the door gave the request."""
    return str(request.scope.get("state", {}).get("request_id", ""))


def invalid(errors: Sequence[Mapping[str, Any]]) -> Problem:
    """The problem for a request that does not fit its schema; pydantic's errors without the values that were sent."""
    found = [{"at": ".".join(map(str, e["loc"])), "reason": str(e["msg"]).removeprefix("Value error, ")} for e in errors[:MAX_ERRORS]]
    return Problem(422, "invalid-request", "The request does not fit: see errors.", errors=found)


async def _on_http(request: Request, error: Exception) -> Response:
    problem = error if isinstance(error, Problem) else from_status(getattr(error, "status_code", 500))
    if not isinstance(error, Problem) and isinstance(error, StarletteHTTPException):
        problem.headers = error.headers
    return response(problem, request_id(request))


async def _on_invalid(request: Request, error: Exception) -> Response:
    return response(invalid(error.errors() if isinstance(error, RequestValidationError) else []), request_id(request))


def unusable(error: Exception) -> Problem:
    """The problem for values that only the index can tell to be wrong: the text was written for the caller."""
    return Problem(422, "invalid-request", str(error))


async def _on_usage(request: Request, error: Exception) -> Response:
    return response(unusable(error), request_id(request))


def install(app: FastAPI) -> None:
    """Answer every error of the application with a problem."""
    app.add_exception_handler(UsageError, _on_usage)
    app.add_exception_handler(StarletteHTTPException, _on_http)
    app.add_exception_handler(RequestValidationError, _on_invalid)


SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "request_id": {"type": "string"},
        "errors": {"type": "array", "items": {"type": "object", "properties": {"at": {"type": "string"}, "reason": {"type": "string"}}}},
    },
}
"""OpenAPI's description of a problem."""


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """`responses=` of a route, for these statuses."""
    content = {MEDIA_TYPE: {"schema": SCHEMA}}
    return {status: {"description": HTTPStatus(status).phrase, "content": content} for status in statuses}

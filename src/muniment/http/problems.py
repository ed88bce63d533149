"""Errors as problem bodies (RFC 9457), each with its code and findings; no other form of error leaves the server.

- The status is `wire.http_status`; what the protocol refuses before a verb is asked has codes of its own.
- An answer that asks to come again says when (`Retry-After`); one that asks for a token says how (`WWW-Authenticate`).

>>> response = problem(404, "no_route", "nothing is served at this address")
>>> response.status_code, response.headers["content-type"]
(404, 'application/problem+json')
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from muniment import wire
from muniment.core.errors import Finding, MunimentError, Unauthenticated

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER = 1
WHY = "muniment.why"
"""Where a refusal's code is kept in a request's ASGI scope, for the log."""
CHALLENGE = 'Bearer realm="muniment"'


class Refused(Exception):
    """The protocol was not kept; raised before a verb is asked.

    Attributes:
        status: The HTTP status.
        finding: What is wrong, and what to do.
        seconds: When to come again; 0 where that is not told.
    """

    def __init__(self, status: int, code: str, message: str, fix: str, seconds: int = 0) -> None:
        super().__init__(message)
        self.status, self.finding = status, Finding(code, message, fix=fix)
        self.seconds = seconds

    def response(self) -> Response:
        """As a problem."""
        one = self.finding
        headers = {"Retry-After": str(self.seconds)} if self.seconds else {}
        return problem(self.status, one.code, one.message, (one,), headers)


def fault_of(error: BaseException) -> Refused:
    """A fault of our own; nothing but its kind is told."""
    fix = "try again; if it stays so, the server's own output says more"
    return Refused(500, "fault", f"a fault in Muniment itself: {type(error).__name__}", fix)


def unauthenticated() -> Unauthenticated:
    """The one answer to whoever presents no token that serves."""
    fix = "send `Authorization: Bearer mun_…`; an operator makes a token: `muniment token create`"
    return Unauthenticated("no token that serves was presented", fix=fix)


def from_error(error: MunimentError) -> Response:
    """An error of the library as a problem."""
    return problem(wire.http_status(error), error.code, error.message, error.findings)


def problem(
    status: int,
    code: str,
    detail: str,
    findings: tuple[Finding, ...] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A problem body.

    Args:
        status: The HTTP status.
        code: A stable word, listed in the reference of errors.
        detail: What is wrong with this request.
        findings: Every finding; one of code and detail by default.
        headers: Further headers.
    """
    more = dict(headers or {})
    if status == 503:
        more.setdefault("Retry-After", str(RETRY_AFTER))
    if status == 401:
        more.setdefault("WWW-Authenticate", CHALLENGE)
    body = json.dumps(problem_body(status, code, detail, findings), ensure_ascii=False)
    data = body.encode("utf-8", "backslashreplace")
    return Response(data, status, more, media_type=MEDIA_TYPE)


def problem_body(
    status: int, code: str, detail: str, findings: tuple[Finding, ...] = ()
) -> dict[str, Any]:
    """The members of a problem body, every one always there."""
    return {
        "type": f"urn:muniment:problem:{code}",
        "title": code.replace("_", " ").capitalize(),
        "status": status,
        "detail": detail,
        "code": code,
        "findings": [wire.finding(one) for one in findings or (Finding(code, detail),)],
    }

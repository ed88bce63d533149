"""What every request passes, whatever is behind: pages, routes or tools.

- Host and Origin are allowed by name; a browser on another site gets nothing (no CORS).
- Headers, body and time are bounded; whoever is over is told so by a problem.
- Every answer carries the security headers; a fault becomes a problem without detail.
- The access log names method, route and status, and of a refusal the code; no query, no token, no person, no claim.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from muniment.http.counters import NOBODY, Counters
from muniment.http.problems import WHY, Refused, fault_of
from muniment.http.settings import Settings, host_name

log = logging.getLogger("muniment.http")

SECURITY_HEADERS: tuple[tuple[str, str], ...] = (
    (
        "Content-Security-Policy",
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    ),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    (
        "Referrer-Policy",
        "same-origin",
    ),  # under `no-referrer`, browsers send forms with the origin `null`
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
)
DRAIN_SECONDS = 2.0
STRICT_TRANSPORT = ("Strict-Transport-Security", "max-age=31536000")


class Guard:
    """The outermost layer."""

    def __init__(self, app: ASGIApp, settings: Settings, counters: Counters) -> None:
        """Stand before an application."""
        self._app, self._settings, self._counters = app, settings, counters
        self._headers = SECURITY_HEADERS + ((STRICT_TRANSPORT,) if settings.secure else ())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            passing = _Passing(scope, receive, send, self._settings.limits.body, self._headers)
            began = time.perf_counter()
            try:
                await self._pass(passing)
            finally:
                self._note(passing, began)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _pass(self, passing: _Passing) -> None:
        try:
            refuse_foreign(passing.scope, self._settings)
            async with asyncio.timeout(self._settings.limits.seconds) as passing.deadline:
                await self._app(passing.scope, passing.receive, passing.send)
        except Refused as refused:
            await passing.answer(refused)
        except TimeoutError as late:
            if not passing.is_late:  # somebody else's bound, met inside
                log.error("fault: %s", type(late).__name__, exc_info=late)
                await passing.answer(fault_of(late))
            elif passing.is_complete:
                fix = "come again; what was asked may still be done: a proposal with the same `Idempotency-Key` is one"
                await passing.answer(
                    Refused(503, "deadline_passed", "the request took too long", fix)
                )
            else:
                fix = "send the body at once"
                await passing.answer(
                    Refused(408, "slow_body", "the body did not come in time", fix)
                )
        except Exception as fault:
            if passing.over is None:
                log.error("fault: %s", type(fault).__name__, exc_info=fault)
            await passing.answer(passing.over or fault_of(fault))

    def _note(self, passing: _Passing, began: float) -> None:
        scope = passing.scope
        path = getattr(scope.get("route"), "path", "-")
        method = scope["method"] if scope["method"] in METHODS else "-"
        route = f"{method} {path}"
        self._counters.count(scope.get("muniment.tenant", NOBODY), route, passing.status)
        spent = (time.perf_counter() - began) * 1000
        log.info("%s %d %.1f ms%s", route, passing.status, spent, scope.get(WHY, ""))


METHODS = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS TRACE".split())


class _Passing:
    """One request on its way: its body is counted, its answer gets the headers."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        most: int,
        headers: tuple[tuple[str, str], ...],
    ) -> None:
        self.scope, self._receive, self._send = scope, receive, send
        self._most, self._headers = most, headers
        self._size = 0
        self.over: Refused | None = None
        self.deadline: asyncio.Timeout | None = None
        sent = Headers(scope=scope)
        self.is_complete = (
            "transfer-encoding" not in sent and sent.get("content-length", "0") == "0"
        )
        self.status = 0

    @property
    def is_late(self) -> bool:
        """Whether the request's own time is over."""
        return self.deadline is not None and self.deadline.expired()

    async def receive(self) -> Message:
        """The next part of the request."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._size += len(message.get("body", b""))
            self.is_complete = not message.get("more_body", False)
            if self._size > self._most:
                self.over = too_large(self._most)
                raise self.over
        return message

    async def send(self, message: Message) -> None:
        """The next part of the answer."""
        if (
            self.over is not None
        ):  # something inside caught the refusal; its answer is not what is sent
            raise self.over
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._add_headers(message)
            if self.deadline is not None:
                self.deadline.reschedule(None)
        await self._send(message)

    def _add_headers(self, message: MutableMapping[str, Any]) -> None:
        headers = MutableHeaders(scope=message)
        for name, value in self._headers:
            headers.setdefault(name, value)

    async def answer(self, refused: Refused) -> None:
        """Answer with a problem, where no answer has begun."""
        if self.status:
            return
        self.over, self.deadline = None, None
        self.scope[WHY] = f" {refused.finding.code}"
        await refused.response()(self.scope, self._receive, self.send)
        if not self.is_complete:
            await self._drain()

    async def _drain(self) -> None:
        """Read on for a moment: who still sends would otherwise find the connection broken, and no answer."""
        left = self._most
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                while left > 0:
                    message = await self._receive()
                    if message["type"] != "http.request" or not message.get("more_body", False):
                        return
                    left -= len(message.get("body", b""))


def too_large(most: int) -> Refused:
    """The refusal of a body that is too large."""
    fix = "send less at once"
    return Refused(413, "body_too_large", f"the body has over {most:,} bytes", fix)


def refuse_foreign(scope: Scope, settings: Settings) -> None:
    """Refuse what is for another host, from another site, or too large to look at.

    Raises:
        Refused: With status 400, 403, 413, 421 or 431.
    """
    headers, limits = Headers(scope=scope), settings.limits
    size = sum(len(name) + len(value) for name, value in scope["headers"])
    if size > limits.headers:
        message = f"the headers have over {limits.headers:,} bytes"
        raise Refused(431, "headers_too_large", message, "send fewer or shorter headers")
    hosts = headers.getlist("host")
    if len(hosts) != 1 or not settings.answers_to(hosts[0]):
        fix = "use the server's own name; `muniment serve --allow-host NAME` adds one"
        raise Refused(421, "foreign_host", "this server does not answer to that host", fix)
    if not all(_is_own(origin, hosts[0]) for origin in headers.getlist("origin")):
        fix = "call it from its own pages, or from a program that is no browser"
        raise Refused(403, "foreign_origin", "a page of another site asked for this", fix)
    if headers.get("sec-fetch-site") in ("cross-site", "same-site") and (
        headers.get("sec-fetch-mode") != "navigate" or scope["method"] not in ("GET", "HEAD")
    ):
        fix = "call it from its own pages, or from a program that is no browser"
        raise Refused(403, "foreign_origin", "a page of another site asked for this", fix)
    length = headers.get("content-length", "")
    if length.isdigit() and int(length) > limits.body:
        raise too_large(limits.body)


def _is_own(origin: str, host: str) -> bool:
    """Whether an origin is this very server.

    >>> _is_own("http://localhost:8000", "localhost:8000"), _is_own("null", "localhost:8000")
    (True, False)
    >>> _is_own("http://localhost:3000", "localhost:8000")
    False
    """
    scheme, separator, place = origin.partition("://")
    return (
        bool(separator)
        and scheme in ("http", "https")
        and (place.lower() == host.lower() and host_name(place) == host_name(host))
    )

"""Routes of the page, and the way that every request to it goes: seat, forgery check, view, answer.

- A view is a function of a `Page`; it works in a thread, for stores are synchronous.
- What changes something is a POST with the seat's own secret in its form; a GET changes nothing.
- A refusal becomes a page that says what it is and what to do, or a message on the page before.
- Without a seat there is one answer to everything: sign in.
- In a showcase anybody looks, and nothing but looking is mounted: no POST, no signing in, nothing to edit.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from http import HTTPStatus
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from muniment.core.errors import InvalidInput, MunimentError, NotPermitted
from muniment.http.pages.asked import HEADERS, SHOWN, Page, View, answer
from muniment.http.pages.seats import COOKIE, PageSettings, Seat, Seats
from muniment.http.pages.views import VIEWS
from muniment.wire import http_status

LARGEST_FORM = 2_000_000
MOST_FIELDS = 20_000
_STATIC = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


class _Pages:
    def __init__(self, settings: PageSettings) -> None:
        self.seats = Seats(settings)

    def endpoint(self, view: View) -> Callable[[Request], Any]:
        async def handle(request: Request) -> Response:
            fields = await _fields(request) if request.method == "POST" else []
            return await run_in_threadpool(self._handle, request, view, fields)

        return handle

    def _handle(
        self, request: Request, view: View, fields: list[tuple[str, str]] | None
    ) -> Response:
        seat = self.seats.find(request.cookies.get(COOKIE, ""))
        if seat is None:
            return self._sign_in_first(request)
        if fields is None:
            return _failed(request, seat, InvalidInput("the form is too large"))
        form = dict(fields)
        if request.method == "POST" and not hmac.compare_digest(
            form.get("csrf", "").encode(), seat.csrf.encode()
        ):
            fix = "go back, reload the page, and send the form again"
            return _failed(request, seat, NotPermitted("the form is not this page's own", fix=fix))
        several: dict[str, tuple[str, ...]] = {}
        for name, value in fields:
            several[name] = (*several.get(name, ()), value)
        page = Page(request, self.seats, seat, form, several)
        try:
            return view(page)
        except MunimentError as error:
            return _failed(request, seat, error)

    def _sign_in_first(self, request: Request) -> Response:
        if request.method == "GET":
            target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            to = f"/sign-in?{urlencode({'next': target})}"
            return RedirectResponse(to, HTTPStatus.SEE_OTHER, headers=HEADERS)
        return answer(
            request, None, "sign_in.html", HTTPStatus.UNAUTHORIZED, next="/inbox", wrong=""
        )

    async def sign_in(self, request: Request) -> Response:
        """The form, the one-time code, and a token that was given."""
        fields = await _fields(request) if request.method == "POST" else []
        return await run_in_threadpool(self._sign_in, request, dict(fields or []))

    def _sign_in(self, request: Request, form: Mapping[str, str]) -> Response:
        target = _local(form.get("next") or request.query_params.get("next", ""))
        code = request.query_params.get("code", "") if request.method == "GET" else ""
        if not code and request.method == "GET":
            return answer(request, None, "sign_in.html", 200, next=target, wrong="")
        try:
            seat = (
                self.seats.take_with_code(code)
                if code
                else self.seats.take_with_token(form.get("token", ""))
            )
        except NotPermitted as refused:
            status = HTTPStatus.UNAUTHORIZED
            wrong = f"{refused.message}; {refused.findings[0].fix}"
            return answer(request, None, "sign_in.html", status, next=target, wrong=wrong)
        moved = RedirectResponse(target, HTTPStatus.SEE_OTHER, headers=HEADERS)
        secure = self.seats.settings.secure
        moved.set_cookie(
            COOKIE, seat.name, httponly=True, samesite="strict", secure=secure, path="/"
        )
        return moved


def _failed(request: Request, seat: Seat, error: MunimentError) -> Response:
    findings = error.findings
    status = http_status(error)
    return answer(request, seat, "refused.html", status, message=error.message, findings=findings)


def _local(target: str) -> str:
    """A path of this page, whatever was asked for.

    >>> _local("//evil.example/x"), _local("/claims/mem_1"), _local("https://evil.example")
    ('/inbox', '/claims/mem_1', '/inbox')
    """
    plain = target.startswith("/") and not target.startswith(("//", "/\\"))
    return quote(target, safe="/?&=%:+,-_.~") if plain and target.isprintable() else "/inbox"


async def _fields(request: Request) -> list[tuple[str, str]] | None:
    """The fields of a form, in order; None where it is too large or no form."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_FORM:
            return None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        return []
    try:
        return parse_qsl(body.decode("ascii", "replace"), True, max_num_fields=MOST_FIELDS)
    except ValueError:
        return None


async def _static(request: Request) -> Response:
    name = str(request.path_params["name"])
    known = {one.name: one for one in files("muniment.http.pages").joinpath("static").iterdir()}
    kind = _STATIC.get(name.rpartition(".")[2])
    if name not in known or kind is None:
        return Response(status_code=HTTPStatus.NOT_FOUND, headers=HEADERS)
    headers = {**HEADERS, "Cache-Control": "public, max-age=86400"}
    return Response(known[name].read_bytes(), media_type=kind, headers=headers)


def mount_pages(app: Starlette, settings: PageSettings) -> Seats:
    """Put the page's routes into an application.

    Args:
        app: The application.
        settings: What the page works with.

    Returns:
        Who sits there; its `code` signs in whoever started the server.
    """
    pages = _Pages(settings)
    app.router.routes.append(Route("/static/{name}", _static, methods=["GET"]))
    if not settings.showcase:
        app.router.routes.append(Route("/sign-in", pages.sign_in, methods=["GET", "POST"]))
    for method, path, view in VIEWS:
        if settings.showcase and (method != "GET" or path not in SHOWN):
            continue
        app.router.routes.append(Route(path, pages.endpoint(view), methods=[method]))
    return pages.seats

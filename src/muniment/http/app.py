"""The application: routes from the table of calls, what the server says of itself, pages and tools, behind one guard.

- `/v1/…` needs a token always, also on this machine.
- In a showcase no route that writes is mounted, and none needs a token.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from muniment import __version__
from muniment.core.errors import Finding, MunimentError
from muniment.http import about
from muniment.http.counters import Counters
from muniment.http.guard import Guard
from muniment.http.openapi import document
from muniment.http.pages import PageSettings, mount_pages
from muniment.http.problems import WHY, Refused, fault_of, from_error, problem
from muniment.http.rates import Rates
from muniment.http.routes import Served, endpoint, served_calls
from muniment.http.settings import Settings
from muniment.http.workers import Workers


def make_app(settings: Settings) -> FastAPI:
    """The application of a server.

    Opens memory; what it opened is closed when the application is shut down, but not what was lent to it.

    Args:
        settings: How it is to be.

    Raises:
        StoreError: Memory cannot be opened.
    """
    limits = settings.limits
    workers = Workers(limits.threads, limits.waiting)
    served = Served(settings, settings.opener(), workers, Rates(limits.rate))
    counters = Counters()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for around in app.state.lifespans:
                await stack.enter_async_context(around())
            yield
        served.workers.close()
        if not settings.lent:
            served.memory.close()

    app = _Guarded(
        title="Muniment",
        version=__version__,
        openapi_url="/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.settings, app.counters = settings, counters
    app.state.served, app.state.lifespans = served, []
    _add_handlers(app)
    _add_routes(app, served, counters)
    _mount_others(app, served)
    return app


class _Guarded(FastAPI):
    """An application whose guard stands outside everything, also outside what frameworks answer to a fault."""

    settings: Settings
    counters: Counters

    def openapi(self) -> dict[str, Any]:
        """The description, from the tables that the routes come from."""
        if self.openapi_schema is None:
            self.openapi_schema = document(self.settings)
        return self.openapi_schema

    def build_middleware_stack(self) -> ASGIApp:
        """The whole stack, behind the guard."""
        return Guard(super().build_middleware_stack(), self.settings, self.counters)


def _add_routes(app: FastAPI, served: Served, counters: Counters) -> None:
    for call in served_calls(served.settings):
        method, path = call.route
        app.add_api_route(path, endpoint(served, call), methods=[method], name=call.name)
    plain: tuple[tuple[str, Any], ...] = (
        ("/health", about.health),
        ("/ready", about.ready(served)),
        ("/v1/me", about.me(served)),
        ("/v1/ontology", about.ontology(served)),
    )
    if not served.settings.showcase:
        plain = (*plain, ("/metrics", about.metrics(served, counters)))
    for path, respond in plain:
        app.add_api_route(path, respond, methods=["GET"], name=path.rpartition("/")[2])


def _mount_others(app: FastAPI, served: Served) -> None:
    """Mount the pages and the tools; a showcase has pages to look at alone, and no tools."""
    settings = served.settings
    app.state.seats = mount_pages(
        app,
        PageSettings(
            served.memory,
            None if settings.showcase else settings.own,
            settings.credential,
            settings.secure,
            settings.role,
            showcase=settings.showcase,
        ),
    )
    if not settings.showcase and importlib.util.find_spec("muniment.mcp") is not None:
        asgi = importlib.import_module("muniment.mcp.asgi")
        tools = asgi.mcp_app(served.bearer_of)
        app.router.routes.append(Route(tools.path, tools))
        app.state.lifespans.append(tools.lifespan)


def _add_handlers(app: FastAPI) -> None:
    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, MunimentError)
        request.scope[WHY] = f" {error.code}"
        return from_error(error)

    async def not_kept(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        request.scope[WHY] = f" {error.finding.code}"
        return error.response()

    async def unknown(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return from_status(error)

    async def fault(request: Request, error: Exception) -> Response:
        return fault_of(error).response()  # raised again behind this answer; the guard logs it

    app.add_exception_handler(Exception, fault)
    app.add_exception_handler(MunimentError, refused)
    app.add_exception_handler(Refused, not_kept)
    app.add_exception_handler(HTTPException, unknown)


STATUSES = {
    404: ("no_route", "nothing is served at this address", "see `/openapi.json` for the routes"),
    405: ("wrong_method", "this address has no such method", "see the `Allow` header"),
}


def from_status(error: HTTPException) -> Response:
    """What a framework refuses, as a problem."""
    code, message, fix = STATUSES.get(
        error.status_code, ("bad_request", str(error.detail), "see `/openapi.json`")
    )
    found = Finding(code, message, fix=fix)
    return problem(error.status_code, code, message, (found,), error.headers)

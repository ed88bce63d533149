"""`serve`: memory over HTTP, with the review page, for bearers of tokens."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muniment.cli.call import Call, refusal
from muniment.cli.options import command
from muniment.cli.terminal import Styled
from muniment.core.errors import MunimentError
from muniment.core.loopback import is_loopback

if TYPE_CHECKING:
    from muniment.http.server import Place
    from muniment.http.settings import Settings

BROUGHT = frozenset(("fastapi", "jinja2", "mcp", "nh3", "pydantic", "starlette", "uvicorn"))


@command
def serve(
    call: Call,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65_535, help="0 for any free one.")
    ] = 8765,
    cert: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="The certificate chain, PEM.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option("--tls-key", metavar="FILE", help="Its key, PEM.")
    ] = None,
    behind: Annotated[
        bool, typer.Option("--behind-proxy", help="A proxy in front ends TLS.")
    ] = False,
    names: Annotated[
        list[str],
        typer.Option(
            "--allow-host", metavar="NAME", help="A further name under which it is reached."
        ),
    ] = [],  # noqa: B006 - read by Typer, never written
    rate: Annotated[
        int | None,
        typer.Option(
            "--rate",
            metavar="N",
            min=0,
            help="Requests a minute for each token; 0 for any number. 600, and on this machine alone any number.",
        ),
    ] = None,
    showcase: Annotated[
        bool,
        typer.Option("--showcase", help="Serve fixed synthetic cases to anybody, reading alone."),
    ] = False,
) -> None:
    """Serve memory over HTTP until Ctrl-C: routes under `/v1`, tools at `/mcp`, the review page at `/inbox`.

    Every route needs a token (`muniment token create`), whatever the address; `--role` is a ceiling for all of them.
    Only this machine reaches it, unless it has TLS: `--tls-cert` and `--tls-key`, or `--behind-proxy`.

    Example: `muniment serve`; `muniment serve --host 0.0.0.0 --behind-proxy --allow-host memory.example.org`
    """
    try:
        from muniment.http import server
    except ImportError as error:
        raise _not_installed(error) from error
    place = server.Place(host, port, cert, key, behind, tuple(names))
    server.refuse_open(place)
    settings = _showcase(place) if showcase else _settings(call, place, rate)
    listener = server.listening(place)
    try:
        _run(call, place, settings, listener, showcase)
    finally:
        listener.close()


def _not_installed(error: ImportError) -> MunimentError:
    if str(error.name).partition(".")[0] not in BROUGHT:
        raise error
    message = f"what serves HTTP is not installed: {error.name}"
    return refusal("not_installed", message, "", "install it: pip install 'muniment[serve]'")


def _settings(call: Call, place: Place, rate: int | None) -> Settings:
    from muniment.http.settings import Limits, Settings

    own = call.memory()
    nobody = own.acting_as("", embedder=call.profile.embedder)
    return Settings(
        lambda: nobody,
        place.hosts,
        role=own.session.role or "operator",
        own=lambda: own,
        credential=call.profile.credential,
        secure=place.secure,
        limits=Limits(rate=place.rate if rate is None else rate),
    )


def _showcase(place: Place) -> Settings:
    from muniment.http.settings import Settings
    from muniment.http.showcase import showcase_memory

    return Settings(showcase_memory, place.hosts, secure=place.secure, showcase=True)


def _run(call: Call, place: Place, settings: Settings, listener: Any, showcase: bool) -> None:
    from muniment.http import server
    from muniment.http.app import make_app

    app = make_app(settings)
    address = server.address_of(place, listener)
    level = logging.INFO if call.options.verbose else logging.ERROR
    server.log_to(logging.StreamHandler(sys.stderr), level)

    def started() -> None:
        seats = app.state.seats
        code = seats.code() if not showcase and is_loopback(place.host) else ""
        _say(call, address, f"{address}/sign-in?code={code}" if code else "", showcase)

    made = server.make_server(app, place, settings.limits, started)
    made.run(sockets=[listener])
    call.terminal.dim("stopped")


def _say(call: Call, address: str, page: str, showcase: bool) -> None:
    if call.options.json:
        told = {"address": address, "sign_in": page or None, "showcase": showcase}
        call.terminal.json(told)
    else:
        call.terminal.out("serving at ", Styled(address, "bold"))
        if page:
            call.terminal.out(f"review page: {page}")
        if showcase:
            call.terminal.out(f"a showcase, reading alone, for anybody: {address}/memory")
        else:
            call.terminal.out(
                "programs sign in with a token: `muniment token create agent:NAME proposer`"
            )
        call.terminal.dim("Ctrl-C stops it")
    call.terminal.stdout.flush()

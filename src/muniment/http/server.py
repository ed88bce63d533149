"""Run a server: its socket, its certificates, and a stop that lets running requests finish.

- On this machine alone by default; elsewhere only over TLS, or behind a proxy that is said to be there.
- SIGINT and SIGTERM stop it: no new connection is taken, running requests get `limits.grace` seconds.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.core.loopback import is_loopback
from muniment.http.settings import LOOPBACK, Limits

PORT = 8765
MOST_HEADER_BYTES = 64 * 1024
BACKLOG = 1_024
RATE = 600
IDLE_SECONDS = 15


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server listens, and how it is reached.

    Attributes:
        host: An address or a name of this machine.
        port: 0 for a free one.
        certificate: The chain's PEM file; None for no TLS of its own.
        key: The key's PEM file.
        behind_proxy: Whether a proxy in front ends TLS.
        names: Further names under which it is reached.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    certificate: Path | None = None
    key: Path | None = None
    behind_proxy: bool = False
    names: tuple[str, ...] = ()

    @property
    def secure(self) -> bool:
        """Whether browsers reach it over TLS."""
        return self.certificate is not None or self.behind_proxy

    @property
    def rate(self) -> int:
        """Requests a minute for each token where nothing else is said; on this machine alone any number.

        >>> Place().rate, Place(behind_proxy=True).rate
        (0, 600)
        """
        return 0 if is_loopback(self.host) and not self.behind_proxy else RATE

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names that it answers to."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        wild = self.host in ("0.0.0.0", "::", "")  # noqa: S104 - looked for, not bound to
        return (*LOOPBACK, *(() if wild else (own,)), *self.names)


def refuse_open(place: Place) -> None:
    """Refuse to be reached from elsewhere without TLS.

    Raises:
        InvalidInput: With what would make it safe.
    """
    if (place.certificate is None) != (place.key is None):
        fix = "give both `--tls-cert` and `--tls-key`"
        raise _refused("half_a_certificate", "a certificate needs its key", "--tls-key", fix)
    if not is_loopback(place.host) and not place.secure:
        message = f"{quoted(place.host)} is reached from other machines, and tokens would travel in the clear"
        fix = "give `--tls-cert` and `--tls-key`, or say `--behind-proxy` where a proxy ends TLS"
        raise _refused("no_tls", message, "--host", fix)


def _refused(code: str, message: str, path: str, fix: str) -> InvalidInput:
    return InvalidInput.of((Finding(code, message, path, fix, req="D-API"),))


def listening(place: Place) -> socket.socket:
    """A socket that listens there.

    Raises:
        InvalidInput: The address is not this machine's, or is taken.
    """
    try:
        family, kind, number, _, address = socket.getaddrinfo(
            place.host, place.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
        )[0]
        # The protocol's number stays with accepted connections; without it they would wait before each small answer.
        with contextlib.ExitStack() as stack:
            listener = stack.enter_context(socket.socket(family, kind, number))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(BACKLOG)
            stack.pop_all()
    except (OSError, OverflowError, UnicodeError) as error:
        message = f"cannot listen at {quoted(place.host)}, port {place.port}"
        fix = "name an address of this machine and a free port, or `--port 0` for any"
        raise _refused("cannot_listen", message, "--port", fix) from error
    return listener


def address_of(place: Place, listener: socket.socket) -> str:
    """The address to open."""
    port = listener.getsockname()[1]
    name = f"[{place.host}]" if ":" in place.host else place.host
    return f"{'https' if place.certificate else 'http'}://{name}:{port}"


class Server(uvicorn.Server):
    """A server that ends quietly on a signal."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM, and leave them as they were."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        wanted = (signal.SIGINT, signal.SIGTERM)
        before = {one: signal.signal(one, self.handle_exit) for one in wanted}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


def make_server(
    app: ASGIApp, place: Place, limits: Limits, started: Callable[[], None] | None = None
) -> Server:
    """A server of an application.

    Args:
        app: The application.
        place: Where it listens.
        limits: Its bounds.
        started: Called when it answers.

    Raises:
        InvalidInput: The certificate or its key cannot be read.
    """
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="on",
        loop="asyncio",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=max(1, int(limits.grace)),
        ssl_certfile=str(place.certificate) if place.certificate else None,
        ssl_keyfile=str(place.key) if place.key else None,
        callback_notify=None,
    )
    try:
        config.load()
    except (OSError, ssl.SSLError) as error:
        fix = "name PEM files that are there, may be read, and belong together"
        message = "the certificate or its key cannot be read"
        raise _refused("bad_certificate", message, "--tls-cert", fix) from error
    return _Telling(config, started) if started else Server(config)


class _Telling(Server):
    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._told = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._told()


def log_to(stream: logging.Handler, level: int) -> None:
    """Send the server's own words somewhere; nothing of them holds a token, a query or a claim."""
    for name in ("muniment.http", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [stream], False
        logger.setLevel(level if name == "muniment.http" else logging.WARNING)

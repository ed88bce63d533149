"""MCP by streamable HTTP, for mounting into an ASGI application: every request with its bearer token.

- A request stands alone (`MCP-Protocol-Version: 2026-07-28`); older clients are served without sessions too, so there
  is no session that somebody else could use.
- The token says who acts, where and under which ceiling (`D-API`). Absent, wrong, revoked and expired have one answer.
- The application that mounts it runs `lifespan` around its own, because mounted applications get none.

>>> async def memory_of(text: str) -> Memory: ...
>>> mcp_app(memory_of).path
'/mcp'
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from muniment.core.errors import NotPermitted
from muniment.mcp.server import make_server
from muniment.mcp.tools import Limits
from muniment.memory import Memory

PLACE = "muniment.memory"
"""Where a request's memory is kept in its ASGI scope."""

LARGEST_BODY = 2_000_000

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Scope = dict[str, Any]


class McpApp:
    """An ASGI application. Make one with `mcp_app`."""

    def __init__(
        self,
        memory_of_token: Callable[[str], Awaitable[Memory]],
        security: TransportSecuritySettings | None,
        path: str,
        server: Server[Any],
    ) -> None:
        """Take what `mcp_app` was given, and the server that it made."""
        self.path = path
        self._memory_of_token = memory_of_token
        self._manager = StreamableHTTPSessionManager(
            server,
            json_response=True,
            stateless=True,
            security_settings=security,
            max_request_body_size=LARGEST_BODY,
        )

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """What has to run around the serving; once."""
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            raise RuntimeError(f"only HTTP is served here, not `{scope['type']}`")
        if (
            scope["method"] != "POST"
        ):  # no session to listen to or to end, and no stream that would never end
            await _answer(
                405,
                {"code": -32600, "message": "only POST is served here"},
                b"allow",
                b"POST",
                send,
            )
            return
        try:
            memory = await self._memory_of_token(bearer_of(scope))
        except NotPermitted as refused:
            await _unauthorized(refused, send)
            return
        await self._manager.handle_request({**scope, PLACE: memory}, receive, send)


def mcp_app(
    memory_of_token: Callable[[str], Awaitable[Memory]],
    *,
    hosts: Sequence[str] = (),
    origins: Sequence[str] = (),
    path: str = "/mcp",
    limits: Limits | None = None,
) -> McpApp:
    """MCP as an ASGI application.

    Args:
        memory_of_token: Gives the memory of a bearer from the token's text, empty where none was presented; raises
            `NotPermitted` where it serves nothing. It is awaited, so that a thread can ask the store.
        hosts: `Host` headers that are served, `name:port` or `name:*`; none where the application around it checks.
        origins: `Origin` headers that are served, where there is one; with `hosts`.
        path: Where it is mounted.
        limits: What the server was started for; no limits by default.
    """
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=bool(hosts),
        allowed_hosts=list(hosts),
        allowed_origins=list(origins),
    )
    return McpApp(memory_of_token, security, path, make_server(_memory_of_request, limits))


def bearer_of(scope: Scope) -> str:
    """The bearer token of a request; empty where there is none, or more than one.

    >>> bearer_of({"headers": [(b"authorization", b"Bearer mun_x")]}), bearer_of({"headers": []})
    ('mun_x', '')
    """
    given = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(given) != 1:
        return ""
    kind, _, text = given[0].decode("latin-1").partition(" ")
    return text.strip() if kind.lower() == "bearer" else ""


def _memory_of_request(request: Any) -> Memory:
    memory: Memory = request.scope[PLACE]
    return memory


async def _unauthorized(refused: NotPermitted, send: Send) -> None:
    error = {"code": -32001, "message": refused.message}
    await _answer(401, error, b"www-authenticate", b'Bearer realm="muniment"', send)


async def _answer(
    status: int, error: dict[str, Any], name: bytes, value: bytes, send: Send
) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (name, value),
        (b"cache-control", b"no-store"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

"""The server: what the protocol asks for, answered by the memory of the session that asks.

- Stores and use cases are synchronous: each call runs in a thread. A call that began is finished, also when the
  client takes it back: a proposal is whole or not there, and its answer is dropped.
- Nothing that a handler meets ends the server; what a call comes to is said in its result.

How bytes come and go is `stdio`'s and `asgi`'s matter.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from muniment import __version__
from muniment.mcp import prompts, resources, texts
from muniment.mcp.tools import BY_TOOL, Limits, run_tool, tools_for, unknown_tool
from muniment.memory import Memory

NAME = "muniment"
THREADS = 8
"""Calls at a time; further ones wait for their turn."""

MemoryOf = Callable[[Any], Memory]
"""The memory of who asks, from the HTTP request; None where there is no request but one session (stdio)."""

Context = ServerRequestContext[Any, Any]
Result = TypeVar("Result")


def make_server(memory_of: MemoryOf, limits: Limits | None = None) -> Server[Any]:
    """A server.

    Args:
        memory_of: Gives the memory of who asks.
        limits: What the server was started for; no limits by default.
    """
    handlers = _Handlers(memory_of, limits or Limits())
    # What may be called and read differs by who asks, so no answer is shared between them.
    private = CacheHint(ttl_ms=0, scope="private")
    server: Server[Any] = Server(
        NAME,
        version=__version__,
        title="Muniment",
        instructions=texts.INSTRUCTIONS,
        cache_hints={
            "tools/list": private,
            "resources/read": private,
            "resources/list": private,
            "resources/templates/list": private,
            "prompts/list": private,
        },
        get_tool_input_schema=_no_headers,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )
    server.middleware.clear()  # it would export spans wherever an exporter happens to be installed
    return server


def _no_headers(name: str) -> None:
    """No tool takes an argument as a header, so that no call has to list the tools to find out."""
    return


class _Handlers:
    """One method a request of the protocol."""

    def __init__(self, memory_of: MemoryOf, limits: Limits) -> None:
        self._memory_of, self._limits = memory_of, limits
        self._places: anyio.CapacityLimiter | None = None

    async def list_tools(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        memory = self._memory_of(context.request)
        return types.ListToolsResult(tools=tools_for(memory.session.role))

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        memory = self._memory_of(context.request)
        if params.name not in BY_TOOL:
            refused = unknown_tool(params.name)
            raise MCPError(types.INVALID_PARAMS, refused.message, {"fix": refused.findings[0].fix})
        given = params.arguments or {}
        return await self._in_thread(partial(run_tool, memory, params.name, given, self._limits))

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=resources.RESOURCES)

    async def list_templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        memory = self._memory_of(context.request)
        return await self._in_thread(partial(resources.read_resource, memory, str(params.uri)))

    async def list_prompts(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=prompts.PROMPTS)

    async def get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        memory = self._memory_of(context.request)
        return await self._in_thread(
            partial(prompts.prompt, memory, params.name, params.arguments or {})
        )

    async def _in_thread(self, work: Callable[[], Result]) -> Result:
        if self._places is None:  # made where the event loop runs
            self._places = anyio.CapacityLimiter(THREADS)
        return await anyio.to_thread.run_sync(work, limiter=self._places)

"""The server that the protocol's conformance suite asks for: its tools, resources and prompts, on our transports.

    python -m bench.mcp_fixture --port 8099

- Only what is offered is the suite's; the application that carries it by HTTP (`muniment.mcp.asgi`) is the one that
  carries our own tools, with the same refusals before it.
- Whoever asks needs no token here: the suite has none to present.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from bench.mcp_offered import (
    ASK,
    IMAGE,
    NOTHING,
    PROMPT,
    ROUNDS,
    SAID,
    SCHEMAS,
    Answers,
    asking,
    embedded,
    form,
    picture,
    sampled,
    text,
)  # fmt: skip
from muniment import Memory
from muniment.mcp.asgi import McpApp, TransportSecuritySettings

# --- the server -----------------------------------------------------------------------------------


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    """Every tool, in one order."""
    names = (*SAID, *SCHEMAS, *ROUNDS, *DONE)
    return types.ListToolsResult(
        tools=[
            types.Tool(name=name, description=f"The suite's `{name}`.", input_schema=schema(name))
            for name in names
        ]
    )


def schema(name: str) -> dict[str, Any]:
    """A tool's arguments."""
    return SCHEMAS.get(name, NOTHING)


async def call_tool(context: Any, params: Any) -> Any:
    """Do what the suite asks of a tool."""
    if params.name in ROUNDS:
        return asking(context, params)
    if params.name in DONE:
        return await DONE[params.name](context, params.arguments or {})
    if params.name in SCHEMAS:
        return types.CallToolResult(content=[text(json.dumps(params.arguments))])
    if params.name not in SAID:
        raise MCPError(types.INVALID_PARAMS, f"no tool `{params.name}`")
    return types.CallToolResult(content=SAID[params.name])


async def fail(context: Any, given: Answers) -> types.CallToolResult:
    """Fail."""
    said = "This tool intentionally returns an error for testing"
    return types.CallToolResult(content=[text(said)], is_error=True)


async def needs_sampling(context: Any, given: Answers) -> types.CallToolResult:
    """Refuse whoever did not say that it has a model.

    Raises:
        MCPError: As the protocol says it.
    """
    known = context.session.client_params
    if known is None or known.capabilities.sampling is None:
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "this asks for sampling", needed)
    return types.CallToolResult(content=[text("sampling can be asked for")])


async def tell_progress(context: Any, given: Answers) -> types.CallToolResult:
    """Say how far it is, where the client wants to know."""
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
    return types.CallToolResult(content=[text("done")])


async def tell_log(context: Any, given: Answers) -> types.CallToolResult:
    """Say what it does."""
    for said in ("started", "processing data", "execution completed"):
        await context.session.send_log_message("info", f"Tool {said}")
    return types.CallToolResult(content=[text("done")])


async def ask_model(context: Any, given: Answers) -> types.CallToolResult:
    """Ask the client's model, within the call."""
    asked = sampled(given["prompt"], 100)
    found = await context.session.send_request(asked, types.CreateMessageResult)
    return types.CallToolResult(content=[text(f"LLM response: {found.content}")])


async def ask_person(context: Any, given: Answers) -> types.CallToolResult:
    """Ask the person before the client, within the call."""
    asked = form(given.get("message", "Say something"), username="string", email="string")
    found = await context.session.send_request(asked, types.ElicitResult)
    return types.CallToolResult(content=[text(f"User response: {found.action}")])


DONE: dict[str, Callable[[Any, Answers], Awaitable[types.CallToolResult]]] = {
    "test_error_handling": fail,
    "test_missing_capability": needs_sampling,
    "test_tool_with_progress": tell_progress,
    "test_tool_with_logging": tell_log,
    "test_sampling": ask_model,
    "test_elicitation": ask_person,
    "test_elicitation_sep1034_defaults": ask_person,
    "test_elicitation_sep1330_enums": ask_person,
}
"""What a tool does that does something."""


FIXED: dict[str, Callable[[str], Any]] = {
    "test://static-text": lambda uri: types.TextResourceContents(
        uri=uri, mime_type="text/plain", text="This is the content of the static text resource."
    ),
    "test://static-binary": lambda uri: types.BlobResourceContents(
        uri=uri, mime_type="image/png", blob=picture()
    ),
}


async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
    """The fixed ones."""
    made = [
        types.Resource(name=uri.removeprefix("test://"), uri=uri, description="A fixed resource.")
        for uri in FIXED
    ]
    return types.ListResourcesResult(resources=made)


async def list_templates(context: Any, params: Any) -> types.ListResourceTemplatesResult:
    """The one with a name in it."""
    one = types.ResourceTemplate(
        name="template", uri_template="test://template/{id}/data", description="By its name."
    )
    return types.ListResourceTemplatesResult(resource_templates=[one])


async def read_resource(context: Any, params: Any) -> types.ReadResourceResult:
    """A resource's contents."""
    uri = str(params.uri)
    if uri in FIXED:
        return types.ReadResourceResult(contents=[FIXED[uri](uri)])
    named = re.fullmatch("test://template/([^/]+)/data", uri)
    if named is None:
        raise MCPError(types.INVALID_PARAMS, "no such resource", {"uri": uri})
    said = {"id": named[1], "templateTest": True, "data": f"Data for ID: {named[1]}"}
    one = types.TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(said))
    return types.ReadResourceResult(contents=[one])


PROMPTS: dict[str, tuple[tuple[str, ...], Callable[[Answers], list[Any]]]] = {
    "test_simple_prompt": ((), lambda given: [text("This is a simple prompt for testing.")]),
    "test_prompt_with_arguments": (
        ("arg1", "arg2"),
        lambda given: [
            text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")
        ],
    ),
    "test_prompt_with_embedded_resource": (
        ("resourceUri",),
        lambda given: [
            embedded(given["resourceUri"], "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
    ),
    "test_prompt_with_image": (
        (),
        lambda given: [IMAGE, text("Please analyze the image above.")],
    ),
    "test_input_required_result_prompt": ((), lambda given: [text("With the context given.")]),
}


async def list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
    """Every prompt."""
    made = []
    for name, (names, _) in PROMPTS.items():
        takes = [types.PromptArgument(name=one, description=one, required=True) for one in names]
        made.append(types.Prompt(name=name, description=f"The suite's `{name}`.", arguments=takes))
    return types.ListPromptsResult(prompts=made)


async def get_prompt(context: Any, params: Any) -> Any:
    """A prompt's messages, or what it asks first."""
    if params.name not in PROMPTS:
        raise MCPError(types.INVALID_PARAMS, f"no prompt `{params.name}`")
    if params.name.startswith(ASK) and "user_context" not in (params.input_responses or {}):
        return types.InputRequiredResult(input_requests=PROMPT)
    parts = PROMPTS[params.name][1](params.arguments or {})
    return types.GetPromptResult(
        messages=[types.PromptMessage(role="user", content=one) for one in parts]
    )


async def complete(context: Any, params: Any) -> types.CompleteResult:
    """What an argument may go on as."""
    return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))


def make_fixture() -> Server[Any]:
    """The suite's server."""
    private = CacheHint(ttl_ms=0, scope="private")
    cached = (
        "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read",
    )  # fmt: skip
    server: Server[Any] = Server(
        "fixture",
        version="1",
        cache_hints=dict.fromkeys(cached, private),  # type: ignore[arg-type]
        get_tool_input_schema=schema,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
    )
    server.middleware.clear()
    return server


def fixture_app(memory: Memory, port: int) -> McpApp:
    """The suite's server as our application carries it."""

    async def memory_of(token: str) -> Memory:
        return memory

    hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost")]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[f"http://{one}" for one in hosts],
    )
    return McpApp(memory_of, security, "/mcp", make_fixture())


def product_app(store: str, token: str) -> Any:
    """What `muniment serve` serves of a store, to whom every request is given one token: the suite has none to send."""
    from bench.recall_cold import TENANT
    from muniment.http.app import make_app
    from muniment.http.settings import Settings

    served = make_app(Settings(lambda: Memory.open(store, tenant=TENANT, create=False)))
    bearer = (b"authorization", f"Bearer {token}".encode())

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], bearer]}
        await served(scope, receive, send)

    return app


def main() -> int:
    """Serve until the process is told to stop."""
    import uvicorn

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--product", nargs=2, metavar=("STORE", "TOKEN"), help="our own server")
    given = parser.parse_args()

    async def run() -> None:
        with Memory.open(None) as memory, contextlib.suppress(asyncio.CancelledError):
            if given.product:
                app, around, lifespan = product_app(*given.product), contextlib.nullcontext(), "on"
            else:
                fixture = fixture_app(memory, given.port)
                app, around, lifespan = fixture, fixture.lifespan(), "off"
            config = uvicorn.Config(
                app, "127.0.0.1", given.port, log_level="error", lifespan=lifespan
            )
            async with around:
                await uvicorn.Server(config).serve()

    asyncio.run(run())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

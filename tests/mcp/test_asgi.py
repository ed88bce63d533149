"""MCP by HTTP: the protocol's own client, real sockets, bearer tokens."""

from __future__ import annotations

import asyncio
import socket
import threading

import httpx
import httpx2
import pytest
import uvicorn
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from muniment.mcp.asgi import mcp_app

ASKED = {"query": "when do orders ship?", "use": "answer_questions"}


class Serving:
    """A server on a free port of the loopback."""

    def __init__(self, team):
        async def memory_of(text):
            return await asyncio.to_thread(team.memory.with_token, text, role="proposer")

        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/mcp"
        served = mcp_app(memory_of, hosts=[f"127.0.0.1:{port}"])

        async def app(scope, receive, send):
            if scope["type"] != "lifespan":
                await served(scope, receive, send)
                return
            async with served.lifespan():
                await receive()
                await send({"type": "lifespan.startup.complete"})
                await receive()
            await send({"type": "lifespan.shutdown.complete"})

        config = uvicorn.Config(app, "127.0.0.1", port, log_level="error", lifespan="on")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run)

    def __enter__(self):
        self.thread.start()
        while not self.server.started and self.thread.is_alive():
            threading.Event().wait(0.01)
        return self

    def __exit__(self, *exc):
        self.server.should_exit = True
        self.thread.join(20)

    def converse(self, token, what, mode="auto"):
        async def run():
            headers = {"authorization": f"Bearer {token}"}
            async with (
                httpx2.AsyncClient(headers=headers) as http,
                Client(streamable_http_client(self.url, http_client=http), mode=mode) as client,
            ):
                return client.protocol_version, await what(client)

        return asyncio.run(run())

    def post(self, **headers):
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        plain = {"accept": "application/json, text/event-stream"}
        return httpx.post(self.url, json=asked, headers={**plain, **headers})


@pytest.fixture
def serving(team):
    with Serving(team) as made:
        yield made


@pytest.mark.req("D-API")
@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_the_reference_client_recalls_and_proposes_as_the_tokens_bearer(
    team, serving, mode, version
):
    async def work(client):
        found = await client.call_tool("recall", ASKED)
        made = await client.call_tool("remember", {
            "claim": "Returns go to Basel.", "allowed_uses": ["answer_questions"],
            "source": "https://ci.example.org/jobs/18"})  # fmt: skip
        return found, made

    spoken, (found, made) = serving.converse(team.token(), work, mode)
    assert spoken == version
    assert "for: agent:codex | scopes: project:shop" in found.content[0].text
    assert "| Orders ship on Fridays." in found.content[0].text
    assert made.structured_content["acting"] == "agent:codex in project:shop"
    assert len(team.ada.inbox()) == 1


@pytest.mark.req("D-API")
def test_without_a_token_that_serves_there_is_one_answer(team, serving):
    revoked = team.token()
    team.ada.revoke_token(team.ada.tokens()[-1].name, team.signer)
    answers = [
        serving.post(),
        serving.post(authorization="Bearer nonsense"),
        serving.post(authorization=f"Bearer {revoked}"),
        serving.post(authorization=f"Basic {team.token()}"),
        serving.post(authorization=f"Bearer {team.token()[:-2]}xx"),
    ]
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.content for answer in answers}) == 1
    assert {answer.headers["www-authenticate"] for answer in answers} == {'Bearer realm="muniment"'}


@pytest.mark.req("D-API")
def test_a_readers_token_neither_lists_nor_does_what_proposes(team, serving):
    async def work(client):
        listed = await client.list_tools()
        return listed, await client.call_tool("remember", {"claim": "x"})

    _, (listed, made) = serving.converse(team.token(role="reader"), work)
    assert "remember" not in [tool.name for tool in listed.tools]
    assert made.is_error
    assert team.ada.inbox() == ()


@pytest.mark.req("D-API")
def test_a_token_that_is_revoked_serves_no_further_request(team, serving):
    token = team.token()

    async def work(client):
        first = await client.call_tool("recall", ASKED)
        await asyncio.to_thread(team.ada.revoke_token, team.ada.tokens()[-1].name, team.signer)
        try:
            await client.call_tool("recall", ASKED)
        except MCPError:
            return first, True
        return first, False

    _, (first, refused) = serving.converse(token, work)
    assert not first.is_error
    assert refused


def test_a_foreign_host_or_origin_is_refused(team, serving):
    bearer = {"authorization": f"Bearer {team.token()}"}
    assert serving.post(**bearer, host="evil.example").status_code == 421
    assert serving.post(**bearer, origin="https://evil.example").status_code == 403
    assert (
        serving.post(
            **bearer, **{"mcp-protocol-version": "2026-07-28"}, host="evil.example"
        ).status_code
        == 421
    )


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_is_no_stream_to_hold_open_and_no_session_to_end(team, serving, method):
    headers = {"authorization": f"Bearer {team.token()}", "accept": "text/event-stream"}
    answer = httpx.request(method, serving.url, headers=headers, timeout=10)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")

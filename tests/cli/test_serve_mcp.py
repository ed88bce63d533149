"""The protocol's own client asks a real `muniment serve` at `/mcp`, with tokens that the command line made."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("fastapi", reason="muniment[serve] is not installed")

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.cli.conftest import add
from tests.cli.test_serve import start, token

__all__ = ["start"]

SHOP, DEPOT = "repository:local:shop", "repository:local:depot"
ASKED = {"query": "when does the shop ship?", "use": "answer_questions"}
LEARNED = {
    "claim": "Returns go to Basel.",
    "source": "https://ci.example.org/jobs/18",
    "allowed_uses": ["answer_questions"],
}


def converse(served, text, what, mode="auto"):
    """Do `what(client)` with a token."""

    async def run():
        headers = {"authorization": f"Bearer {text}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(
                streamable_http_client(f"{served.url}/mcp", http_client=http), mode=mode
            ) as client,
        ):
            return await what(client)

    return asyncio.run(run())


def call(name, given):
    async def work(client):
        return await client.call_tool(name, given)

    return work


@pytest.fixture
def known(machine):
    """A machine that knows a claim."""
    machine.signed("policy", "own", "--may-review-own", "user:ada", "--yes")
    proposed = machine.propose({"id": "change_01", **add()}).json
    done = machine.signed("review", proposed["diff"], "--accept", "change_01", "--json")
    assert done.code == 0, done.err
    return machine


@pytest.mark.req("A-OPERATIONS")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_host_elsewhere_lists_recalls_and_proposes(known, start, mode):
    text, served = token(known, "agent:codex", "proposer"), start()

    async def work(client):
        tools = [tool.name for tool in (await client.list_tools()).tools]
        return (
            tools,
            await client.call_tool("recall", ASKED),
            await client.call_tool("remember", LEARNED),
        )

    tools, found, made = converse(served, text, work, mode)
    assert len(tools) == 8
    assert "| The shop ships on Fridays." in found.content[0].text
    assert made.structured_content["acting"] == f"agent:codex in {SHOP}"
    assert made.structured_content["diff"] in known.run("inbox", "--json").out


@pytest.mark.req("D-API")
def test_a_token_of_another_scope_recalls_nothing_and_cannot_widen_itself(known, start):
    text, served = token(known, "agent:codex", "reader", "--scope", DEPOT), start()
    found = converse(served, text, call("recall", ASKED))
    widened = converse(served, text, call("recall", {**ASKED, "scopes": [SHOP]}))
    assert found.structured_content["outcome"] == "no_support"
    assert "Fridays" not in found.content[0].text
    assert (widened.is_error, "Fridays" in widened.content[0].text) == (True, False)


@pytest.mark.req("D-API")
def test_a_call_narrows_the_scopes_of_its_token(known, start):
    text = token(known, "agent:codex", "reader", "--scope", SHOP, "--scope", DEPOT)
    served = start()
    both = converse(served, text, call("recall", ASKED))
    narrow = converse(served, text, call("recall", {**ASKED, "scopes": [DEPOT]}))
    assert "Fridays" in both.content[0].text
    assert narrow.structured_content["outcome"] == "no_support"


@pytest.mark.req("D-API")
def test_a_revoked_token_opens_nothing_from_the_next_request_on(known, start):
    text, served = token(known, "agent:codex", "reader"), start()
    name = known.run("token", "--json").json["tokens"][-1]["name"]

    async def work(client):
        before = await client.call_tool("recall", ASKED)
        assert known.signed("token", "revoke", name).code == 0
        with pytest.raises(Exception) as refused:
            await client.call_tool("recall", ASKED)
        return before, refused.value

    before, refused = converse(served, text, work)
    assert "Fridays" in before.content[0].text
    assert "no token that serves" in str(refused) or "401" in str(refused)

"""A team's memory with reviewed claims, and a client of the protocol's own library."""

from __future__ import annotations

import asyncio
import os

import pytest

pytest.importorskip("mcp", reason="the protocol's library is not installed")

from mcp.client import Client
from mcp.shared.exceptions import MCPError

from muniment import Choice, Memory
from muniment.core.token import Token
from muniment.credential import create, open_credential
from muniment.mcp.server import make_server
from muniment.mcp.tools import Limits
from muniment.usecases.declare import credential, group, principal, roles

WORDS = "three plain words"
TEAM = {"level": "team-private", "allowed_principals": ["group:shop"]}
SAID = (
    ("Orders ship on Fridays.", "ships_on", "Friday"),
    ("Orders leave the warehouse in Bern.", "leaves_from", "Bern"),
)


class Team:
    """Ada reviews, codex asks and proposes, eve is of another team."""

    def __init__(self, store=None):
        self.memory = Memory.open(store)
        self.signer = open_credential(create("user:ada", WORDS, entropy=os.urandom), WORDS)
        self.ada, self.codex = (
            self.memory.acting_as(who, scopes=["project:shop", "project:depot"], visibility=TEAM)
            for who in ("user:ada", "agent:codex")
        )
        self.ada.declare(
            principal("user:ada"),
            principal("agent:codex"),
            group("group:shop", ("user:ada", "agent:codex")),
            roles("user:ada", ("operator", "reviewer")),
            credential("user:ada", (self.signer.public_key,)),
        )
        self.claims = [self.know(text, [("orders", verb, what)]) for text, verb, what in SAID]

    def know(self, text, facts=(), uses=("answer_questions",), scope="project:shop"):
        kind, _, name = scope.partition(":")
        proposed = self.codex.remember(
            text,
            allowed_uses=list(uses),
            facts=[dict(zip(("subject", "predicate", "object"), f, strict=True)) for f in facts],
            source={"kind": "tool_output", "uri": "https://ci.example.org/jobs/17"},
            scope={"kind": kind, "id": name},
        )
        self.ada.review(proposed.diff.id, {"change_01": Choice("accepted")}, self.signer)
        return proposed.diff.changes[0].item.id

    def token(self, role="proposer", scopes=("project:shop",), who="agent:codex"):
        narrow = self.ada.narrowed(scopes=list(scopes))
        wanted = Token("", who, role, narrow.session.scopes, "", narrow.session.visibility)
        return self.ada.create_token(wanted, self.signer).text

    def converse(self, what, *, as_who=None, role="proposer", uses=()):
        """Run `what(client)` against a server in this process."""
        memory = (as_who or self.codex).narrowed(role=role)

        async def run():
            async with Client(make_server(lambda request: memory, Limits(uses))) as client:
                try:
                    return await what(client)
                except MCPError as error:  # a task group would wrap it
                    return error

        result = asyncio.run(run())
        if isinstance(result, MCPError):
            raise result
        return result

    def call(self, tool, given=None, **options):
        return self.converse(lambda client: client.call_tool(tool, given or {}), **options)


@pytest.fixture
def team():
    made = Team()
    yield made
    made.memory.close()

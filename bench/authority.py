"""The whole matrix of authority: every verb at every door that has it, for every role, and scopes in force and not.

    python -m bench.authority --json

- What the table (`core.authority`) says is asked at each door: the library, the command line (`--role`), HTTP (tokens
  of each role on a real socket) and MCP (the protocol's own client, at the same server).
- A *difference* is a cell in which a door does not do what the table says: it refuses what is allowed, or the reverse.
- An *unauthenticated write* is a request with no token that serves, to any route with any method, that did something:
  it was answered as done, or the ledger is another afterwards.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import itertools
import json
import os
import re
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import httpx2
import uvicorn
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from bench import report
from muniment import Memory
from muniment.calls.perform import CALLS
from muniment.cli import main as command_line
from muniment.core.authority import LADDER, VERBS, allows
from muniment.core.errors import MunimentError
from muniment.http.app import make_app
from muniment.http.settings import Settings

BEYOND = re.compile(r"asks for the role")
OUTSIDE = re.compile(r"not in force|scope_not_in_force")
ELSEWHERE = "repository:local:elsewhere"
ABSENT = "mem_01kx0sjsg0e008000000000000"
DIFF = {"trigger": {"kind": "statement", "state": "observed"}, "changes": []}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
OPEN = re.compile(r"^/(health|ready|openapi\.json|sign-in|static/.*)$")


@dataclass
class World:
    """A person's machine with a store, a served address, and a token a role."""

    folder: Path
    memory: Memory
    tokens: dict[str, str] = field(default_factory=dict)
    url: str = ""

    @property
    def given(self) -> dict[str, dict[str, Any]]:
        """What is given to each call."""
        asked = {"query": "how do I run the tests?", "use": "answer_questions"}
        return {
            "recall": asked,
            "query": {"query": "?a runs ?b", "use": "answer_questions"},
            "revalidate": {"certificate": {}},
            "claims": {"ids": [ABSENT]},
            "remember": {"claim": "Orders ship.", "source": "https://x.example/"},
            "propose": DIFF,
            "report": {"id": ABSENT, "verdict": "wrong", "reason": "It is."},
            "bridge": {"phrase": "till", "target": "checkout", "source": "https://x.example/"},
            "conversation": {"name": "a.jsonl", "messages": [{"speaker": "a", "text": "b"}]},
            "decisions": {"decisions": {"change_01": {
                "decision": "accepted", "at": "2026-07-08T12:00:00Z", "change_digest": "x", "public_key": "x",
                "signature": "x"}}},
        }  # fmt: skip

    @property
    def commands(self) -> dict[str, list[str]]:
        """The command line of each verb that has one of its own."""
        words = ["--passphrase-file", str(self.folder / "words")]
        asked = ["--use", "answer_questions"]
        file, cert, notes = (
            str(self.folder / one) for one in ("diff.json", "cert.json", "notes.md")
        )
        return {
            "recall": ["recall", "how?", *asked],
            "certified_recall": [
                "recall",
                "how?",
                *asked,
                "--certify",
                str(self.folder / "new.json"),
            ],
            "query": ["query", "?a runs ?b", *asked],
            "revalidate": ["revalidate", cert],
            "show": ["show", ABSENT],
            "history": ["history", ABSENT],
            "why": ["why", ABSENT],
            "conflicts": ["conflicts"],
            "graph": ["graph"],
            "inbox": ["inbox"],
            "declared": ["principal"],
            "export": ["export"],
            "remember": ["remember", "Orders ship."],
            "propose": ["propose", file],
            "report": ["report", ABSENT, "wrong", "It is."],
            "bridge": ["bridge", "till", "checkout"],
            "learn": ["learn", "."],
            "reread": ["reread"],
            "import_": ["import", notes],
            "notes": ["note", "list"],
            "read_note": ["note", "get", "k"],
            "note": ["note", "put", "k", "text", "--for", "1h"],
            "end_notes": ["note", "end", "k"],
            "propose_note": ["note", "propose", "k"],
            "review": ["review", "--accept", "all", *words],
            "declare": ["principal", "agent:new", *words, "--yes"],
            "create_token": ["token", "create", "agent:codex", "reader", *words],
            "revoke_token": ["token", "revoke", "tok_01kx0sjsg0e008000000000000", *words],
            "rotate_token": ["token", "rotate", "tok_01kx0sjsg0e008000000000000", *words],
            "tokens": ["token"],
            "to_erase": ["erase", ABSENT, *words, "--yes"],
            "verify": ["verify"],
            "doctor": ["doctor"],
        }


def decided(text: str) -> bool:
    """Whether what was answered is no refusal of the ceiling."""
    return BEYOND.search(text) is None


def by_library(world: World, verb: str, role: str) -> bool:
    """Whether the library lets a verb be tried."""
    own = world.memory.acting_as("user:ada", scopes=["repository:local:shop"], role=role)
    try:
        getattr(own, verb)()
    except MunimentError as error:
        return decided(str(error))
    except (TypeError, AttributeError):
        return True
    return True


def by_command(world: World, arguments: list[str]) -> str:
    """Everything that a command line says; what it is not about is in its exit code."""
    out, err = io.StringIO(), io.StringIO()
    stdin, sys.stdin = sys.stdin, io.StringIO("")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = command_line([*arguments, "--json"])
    finally:
        sys.stdin = stdin
    if code in (64, 70):
        raise AssertionError(f"{arguments}: {out.getvalue()}{err.getvalue()}")
    return out.getvalue() + err.getvalue()


def by_http(world: World, call: Any, token: str, **more: Any) -> httpx.Response:
    """The answer of a call's route."""
    method, path = call.route
    name = "mdiff_01kx0sjsg0e008000000000000" if "diffs" in path else ABSENT
    given = {**world.given.get(call.name, {}), **more}
    where = {"params": given} if method == "GET" else {"json": given}
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.request(
        method, world.url + path.replace("{id}", name), headers=headers, timeout=60, **where
    )


def by_tools(world: World, token: str, asked: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """What tools answer a token's bearer."""

    async def work() -> list[str]:
        async with (
            httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60) as http,
            Client(streamable_http_client(f"{world.url}/mcp", http_client=http)) as client,
        ):
            found = [await client.call_tool(name, given) for name, given in asked]
            return [
                " ".join(str(getattr(one, "text", "")) for one in each.content) for each in found
            ]

    return asyncio.run(work())


@contextlib.contextmanager
def served(world: World) -> Iterator[World]:
    """The world's memory on a real socket."""
    app = make_app(Settings(lambda: world.memory, own=lambda: world.memory, lent=True))
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    world.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield world
    finally:
        server.should_exit = True
        thread.join(30)


def make_world(folder: Path) -> World:
    """A machine after `muniment init`, with a token of every role for its owner."""
    (folder / "shop").mkdir()
    (folder / "shop" / "Makefile").write_text("test: ## Run the tests.\n\tpytest -q\n", "utf-8")
    (folder / "words").touch(0o600)
    (folder / "words").write_text("correct horse battery\n", "utf-8")
    (folder / "diff.json").write_text(json.dumps(DIFF), "utf-8")
    (folder / "cert.json").write_text("{}", "utf-8")
    (folder / "notes.md").write_text("# Notes\n\n- Orders ship.\n", "utf-8")
    os.environ["MUNIMENT_CONFIG"] = str(folder / "config")
    os.environ["MUNIMENT_STORE"] = str(folder / "memory.db")
    os.chdir(folder / "shop")
    made = World(folder, Memory.open(None))
    words = ["--passphrase-file", str(folder / "words")]
    by_command(made, ["init", "--user", "ada", "--agent", "codex", "--yes", *words])
    for role in LADDER:
        said = by_command(made, ["token", "create", "user:ada", role, *words])
        made.tokens[role] = json.JSONDecoder().raw_decode(said)[0]["text"]
    made.memory = Memory.open(folder / "memory.db", create=False)
    return made


def matrix(world: World) -> Iterator[tuple[str, str, str, bool, bool]]:
    """Every cell: verb, role, door, what the table says, what the door does."""
    calls = {verb: call for call in CALLS for verb in call.verbs}
    for verb, role in itertools.product(VERBS, LADDER):
        said = allows(role, verb.name)
        yield verb.name, role, "library", said, by_library(world, verb.name, role)
        if verb.name in world.commands:
            line = [*world.commands[verb.name], "--role", role]
            yield verb.name, role, "command", said, decided(by_command(world, line))
        if verb.name in calls:
            more = {"certify": True} if verb.name.startswith("certified") else {}
            text = by_http(world, calls[verb.name], world.tokens[role], **more).text
            yield verb.name, role, "route", said, decided(text)
    tools = [call for call in CALLS if call.tool]
    asked = [(call.tool, world.given.get(call.name, {"id": ABSENT})) for call in tools]
    for role in LADDER:
        for call, text in zip(tools, by_tools(world, world.tokens[role], asked), strict=True):
            for verb in call.verbs:
                yield verb, role, "tool", allows(role, verb), decided(text)


def outside(world: World) -> Iterator[tuple[str, str, str, bool, bool]]:
    """The cells of scopes: whether what is asked outside of those in force is refused at each door."""
    beyond = {name: {"scopes": [ELSEWHERE]} for name in ("recall", "query")}
    beyond |= {name: {"scope": ELSEWHERE} for name in ("remember", "propose", "bridge")}
    calls = [call for call in CALLS if call.name in beyond]
    for role in ("proposer", "operator"):
        for call in calls:
            text = by_http(world, call, world.tokens[role], **beyond[call.name]).text
            yield call.name, role, "route: other scope", False, OUTSIDE.search(text) is None
        tools = [call for call in calls if call.tool]
        asked = [(c.tool, {**world.given[c.name], **beyond[c.name]}) for c in tools]
        for call, text in zip(tools, by_tools(world, world.tokens[role], asked), strict=True):
            yield call.name, role, "tool: other scope", False, OUTSIDE.search(text) is None
        for name in ("recall", "query"):
            line = [*world.commands[name], "--within", ELSEWHERE, "--role", role]
            yield (
                name,
                role,
                "command: other scope",
                False,
                OUTSIDE.search(by_command(world, line)) is None,
            )


def unauthenticated(world: World) -> list[str]:
    """Requests without a token that serves which did something."""
    head = world.memory.acting_as("user:ada", scopes=["repository:local:shop"]).verify().head
    routes = {call.route[1] for call in CALLS} | {
        "/v1/me",
        "/v1/ontology",
        "/metrics",
        "/mcp",
        "/inbox",
    }
    routes |= {"/health", "/ready", "/openapi.json", "/sign-in"}
    wrong = world.tokens["operator"][:-3] + "AAA"
    found = []
    with httpx.Client(base_url=world.url, timeout=60) as http:
        for path, method, token in itertools.product(sorted(routes), METHODS, ("", wrong, "mun_x")):
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            answer = http.request(
                method,
                path.replace("{id}", ABSENT),
                headers=headers,
                json=world.given.get("remember"),
            )
            if answer.is_success and not (OPEN.match(path) and method in ("GET", "HEAD")):
                found.append(f"{method} {path}: {answer.status_code}")
    if world.memory.acting_as("user:ada", scopes=["repository:local:shop"]).verify().head != head:
        found.append("the ledger is another")
    return found


def measure() -> dict[str, Any]:
    """Go through every cell."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        world = make_world(Path(place))
        try:
            with served(world):
                writes = unauthenticated(world)
                cells = [*matrix(world), *outside(world)]
        finally:
            os.chdir(before)
            world.memory.close()
    wrong = [
        f"{verb} as {role} by {door}" for verb, role, door, said, does in cells if said != does
    ]
    doors = sorted({door for _, _, door, _, _ in cells})
    return {
        "cells": len(cells),
        "verbs": len(VERBS),
        "by_door": {door: sum(d == door for _, _, d, _, _ in cells) for door in doors},
        "differences": len(wrong),
        "differing": wrong[:50],
        "unauthenticated_writes": len(writes),
        "writing": writes[:50],
    }


def main() -> int:
    """Measure, and fail where a cell differs."""
    given = report.parser(__doc__).parse_args()
    result = measure()
    report.emit(result, given.json)
    return 1 if result["differences"] or result["unauthenticated_writes"] else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""From `pip install` to an agent that recalls and proposes, as README tells it, with a scripted host.

- The commands are README's own; what a terminal would ask is answered by options.
- The host knows nothing but the file that `connect` wrote: it reads it as its maker documents, starts what it says in
  the project's folder with the few variables that hosts hand on, and calls tools.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

ROOT = Path(__file__).resolve().parents[2]
FILES = {"claude-code": ".mcp.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json"}
ANSWERS = {"init": ["--yes"], "connect": ["--yes"], "review": []}
SIGNED = ("init", "connect", "review")


class Person:
    """A person's machine: a project, a terminal, and `muniment` on the path."""

    def __init__(self, place: Path):
        self.project, self.words = place / "shop", place / "words"
        self.project.mkdir()
        (self.project / "Makefile").write_text("test:\n\tpytest -q\n")
        self.words.touch(0o600)
        self.words.write_text("correct horse battery\n")
        scripts = str(Path(sys.executable).parent)
        self.environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
                            "MUNIMENT_CONFIG": str(place / "config"), "MUNIMENT_STORE": str(place / "memory.db"),
                            "HOME": str(place)}  # fmt: skip

    def type(self, line):
        """A command line as a terminal runs it."""
        words = shlex.split(line)
        words += ANSWERS.get(words[1], [])
        if words[1] in SIGNED:
            words += ["--passphrase-file", str(self.words)]
        done = subprocess.run(
            words,
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def server_in(project, host, home):
    """How a host starts the server, from its own file alone."""
    text = (project / FILES[host]).read_text("utf-8")
    if host == "codex":
        entry = tomllib.loads(text)["mcp_servers"]["muniment"]
    else:
        entry = json.loads(text)["mcpServers"]["muniment"]
    here = {"cursor": home}.get(host, project)  # Cursor does not start servers in the project
    given = [one.replace("${workspaceFolder}", str(project)) for one in entry["args"]]
    return StdioServerParameters(
        command=entry["command"], args=given, env=entry.get("env", {}), cwd=here
    )


def talk(server, path, what):
    async def run():
        server.env["PATH"] = path  # of the shell that started the host
        async with Client(stdio_client(server)) as client:
            return await what(client)

    return asyncio.run(run())


async def work(client):
    tools = [tool.name for tool in (await client.list_tools()).tools]
    asked = {"query": "how do I run the tests?", "use": "choose_local_commands"}
    found = await client.call_tool("recall", asked)
    made = await client.call_tool("remember", {
        "claim": "The tests run with pytest.", "source": "repo:local:shop!/Makefile", "quote": "pytest -q",
        "allowed_uses": ["answer_questions"]})  # fmt: skip
    return tools, found, made


def readme_commands():
    section = re.search(
        r"^## Give it to an agent$(.*?)^## ",
        (ROOT / "README.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert section, "README has no section for agents"
    return re.findall(r"^\$ (.*)$", section[1], re.MULTILINE)


def test_readme_needs_at_most_five_commands_and_the_first_installs():
    commands = readme_commands()
    assert commands[0].startswith("pip install")
    assert "serve" in commands[0]
    assert len(commands) <= 5


def test_what_readme_says_gives_an_agent_that_recalls_and_proposes(tmp_path):
    person = Person(tmp_path)
    for line in readme_commands()[1:]:
        person.type(line)
    server = server_in(person.project, "claude-code", tmp_path)
    tools, found, made = talk(server, person.environment["PATH"], work)
    assert len(tools) == 8
    assert "| `make test` runs `pytest -q`." in found.content[0].text
    assert "for: agent:claude-code | scopes: repository:local:shop" in found.content[0].text
    diff = made.structured_content["diff"]
    assert diff in person.type("muniment inbox")
    person.type(f"muniment review {diff} --accept all")

    async def again(client):
        return await client.call_tool(
            "recall", {"query": "what do the tests run with?", "use": "answer_questions"}
        )

    assert (
        "| The tests run with pytest."
        in talk(server, person.environment["PATH"], again).content[0].text
    )


@pytest.mark.parametrize("host", ["codex", "cursor"])
def test_other_hosts_start_it_by_their_own_files(tmp_path, host):
    person = Person(tmp_path)
    for line in (
        "muniment init",
        "muniment learn",
        "muniment review --accept safe",
        f"muniment connect {host}",
    ):
        person.type(line)
    _, found, made = talk(
        server_in(person.project, host, tmp_path), person.environment["PATH"], work
    )
    assert "| `make test` runs `pytest -q`." in found.content[0].text
    assert made.structured_content["acting"] == f"agent:{host} in repository:local:shop"

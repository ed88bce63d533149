"""What HTTP costs over the library, and whether many readers at once are served without an error.

    python -m bench.http_load --claims 100000 --readers 200 --json

- The server is a process of its own on a real socket; the library opens the same store in this one. They take turns,
  one recall each a round, and `over_library_ms` is the difference of medians within the run.
- Then `--readers` connections ask at once, `--each` recalls one after another; every answer has to be a 200 with
  evidence. Their rate is that of this machine, shared with whatever else runs on it.
- `cpu` figures are processor time a recall: of this process for the library, of the server's for HTTP; others on the
  machine stretch them less.
- What a recall keeps of itself is switched off (`log: off`) at both doors.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from bench import report
from bench.interfaces import cpu_of
from bench.recall_cold import ASKER, QUERY, SCOPE, TENANT, fill_apart
from muniment import Memory
from muniment.core.token import Token

ASKED = {"query": QUERY, "use": "answer_questions", "log": "off", "budget": 4_000}


def serve(path: Path) -> None:
    """Serve a store until the process is told to stop; its address is the first line."""
    from muniment.http import server
    from muniment.http.app import make_app
    from muniment.http.settings import Settings

    place = server.Place(port=0)
    listener = server.listening(place)
    settings = Settings(lambda: Memory.open(path, tenant=TENANT, create=False), place.hosts)

    def told() -> None:
        print(server.address_of(place, listener), flush=True)

    server.make_server(make_app(settings), place, settings.limits, told).run(sockets=[listener])


@contextmanager
def served(path: Path):
    """The address of a server of a store."""
    command = [sys.executable, "-m", "bench.http_load", "--serve", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            yield child.stdout.readline().strip(), child.pid
        finally:
            child.terminate()


@dataclass
class Turns:
    """Milliseconds of recalls by the library and over HTTP, and of processor time in all."""

    own: list[float] = field(default_factory=list)
    far: list[float] = field(default_factory=list)
    own_cpu: float = 0.0
    far_cpu: float = 0.0


def turns(memory: Memory, url: str, server: int, token: str, rounds: int) -> Turns:
    """Recalls by the library and over HTTP, in turns."""
    line = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    body = json.dumps(ASKED)
    found, before = Turns(), 0.0
    for number in range(rounds + 3):
        if number == 3:  # the first ones open and read what later ones find
            found, before = Turns(), cpu_of(server)
        begin, spent = time.perf_counter(), time.process_time()
        expected = memory.recall(**ASKED).packet.as_json()
        middle = time.perf_counter()
        found.own_cpu += (time.process_time() - spent) * 1000
        line.request("POST", "/v1/recall", body, headers)
        answer = json.loads(line.getresponse().read())
        end = time.perf_counter()
        if [one["id"] for one in answer["evidence"]] != [one["id"] for one in expected["evidence"]]:
            raise AssertionError("the doors differ")
        found.own.append((middle - begin) * 1000)
        found.far.append((end - middle) * 1000)
    found.far_cpu = (cpu_of(server) - before) * 1000
    return found


async def crowd(
    url: str, token: str, readers: int, each: int
) -> tuple[list[int], list[float], float]:
    """Statuses, milliseconds and seconds in all of many readers at once."""
    limits = httpx.Limits(max_connections=readers, max_keepalive_connections=readers)
    headers = {"Authorization": f"Bearer {token}"}
    statuses: list[int] = []
    spent: list[float] = []
    async with httpx.AsyncClient(
        base_url=url, headers=headers, limits=limits, timeout=300
    ) as client:

        async def read() -> None:
            for _ in range(each):
                begin = time.perf_counter()
                answer = await client.post("/v1/recall", json=ASKED)
                spent.append((time.perf_counter() - begin) * 1000)
                is_whole = answer.is_success and bool(answer.json()["evidence"])
                statuses.append(answer.status_code if is_whole or not answer.is_success else 0)

        begin = time.perf_counter()
        await asyncio.gather(*(read() for _ in range(readers)))
        return statuses, spent, time.perf_counter() - begin


def measure(claims: int, rounds: int, readers: int, each: int) -> dict[str, Any]:
    """Measure both."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        fill_apart(path, claims)
        memory = Memory.open(path, tenant=TENANT, create=False).acting_as(ASKER, scopes=[SCOPE])
        wanted = Token("", ASKER, "reader", (SCOPE,), "")
        token = memory.create_token(wanted).text
        with served(path) as (url, server):
            found = turns(memory, url, server, token, rounds)
            statuses, spent, seconds = asyncio.run(crowd(url, token, readers, each))
        memory.close()
    library, http_ = statistics.median(found.own), statistics.median(found.far)
    return {
        "measurement": "http_load",
        "claims": claims,
        "library_p50_ms": library,
        "http_p50_ms": http_,
        "over_library_ms": http_ - library,
        "library_cpu_ms": found.own_cpu / rounds,
        "http_cpu_ms": found.far_cpu / rounds,
        "readers": readers,
        "recalls": len(statuses),
        "errors": sum(status != 200 for status in statuses),
        "recalls_per_second": len(statuses) / seconds,
        "crowd_p50_ms": statistics.median(spent),
        "crowd_max_ms": max(spent),
    }


def main() -> int:
    """Measure, and fail where a reader met an error."""
    parser = report.parser(__doc__)
    parser.add_argument("--claims", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--each", type=int, default=5)
    parser.add_argument("--serve", type=Path, help="serve this store, for the measurement itself")
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
        return 0
    result = measure(given.claims, given.rounds, given.readers, given.each)
    report.emit(result, given.json)
    return 1 if result["errors"] else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Recall in a process that has just begun, on a store of many claims.

- The store is a file with accepted claims of one repository, in three audiences of which the asker is in two.
- Each run is a new process: start of the interpreter, imports, opening, recall, rendering, logging. Wall time and
  peak resident memory are what the system says of the process.
- A bare `python -c pass` is measured in the same rounds, so that the difference and ratio hold on a busy machine.
- `phases` are taken inside one such process; they add up to less than the whole, which includes its end.

The file is in the system's cache: what a cold disk adds is not measured.

    python -m bench.recall_cold --claims 10000 --json
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.report import emit, parser
from muniment import wiring
from muniment.core.access import Scope, Visibility
from muniment.core.claim import Claim, Confidence, Fact, Freshness, Review
from muniment.core.codec import encode
from muniment.core.event import Event
from muniment.core.source import Evidence, Reading, Source

ROOT = Path(__file__).resolve().parents[1]
SCOPE = Scope("repository", "github:acme/shop")
AT = datetime(2026, 7, 8, 12, tzinfo=UTC)
QUERY = "how do I run the checkout tests with playwright?"
TENANT, ASKER = "bench", "user:ada"
AUDIENCES = (
    Visibility("public"),
    Visibility("team-private", (ASKER,)),
    Visibility("team-private", ("user:bob",)),
)
VERBS = "runs builds checks formats deploys starts stops migrates lints reindexes publishes documents".split()
THINGS = """tests service database cart checkout invoice search mail worker queue client schema cache image
workflow release package module endpoint webhook report locale theme token""".split()
TOOLS = "pytest ruff mypy tox alembic docker celery redis vite playwright terraform uvicorn gunicorn hatch".split()

CHILD = """
import json, sys, time
begin = time.perf_counter()
from datetime import UTC, datetime
from pathlib import Path
from muniment import wiring
from muniment.core.access import Scope
from muniment.usecases.recall import Request, recall
imported = time.perf_counter()
store = wiring.open_store(Path(sys.argv[1]), create=False)
session = wiring.make_session(store, tenant=sys.argv[2], principal=sys.argv[3],
                              scopes=(Scope.parse(sys.argv[4]),), clock=lambda: datetime(2026, 7, 8, 12, tzinfo=UTC))
opened = time.perf_counter()
packet = recall(session, Request(sys.argv[5], "answer_questions")).packet
done = time.perf_counter()
store.close()
print(json.dumps({"outcome": packet.outcome, "selected": len(packet.items), "tokens": packet.budget.used,
                  "imports": imported - begin, "open": opened - imported, "recall": done - opened}))
"""


def sentence(rng: random.Random) -> str:
    """A claim as a reader would word it."""
    thing, tool = rng.choice(THINGS), rng.choice(TOOLS)
    return f"`make {thing}-{rng.randrange(400)}` {rng.choice(VERBS)} the {rng.choice(THINGS)} {thing} with `{tool}`."


def claim(number: int, rng: random.Random) -> Claim:
    """One accepted claim with evidence, fact and topics."""
    text = sentence(rng)
    uri = f"repo:github:acme/shop!/src/part{number % 500}/Makefile"
    evidence = Evidence("sha256:" + "0" * 64, 40, 40 + len(text), text, "", 3)
    return Claim(
        f"mem_{number:026d}",
        text,
        SCOPE,
        Source("file", "observation", uri, AT, (evidence,)),
        AUDIENCES[number % len(AUDIENCES)],
        facts=(Fact(f"part{number % 500}", "runs", rng.choice(TOOLS)),),
        tags=(rng.choice(THINGS), rng.choice(VERBS)),
        freshness=Freshness("current", AT, None, "reread"),
        confidence=Confidence(0.98, "high", "", "direct_source_memory"),
        review=Review("accepted", "user:rita", AT),
        reading=Reading("match", AT),
        allowed_uses=("answer_questions", "plan_changes"),
        created_at=AT,
        version=1,
    )


def fill(path: Path, count: int, seed: int) -> None:
    """Write a store of `count` claims that the asker may see two thirds of."""
    rng = random.Random(seed)
    store = wiring.open_store(path)
    step = 1_000
    for first in range(0, count, step):
        with store.transaction(TENANT) as transaction:
            made = [claim(n, rng) for n in range(first, min(first + step, count))]
            events = [
                Event("claim", c.id, encode(c), c.id, (c.id,),
                      transaction.declare_class(c.scope, c.visibility.audience))
                for c in made
            ]  # fmt: skip
            transaction.append(events, AT)
    store.close()


def run(arguments: list[str], environment: dict[str, str]) -> tuple[float, float, str]:
    """Seconds, peak MiB and output of a new process."""
    begin = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, env=environment, cwd=ROOT)
    assert process.stdout is not None
    output = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode:
        raise SystemExit(f"the measured process ended with {process.returncode}")
    return seconds, _mebibytes(usage), output


def _mebibytes(usage: resource.struct_rusage) -> float:
    return usage.ru_maxrss / 1024 if sys.platform != "darwin" else usage.ru_maxrss / 2**20


def measure(path: Path, rounds: int, query: str) -> dict[str, Any]:
    """Medians over some rounds, each a bare interpreter and a recall."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": ""}
    scope = str(SCOPE)
    child = [sys.executable, "-c", CHILD, str(path), TENANT, ASKER, scope, query]
    run(child, environment)  # caches of the file system, bytecode and token table
    bare, cold, memory, phases = [], [], [], []
    for _ in range(rounds):
        bare.append(run([sys.executable, "-c", "pass"], environment)[0])
        seconds, peak, output = run(child, environment)
        cold.append(seconds)
        memory.append(peak)
        phases.append(json.loads(output))
    inside = {
        name: round(statistics.median(p[name] for p in phases) * 1000, 1)
        for name in ("imports", "open", "recall")
    }
    python, whole = statistics.median(bare), statistics.median(cold)
    return {
        "outcome": phases[0]["outcome"],
        "selected": phases[0]["selected"],
        "tokens": phases[0]["tokens"],
        "bare_ms": round(python * 1000, 1),
        "recall_ms": round(whole * 1000, 1),
        "beyond_bare_ms": round((whole - python) * 1000, 1),
        "ratio_to_bare": round(whole / python, 2),
        "peak_mib": round(max(memory), 1),
        "phases_ms": inside,
    }


def main(argv: list[str] | None = None) -> int:
    """Make a store, measure, print; 1 where a limit that was asked for is not kept."""
    made: argparse.ArgumentParser = parser(__doc__)
    made.add_argument("--claims", type=int, default=10_000)
    made.add_argument("--rounds", type=int, default=9)
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--query", default=QUERY)
    made.add_argument("--most-ms", type=float, default=500, help="fail above this; 0 for no limit")
    made.add_argument("--most-mib", type=float, default=120, help="fail above this; 0 for no limit")
    options = made.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="muniment-bench-") as folder:
        path = Path(folder) / "store.db"
        fill(path, options.claims, options.seed)
        found = measure(path, options.rounds, options.query)
    kept = not options.most_ms or found["recall_ms"] <= options.most_ms
    kept = kept and (not options.most_mib or found["peak_mib"] <= options.most_mib)
    settings = {"claims": options.claims, "rounds": options.rounds, "seed": options.seed}
    emit({"measurement": "recall_cold", **settings, **found, "within_limits": kept}, options.json)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())

"""Recall in a process that has just begun, on a store of many claims.

- The store is a file with accepted claims of one repository, in three audiences of which the asker is in two.
- Each run is `muniment recall` in a new process: start of the interpreter, imports, opening, recall, rendering,
  logging. Wall time and peak resident memory are what the system says of the process.
- It is started by a small process, since what a parent held counts in the peak of its child.
- A bare `python -c pass` is measured in the same rounds, so that the difference and ratio hold on a busy machine.
- `library_ms` is the same question through the library, by phases that were taken inside its process; they add up to
  less than the whole, which includes its end.

The file is in the system's cache: what a cold disk adds is not measured.

    python -m bench.recall_cold --claims 10000 --json
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.report import emit, parser
from muniment import wiring
from muniment.core.access import Scope, Visibility
from muniment.core.claim import Claim, Confidence, Fact, Freshness, Review
from muniment.core.encode import encode
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

LAUNCH = """
import os, sys, time
begin = time.perf_counter()
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
taken = (time.perf_counter() - begin, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
os.write(int(sys.argv[1]), " ".join(map(str, taken)).encode())
"""

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


def fill(
    path: Path,
    count: int,
    seed: int,
    *,
    wanted: Callable[[Claim], bool] = lambda claim: True,
    entropy: Callable[[int], bytes] = os.urandom,
) -> None:
    """Write a store of those of `count` claims that are wanted; the asker may see two thirds of all."""
    rng = random.Random(seed)
    store = wiring.open_store(path, entropy)
    step = 1_000
    for first in range(0, count, step):
        with store.transaction(TENANT) as transaction:
            made = [claim(n, rng) for n in range(first, min(first + step, count))]
            events = [
                Event("claim", c.id, encode(c), c.id, (c.id,),
                      transaction.declare_class(c.scope, c.visibility.audience))
                for c in made if wanted(c)
            ]  # fmt: skip
            transaction.append(events, AT)
    store.close()


def run(arguments: list[str], environment: dict[str, str]) -> tuple[float, float, str]:
    """Seconds, peak MiB and output of a new process."""
    reading, writing = os.pipe()
    launch = [sys.executable, "-I", "-S", "-c", LAUNCH, str(writing), *arguments]
    with os.fdopen(reading) as taken:
        with subprocess.Popen(
            launch,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=ROOT,
            pass_fds=(writing,),
        ) as process:
            os.close(writing)
            output, said = (stream.decode() for stream in process.communicate())
        seconds, peak, code = taken.read().split()
    if int(code):
        raise SystemExit(f"the measured process ended with {code}: {said}")
    return float(seconds), _mebibytes(int(peak)), output


def _mebibytes(peak: int) -> float:
    return peak / 1024 if sys.platform != "darwin" else peak / 2**20


def fill_apart(path: Path, count: int, seed: int = 1) -> None:
    """Write a store in a process of its own, so that this one stays small."""
    code = "import sys; from pathlib import Path; from bench.recall_cold import fill; "
    code += "fill(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))"
    made = [sys.executable, "-c", code, str(path), str(count), str(seed)]
    subprocess.run(made, check=True, cwd=ROOT)


def environment(folder: Path) -> dict[str, str]:
    """Of the measured processes: this checkout, and nothing of the user's."""
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONDONTWRITEBYTECODE": "",
        "MUNIMENT_CONFIG": str(folder / "config"),
        "MUNIMENT_CACHE": str(folder / "cache"),
    }


def command(store: Path, query: str = QUERY) -> list[str]:
    """`muniment recall` as somebody types it, with a profile's values given by flags."""
    where = ["--store", str(store), "--tenant", TENANT, "--as", ASKER, "--scope", str(SCOPE)]
    return [sys.executable, "-m", "muniment", *where, "recall", query, "--use", "answer_questions"]


def measure(path: Path, rounds: int, query: str) -> dict[str, Any]:
    """Medians over some rounds, each a bare interpreter, the command, and the library."""
    around = environment(path.parent)
    told = [*command(path, query), "--json"]
    child = [sys.executable, "-c", CHILD, str(path), TENANT, ASKER, str(SCOPE), query]
    packet = json.loads(run(told, around)[2])  # warms file system, bytecode and token table, too
    run(child, around)
    bare, cold, memory, inside = [], [], [], []
    for _ in range(rounds):
        bare.append(run([sys.executable, "-c", "pass"], around)[0])
        seconds, peak, _ = run(command(path, query), around)
        cold.append(seconds)
        memory.append(peak)
        seconds, _, output = run(child, around)
        inside.append({**json.loads(output), "whole": seconds})
    phases = {
        name: round(statistics.median(p[name] for p in inside) * 1000, 1)
        for name in ("imports", "open", "recall", "whole")
    }
    python, whole = statistics.median(bare), statistics.median(cold)
    return {
        "outcome": packet["outcome"],
        "selected": len(packet["evidence"]),
        "tokens": packet["budget"]["used"],
        "bare_ms": round(python * 1000, 1),
        "recall_ms": round(whole * 1000, 1),
        "beyond_bare_ms": round((whole - python) * 1000, 1),
        "ratio_to_bare": round(whole / python, 2),
        "peak_mib": round(max(memory), 1),
        "library_ms": phases,
    }


def main(argv: Sequence[str] | None = None) -> int:
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
        fill_apart(path, options.claims, options.seed)
        found = measure(path, options.rounds, options.query)
    kept = not options.most_ms or found["recall_ms"] <= options.most_ms
    kept = kept and (not options.most_mib or found["peak_mib"] <= options.most_mib)
    settings = {"claims": options.claims, "rounds": options.rounds, "seed": options.seed}
    emit({"measurement": "recall_cold", **settings, **found, "within_limits": kept}, options.json)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())

"""Many processes write to one store at once: no lock error reaches a caller, and nothing is lost.

python -m bench.writers --processes 8 --each 100 --json
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bench import report, world
from bench.children import await_start, writers
from muniment import Memory
from muniment.core.errors import MunimentError


def child(path: Path, number: int, each: int) -> None:
    """Propose `each` claims as fast as it goes."""
    memory = Memory.open(path)
    agent = world.World(memory, world.credential("user:ada", world.drawn("credential"))).agent
    await_start()
    made, errors, slowest = [], [], 0.0
    for index in range(each):
        started = time.perf_counter()
        try:
            proposed = agent.propose(
                world.diff(world.add(1, f"Process {number} counted to {index}."))
            )
            made.append(proposed.diff.id)
        except MunimentError as error:
            errors.append(str(error))
        slowest = max(slowest, time.perf_counter() - started)
    print(json.dumps({"made": made, "errors": errors, "slowest_ms": round(slowest * 1000, 1)}))


def spawn(each: int, path: Path, number: int) -> list[str]:
    """The command line of one child."""
    return [
        sys.executable,
        "-m",
        "bench.writers",
        "--child",
        str(number),
        "--each",
        str(each),
        "--path",
        str(path),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = report.parser(__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--each", type=int, default=100)
    parser.add_argument("--child", type=int)
    parser.add_argument("--path", type=Path)
    given = parser.parse_args(arguments)
    if given.child is not None:
        child(given.path, given.child, given.each)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        ran = writers(partial(spawn, given.each), given.processes, path)
        made = [one for result in ran["results"] for one in result["made"]]
        errors = [one for result in ran["results"] for one in result["errors"]]
        with Memory.open(path) as memory:
            agent = world.World(
                memory, world.credential("user:ada", world.drawn("credential"))
            ).agent
            there = {pending.diff.id for pending in agent.inbox()}
            sound = memory.verify().ok
    lost = len(set(made) - there)
    found = {
        "processes": given.processes,
        "each": given.each,
        "acknowledged": len(made),
        "lost": lost,
        "lock_errors": len(errors),
        "failed": ran["failed"],
        "ledger_ok": sound,
        "slowest_ms": max((result["slowest_ms"] for result in ran["results"]), default=0),
        "seconds": ran["seconds"],
        "examples": errors[:3],
    }
    report.emit(found, given.json)
    return int(bool(lost or errors or ran["failed"] or not sound))


if __name__ == "__main__":
    raise SystemExit(main())

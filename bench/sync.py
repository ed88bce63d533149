"""What an acknowledged write costs the disk: how many syncs, and how long when each takes five milliseconds.

    python -m bench.sync --json

- Syncs are counted by SQLite's file layer, per operation, outside checkpoints.
- `store` appends one event; `propose`, `accept` and `remember` are whole verbs. Each is one transaction.
- `ratio` compares the median with a bare commit of as many bytes through the same file layer, in the same run.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from bench import report, world
from bench.vfs import SyncCounter
from muniment import Choice
from muniment.core.event import Event


def counted(counter: SyncCounter, act: Callable[[int], object], times: int) -> dict[str, float]:
    """Median milliseconds and syncs of an operation."""
    seconds, syncs = [], []
    for number in range(times):
        counter.reset()
        begin = time.perf_counter()
        act(number)
        seconds.append(time.perf_counter() - begin)
        syncs.append(counter.total)
    return {
        "median_ms": round(statistics.median(seconds) * 1000, 2),
        "syncs": statistics.median(syncs),
    }


def bare(path: Path, counter: SyncCounter, times: int, size: int) -> dict[str, float]:
    """Commits of `size` bytes on plain SQLite with the store's settings."""
    connection = apsw.Connection(str(path), vfs=counter.vfs_name)
    connection.pragma("journal_mode", "WAL")
    connection.pragma("synchronous", "FULL")
    connection.pragma("wal_autocheckpoint", 0)
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB)")

    def commit(number: int) -> None:
        with connection:
            connection.execute("INSERT INTO t (body) VALUES (?)", (b"x" * size,))

    commit(0)
    found = counted(counter, commit, times)
    connection.close()
    return found


def product(path: Path, counter: SyncCounter, times: int) -> dict[str, dict[str, float]]:
    """The store and the verbs."""
    made = world.open_world(path, counter.vfs_name, "sync")
    made.declare()
    session = made.agent.session
    diffs: list[str] = []

    def append(number: int) -> None:
        with session.store.transaction(session.tenant) as transaction:
            content = {"name": f"user:u{number}", "note": "x" * 600}
            key = transaction.key("principal", f"u{number}")
            transaction.append([Event("principal", key, content)], session.now())

    def propose(number: int) -> None:
        text = f"Sensor {world.lettered(str(number))} reads kelvin."
        diffs.append(made.agent.propose(world.diff(world.add(1, text))).diff.id)

    def accept(number: int) -> None:
        made.reviewer.review(diffs[number], {"change_01": Choice("accepted")}, made.signer)

    def remember(number: int) -> None:
        made.reviewer.remember(f"Valve {world.lettered(str(number))} closes at full pressure.")

    acts = {"store": append, "propose": propose, "accept": accept, "remember": remember}
    with made.memory:
        return {name: counted(counter, act, times) for name, act in acts.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = report.parser(__doc__)
    parser.add_argument("--times", type=int, default=60)
    parser.add_argument("--delay-ms", type=float, default=5.0)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        with SyncCounter(given.delay_ms / 1000) as counter:
            plain = bare(Path(folder) / "bare.db", counter, given.times, 1_000)
        with SyncCounter(given.delay_ms / 1000) as counter:
            found = product(Path(folder) / "memory.db", counter, given.times)
    for one in found.values():
        one["ratio"] = round(one["median_ms"] / plain["median_ms"], 2)
    result = {
        "measurement": "sync",
        "times": given.times,
        "delay_ms": given.delay_ms,
        "bare_commit": plain,
        **found,
    }
    report.emit(result, given.json)
    return int(any(one["syncs"] != 1 for one in found.values()))


if __name__ == "__main__":
    sys.exit(main())

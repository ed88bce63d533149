"""What an acknowledged write costs the disk: how many syncs, and how long when each takes five milliseconds.

    python -m bench.sync --json

- Syncs are counted by SQLite's file layer, per operation, outside checkpoints: a write during which the main file was
  synced, and the one after it (which begins the log anew), are counted apart as `checkpoints`.
- `store` appends one event; `propose`, `accept` and `remember` are whole verbs. Each is one transaction.
- Each is compared with a bare commit of as many bytes as the events that it records, through the same file layer, in
  the same round: `ratio` is of medians, `store`'s also stands at the top.

An empty store is written to; `bench.write_cost` writes to a large one.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from bench import report, world
from bench.vfs import SyncCounter
from muniment import Choice
from muniment.core.canonical import canonical
from muniment.core.event import Event

Act = Callable[[int], object]
OPERATIONS = ("store", "propose", "accept", "remember")


@dataclass(slots=True)
class Counted:
    """Seconds and syncs of one operation, outside checkpoints."""

    counter: SyncCounter
    act: Act
    seconds: list[float] = field(default_factory=list)
    syncs: list[int] = field(default_factory=list)
    checkpoints: int = 0

    def once(self, number: int, log_began: bool = False) -> bool:
        """Do it once; whether it was a checkpoint."""
        self.counter.reset()
        begin = time.perf_counter()
        self.act(number)
        took = time.perf_counter() - begin
        is_checkpoint = self.counter.counts["main"] > 0
        if is_checkpoint or log_began:
            self.checkpoints += 1
        else:
            self.seconds.append(took)
            self.syncs.append(self.counter.total)
        return is_checkpoint

    def found(self) -> dict[str, Any]:
        """Median and spread; `syncs` is one number where every write took as many, else the least and the most."""
        least, most = min(self.syncs), max(self.syncs)
        return {
            "median_ms": round(statistics.median(self.seconds) * 1000, 2),
            "slowest_ms": round(max(self.seconds) * 1000, 2),
            "syncs": most if least == most else [least, most],
            "checkpoints": self.checkpoints,
        }


def bare(path: Path, counter: SyncCounter, size: int) -> tuple[apsw.Connection, Act]:
    """Commits of `size` bytes on plain SQLite with the store's settings."""
    connection = apsw.Connection(str(path), vfs=counter.vfs_name)
    connection.pragma("journal_mode", "WAL")
    connection.pragma("synchronous", "FULL")
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB)")

    def commit(number: int) -> None:
        with connection:
            connection.execute("INSERT INTO t (body) VALUES (?)", (b"x" * size,))

    commit(0)
    return connection, commit


def product(made: world.World) -> dict[str, Act]:
    """The store's append, and the verbs."""
    session = made.agent.session
    diffs: dict[int, str] = {}

    def append(number: int) -> None:
        with session.store.transaction(session.tenant) as transaction:
            content = {"name": f"user:u{number}", "note": "x" * 600}
            key = transaction.key("principal", f"u{number}")
            transaction.append([Event("principal", key, content)], session.now())

    def propose(number: int) -> None:
        text = f"Sensor {world.lettered(str(number))} reads kelvin."
        diffs[number] = made.agent.propose(world.diff(world.add(1, text))).diff.id

    def accept(number: int) -> None:
        made.reviewer.review(diffs[number], {"change_01": Choice("accepted")}, made.signer)

    def remember(number: int) -> None:
        made.reviewer.remember(f"Valve {world.lettered(str(number))} closes at full pressure.")

    return dict(zip(OPERATIONS, (append, propose, accept, remember), strict=True))


def recorded(made: world.World, act: Act, number: int) -> int:
    """Canonical bytes of the events that an operation records."""
    session = made.agent.session
    with session.store.snapshot(session.tenant) as snapshot:
        last = max((envelope.seq for envelope in snapshot.envelopes()), default=0)
    act(number)
    with session.store.snapshot(session.tenant) as snapshot:
        seqs = [envelope.seq for envelope in snapshot.envelopes(last)]
        return sum(len(canonical(content)) for content in snapshot.contents(seqs).values())


def measure(folder: Path, times: int, delay: float) -> dict[str, dict[str, Any]]:
    """Rounds in which every operation runs once, each after its bare commit."""
    found: dict[str, dict[str, Any]] = {}
    with SyncCounter(delay) as counter:
        made = world.open_world(folder / "memory.db", counter.vfs_name, "sync")
        made.declare()
        with made.memory:
            acts = product(made)
            sizes = {name: recorded(made, act, 0) for name, act in acts.items()}
            opened = {n: bare(folder / f"{n}.db", counter, size) for n, size in sizes.items()}
            plain = {name: Counted(counter, commit) for name, (_, commit) in opened.items()}
            whole = {name: Counted(counter, act) for name, act in acts.items()}
            bare_began, began = dict.fromkeys(OPERATIONS, False), False
            for number in range(1, times + 1):
                for name in OPERATIONS:
                    bare_began[name] = plain[name].once(number, bare_began[name])
                    began = whole[name].once(number, began)
            for connection, _ in opened.values():
                connection.close()
        for name in OPERATIONS:
            base, own = plain[name].found(), whole[name].found()
            ratio = round(own["median_ms"] / base["median_ms"], 2)
            found[name] = {"bytes": sizes[name], **own, "bare": base, "ratio": ratio}
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; 1 where a write was not exactly one sync."""
    parser = report.parser(__doc__)
    parser.add_argument("--times", type=int, default=60)
    parser.add_argument("--delay-ms", type=float, default=5.0)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), given.times, given.delay_ms / 1000)
    result = {
        "measurement": "sync",
        "times": given.times,
        "delay_ms": given.delay_ms,
        "ratio": found["store"]["ratio"],
        **found,
    }
    report.emit(result, given.json)
    return int(any(one["syncs"] != 1 for one in found.values()))


if __name__ == "__main__":
    sys.exit(main())

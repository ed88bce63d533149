"""Show on plain SQLite that the fault harness finds what it must and nothing else.

    python -m bench.control --synchronous NORMAL --journal WAL --points 2000 --json
    python -m bench.control --kills 30 --json

- With `synchronous = FULL` nothing acknowledged may be lost.
- With `NORMAL` in WAL mode acknowledged writes are lost, and nothing is damaged: documented
  behaviour of SQLite, and the proof that the harness sees loss.
- With `OFF` the database is damaged: the proof that it sees damage.

A write is one transaction with a row in each of two tables, so that half of one can be told.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import apsw

from bench import report
from bench.children import announce, kill
from bench.faults import Workload, powercut
from bench.findings import CheckResult, History
from bench.vfs import Layer

_PAYLOAD = 700  # bytes a row: several sectors a transaction, several rows a page


def connect(path: Path, journal: str, synchronous: str, vfs: str | None = None) -> apsw.Connection:
    """Open the control database, making its tables when it is new."""
    connection = apsw.Connection(str(path), vfs=vfs)
    try:
        connection.set_busy_timeout(5000)
        connection.transaction_mode = "IMMEDIATE"
        _set_journal_mode(connection, journal)
        connection.pragma("synchronous", synchronous)
        connection.pragma("wal_autocheckpoint", 20)
        with connection:
            for table in ("head", "body"):
                connection.execute(
                    f"CREATE TABLE IF NOT EXISTS {table} (id INTEGER PRIMARY KEY, payload TEXT)"
                )
    except apsw.Error:
        connection.close()
        raise
    return connection


def _set_journal_mode(connection: apsw.Connection, journal: str) -> None:
    """Set the mode, waiting for others: for this SQLite heeds no busy timeout on a new database."""
    deadline = time.monotonic() + 5
    while True:
        try:
            connection.pragma("journal_mode", journal)
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.002)


def write(connection: apsw.Connection, number: int) -> None:
    """Insert one row into each table, in one transaction."""
    payload = f"{number:05d}" * (_PAYLOAD // 5)
    with connection:
        connection.execute("INSERT INTO head VALUES (?, ?)", (number, payload))
        connection.execute("INSERT INTO body VALUES (?, ?)", (number, payload))


def workload(journal: str, synchronous: str, writes: int = 60) -> Workload:
    """Return a workload that inserts, and acknowledges each insert."""

    def run(path: Path, layer: Layer) -> None:
        connection = connect(path, journal, synchronous, layer.vfs_name)
        with contextlib.closing(connection):
            for number in range(writes):
                layer.begin(str(number), number)
                write(connection, number)
                layer.acknowledge(str(number), number)

    return run


def check(path: Path, history: History) -> CheckResult:
    """Open the image and compare it with what had been acknowledged."""
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        soundness = connection.pragma("integrity_check")
        if soundness != "ok":
            return CheckResult(damaged=1, detail=str(soundness)[:200])
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
        if not {"head", "body"} <= tables:
            return CheckResult(lost=len(history), detail=f"tables: {sorted(tables)}")
        head, body = (
            dict(connection.execute(f"SELECT id, payload FROM {table}"))
            for table in ("head", "body")
        )
    lost = [mark.payload for mark in history if mark.payload not in head]
    allowed = {mark.payload for mark in (*history.acknowledged, *history.in_flight)}
    uninvited = [number for number in head if number not in allowed]
    partial = [number for number in {*head, *body} if head.get(number) != body.get(number)]
    detail = f"lost {lost[:3]}, partial {partial[:3]}, never begun {uninvited[:3]}"
    return CheckResult(len(lost), len(partial), len(uninvited), detail)


def recover(path: Path, layer: Layer) -> None:
    """Open an image and write nothing of its own: SQLite recovers, then checkpoints at the end."""
    with contextlib.closing(apsw.Connection(str(path), vfs=layer.vfs_name)) as connection:
        connection.pragma("synchronous", "FULL")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()


def child(path: Path, number: int) -> None:
    """Write until killed."""
    connection = connect(path, "WAL", "FULL")
    for serial in itertools.count(number * 1_000_000):
        announce(str(serial), serial, begun=True)
        write(connection, serial)
        announce(str(serial), serial)


def spawn(path: Path, number: int) -> list[str]:
    """Return the command line of one child for `kill`."""
    return [sys.executable, "-m", "bench.control", "--child", str(number), "--path", str(path)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the control and print the result."""
    parser = report.parser(__doc__)
    parser.add_argument("--points", type=int, default=2000, help="power cuts")
    parser.add_argument("--synchronous", choices=("FULL", "NORMAL", "OFF", "EXTRA"), default="FULL")
    parser.add_argument("--journal", choices=("WAL", "DELETE"), default="WAL")
    parser.add_argument("--writes", type=int, default=60)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--twice", action="store_true", help="cut again during recovery")
    parser.add_argument("--keep", type=Path, help="copy the images of the examples here")
    parser.add_argument("--kills", type=int, default=0, help="kill processes instead")
    parser.add_argument("--children", type=int, default=1)
    parser.add_argument("--child", type=int, help="be the child with this number")
    parser.add_argument("--path", type=Path, help="the child's store")
    given = parser.parse_args(arguments)
    if given.child is not None:
        child(given.path, given.child)
    elif given.kills:
        found = kill(
            spawn, check, given.kills, given.seed, children=given.children, show_progress=True
        )
        report.emit(found, given.json)
    else:
        found = powercut(
            workload(given.journal, given.synchronous, given.writes),
            check,
            given.points,
            given.seed,
            recover=recover if given.twice else None,
            processes=given.processes,
            keep=given.keep,
            show_progress=True,
        )
        report.emit(
            {"journal": given.journal, "synchronous": given.synchronous, **found}, given.json
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

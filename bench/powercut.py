"""Cut the power at every point of mixed work on the real store, and see what is lost.

    python -m bench.powercut --points 20000 --json

- The file layer loses or tears every 512-byte sector that was not synced (`bench.disk`).
- Half of the points are cut a second time, during recovery.
- Expected: `{"lost": 0, "partial": 0, "damaged": 0}`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from bench import report, world
from bench.faults import Workload, powercut
from bench.vfs import Layer
from muniment import Memory


def workload(count: int) -> Workload:
    """Rounds of mixed work on a new store."""

    def run(path: Path, layer: Layer) -> None:
        def acknowledge(label: str, payload: Any, begun: bool) -> None:
            (layer.begin if begun else layer.acknowledge)(label, payload)

        made = world.open_world(path, layer.vfs_name, "powercut")
        with made.memory:
            made.declare()
            for _ in islice(world.rounds(made, acknowledge), count + 1):
                pass

    return run


def recover(path: Path, layer: Layer) -> None:
    """Open and close the store after a cut."""
    Memory.open(path, vfs=layer.vfs_name).close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = report.parser(__doc__)
    parser.add_argument("--points", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="copy the images of the examples here")
    given = parser.parse_args(arguments)
    found = powercut(
        workload(given.rounds), world.check, given.points, given.seed,
        recover=recover, processes=given.processes, keep=given.keep,
    )  # fmt: skip
    report.emit(found, given.json)
    return int(any(found[key] for key in ("lost", "partial", "damaged")))


if __name__ == "__main__":
    raise SystemExit(main())

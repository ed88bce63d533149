"""Kill working processes at random moments, and see what is lost.

python -m bench.kill --kills 100 --json
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import report, world
from bench.children import announce, kill
from muniment import Memory
from muniment.core.errors import Conflicted, NotPermitted


def child(path: Path, number: int) -> None:
    """Work until killed; the first to come declares."""
    memory = Memory.open(path)
    made = world.World(memory, world.credential("user:ada", world.drawn("credential")))
    try:
        made.declare()
    except (NotPermitted, Conflicted):
        made.memory.session.now()  # somebody else was first

    def tell(label: str, payload: Any, begun: bool) -> None:
        announce(label, payload, begun=begun)

    for _ in world.rounds(made, tell, f"p{number}x{os.getpid()}n"):
        pass


def spawn(path: Path, number: int) -> list[str]:
    """The command line of one child."""
    return [sys.executable, "-m", "bench.kill", "--child", str(number), "--path", str(path)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = report.parser(__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--children", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", type=int)
    parser.add_argument("--path", type=Path)
    given = parser.parse_args(arguments)
    if given.child is not None:
        child(given.path, given.child)
        return 0
    found = kill(spawn, world.check, given.kills, given.seed, children=given.children)
    report.emit(found, given.json)
    return int(any(found[key] for key in ("lost", "partial", "damaged")))


if __name__ == "__main__":
    raise SystemExit(main())

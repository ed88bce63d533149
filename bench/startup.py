"""What starting costs: importing the package, and whole commands, beside a bare interpreter in the same rounds.

    python -m bench.startup --claims 10000 --json

- Every figure is the median of new processes with the file system's cache warm; peak memory is the system's figure.
- `recall` is the command itself, on a store of `--claims` claims of which two thirds may be seen.
- `count_first` counts tokens where no table of the ranks is kept yet, `count_kept` where one is: each beside
  `count_nothing`, the same start without counting.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import recall_cold, report

COUNT = "import sys; from muniment.tokens import counter; n = counter(); "
COUNTED = COUNT + f"n({recall_cold.QUERY!r})"
FORGET = "import pathlib, sys; [p.unlink() for p in pathlib.Path(sys.argv[1]).rglob('*') if p.is_file()]; "


def commands(store: Path, folder: Path) -> dict[str, list[str]]:
    """What is started."""
    python = [sys.executable, "-c"]
    return {
        "bare": [*python, "pass"],
        "import": [*python, "import muniment"],
        "import_memory": [*python, "from muniment import Memory"],
        "version": [sys.executable, "-m", "muniment", "--version"],
        "help": [sys.executable, "-m", "muniment", "--help"],
        "recall": recall_cold.command(store),
        "count_nothing": [*python, COUNT],
        "count_first": [*python, FORGET + COUNTED, str(folder / "cache")],
        "count_kept": [*python, COUNTED],
    }


def measure(store: Path, folder: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Medians over rounds in which every command runs once."""
    environment = recall_cold.environment(folder)
    started = commands(store, folder)
    for arguments in started.values():
        recall_cold.run(arguments, environment)
    seconds: dict[str, list[float]] = {name: [] for name in started}
    peaks: dict[str, float] = dict.fromkeys(started, 0.0)
    for number in range(rounds):
        report.progress("rounds", number + 1, rounds)
        for name, arguments in started.items():
            took, peak, _ = recall_cold.run(arguments, environment)
            seconds[name].append(took)
            peaks[name] = max(peaks[name], peak)
    bare = statistics.median(seconds["bare"])
    return {
        name: {
            "median_ms": round(statistics.median(found) * 1000, 1),
            "ratio_to_bare": round(statistics.median(found) / bare, 1),
            "peak_mib": round(peaks[name], 1),
        }
        for name, found in seconds.items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = report.parser(__doc__)
    parser.add_argument("--claims", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "memory.db"
        recall_cold.fill_apart(store, given.claims)
        found: dict[str, Any] = measure(store, Path(folder), given.rounds)
    report.emit({"measurement": "startup", "claims": given.claims, **found}, given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Run the whole test suite in two processes side by side: `python -m tools.suite`.

What starts programs and servers goes beside what computes; together they take little more than the longer half. Both
halves run to their end, and the exit code is the worse of the two. Further arguments go to both.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIRST = ("bench", "cli", "client", "docs", "exchange", "http", "mcp")
"""Folders of `tests` that the first process runs; the second runs all the others."""
NOTHING_RAN = 5


def halves() -> tuple[list[str], list[str]]:
    """What each process runs: every folder and file of `tests`, once.

    >>> first, second = halves()
    >>> set(first) & set(second), "tests/core" in second
    (set(), True)
    """
    found = [
        f"tests/{one.name}"
        for one in sorted((ROOT / "tests").iterdir())
        if one.name.startswith("test_")
        or (one.is_dir() and one.name != "data" and any(one.rglob("test_*.py")))
    ]
    first = [f"tests/{name}" for name in FIRST if f"tests/{name}" in found]
    return first, [one for one in found if one not in first]


def main(arguments: Sequence[str]) -> int:
    """Run both halves; the worse exit code."""
    command = [sys.executable, "-m", "pytest", "-q", *arguments]
    first, second = halves()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as kept:
        other = subprocess.Popen(
            [*command, *second], cwd=ROOT, stdout=kept, stderr=subprocess.STDOUT
        )
        try:
            code = subprocess.run([*command, *first], cwd=ROOT, check=False).returncode
            codes = (code, other.wait())
        finally:
            if other.poll() is None:
                other.terminate()
                other.wait()
        kept.seek(0)
        sys.stdout.write(kept.read())
    return max(0 if one == NOTHING_RAN else one for one in codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

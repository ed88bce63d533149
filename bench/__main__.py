"""Every measurement, one JSON object each: small by default, whole with `--full`.

python -m bench --full
"""

from __future__ import annotations

import argparse
import subprocess
import sys

SMALL: tuple[tuple[str, ...], ...] = (
    ("bench.sync", "--times", "20"),
    ("bench.startup", "--claims", "2000", "--rounds", "3"),
    ("bench.learn_speed", "--files", "200"),
    ("bench.writers", "--processes", "4", "--each", "20"),
    ("bench.kill", "--kills", "10"),
    ("bench.powercut", "--points", "500", "--rounds", "2"),
)
FULL: tuple[tuple[str, ...], ...] = (
    ("bench.sync",),
    ("bench.startup",),
    ("bench.learn_speed",),
    ("bench.writers",),
    ("bench.kill",),
    ("bench.powercut",),
)


def main() -> int:
    """Run all; the exit code is the worst of theirs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--full", action="store_true", help="the sizes that the documentation quotes"
    )
    chosen = FULL if parser.parse_args().full else SMALL
    codes = [
        subprocess.run([sys.executable, "-m", *one, "--json"], check=False).returncode
        for one in chosen
    ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())

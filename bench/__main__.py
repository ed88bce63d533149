"""Every measurement, one JSON object each: small by default, whole with `--full`.

python -m bench --full
"""

from __future__ import annotations

import argparse
import subprocess
import sys

SMALL: tuple[tuple[str, ...], ...] = (
    ("bench.sync", "--times", "20"),
    ("bench.write_cost", "--sizes", "200", "2000", "--times", "10"),
    ("bench.startup", "--claims", "2000", "--rounds", "3"),
    ("bench.recall_cold", "--claims", "2000", "--rounds", "3"),
    ("bench.learn_speed", "--files", "150"),
    ("bench.mif_schema", "--examples", "10000"),
    ("bench.mif_speed", "--concepts", "2000", "--proposed", "200"),
    ("bench.mif_fuzz", "--inputs", "2000"),
    ("bench.imports", "--samples", "tests/data/imports"),
    ("bench.import_fuzz", "--inputs", "200"),
    ("bench.noninterference", "--pairs", "2000", "--calls", "200", "--hidden", "2000"),
    ("bench.oracles", "--examples", "3000"),
    ("bench.joins", "--facts", "5000", "--instances", "20"),
    ("bench.packing", "--cases", "4", "--most", "4096"),
    ("bench.certificates", "--mutations", "2000"),
    ("bench.writers", "--processes", "4", "--each", "20"),
    ("bench.kill", "--kills", "10"),
    ("bench.powercut", "--points", "500", "--rounds", "2"),
    ("bench.vectors", "--n", "50000", "--rounds", "3"),
    ("bench.similarity",),
    ("bench.scale", "--n", "20000", "--questions", "12"),
    ("bench.stdio", "--calls", "500"),
    ("bench.interfaces", "--claims", "2000", "--rounds", "30", "--starts", "3"),
    ("bench.authority",),
    ("bench.http_load", "--claims", "2000", "--rounds", "30", "--readers", "50", "--each", "2"),
    ("bench.api_fuzz", "--requests", "1000"),
)
FULL: tuple[tuple[str, ...], ...] = (
    ("bench.sync",),
    ("bench.write_cost", "--sizes", "1000", "100000"),
    ("bench.startup", "--claims", "10000"),
    ("bench.recall_cold", "--claims", "10000"),
    ("bench.learn_speed", "--files", "1000"),
    ("bench.mif_schema", "--examples", "200000"),
    ("bench.mif_speed", "--concepts", "100000"),
    ("bench.mif_fuzz", "--inputs", "1000000"),
    ("bench.import_fuzz", "--inputs", "1000000"),
    ("bench.noninterference",),
    ("bench.oracles", "--examples", "100000"),
    ("bench.joins", "--facts", "1000000"),
    ("bench.packing",),
    ("bench.packing_order",),
    ("bench.certificates", "--mutations", "1000000"),
    ("bench.writers", "--processes", "8", "--each", "100"),
    ("bench.kill", "--kills", "100"),
    ("bench.powercut", "--points", "20000"),
    ("bench.vectors",),
    ("bench.similarity",),
    ("bench.scale", "--n", "1000000"),
    ("bench.stdio",),
    ("bench.interfaces",),
    ("bench.authority",),
    ("bench.http_load", "--claims", "100000", "--readers", "200"),
    ("bench.api_fuzz", "--requests", "20000"),
    ("bench.mcp_conformance",),
    ("bench.peers", "--data", "../shared/bench/locomo"),
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

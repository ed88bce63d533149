"""Print one measurement, with what a reader needs to judge it.

- A result is one flat or nested dict of JSON values; `emit` adds `machine` and `date` (UTC).
- The machine is described by what changes the numbers. No host name, user name or path.
- Without `--json` the same values are a table; nested dicts are indented.

What a number means, and its limit, is said by the module that measures it.

>>> print(table({"points": 250, "rate": 312.5049, "machine": {"cores": 2}}))
points   250
rate     312.5
machine
  cores  2
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def machine() -> dict[str, Any]:
    """Describe the machine: processor, cores this process may use, Python, SQLite, system."""
    import apsw

    return {
        "cpu": _cpu_model(),
        "cores": _usable_cores(),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "apsw": apsw.apsw_version(),
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def emit(result: Mapping[str, Any], as_json: bool) -> None:
    """Print `result` with `machine` and `date` added, as one JSON object or as a table."""
    whole = {
        **result,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
    }
    print(json.dumps(whole, ensure_ascii=False, indent=2) if as_json else table(whole))


def peak_mb() -> float:
    """The most memory that this process held, MiB.

    Where the system tells it, that of the program alone: `ru_maxrss` of a process that another started counts what the
    other one held until then.
    """
    status = Path("/proc/self/status")
    if status.exists():
        told = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        if "VmHWM" in told:
            return round(int(told["VmHWM"].split()[0]) / 1024, 1)
    import resource

    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options that every measurement has; give it `__doc__`."""
    first_line = (description or "").strip().partition("\n")[0]
    made = argparse.ArgumentParser(description=first_line)
    made.add_argument("--json", action="store_true", help="print one JSON object, not a table")
    return made


def progress(label: str, done: int, total: int) -> None:
    """Show how far a long run is: rewrites its line on a terminal, else prints at each tenth."""
    if sys.stderr.isatty():
        end = "\n" if done >= total else ""
        print(f"\r{label}: {done}/{total}", end=end, file=sys.stderr, flush=True)
    elif done >= total or done * 10 // total != (done - 1) * 10 // total:
        print(f"{label}: {done}/{total}", file=sys.stderr, flush=True)


def table(result: Mapping[str, Any]) -> str:
    """Return `result` as aligned lines of name and value."""
    rows = list(_rows(result, depth=0))
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"{name:<{width}}  {value}".rstrip() for name, value in rows)


def _rows(values: Mapping[str, Any], depth: int) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        label = "  " * depth + name
        if isinstance(value, Mapping):
            yield label, ""
            yield from _rows(value, depth + 1)
        elif isinstance(value, list | tuple) and value and isinstance(value[0], Mapping):
            yield label, ""
            for number, entry in enumerate(value, start=1):
                yield "  " * (depth + 1) + f"{number}", ""
                yield from _rows(entry, depth + 2)
        else:
            yield label, f"{value:.4g}" if isinstance(value, float) else str(value)


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # not Linux
        return platform.processor() or "unknown"
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

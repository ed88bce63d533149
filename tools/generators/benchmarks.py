"""Figures as they were measured: tables from the results that the benchmarks printed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.generators.tables import code, table


def _result(root: Path, name: str) -> dict[str, Any]:
    return dict(json.loads((root / "bench" / "results" / f"{name}.json").read_text("utf-8")))


def _measured(result: Mapping[str, Any], command: str) -> str:
    machine = result["machine"]
    where = f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}, SQLite {machine['sqlite']}"
    return f"{code(command)}, {result['date'][:10]}, {where}."


def faults(root: Path) -> str:
    """What power cuts, kills and rival writers did."""
    cut, kill, writers = (_result(root, name) for name in ("powercut", "kill", "writers"))
    rows = [
        ("power cuts", f"{cut['points']:,}", cut["lost"], cut["partial"], cut["damaged"]),
        (
            "kills of working processes",
            f"{kill['kills']:,}",
            kill["lost"],
            kill["partial"],
            kill["damaged"],
        ),
    ]
    counted = table(
        ("fault", "times", "lost", "half applied", "damaged"),
        (tuple(map(str, row)) for row in rows),
    )
    rivals = (
        f"{writers['processes']} processes that wrote {writers['each']} times each at once: "
        f"{writers['acknowledged']} acknowledged, {writers['lost']} lost, {writers['lock_errors']} lock errors "
        f"reached a caller; the slowest write waited {writers['slowest_ms'] / 1000:.1f} s for its turn."
    )
    said = (
        _measured(cut, f"python -m bench.powercut --points {cut['points']}"),
        _measured(kill, f"python -m bench.kill --kills {kill['kills']}"),
        _measured(
            writers,
            f"python -m bench.writers --processes {writers['processes']} --each {writers['each']}",
        ),
    )
    return "\n\n".join((counted, rivals, *said))


def syncs(root: Path) -> str:
    """What an acknowledged write costs the disk."""
    result = _result(root, "sync")
    names = ("store", "propose", "accept", "remember")
    plain = result["bare_commit"]
    rows = [("a bare commit of SQLite", f"{plain['syncs']:g}", f"{plain['median_ms']} ms", "1")]
    rows += [
        (code(name), f"{one['syncs']:g}", f"{one['median_ms']} ms", f"{one['ratio']}")
        for name in names
        if (one := result[name])
    ]
    heads = (
        "write",
        "syncs",
        f"median, {result['delay_ms']:g} ms added to each sync",
        "ratio to bare",
    )
    return table(heads, rows) + "\n\n" + _measured(result, "python -m bench.sync")


def starts(root: Path) -> str:
    """What starting costs."""
    result = _result(root, "startup")
    named = {
        "bare": "`python -c pass`",
        "import": "`import muniment`",
        "import_memory": "`from muniment import Memory`",
        "version": "`muniment --version`",
        "help": "`muniment --help`",
        "recall": f"`muniment recall` on {result['claims']:,} claims",
    }
    rows = [
        (label, f"{one['median_ms']} ms", f"{one['ratio_to_bare']}", f"{one['peak_mib']} MiB")
        for name, label in named.items()
        if (one := result[name])
    ]
    heads = ("new process", "median", "ratio to bare", "peak memory")
    return table(heads, rows) + "\n\n" + _measured(result, "python -m bench.startup")


def learning(root: Path) -> str:
    """What learning costs."""
    result = _result(root, "learn_speed")
    return (
        table(("work", "seconds"), _learning(result))
        + "\n\n"
        + _measured(result, "python -m bench.learn_speed")
    )


def _learning(result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    files, statements = f"{result['files']:,}", f"{result['statements']:,}"
    yield "`python -c pass`", f"{result['bare_s']}"
    yield (
        f"`muniment learn`, {files} files, {statements} statements proposed",
        f"{result['learn_s']}",
    )
    yield "again, while all of them wait", f"{result['learn_again_waiting_s']}"
    yield f"accepting {statements} changes in one review", f"{result['review_all_s']}"
    yield "again, when all of them were accepted", f"{result['learn_again_accepted_s']}"
    yield "`muniment doctor`", f"{result['doctor_s']}"


GENERATORS = {
    "faults": faults,
    "syncs": syncs,
    "starts": starts,
    "learning": learning,
}

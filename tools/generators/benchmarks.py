"""Figures as they were measured: tables from the results that the benchmarks printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.generators.tables import code, measured, result_of, table


def faults(root: Path) -> str:
    """What power cuts, kills and rival writers did."""
    cut, kill, writers = (result_of(root, name) for name in ("powercut", "kill", "writers"))
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
        measured(cut, f"python -m bench.powercut --points {cut['points']}"),
        measured(kill, f"python -m bench.kill --kills {kill['kills']}"),
        measured(
            writers,
            f"python -m bench.writers --processes {writers['processes']} --each {writers['each']}",
        ),
    )
    return "\n\n".join((counted, rivals, *said))


def syncs(root: Path) -> str:
    """What an acknowledged write costs the disk."""
    result = result_of(root, "sync")
    rows = [
        (
            code(name),
            f"{one['syncs']}",
            f"{one['bytes']:,}",
            f"{one['median_ms']} ms",
            f"{one['bare']['median_ms']} ms",
            f"{one['ratio']}",
        )
        for name in ("store", "propose", "accept", "remember")
        if (one := result[name])
    ]
    delay = f"{result['delay_ms']:g} ms added to each sync"
    heads = (
        "write",
        "syncs",
        "bytes",
        f"median, {delay}",
        "a bare commit of as many bytes",
        "ratio",
    )
    return table(heads, rows) + "\n\n" + measured(result, "python -m bench.sync")


def growth(root: Path) -> str:
    """What a write and a look at one claim cost as the store grows."""
    result = result_of(root, "write_cost")
    sizes = tuple(result["median_ms"])
    rows = [
        (code(name), *(f"{result['median_ms'][size][name]} ms" for size in sizes), f"{grown}")
        for name, grown in result["growth"].items()
    ]
    heads = ("verb", *(f"beside {int(size):,} claims" for size in sizes), "ratio")
    command = f"python -m bench.write_cost --sizes {' '.join(sizes)}"
    return table(heads, rows) + "\n\n" + measured(result, command)


def starts(root: Path) -> str:
    """What starting costs."""
    result = result_of(root, "startup")
    named = {
        "bare": "`python -c pass`",
        "import": "`import muniment`",
        "import_memory": "`from muniment import Memory`",
        "version": "`muniment --version`",
        "help": "`muniment --help`",
        "recall": f"`muniment recall` on {result['claims']:,} claims",
        "count_nothing": "a token counter that counts nothing",
        "count_first": "its first count ever, which keeps a table of the ranks",
        "count_kept": "its first count in a process, with that table",
    }
    rows = [
        (label, f"{one['median_ms']} ms", f"{one['ratio_to_bare']}", f"{one['peak_mib']} MiB")
        for name, label in named.items()
        if (one := result[name])
    ]
    heads = ("new process", "median", "ratio to bare", "peak memory")
    return table(heads, rows) + "\n\n" + measured(result, "python -m bench.startup")


def cold(root: Path) -> str:
    """Where the time of a cold recall goes."""
    result = result_of(root, "recall_cold")
    inside = result["library_ms"]
    rows = [
        ("`python -c pass`", f"{result['bare_ms']} ms"),
        ("`muniment recall`", f"{result['recall_ms']} ms"),
        ("the same through the library", f"{inside['whole']} ms"),
        ("of it: imports", f"{inside['imports']} ms"),
        ("of it: opening the store", f"{inside['open']} ms"),
        ("of it: recall", f"{inside['recall']} ms"),
    ]
    said = f"{result['claims']:,} claims, {result['selected']} selected, peak {result['peak_mib']} MiB."
    where = measured(result, f"python -m bench.recall_cold --claims {result['claims']}")
    return "\n\n".join((table(("new process", "median"), rows), said, where))


def hidden(root: Path) -> str:
    """What hidden claims change, and how well a latency tells that they are there."""
    result = result_of(root, "noninterference")
    compared = [
        (name, f"{one['pairs']:,}", f"{one['differences']}")
        for name, one in result["by_observable"].items()
    ]
    compared.append(("all", f"{result['pairs']:,}", f"{result['differences']}"))
    timing = result["timing"]
    timed = []
    for name in ("content", "one_percent", "many"):
        one = timing[name]
        sides = " and ".join(f"{count:,}" for count in one["hidden"])
        medians = " and ".join(f"{value}" for value in one["median_ms"])
        timed.append((sides, f"{one['auc']}", f"{one['auc_of_10']}", f"{medians} ms"))
    heads = ("hidden claims in the two stores", "area, one call", "area, means of ten", "medians")
    said = (
        f"{result['distinct']:,} of the answers were different ones. Time: {timing['many']['calls']:,} calls of each "
        f"store in turns, {timing['visible']:,} visible claims:"
    )
    commands = result.get(
        "commands", [f"python -m bench.noninterference --pairs {result['pairs']}"]
    )
    where = measured(result, " && ".join(commands))
    parts = (table(("observable", "pairs", "differences"), compared), said, table(heads, timed))
    return "\n\n".join((*parts, where))


def learning(root: Path) -> str:
    """What learning costs, and where its time goes."""
    result = result_of(root, "learn_speed")
    steps = ("read", "examine", "encode", "sign", "reread", "append", "other", "whole")
    taken = [(step, *(f"{result[of].get(step, '–')}" for of in _PHASES)) for step in steps]
    return "\n\n".join(
        (
            table(("work", "seconds", "ratio to bare"), _learning(result)),
            f"Peak memory of the first run: {result['learn_peak_mib']} MiB. Of the seconds inside a process:",
            table(("step", "learning", "accepting all"), taken),
            measured(result, f"python -m bench.learn_speed --files {result['files']}"),
        )
    )


_PHASES = ("learn_phases_s", "review_phases_s")


def _learning(result: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    files, statements = f"{result['files']:,}", f"{result['statements']:,}"
    named = {
        "bare_s": "`python -c pass`",
        "learn_s": f"`muniment learn`, {files} files, {statements} statements proposed",
        "learn_again_waiting_s": "again, while all of them wait",
        "learn_again_accepted_s": "again, when all of them were accepted",
        "inbox_s": "`inbox` of them, in a process that runs",
        "review_all_s": f"accepting {statements} changes in one review",
        "doctor_s": "`doctor`, which checks every event, signature and quote again",
    }
    for name, label in named.items():
        yield label, f"{result[name]}", f"{result[name] / result['bare_s']:.0f}"


GENERATORS = {
    "faults": faults,
    "syncs": syncs,
    "growth": growth,
    "starts": starts,
    "cold": cold,
    "learning": learning,
    "hidden": hidden,
}

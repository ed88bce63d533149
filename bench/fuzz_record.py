"""Keep what many runs of a fuzzer came to: inputs added up a parser, and the worst that any run saw.

- A seed gives the same inputs again, so it counts once; the next run takes the next seed.
- `keep_on` throws a seed's inputs at the parser that has had the fewest, until each has had as many as asked for. The
  record is written after each, so that a run may be stopped and taken up again.
- `inputs`, `raised`, `over_1s` and `claims` are sums; `slowest_s` and `peak_mib` are the highest of all runs.

>>> first = added({}, 0, {"inputs": 10, "raised": 0, "slowest_s": 0.2, "peak_mib": 20.0})
>>> both = added(first, 1, {"inputs": 10, "raised": 1, "slowest_s": 0.1, "peak_mib": 21.0, "places": {"a:1": 1}})
>>> both["inputs"], both["seeds"], both["slowest_s"], both["peak_mib"], both["places"]
(20, 2, 0.2, 21.0, {'a:1': 1})
>>> added(both, 1, {"inputs": 10})
Traceback (most recent call last):
ValueError: seed 1 is counted already; the next is 2
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.report import machine, peak_mb

_SUMS = ("inputs", "raised", "over_1s", "claims")
_HIGHEST = ("slowest_s", "peak_mib")
Thrown = Callable[[str, int, int], Mapping[str, Any]]
"""Throws inputs at a parser: its name, how many, the seed."""


def added(before: Mapping[str, Any], seed: int, run: Mapping[str, Any]) -> dict[str, Any]:
    """A parser's record with one more run.

    Raises:
        ValueError: The seed is not the next one.
    """
    seeds = before.get("seeds", 0)
    if seed != seeds:
        raise ValueError(f"seed {seed} is counted already; the next is {seeds}")
    whole = {key: before.get(key, 0) + run[key] for key in _SUMS if key in run}
    whole |= {key: max(before.get(key, 0), run[key]) for key in _HIGHEST if key in run}
    places = dict(before.get("places", {}))
    for place, count in run.get("places", {}).items():
        places[place] = places.get(place, 0) + count
    return whole | {"seeds": seeds + 1} | ({"places": places} if places else {})


def summed(by_parser: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What all parsers came to."""
    every = by_parser.values()
    return {
        "inputs": sum(one["inputs"] for one in every),
        "fewest_inputs": min(one["inputs"] for one in every),
        "raised": sum(one["raised"] for one in every),
        "over_1s": sum(one["over_1s"] for one in every),
        "slowest_s": max(one["slowest_s"] for one in every),
        "peak_mib": max(one["peak_mib"] for one in every),
        "by_parser": dict(by_parser),
    }


def keep_on(path: Path, parsers: Sequence[str], thrown: Thrown, each: int, until: int) -> Any:
    """Throw inputs until every parser has had enough.

    Args:
        path: The record.
        parsers: Their names.
        thrown: Throws.
        each: Inputs a seed.
        until: Inputs a parser.
    """
    record = json.loads(path.read_text()) if path.exists() else {"inputs_a_seed": each}
    if record["inputs_a_seed"] != each:
        raise ValueError(f"this record has {record['inputs_a_seed']} inputs a seed")
    by_parser = record.get("by_parser", {})
    while True:
        least = min(parsers, key=lambda name: by_parser.get(name, {}).get("inputs", 0))
        before = by_parser.get(least, {})
        if before.get("inputs", 0) >= until:
            return record
        seed = before.get("seeds", 0)
        by_parser[least] = added(before, seed, {**thrown(least, each, seed), "peak_mib": peak_mb()})
        if all(name in by_parser for name in parsers):
            today = datetime.now(UTC).isoformat(timespec="seconds")
            whole = {"inputs_a_seed": each, **summed(by_parser)}
            record = {**whole, "date": today, "machine": machine()}
            beside = path.with_suffix(".part")
            beside.write_text(json.dumps(record, indent=2) + "\n")
            os.replace(beside, path)  # noqa: PTH105 - whoever reads sees the old record or the new one

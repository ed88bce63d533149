"""Figures of the doors and of peers: tables from the results that the benchmarks printed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.generators.tables import measured, result_of, table

_DOORS = (
    ("library", "the library"),
    ("stdio", "MCP on stdin and stdout"),
    ("http", "MCP over HTTP"),
    ("client", "MCP on stdin and stdout, with the protocol's own client"),
)
_PEERS = (
    ("muniment", "Muniment"),
    ("fts5", "FTS5"),
    ("lancedb", "LanceDB, hybrid"),
    ("mem0", "mem0, without a model"),
    ("mcp_memory", "MCP reference memory server"),
)


def doors(root: Path) -> str:
    """What a door costs over the library."""
    result = result_of(root, "interfaces")
    rows = [
        (
            label,
            f"{one['p50_ms']:.1f}",
            f"{one['p95_ms']:.1f}",
            f"{one['over_library_ms']:+.1f}",
            f"{one['cpu_ms']:.1f}" if "cpu_ms" in one else "",
        )
        for name, label in _DOORS
        if (one := result["recall"].get(name))
    ]
    heads = (
        f"recall among {result['claims']:,} claims",
        "p50, ms",
        "p95, ms",
        "over the library, ms",
        "processor time each, ms",
    )
    start = result["start"]
    said = (
        f"A new `muniment mcp` gives its first answer after {start['first_answer_s']:.2f} s and its first recall after "
        f"{start['first_recall_s']:.2f} s; a bare interpreter starts in {start['bare_s'] * 1000:.0f} ms."
    )
    command = f"python -m bench.interfaces --claims {result['claims']}"
    return "\n\n".join((table(heads, rows), said, measured(result, command)))


def http(root: Path) -> str:
    """What HTTP costs, whether a crowd is served, and whether what is sent at random is answered as described."""
    load, fuzz = result_of(root, "http_load"), result_of(root, "api_fuzz")
    rows = [
        ("the library", f"{load['library_p50_ms']:.1f}", f"{load['library_cpu_ms']:.1f}"),
        ("`POST /v1/recall`", f"{load['http_p50_ms']:.1f}", f"{load['http_cpu_ms']:.1f}"),
    ]
    heads = (f"recall among {load['claims']:,} claims", "p50, ms", "processor time each, ms")
    crowd = (
        f"{load['readers']} readers at once, {load['recalls']:,} recalls: {load['errors']} errors, "
        f"{load['recalls_per_second']:.0f} recalls a second, p50 {load['crowd_p50_ms'] / 1000:.1f} s."
    )
    sent = (
        f"{fuzz['requests']:,} generated requests to {fuzz['operations']} operations, half as described and half not: "
        f"{fuzz['server_errors']} server errors, {fuzz['schema_violations']} answers that the description does not "
        "allow, a key more included."
    )
    commands = (
        measured(
            load,
            f"python -m bench.http_load --claims {load['claims']} --readers {load['readers']}",
        ),
        measured(fuzz, "python -m bench.api_fuzz --requests 20000"),
    )
    return "\n\n".join((table(heads, rows), crowd, commands[0], sent, commands[1]))


def authority(root: Path) -> str:
    """Whether every door refuses alike, and what a noisy process does to the wire."""
    result, loud = result_of(root, "authority"), result_of(root, "stdio")
    by_door = result["by_door"]
    rows = [(name, f"{count:,}") for name, count in by_door.items()]
    rows += [
        ("cells in which doors differ", str(result["differences"])),
        ("writes without a token", str(result["unauthenticated_writes"])),
        (
            f"lines on stdout that are no protocol, in {loud['calls']:,} loud calls",
            str(_unclean(loud)),
        ),
    ]
    heads = ("role, verb and scope, by door", "cells")
    return "\n\n".join((table(heads, rows), measured(result, "python -m bench.authority")))


def _unclean(loud: Mapping[str, Any]) -> int:
    return int(loud["not_protocol"])


_SERVERS = {"fixture": "the suite's fixture", "product": "`muniment serve`"}


def conformance(root: Path) -> str:
    """What the protocol's own tools say."""
    result = result_of(root, "mcp_conformance")
    rows: list[tuple[str, ...]] = []
    reasons: dict[str, dict[str, None]] = {}
    for server, label in _SERVERS.items():
        for revision, one in result["suite"][server].items():
            expected = one["expected_failures"]
            counts = (one["scenarios"], one["passed"], len(expected), one["unexpected"])
            rows.append((label, revision, *map(str, counts), str(one["checks_passed"])))
            for name, reason in expected.items():
                reasons.setdefault(reason, {})[f"`{name}`"] = None
    heads = (
        "server",
        "revision",
        "scenarios",
        "passed",
        "fail as expected",
        "unexpected",
        "checks passed",
    )
    listed = "\n".join(f"- {', '.join(names)}: {reason}." for reason, names in reasons.items())
    methods = ", ".join(f"`{name}`" for name in result["inspector"]["stdio"])
    refused = result["inspector_refused"]
    said = f"The inspector by {' and by '.join(result['inspector'])}, {methods}: {refused} refused."
    suite = result["packages"]["@modelcontextprotocol/conformance"]
    where = measured(result, "python -m bench.mcp_conformance") + f" Suite {suite}."
    return "\n\n".join((table(heads, rows), f"What fails as expected:\n\n{listed}", said, where))


def peers(root: Path) -> str:
    """Beside what a user would pick instead."""
    result = result_of(root, "peers")
    rows = []
    for name, label in _PEERS:
        one = result.get(name)
        if one is None:
            continue
        leaks = [w for w in ("order", "scores") if one[f"hidden_rows_change_{w}"]]
        rows.append(
            (
                f"{label} {one['version']}",
                f"{one['recall_at_10']:.3f}",
                f"{one['search_p50_ms']:.1f}",
                f"{one.get('memories', result['n']):,}",
                f"{one['load_per_s']:,}",
                f"yes: {' and '.join(leaks)}" if leaks else "no",
            )
        )
    heads = (
        "memory",
        "evidence in the first 10",
        "search p50, ms",
        "among",
        "loaded a second",
        "another's hidden rows change yours",
    )
    command = f"python -m bench.peers --data ../shared/bench/locomo --n {result['n']}"
    return "\n\n".join((table(heads, rows), measured(result, command)))


GENERATORS = {
    "doors": doors,
    "conformance": conformance,
    "http": http,
    "authority": authority,
    "peers": peers,
}

"""Recall among many memories: a table for the largest store, and how cost grows as a picture.

- The picture is SVG text, so that it is compared like every generated part; both axes are logarithmic.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from tools.generators.tables import code, table

_SHARES = {"0.001": "0.1 %", "0.01": "1 %", "0.1": "10 %", "1.0": "all"}
_COLUMNS = (
    ("keyword_p50_ms", "keyword"),
    ("hybrid_p50_ms", "hybrid"),
    ("recall_p50_ms", "whole recall"),
    ("fts5_p50_ms", "FTS5"),
    ("fts5_best_p50_ms", "FTS5, leanest"),
    ("tantivy_p50_ms", "tantivy"),
)
_COLOURS = ("#1d6fa5", "#b3541e", "#5b7f2b", "#7a4fa3")
_LEFT, _TOP, _WIDTH, _HEIGHT = 60, 20, 420, 240


def scale(root: Path) -> str:
    """The largest store, beside two others."""
    result = _results(root)[-1]
    rows = [
        (words, label, *(_shown(result[place][share].get(name)) for name, _ in _COLUMNS))
        for words, place in (("frequent", "shares"), ("middle", "shares_middle"))
        for share, label in _SHARES.items()
    ]
    heads = (
        f"words, {result['n']:,} memories", "in scope", *(f"{label}, ms" for _, label in _COLUMNS)
    )  # fmt: skip
    tails = ", ".join(
        f"{label} {result['shares'][share]['keyword_p95_ms']:.1f} and {result['shares'][share]['hybrid_p95_ms']:.1f}"
        for share, label in _SHARES.items()
    )
    cold = result["cold"]
    rest = (
        f"Medians. p95 of keyword and hybrid for frequent words: {tails} ms. In a new process the first answer takes "
        f"{cold['cold_keyword_ms']:.0f} ms by keyword and {cold['cold_hybrid_ms']:.0f} ms hybrid. A process that has "
        f"asked everything holds {result['rss_mb']:.0f} MB; the index takes {result['index_bytes_per_memory']:.0f} "
        f"bytes a memory, its vector of 256 among them; texts become an index at {result['load_per_s']:,} memories a "
        f"second of one core."
    )
    return "\n\n".join((table(heads, rows), rest, _measured(result)))


def growth(root: Path) -> str:
    """The picture's place, and its numbers."""
    results = _results(root)
    rows = [
        (f"{one['n']:,}", *(_shown(one["shares"]["1.0"].get(name)) for name, _ in _COLUMNS[:4]))
        for one in results
    ]
    heads = ("memories, all in scope, p50 in ms", *(label for _, label in _COLUMNS[:4]))
    return "\n\n".join(("![p50 by the number of memories](images/scale.svg)", table(heads, rows)))


def picture(root: Path) -> str:
    """How the median grows with the number of memories, as SVG."""
    results = _results(root)
    lines = [
        (label, [(one["n"], one["shares"]["1.0"][name]) for one in results])
        for name, label in _COLUMNS[:4]
    ]
    low = math.floor(math.log10(min(value for _, points in lines for _, value in points)))
    high = math.ceil(math.log10(max(value for _, points in lines for _, value in points)))
    first, last = math.log10(results[0]["n"]), math.log10(results[-1]["n"])

    def at(count: float, value: float) -> tuple[float, float]:
        x = _LEFT + _WIDTH * (math.log10(count) - first) / max(last - first, 1)
        return x, _TOP + _HEIGHT * (high - math.log10(value)) / max(high - low, 1)

    size = f"0 0 {_LEFT + _WIDTH + 130} {_TOP + _HEIGHT + 40}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" font-family="sans-serif" font-size="12" role="img">',
        "<title>p50 by the number of memories</title>",
        "<rect width='100%' height='100%' fill='#ffffff'/>",
    ]
    for power in range(low, high + 1):
        _, y = at(results[0]["n"], 10.0**power)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{_LEFT + _WIDTH}" stroke="#d8d8d8"/>')
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} ms</text>'
        )
    for one in results:
        x, _ = at(one["n"], 1)
        parts.append(
            f'<text x="{x:.1f}" y="{_TOP + _HEIGHT + 20}" text-anchor="middle">{one["n"]:,}</text>'
        )
    for colour, (label, points) in zip(_COLOURS, lines, strict=True):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in points))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, y = at(*points[-1])
        parts.append(f'<text x="{x + 8:.1f}" y="{y + 4:.1f}" fill="{colour}">{label}</text>')
    return "\n".join((*parts, "</svg>", ""))


def _shown(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.1f}"


def _results(root: Path) -> list[dict[str, Any]]:
    found = [
        json.loads(path.read_text("utf-8"))
        for path in (root / "bench" / "results").glob("scale_*.json")
    ]
    return sorted(found, key=lambda one: int(one["n"]))


def _measured(result: dict[str, Any]) -> str:
    machine = result["machine"]
    where = f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}"
    return (
        f"{code('python -m bench.scale --n ' + str(result['n']))}, {result['date'][:10]}, {where}."
    )


GENERATORS = {"scale": scale, "growth-of-recall": growth}
WHOLE_FILES = {"docs/images/scale.svg": picture}

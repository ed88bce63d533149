"""Markdown tables for the generators, and the results that figures are read from; it fills no block itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

GENERATORS: Mapping[str, Callable[[Path], str]] = {}


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table; a `|` in a cell is written so that it stays in its cell.

    >>> print(table(("a", "b"), [("x|y", "z")]))
    | a | b |
    | --- | --- |
    | x\\|y | z |
    """
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in lines
    )


def code(text: str) -> str:
    """A name as code; nothing for an empty one."""
    return f"`{text}`" if text else ""


def result_of(root: Path, name: str) -> dict[str, Any]:
    """What a benchmark printed."""
    return dict(json.loads((root / "bench" / "results" / f"{name}.json").read_text("utf-8")))


def measured(result: Mapping[str, Any], command: str) -> str:
    """By which command, when, on what."""
    machine = result["machine"]
    where = f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}, SQLite {machine['sqlite']}"
    return f"{code(command)}, {result['date'][:10]}, {where}."

"""Markdown tables for the generators; it fills no block itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

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

"""The thirteen operations of the ontology, and by which verbs they are done.

- Methods and commands are looked up: one that is not there is an error, so that the page never promises it.
"""

from __future__ import annotations

from pathlib import Path

from muniment import Memory
from muniment.cli.catalog import COMMANDS
from tools.generators.tables import table

OPERATIONS: tuple[tuple[str, tuple[str, ...], tuple[str, ...], str], ...] = (
    ("identify memory records", ("show",), ("show",), "by identifier or alias"),
    ("resolve types and scope", ("show", "recall"), ("show", "recall"), "filters `memory_types`, `types`, `scopes`"),
    ("inspect a source", ("show", "why"), ("show", "why"), "source, evidence and last reading"),
    ("evaluate validity and expiry", ("show", "recall"), ("show", "recall"), "status is computed for an instant"),
    ("retrieve relevant memories", ("recall",), ("recall",), ""),
    ("rank candidates", ("recall",), ("recall",), "each relevance with its components and what it means"),
    ("inspect embeddings", ("show",), ("show",), "the reference alone; search by vectors is planned"),
    ("detect conflicts", ("propose", "conflicts"), ("propose", "conflicts"), "also before every acceptance"),
    ("update and version", ("propose", "review", "history"), ("propose", "review", "history"), "no edit in place"),
    ("consolidate related memories", ("propose",), ("propose",), "with `derivation: consolidated`; by itself: planned"),
    ("apply a retention policy", ("erase",), ("erase",), "by hand and by `ttl_seconds`; policies: planned"),
    ("preserve provenance", ("why", "history"), ("why", "history"), ""),
    ("expose uncertainty", ("recall", "show"), ("recall", "show"), "labels, confidence, omissions, outcome"),
)  # fmt: skip


def operations(root: Path) -> str:
    """A table of operation, library method and command.

    Raises:
        ValueError: A method or command that is named here does not exist.
    """
    commands = {name for name, _, _ in COMMANDS}
    rows = []
    for operation, methods, names, note in OPERATIONS:
        missing = [m for m in methods if not hasattr(Memory, m)] + [
            n for n in names if n not in commands
        ]
        if missing:
            raise ValueError(f"`{operation}` names `{missing[0]}`, which does not exist")
        library = ", ".join(f"`Memory.{m}`" for m in methods)
        rows.append(
            (operation, library, ", ".join(f"`muniment {n}`" for n in names), "planned", note)
        )
    return table(("operation", "library", "command", "MCP and HTTP", "note"), rows)


GENERATORS = {"operations": operations}

"""The thirteen operations of the ontology, and by which verbs they are done.

- Methods and commands are looked up: one that is not there is an error, so that the page never promises it.
- Tools, resources and routes are those of the table of authority.
"""

from __future__ import annotations

from pathlib import Path

from muniment import Memory
from muniment.cli.catalog import COMMANDS
from muniment.core.authority import VERBS
from tools.generators.tables import code, table

OPERATIONS: tuple[tuple[str, tuple[str, ...], tuple[str, ...], str], ...] = (
    ("identify memory records", ("show",), ("show",), "by identifier or alias"),
    ("resolve types and scope", ("show", "recall"), ("show", "recall"), "filters `memory_types`, `types`, `scopes`"),
    ("inspect a source", ("show", "why"), ("show", "why"), "source, evidence and last reading"),
    ("evaluate validity and expiry", ("show", "recall"), ("show", "recall"), "status is computed for an instant"),
    ("retrieve relevant memories", ("recall",), ("recall",), ""),
    ("rank candidates", ("recall", "why"), ("recall", "why"), "each relevance with its components and what it means"),
    ("inspect embeddings", ("show", "recall"), ("show", "recall"), "the reference; the space of a search"),
    ("detect conflicts", ("propose", "conflicts"), ("propose", "conflicts"), "also before every acceptance"),
    ("update and version", ("propose", "review", "history"), ("propose", "review", "history"), "no edit in place"),
    ("consolidate related memories", ("consolidate", "propose"), ("consolidate",),
     "or by hand: `derivation: consolidated`"),
    ("apply a retention policy", ("retain", "propose"), ("retain", "propose"),
     "declared rules archive, delete or propose to consolidate; by hand: `ttl_seconds`, `deprecate`"),
    ("preserve provenance", ("why", "history"), ("why", "history"), ""),
    ("expose uncertainty", ("recall", "show"), ("recall", "show"), "labels, confidence, omissions, outcome"),
)  # fmt: skip


def operations(root: Path) -> str:
    """A table of operation, library method, command, and what it is over MCP and HTTP.

    Raises:
        ValueError: A method or command that is named here does not exist, or an operation has no door.
    """
    rows = []
    for operation, methods, names, note in OPERATIONS:
        doors = doors_of(methods)
        missing = [m for m in methods if not hasattr(Memory, m)]
        missing += [n for n in names if n not in _COMMANDS]
        if missing:
            raise ValueError(f"`{operation}` names `{missing[0]}`, which does not exist")
        if not doors:
            raise ValueError(f"`{operation}` is done over neither MCP nor HTTP")
        library = ", ".join(f"`Memory.{m}`" for m in methods)
        commands = ", ".join(f"`muniment {n}`" for n in names)
        rows.append((operation, library, commands, ", ".join(map(code, doors)), note))
    return table(("operation", "library", "command", "MCP and HTTP", "note"), rows)


def doors_of(methods: tuple[str, ...]) -> tuple[str, ...]:
    """Tools, resources and routes of some methods, as the table of authority has them."""
    found = [verb for name in methods for verb in VERBS if verb.name == name]
    doors = [door for verb in found for door in (verb.tool, verb.resource, verb.route)]
    return tuple(dict.fromkeys(filter(None, doors)))


_COMMANDS = {name for name, _, _ in COMMANDS}

GENERATORS = {"operations": operations}

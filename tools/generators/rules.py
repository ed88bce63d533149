"""The rules in force, from the registry that is made of the tables that run."""

from __future__ import annotations

from pathlib import Path

from muniment.core.rules import KINDS, RULES
from tools.generators.tables import code, table


def rules(root: Path) -> str:
    """Every rule by kind, in the order in which they are asked."""
    parts = []
    for kind, meaning in KINDS:
        rows = [(code(r.id), r.req, r.summary) for r in RULES if r.kind == kind]
        listed = table(("rule", "requirement", "says"), rows)
        parts.append(f"### {kind.capitalize()}\n\n{len(rows)} rules: {meaning}.\n\n{listed}")
    return "\n\n".join(parts)


GENERATORS = {"rules": rules}

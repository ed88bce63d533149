"""The relation map, from the core."""

from __future__ import annotations

from pathlib import Path

from muniment.core.relations import RELATIONS
from tools.generators.tables import code, table


def relations(root: Path) -> str:
    """Every declared relation and how it behaves."""
    rows = [
        (
            code(r.name),
            r.meaning,
            "one" if r.single else "many",
            ", ".join(map(code, r.aliases)),
            code(r.name if r.symmetric else r.inverse),
        )
        for r in RELATIONS
    ]
    return table(("relation", "meaning", "values at a time", "also", "from the other side"), rows)


GENERATORS = {"relations": relations}

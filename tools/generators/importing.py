"""What the guide shows of importing: printed by the commands themselves."""

from __future__ import annotations

import json
from pathlib import Path

from tools.generators.guide import _INIT
from tools.walkthrough import a_walk, console

_EXPORT = {
    "results": [
        {
            "id": "7c",
            "memory": "Prefers invoices as PDF",
            "created_at": "2026-02-03T08:15:00-08:00",
            "user_id": "ada",
        },
        {"id": "7d", "memory": "Lives in Graz", "user_id": "ada", "expiration_date": "2026-03-01"},
        {"id": "7e", "memory": "Rents the old shop", "user_id": "ada", "replaced_by": "7f"},
    ]
}


def brought(root: Path) -> str:
    """A dry run, the import, and a second one."""
    del root
    with a_walk() as walk:
        walk.run(*_INIT)
        (walk.shop / "mem0.json").write_text(json.dumps(_EXPORT), "utf-8")
        return console(
            walk.run("import", "mem0.json", "--dry-run"),
            walk.run("import", "mem0.json", quiet=True),
            walk.run("import", "mem0.json", quiet=True),
        )


GENERATORS = {"import": brought}

"""What the guide shows of notes: printed by the commands themselves."""

from __future__ import annotations

from pathlib import Path

from muniment.core.note import LIVES, LONGEST_KEY, LONGEST_NOTE, MOST_CHARACTERS, MOST_NOTES
from tools.generators.guide import _INIT
from tools.generators.tables import code, table
from tools.walkthrough import a_walk, console

_TASK = ("--scope", "task:release")
_AGENT = ("--as", "agent:codex")


def taken(root: Path) -> str:
    """An agent keeps a note, finds it, proposes what it says, and ends its task."""
    del root
    with a_walk() as walk:
        walk.run(*_INIT)
        said = "Tag the release before publishing it."
        use = ("--use", "plan_changes")
        return console(
            walk.run("note", "put", "order", said, "--for", "2h", *_TASK, *_AGENT),
            walk.run("note", "list", "publish", *_TASK, *_AGENT, quiet=True),
            walk.run("note", "list", *_TASK, quiet=True),
            walk.run("note", "propose", "order", *use, *_TASK, *_AGENT, quiet=True),
            walk.run("note", "propose", "order", *use, *_TASK, *_AGENT, quiet=True),
            walk.run("note", "end", "--all", *_TASK, *_AGENT, quiet=True),
            walk.run("note", "put", "order", said, *_TASK, *_AGENT, code=2),
        )


def bounds(root: Path) -> str:
    """How long a note may last, and how much may be kept."""
    del root
    lives = [
        (code(f"{kind}:<id>"), life.memory_type.replace("_", "-"), life.told)
        for kind, life in LIVES.items()
    ]
    room = (
        f"A key has at most {LONGEST_KEY} characters, a text {LONGEST_NOTE:,}. A principal keeps at most\n"
        f"{MOST_NOTES:,} notes of {MOST_CHARACTERS:,} characters at once in a tenant."
    )
    return f"{table(('kept in', 'memory', 'ends at most after'), lives)}\n\n{room}"


GENERATORS = {"notes": taken, "note-bounds": bounds}

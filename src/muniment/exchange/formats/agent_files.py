"""Instruction files of coding agents, rules of Cursor, and instructions of Copilot.

- They are read as `learn` reads them: one candidate a statement, with what it is limited to in its words.
- These are files of a repository, so a team's visibility is the profile's.
- Text that addresses an agent like an instruction waits for a closer look, here as anywhere.

>>> _known_path("work/AGENTS.override.md"), _known_path("a/.cursor/rules/api.mdc")
('AGENTS.md', '.cursor/rules/api.mdc')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from muniment.exchange.extracts import from_extracts
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools
from muniment.exchange.shape import Format, Shape, Weight
from muniment.ports.importing import Yielded

_AGENTS = re.compile(r"(?:AGENTS|CLAUDE|GEMINI)(?:\.[\w-]+)?\.md")
_CURSOR = re.compile(
    r"(?:^|/)\.cursor/rules/.+\.(?:mdc|md)$|(?:^|/)[^/]+\.mdc$|(?:^|/)\.cursorrules$|(?:^|/)\.windsurfrules$"
)
_COPILOT = re.compile(r"(?:^|/)(?:copilot-instructions\.md|[^/]+\.instructions\.md)$")


def _named(kind: str, pattern: Callable[[str], object], words: str) -> Callable[[Shape], Weight]:
    def weigh(shape: Shape) -> Weight:
        if shape.kind in ("note", "empty") and pattern(shape.path):
            return 90, f"the name of {words}"
        return 0, f"not the name of {words}"

    weigh.__name__ = kind
    return weigh


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate a statement."""
    yield from from_extracts(file, tools, _known_path(file.path))


def _known_path(path: str) -> str:
    """A path by which the reader of a repository's files knows what this is."""
    name = path.rpartition("/")[2]
    if _AGENTS.fullmatch(name):
        return f"{name.partition('.')[0]}.md"
    if name in (".cursorrules", ".windsurfrules"):
        return name
    if name.endswith(".instructions.md"):
        return f".github/instructions/{name}"
    return (
        ".github/copilot-instructions.md"
        if name == "copilot-instructions.md"
        else f".cursor/rules/{name}"
    )


AGENTS = Format(
    "agents", "agent instructions (AGENTS.md, CLAUDE.md, GEMINI.md)",
    _named("agents", lambda path: _AGENTS.fullmatch(path.rpartition("/")[2]), "an instruction file"), read, shared=True,
)  # fmt: skip
CURSOR = Format(
    "cursor",
    "Cursor rules",
    _named("cursor", _CURSOR.search, "a rule of Cursor"),
    read,
    shared=True,
)
COPILOT = Format(
    "copilot", "Copilot instructions",
    _named("copilot", _COPILOT.search, "instructions of Copilot"), read, shared=True,
)  # fmt: skip

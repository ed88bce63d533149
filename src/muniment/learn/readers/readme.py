"""README: the commands that it shows for installing, running, testing, building and the like.

- A README is not read as instructions: only shell code under such a heading is a statement.
- A command with a place to fill in (`git clone <url>`, `show mem_…`) is a pattern, not a command: left out.
- It is prose: never structured.

>>> has_placeholder("git clone <this repository> shop"), has_placeholder("sort <in.txt >out.txt")
(True, False)
"""

from __future__ import annotations

import re

from muniment.learn.commands import spoken, topics_of, uses_of
from muniment.learn.page import Page
from muniment.learn.prose import clean, words_of
from muniment.learn.statements import statements

_NAMES = frozenset({"readme.md", "contributing.md"})
_HEADING = re.compile(
    r"install|set ?up|getting started|quick ?start|\btest|\brun|usage|\bbuild|develop|contribut"
    r"|releas|deploy|lint|format|migrat|document",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"<[A-Za-z](?:[^<>\n]*[^<>\s])?>|…")


def has_placeholder(command: str) -> bool:
    """Whether something in a command has to be filled in before it can be run."""
    return _PLACEHOLDER.search(command) is not None


def matches(path: str) -> bool:
    """README.md and CONTRIBUTING.md at any level."""
    return path.rpartition("/")[2].lower() in _NAMES


def read(page: Page) -> None:
    """One statement a block of shell code under a telling heading."""
    for statement in statements(page.text):
        heading = next((h for h in reversed(statement.headings) if _HEADING.search(h)), "")
        if not heading or not statement.steps or any(map(has_placeholder, statement.steps)):
            continue
        title = clean(statement.headings[-1])
        command = " ".join(statement.steps)
        page.add(
            statement.key,
            f"{page.path} documents under `{title}`: {spoken(statement.steps)}.",
            predicate="documented_command",
            value=command,
            span=statement.span,
            pointer="/".join(statement.headings),
            claim_type="runbook_step",
            structured=False,
            uses=uses_of(f"{heading} {title}", command),
            topics=(*words_of(title), *topics_of(title, command)),
            steps=statement.steps,
        )

"""What an import came to: counts a file, the parts that were proposed, and what was left out by which name.

- A left-out record is named by its file and line, and by its own name where that may be kept.
- A reason never repeats a word of what was refused for being a secret or rejected before.

>>> named("a/memory.jsonl", Place(3), "billing"), named("a.json", Place(pointer="/0"), "")
('memory.jsonl:3 (billing)', 'a.json/0')
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from muniment.core.access import Scope, Visibility
from muniment.core.diff import Change, Ignored
from muniment.core.errors import Finding, errors_in
from muniment.ports.importing import ForeignFile, Place
from muniment.usecases.left_out import is_fit

LISTED = 200
"""Left-out records that are named one by one; all are counted by reason."""


@dataclass(slots=True)
class FileReport:
    """What became of one file.

    Attributes:
        file: The file and its format.
        records: Records that were read.
        statements: Statements in them.
        proposed: Changes that were proposed (in a dry run: would be).
        needs_review: Those among them that need a closer look.
        waiting: Statements that wait since an earlier import.
        known: Statements that are remembered already.
        repeated: Statements that stand in the file more than once.
        messages: Messages of conversations, which are sources and wait for `muniment learn`.
        refused: Records that were left out, by reason.
        findings: What is wrong with the file.
    """

    file: ForeignFile
    records: int = 0
    statements: int = 0
    proposed: int = 0
    needs_review: int = 0
    waiting: int = 0
    known: int = 0
    repeated: int = 0
    messages: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Part:
    """One diff of an import; its name is empty in a dry run."""

    diff_id: str
    changes: int
    shown: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import came to.

    Attributes:
        scope: Where the claims would hold.
        visibility: Who may see them, by level; several where shared and private files came together.
        dry_run: Whether nothing was written.
        files: One report a file.
        parts: The diffs, in order.
        left_out: Records that were left out, the first `LISTED` by name.
        findings: What the checks noticed about what is proposed, the first of each kind.
    """

    scope: Scope
    visibility: tuple[Visibility, ...]
    dry_run: bool
    files: tuple[FileReport, ...]
    parts: tuple[Part, ...]
    left_out: tuple[Ignored, ...]
    findings: tuple[Finding, ...]

    @property
    def proposed(self) -> int:
        """Changes that were proposed."""
        return sum(part.changes for part in self.parts)


def named(file: str, place: Place, what: str) -> str:
    """What a record is called where it is left out: its place, and its own name where all of that may be kept."""
    at = f":{place.line}" if place.line else place.pointer
    where = f"{shown(file)}{at}"
    if what and is_fit(what) and is_fit(f"{where} ({what})"):
        return f"{where} ({what[:80]})"
    return where if is_fit(where) else "a record whose name cannot be kept"


def shown(name: str) -> str:
    """A file's own name, where it may be kept."""
    short = name.rpartition("/")[2] or name
    return short if is_fit(short) else "a file whose name cannot be kept"


def refused_changes(findings: tuple[Finding, ...]) -> dict[int, Finding]:
    """Index of a change to the error that refuses it."""
    found: dict[int, Finding] = {}
    for one in errors_in(findings):
        steps = one.path.split("/")
        if steps[1:2] == ["changes"] and steps[2:] and steps[2].isdigit():
            found.setdefault(int(steps[2]), one)
    return found


def why(finding: Finding) -> str:
    """The reason of a refusal, without any word of what was refused."""
    return {
        "secret": "it looks like a secret",
        "tombstoned": "it was rejected before",
    }.get(finding.code, finding.code.replace("_", " "))

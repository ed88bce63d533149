"""What a sync came to, for whoever runs it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from muniment.core.access import Scope, Visibility
from muniment.core.claim import Claim
from muniment.core.errors import Finding
from muniment.core.threeway import differing


@dataclass(frozen=True, slots=True)
class Suggested:
    """A file's word that became a proposal, or that waits or was refused as one.

    Attributes:
        file: Its path in the folder.
        concept: The concept's identifier.
        operation: What is proposed.
        claim: The statement; of a deprecation the claim's that it would end.
        target_id: The claim that it would replace or end.
        diff_id: The diff in which it waits; empty where nothing was written.
        reason: Why it was refused; empty where it was not.
    """

    file: str
    concept: str
    operation: Literal["add", "supersede", "deprecate"]
    claim: str
    target_id: str = ""
    diff_id: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Clash:
    """A concept that was changed in the folder and in the store since they last agreed.

    Attributes:
        file: Its path in the folder; where it was removed, the one that it had.
        concept: Its identifier.
        theirs: What the file says; None where it is gone.
        ours: The claim in use; None where none is.
    """

    file: str
    concept: str
    theirs: Claim | None
    ours: Claim | None

    @property
    def differs(self) -> tuple[tuple[str, Any, Any], ...]:
        """The parts in which they differ: name, what the file says, what the claim says."""
        return differing(self.theirs, self.ours)


@dataclass(frozen=True, slots=True)
class Synced:
    """What a sync came to.

    Attributes:
        scope: The scope that the folder holds.
        readers: Who reads the folder.
        dry_run: Whether nothing was written.
        agreed: How many concepts say the same in the folder and in the store.
        proposed: What became proposals.
        waiting: What waits for review since an earlier sync.
        refused: What a rule or an earlier rejection keeps out.
        clashes: What a person has to decide.
        written: Files that are new or different now.
        removed: Files that are gone now.
        changed_meanwhile: Files that somebody changed while this ran; they were left alone.
        left_out: Claims that do not go into the folder, by reason.
        findings: What is wrong with files, and what a reviewer should see.
    """

    scope: Scope
    readers: Visibility
    dry_run: bool
    agreed: int = 0
    proposed: tuple[Suggested, ...] = ()
    waiting: tuple[Suggested, ...] = ()
    refused: tuple[Suggested, ...] = ()
    clashes: tuple[Clash, ...] = ()
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed_meanwhile: tuple[str, ...] = ()
    left_out: Counter[str] = field(default_factory=Counter)
    findings: tuple[Finding, ...] = ()

    @property
    def is_waiting(self) -> bool:
        """Whether something waits for a person."""
        lists = (self.proposed, self.waiting, self.refused, self.clashes, self.changed_meanwhile)
        return any(lists)

    @property
    def is_settled(self) -> bool:
        """Whether nothing was, or would be, changed."""
        return not (self.proposed or self.written or self.removed)

"""Proposals: changes are suggested as a diff and decided one by one (`B-DIFF`).

- Five operations; there is no update and no delete.
- An empty diff is valid: it records what was considered and left out, and why (`B-DIFFEMPTY`).
- A diff is never edited: decisions and the application are records of their own beside it.
- What is signed is the digest of a change's canonical form; what is applied is what was signed.

>>> change = Change("change_01", "deprecate", reason="moved to npm", target_id="mem_x")
>>> change_digest(change) == change_digest(
...     Change("change_01", "deprecate", target_id="mem_x", reason="moved to npm")
... )
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from muniment.core.access import Scope, Visibility
from muniment.core.canonical import digest
from muniment.core.claim import Claim, Freshness
from muniment.core.encode import encode
from muniment.core.errors import Finding
from muniment.core.source import Reading, Source

Operation = Literal["add", "supersede", "deprecate", "revalidate", "flag_conflict"]
Decision = Literal["pending", "accepted", "rejected", "needs_review"]
FORMAT = "0.1"
STRONG_TRIGGER_STATES = (
    "merged", "accepted", "closed", "resolved", "confirmed", "published", "observed", "released", "completed",
)  # fmt: skip
RESTORE = "restore"
NARROWING = "narrowing"
DECLASSIFICATION = "declassification"
WEAK_TRIGGER_STATES = ("draft", "open", "proposed", "rejected", "abandoned", "unmerged", "unknown")


@dataclass(frozen=True, slots=True)
class Trigger:
    """What made somebody propose: an event in the world, with its state."""

    kind: str
    uri: str = ""
    state: str = ""
    observed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Basis:
    """A source that the whole diff rests on."""

    uri: str
    role: str = "primary"


@dataclass(frozen=True, slots=True)
class Change:
    """One operation of a diff.

    Attributes:
        id: Unique within the diff.
        operation: One of the five.
        reason: Why.
        item: The whole claim, for add and supersede.
        target_id: The claim concerned, for supersede, deprecate and revalidate.
        target_ids: The claims that contradict one another, for flag_conflict.
        source: What says so, for deprecate, revalidate and flag_conflict.
        freshness: The renewed freshness, for revalidate.
        reading: What was found on re-reading, for revalidate.
        conflict_notes: What is to be said of the contradiction, for flag_conflict.
        resolves: Claims whose conflict with the target this change settles.
        declares: `promotion` or `declassification`, where scope or visibility changes on purpose; `narrowing` where a
            revalidation says that fewer may see a claim; `restore` where a claim of an export of our own comes back
            as it was (never proposed, see `usecases.restore`).
        visibility: For a narrowing: who may see it, of those who may now.
        retire: For deprecate: `invalid` (known wrong) or `archived`; empty for no longer useful.
        findings: What the checks noticed and a reviewer should see.
    """

    id: str
    operation: Operation
    reason: str = ""
    item: Claim | None = None
    target_id: str = ""
    target_ids: tuple[str, ...] = ()
    source: Source | None = None
    freshness: Freshness | None = None
    reading: Reading | None = None
    conflict_notes: str = ""
    resolves: tuple[str, ...] = ()
    declares: str = ""
    retire: str = ""
    visibility: Visibility | None = None

    @property
    def subjects(self) -> tuple[str, ...]:
        """Every claim that this change speaks of; erasing one of them erases the change's content."""
        own = (self.item.id,) if self.item else ()
        named = own + ((self.target_id,) if self.target_id else ()) + self.target_ids
        return tuple(dict.fromkeys(named))


@dataclass(frozen=True, slots=True)
class Ignored:
    """A candidate that was considered and left out, and why."""

    claim: str
    reason: str


@dataclass(frozen=True, slots=True)
class Diff:
    """A proposal as it was made; it never changes."""

    id: str
    created_at: datetime
    proposed_by: str
    scope: Scope
    trigger: Trigger
    basis: tuple[Basis, ...] = ()
    summary: str = ""
    changes: tuple[Change, ...] = ()
    ignored_candidates: tuple[Ignored, ...] = ()
    version: str = FORMAT
    extensions: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decided:
    """A reviewer's decision on one change.

    Attributes:
        diff_id: The diff.
        change_id: The change.
        decision: accepted, rejected or needs_review.
        by: Reviewer, or `policy:<name>`.
        at: When.
        reason: Why; required to reject.
        change_digest: Digest of the change's canonical form as it was shown.
        signature: Over `signed_statement`; empty for a policy, whose acceptances anybody can derive again.
        public_key: Which credential signed.
        policy_digest: For a policy: the declared policy's digest.
        commit: For a policy: the commit of the protected ref that was looked at.
    """

    diff_id: str
    change_id: str
    decision: Decision
    by: str
    at: datetime
    reason: str = ""
    change_digest: str = ""
    signature: str = ""
    public_key: str = ""
    policy_digest: str = ""
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Application:
    """What came of applying a diff."""

    diff_id: str
    at: datetime
    by: str
    accepted: tuple[str, ...] = ()
    resulting: Mapping[str, str] = field(default_factory=dict)
    readings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pending:
    """A diff with where each of its changes stands, as somebody may see it.

    Attributes:
        diff: The proposal, with the changes that the asker may see.
        decisions: Change id to its latest decision.
        applied: The application, if it was applied.
        findings: Change id to what the checks noticed.
    """

    diff: Diff
    decisions: Mapping[str, Decided] = field(default_factory=dict)
    applied: Application | None = None
    findings: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)

    def state_of(self, change_id: str) -> Decision:
        """Where a change stands; pending until somebody decided."""
        decided = self.decisions.get(change_id)
        return decided.decision if decided else "pending"


def says_of(change: Change) -> frozenset[str]:
    """Every claim that a change speaks of or was made from: who lost sight of one sees the change no more.

    What a declassification was made from is told on purpose.
    """
    sources = change.source.derived_from if change.source else ()
    if change.item and change.declares != DECLASSIFICATION:
        sources += change.item.source.derived_from
    return frozenset((*change.subjects, *sources))


def change_digest(change: Change) -> str:
    """What a reviewer signs: the digest of the change as it will be applied."""
    return digest(encode(change))


def signed_statement(tenant: str, decided: Decided) -> Mapping[str, str]:
    """The statement under a reviewer's signature; it binds tenant, diff, change, content and decision."""
    return {
        "muniment": "review/1",
        "tenant": tenant,
        "diff": decided.diff_id,
        "change": decided.change_id,
        "digest": decided.change_digest,
        "decision": decided.decision,
        "by": decided.by,
        "at": encode(decided.at),
    }

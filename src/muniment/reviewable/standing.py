"""How a change stands before a reviewer: risk, what the checks noticed, what its source says now, whether it is safe.

- A change is safe to accept unread only where nothing speaks against it: low-risk uses, no warning, no conflict, no
  declared change of scope or visibility, no reviewer who wants a closer look, and a source that says it now (or, for
  a deprecation, says it no longer).
- A person's bare word is never safe unread: there is nothing that could be checked.
- What the reviewer proposed, and no policy lets it decide, is labelled `yours`.
- Nothing is decided here; the use cases look again, under the lock.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from muniment.core.claim import Claim
from muniment.core.conflict import Conflict
from muniment.core.diff import Change, Diff, Pending
from muniment.core.errors import Finding, NotFound
from muniment.core.policy import refused_by
from muniment.core.source import Evidence, Reading, Source, compare
from muniment.core.vocabulary import Risk, risk_of
from muniment.memory import Memory
from muniment.ports.source import Fetched
from muniment.usecases.examine import Examined
from muniment.usecases.pending import change_doc_id, open_changes

Fetch = Callable[[str], Fetched]
ORDER = ("high", "medium", "low")


@dataclass(frozen=True, slots=True)
class Seen:
    """A source as it reads now.

    Attributes:
        uri: Its address.
        evidence: What was kept.
        reading: What the place says now.
        data: The bytes now; None where there are none.
    """

    uri: str
    evidence: Evidence
    reading: Reading
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Standing:
    """A change as a reviewer should see it.

    Attributes:
        pending: Its diff.
        change: The change.
        targets: The claims that it speaks of, as they are now.
        risk: The highest risk among its uses.
        findings: What the checks noticed about it.
        conflicts: Claims that it disagrees with, or repeats.
        seen: Its sources, read now.
        dependents: Looks up the claims that would become stale.
        is_own: Whether the reviewer proposed it and may not decide on it.
    """

    pending: Pending
    change: Change
    targets: tuple[Claim, ...]
    risk: Risk
    findings: tuple[Finding, ...]
    conflicts: tuple[Conflict, ...]
    seen: tuple[Seen, ...]
    dependents: Callable[[], tuple[str, ...]]
    is_own: bool = False

    @property
    def name(self) -> str:
        """The change's name among several diffs."""
        return change_doc_id(self.pending.diff.id, self.change.id)

    @property
    def is_safe(self) -> bool:
        """Whether it may be accepted unread."""
        return not self.obstacles

    @property
    def obstacles(self) -> tuple[str, ...]:
        """What speaks against accepting it unread, in a word or two each."""
        change = self.change
        found = (
            ("yours", self.is_own),
            *((code, True) for code in refused_by(self.findings)),
            ("conflict", bool(self.conflicts) and not refused_by(self.findings)),
            (f"declares {change.declares}", bool(change.declares)),
            ("settles a conflict", bool(change.resolves) or change.operation == "flag_conflict"),
            ("needs review", self.pending.state_of(change.id) != "pending"),
            (f"{self.risk} risk", self.risk != "low"),
            ("nothing to check" if not self.seen else "source differs", not self._is_supported),
        )
        return tuple(word for word, holds in found if holds)

    @property
    def _is_supported(self) -> bool:
        wanted = (
            ("changed", "missing") if self.change.operation == "deprecate" else ("match", "moved")
        )
        return bool(self.seen) and all(one.reading.state in wanted for one in self.seen)


def waiting(memory: Memory, diff_id: str = "") -> list[tuple[Pending, tuple[Standing, ...]]]:
    """The diffs that wait, or the named one, with how their open changes stand: the riskiest first, then the oldest."""
    found = [memory.diff(diff_id)] if diff_id else [memory.diff(p.diff.id) for p in memory.inbox()]
    fetch = functools.cache(memory.session.sources.fetch)
    diffs = [(p, _standings(memory, p, examined, fetch, open_changes(p))) for p, examined in found]

    def order(one: tuple[Pending, tuple[Standing, ...]]) -> tuple[int, datetime]:
        return ORDER.index(highest(s.risk for s in one[1])), one[0].diff.created_at

    return sorted(diffs, key=order)


def standing_of(memory: Memory, diff_id: str, change_id: str) -> Standing | None:
    """How one open change stands, by itself; None where it waits no more.

    Raises:
        NotFound: No such diff, or none of it visible.
    """
    pending, examined = memory.diff(diff_id)
    changes = [one for one in open_changes(pending) if one.id == change_id]
    fetch = memory.session.sources.fetch
    return next(iter(_standings(memory, pending, examined, fetch, changes)), None)


def _standings(
    memory: Memory,
    pending: Pending,
    examined: Examined,
    fetch: Fetch,
    changes: Sequence[Change],
) -> tuple[Standing, ...]:
    """Put together what a reviewer should see of some open changes of a diff."""
    named = {one for change in changes for one in (change.target_id, *change.target_ids) if one}
    known = memory.claims(named)
    proposed = pending.diff.proposed_by == memory.session.principal
    barred = proposed and not memory.may_review_own(pending.diff.scope)
    return tuple(
        replace(
            _standing(memory, pending, examined, fetch, change, known),
            is_own=barred or (proposed and bool(change.declares)),
        )
        for change in changes
    )


def _standing(
    memory: Memory,
    pending: Pending,
    examined: Examined,
    fetch: Fetch,
    change: Change,
    known: Mapping[str, Claim],
) -> Standing:
    named = (change.target_id, *change.target_ids)
    targets = tuple(known[one] for one in named if one in known)
    about = (change.item,) if change.item else targets
    place = f"/changes/{pending.diff.changes.index(change)}"
    return Standing(
        pending,
        change,
        targets,
        highest(risk_of(use) for claim in about for use in claim.allowed_uses),
        tuple(f for f in examined.findings if f.path == place or f.path.startswith(f"{place}/")),
        examined.conflicts.get(change.id, ()),
        _seen(fetch, change),
        functools.partial(_dependents, memory, change),
    )


def change_of(diff: Diff, found: Finding) -> str:
    """The change that a finding is about; empty where it is about none."""
    steps = found.path.split("/")[1:]
    if len(steps) > 1 and steps[0] == "decisions":
        return steps[1]
    if len(steps) > 1 and steps[0] == "changes" and int(steps[1]) < len(diff.changes):
        return diff.changes[int(steps[1])].id
    return ""


def highest(risks: Iterable[str]) -> Risk:
    """The highest of some risks.

    >>> highest(["low", "high"]), highest([])
    ('high', 'low')
    """
    given = set(risks)
    return "high" if "high" in given else "medium" if "medium" in given else "low"


def _seen(fetch: Fetch, change: Change) -> tuple[Seen, ...]:
    source = change.item.source if change.item else change.source
    return looked_at(fetch, source) if source else ()


def looked_at(fetch: Fetch, source: Source) -> tuple[Seen, ...]:
    """The places in a source as they read now."""
    return tuple(_look(fetch, source, one) for one in source.evidence)


def _look(fetch: Fetch, source: Source, evidence: Evidence) -> Seen:
    uri = evidence.uri or source.uri
    fetched = fetch(uri)
    if fetched.state == "unreadable":
        return Seen(uri, evidence, Reading("could_not_observe", detail=fetched.detail), None)
    data = fetched.data if fetched.state == "read" else None
    return Seen(uri, evidence, compare(evidence, data), data)


def _dependents(memory: Memory, change: Change) -> tuple[str, ...]:
    if change.operation not in ("supersede", "deprecate") or not change.target_id:
        return ()
    try:
        return tuple(memory.why(change.target_id).get("derived", ()))
    except NotFound:
        return ()

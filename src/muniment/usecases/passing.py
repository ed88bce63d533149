"""Propose those of many changes that no rule refuses: one that is refused does not keep the others out.

- A process proposes, so that whoever runs it may review; what is proposed is compared with what that person may see.
- With `dry_run` the same is looked at, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from muniment.core.access import Scope
from muniment.core.codec import micros
from muniment.core.diff import Change, Diff
from muniment.core.errors import Finding, InvalidInput, errors_in
from muniment.usecases.examine import examine
from muniment.usecases.import_report import refused_changes
from muniment.usecases.pending import open_changes, waiting
from muniment.usecases.propose import narrowed, record
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing


@dataclass(frozen=True, slots=True)
class Passed:
    """What was proposed.

    Attributes:
        changes: The changes that no rule refuses.
        diff_id: The diff; empty for a dry run, and where nothing was left.
        findings: What a reviewer should see too.
        overtaken: Changes that somebody else had proposed meanwhile, each with the diff that it waits in.
    """

    changes: tuple[Change, ...] = ()
    diff_id: str = ""
    findings: tuple[Finding, ...] = ()
    overtaken: Mapping[str, str] = field(default_factory=dict)


class Waiting:
    """What a process proposed into a scope and that still waits, kept up to date under the store's lock.

    Two runs at the same moment see that nothing waits; whichever gets the lock later looks again at what was recorded
    since, so that nothing is proposed twice (`E-IDEMPOTENT`).
    """

    def __init__(self, viewing: Viewing, proposer: str, scope: Scope) -> None:
        """Look for the first time.

        Args:
            viewing: Who looks.
            proposer: The process.
            scope: The scope.
        """
        self.slots: dict[str, str] = {}
        self.targets: dict[str, str] = {}
        self._proposer, self._scope, self._seen = proposer, scope, 0
        self.look(viewing)

    def look(self, viewing: Viewing) -> None:
        """Take in what was proposed since the last look."""
        now = viewing.snapshot.revision
        if now > self._seen or not self._seen:
            slots, targets = _proposed_since(viewing, self._proposer, self._scope, self._seen)
            self.slots |= slots
            self.targets |= targets
            self._seen = now

    def overtaken(self, viewing: Viewing, changes: tuple[Change, ...]) -> dict[str, str]:
        """Those of some changes that wait by now, each with its diff; the store is locked."""
        known = set(self.slots), set(self.targets)
        self.look(viewing)
        found = {}
        for change in changes:
            name = change.item.slot if change.item else change.target_id
            held, before = (self.slots, known[0]) if change.item else (self.targets, known[1])
            if name in held and name not in before:
                found[change.id] = held[name]
        return found

    def wrote(self) -> None:
        """The next revision is our own, recorded under the lock of the last look."""
        self._seen += 1


def propose_what_passes(
    session: Session,
    changes: tuple[Change, ...],
    diff_of: Callable[[tuple[Change, ...]], Diff],
    refused: Callable[[Change, Finding], None],
    dry_run: bool,
    waiting: Waiting,
) -> Passed:
    """Propose the changes that no rule refuses.

    Args:
        session: Whose view it is compared with.
        changes: What is wanted.
        diff_of: Puts the diff together; its proposer is a process.
        refused: Told of each change that is refused, with the first reason.
        dry_run: Whether to write nothing.
        waiting: What the process proposed before.

    Raises:
        InvalidInput: The diff is refused for what is no single change's fault.
    """
    overtaken: dict[str, str] = {}
    while changes:
        try:
            diff_id, findings = _proposed(session, diff_of(changes), dry_run, waiting)
        except _Overtaken as since:
            overtaken |= since.changes
            changes = tuple(c for c in changes if c.id not in since.changes)
            continue
        except InvalidInput as refusal:
            found = refused_changes(refusal.findings)
            if not found:
                raise
            for index, finding in found.items():
                refused(changes[index], finding)
            changes = tuple(c for i, c in enumerate(changes) if i not in found)
            continue
        return Passed(changes, diff_id, findings, overtaken)
    return Passed(overtaken=overtaken)


class _Overtaken(Exception):
    """Changes wait by now that did not when the diff was put together."""

    def __init__(self, changes: Mapping[str, str]) -> None:
        super().__init__()
        self.changes = changes


def _proposed(
    session: Session, diff: Diff, dry_run: bool, waiting: Waiting
) -> tuple[str, tuple[Finding, ...]]:
    """Propose a diff, or look at it as proposing would.

    Raises:
        InvalidInput: A rule refuses it.
        _Overtaken: Somebody else proposed a part of it meanwhile.
    """

    def locked(viewing: Viewing) -> None:
        if since := waiting.overtaken(viewing, diff.changes):
            raise _Overtaken(since)

    if not dry_run:
        proposer = replace(session, principal=diff.proposed_by)
        made = record(proposer, diff, is_import=True, seen_as=session.principal, locked=locked)
        waiting.wrote()
        return made.diff.id, made.findings
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        changes = tuple(narrowed(viewing, change) for change in diff.changes)
        now = micros(diff.created_at)
        found = examine(viewing, replace(diff, changes=changes), now, True).findings
    if errors_in(found):
        raise InvalidInput.of(found)
    return "", found


def _proposed_since(
    viewing: Viewing, proposer: str, scope: Scope, since: int
) -> tuple[dict[str, str], dict[str, str]]:
    """Slots of the items that were proposed after a revision and still wait, and targets of the other changes."""
    slots: dict[str, str] = {}
    targets: dict[str, str] = {}
    for one in waiting(viewing, proposer, since):
        if one.diff.proposed_by == proposer and one.diff.scope == scope:
            for change in open_changes(one):
                if change.item is None:
                    targets[change.target_id] = one.diff.id
                else:
                    slots[change.item.slot] = one.diff.id
    return slots, targets

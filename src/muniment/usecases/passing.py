"""Propose those of many changes that no rule refuses: one that is refused does not keep the others out.

- A process proposes, so that whoever runs it may review; what is proposed is compared with what that person may see.
- With `dry_run` the same is looked at, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

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
    """

    changes: tuple[Change, ...] = ()
    diff_id: str = ""
    findings: tuple[Finding, ...] = ()


def propose_what_passes(
    session: Session,
    changes: tuple[Change, ...],
    diff_of: Callable[[tuple[Change, ...]], Diff],
    refused: Callable[[Change, Finding], None],
    dry_run: bool,
) -> Passed:
    """Propose the changes that no rule refuses.

    Args:
        session: Whose view it is compared with.
        changes: What is wanted.
        diff_of: Puts the diff together; its proposer is a process.
        refused: Told of each change that is refused, with the first reason.
        dry_run: Whether to write nothing.

    Raises:
        InvalidInput: The diff is refused for what is no single change's fault.
    """
    while changes:
        try:
            diff_id, findings = _proposed(session, diff_of(changes), dry_run)
        except InvalidInput as refusal:
            found = refused_changes(refusal.findings)
            if not found:
                raise
            for index, finding in found.items():
                refused(changes[index], finding)
            changes = tuple(c for i, c in enumerate(changes) if i not in found)
            continue
        return Passed(changes, diff_id, findings)
    return Passed()


def _proposed(session: Session, diff: Diff, dry_run: bool) -> tuple[str, tuple[Finding, ...]]:
    """Propose a diff, or look at it as proposing would.

    Raises:
        InvalidInput: A rule refuses it.
    """
    if not dry_run:
        proposer = replace(session, principal=diff.proposed_by)
        made = record(proposer, diff, is_import=True, seen_as=session.principal)
        return made.diff.id, made.findings
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        changes = tuple(narrowed(viewing, change) for change in diff.changes)
        now = micros(diff.created_at)
        found = examine(viewing, replace(diff, changes=changes), now, True).findings
    if errors_in(found):
        raise InvalidInput.of(found)
    return "", found


def proposed_before(
    viewing: Viewing, proposer: str, scope: object
) -> tuple[dict[str, str], dict[str, str]]:
    """Slots of the items that a process proposed into a scope and that still wait, and targets of its other changes.

    Args:
        viewing: Who looks.
        proposer: The process.
        scope: The scope.

    Returns:
        Each with the diff that it waits in.
    """
    slots: dict[str, str] = {}
    targets: dict[str, str] = {}
    for one in waiting(viewing):
        if one.diff.proposed_by == proposer and one.diff.scope == scope:
            for change in open_changes(one):
                if change.item is None:
                    targets[change.target_id] = one.diff.id
                else:
                    slots[change.item.slot] = one.diff.id
    return slots, targets

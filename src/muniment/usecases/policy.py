"""Let a declared policy decide: what it accepts, anybody can derive again.

- A policy in force is one that a reviewer's registered credential signed, for this scope.
- For every change the readers are run again over the protected blob; only the very same statement is accepted.
- What a policy does not accept stays pending, with the reasons.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from muniment.core.access import Scope
from muniment.core.canonical import canonical
from muniment.core.claim import Claim
from muniment.core.codec import micros, trusted
from muniment.core.diff import Change, Decided, Pending, change_digest
from muniment.core.errors import Finding
from muniment.core.extract import Extract
from muniment.core.policy import (
    Judged,
    Policy,
    obstacles,
    policy_digest,
    policy_statement,
    refused_by,
)
from muniment.core.source import Evidence, Reading, compare
from muniment.ports.learning import FileReader
from muniment.ports.source import Fetched, ParsedUri, Repository, parse_uri, repo_uri
from muniment.usecases.apply import Outcome, apply_decisions
from muniment.usecases.credentials import registered_keys
from muniment.usecases.examine import examine
from muniment.usecases.pending import load, open_changes, waiting
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing


@dataclass(frozen=True, slots=True)
class ByPolicy:
    """What a policy did with a diff.

    Attributes:
        policy: Its name; empty where none is in force.
        outcome: What was recorded; None where nothing was accepted. Over several diffs it is one, that of the last,
            with the changes of all of them, named `diff/change`.
        left: Change id to why it was left to a person; the key is `diff/change` where several diffs were decided.
    """

    policy: str = ""
    outcome: Outcome | None = None
    left: Mapping[str, tuple[str, ...]] | None = None


def policies(viewing: Viewing) -> tuple[Policy, ...]:
    """Every declared policy, latest word of each."""
    docs = viewing.snapshot.docs("policy")
    contents = viewing.snapshot.contents([doc.seq for doc in docs])
    return tuple(trusted(Policy, contents[doc.seq]) for doc in docs if doc.seq in contents)


def in_force(session: Session, viewing: Viewing, scope: Scope) -> tuple[Policy, ...]:
    """The policies for a scope that a reviewer's registered credential signed, by name."""
    declared = (p for p in policies(viewing) if p.scope == scope and not p.withdrawn)
    signed = (p for p in declared if is_signed(session, viewing, p))
    return tuple(sorted(signed, key=lambda policy: policy.name))


def protecting(session: Session, viewing: Viewing, scope: Scope) -> Policy | None:
    """The first policy in force that names a protected ref; None where there is none."""
    return next((p for p in in_force(session, viewing, scope) if p.protected_ref), None)


def protected_ref(session: Session, repository: Repository, known: Path | None) -> str | None:
    """The ref that a policy protects, in the one folder that was declared for the repository.

    Another folder may call itself the same repository and hold other refs; no policy accepts from there.
    """
    if known is None or Path(known).resolve() != repository.root.resolve():
        return None
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        policy = protecting(session, viewing, Scope("repository", repository.id))
    return policy.protected_ref if policy else None


def may_review_own(session: Session, viewing: Viewing, scope: Scope) -> bool:
    """Whether a policy lets the session's principal decide on its own proposals."""
    return any(session.principal in p.may_review_own for p in in_force(session, viewing, scope))


def absolute_uses(session: Session, viewing: Viewing, scopes: tuple[Scope, ...]) -> tuple[str, ...]:
    """Uses whose prohibition no re-reading lifts, by the policies in force for any of some scopes."""
    policies_ = (p for scope in scopes for p in in_force(session, viewing, scope))
    return tuple(sorted({use for policy in policies_ for use in policy.absolute_uses}))


def is_signed(session: Session, viewing: Viewing, policy: Policy) -> bool:
    """Whether a registered credential of its declarer signed it."""
    statement = canonical(policy_statement(viewing.snapshot.tenant, policy))
    registered = policy.public_key in registered_keys(viewing, policy.declared_by)
    return registered and session.verify(policy.public_key, statement, policy.signature)


def decide_by_policy(session: Session, diff_id: str, reader: FileReader) -> ByPolicy:
    """Accept what the scope's policy lets through; the rest stays pending."""
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        pending = load(viewing, diff_id)
        policy = protecting(session, viewing, pending.diff.scope)
        if policy is None:
            return ByPolicy()
        before = examine(viewing, pending.diff, micros(session.now()))
        asked = {
            c.id: (_claim_of(viewing, c), _target_of(viewing, c)) for c in open_changes(pending)
        }
    judged = Judge(session, policy, reader)
    left: dict[str, tuple[str, ...]] = {}
    decisions: dict[str, Decided] = {}
    about = _by_change(pending, before.findings)
    for change in open_changes(pending):
        noticed = refused_by(about.get(change.id, ()))
        why = judged.why_not(change, *asked[change.id]) + noticed
        if why:
            left[change.id] = why
        else:
            commit = judged.commits[change.id]
            decisions[change.id] = _decided(session, policy, pending, change, commit)
    if not decisions:
        return ByPolicy(policy.name, None, left)
    readings = {name: judged.readings[name] for name in decisions if name in judged.readings}
    return ByPolicy(
        policy.name, apply_decisions(session, pending, decisions, readings, before), left
    )


def decide_waiting(session: Session, scope: Scope, proposer: str, reader: FileReader) -> ByPolicy:
    """Let the policy decide on everything of one proposer that waits in its scope, of earlier runs too.

    So what waited before the policy was declared, or was left when a run broke off, is decided by the next one.

    Returns:
        One answer over all diffs; its changes are named `diff/change`.
    """
    with session.store.snapshot(session.tenant) as snapshot:
        pending = waiting(session.viewing(snapshot))
        diffs = [
            p.diff.id for p in pending if p.diff.proposed_by == proposer and p.diff.scope == scope
        ]
    decided = [(diff_id, decide_by_policy(session, diff_id, reader)) for diff_id in diffs]
    policy = next((by.policy for _, by in decided if by.policy), "")
    outcomes = [(diff_id, by.outcome) for diff_id, by in decided if by.outcome]
    left = {
        f"{diff_id}/{name}": why for diff_id, by in decided for name, why in (by.left or {}).items()
    }
    if not outcomes:
        return ByPolicy(policy, None, left)
    last = outcomes[-1][1]
    merged = replace(
        last,
        decisions={f"{d}/{name}": one for d, o in outcomes for name, one in o.decisions.items()},
        resulting={f"{d}/{name}": one for d, o in outcomes for name, one in o.resulting.items()},
        conflicts=tuple(conflict for _, o in outcomes for conflict in o.conflicts),
        held=tuple(f"{d}/{name}" for d, o in outcomes for name in o.held),
    )
    return ByPolicy(policy, merged, left)


def _by_change(pending: Pending, findings: tuple[Finding, ...]) -> dict[str, tuple[Finding, ...]]:
    """Findings by the change that they are about."""
    found: dict[str, tuple[Finding, ...]] = {}
    for finding in findings:
        parts = finding.path.split("/")
        if parts[1:2] == ["changes"] and len(parts) > 2:
            name = pending.diff.changes[int(parts[2])].id
            found[name] = (*found.get(name, ()), finding)
    return found


def _claim_of(viewing: Viewing, change: Change) -> Claim | None:
    if change.item is not None:
        return change.item
    return viewing.claim(change.target_id) if viewing.row(change.target_id) else None


def _target_of(viewing: Viewing, change: Change) -> Claim | None:
    return viewing.claim(change.target_id) if viewing.row(change.target_id) else None


def _decided(
    session: Session, policy: Policy, pending: Pending, change: Change, commit: str
) -> Decided:
    return Decided(
        diff_id=pending.diff.id,
        change_id=change.id,
        decision="accepted",
        by=f"policy:{policy.name}",
        at=session.now(),
        reason=f"derived again from {policy.protected_ref}",
        change_digest=change_digest(change),
        policy_digest=policy_digest(policy),
        commit=commit,
    )


class Judge:
    """Runs the readers over protected blobs, each file once: those of now, or of a commit in the ref's history."""

    def __init__(
        self, session: Session, policy: Policy, reader: FileReader, commit: str = ""
    ) -> None:
        self.session, self.policy, self.reader, self.commit = session, policy, reader, commit
        self.readings: dict[str, Reading] = {}
        self.commits: dict[str, str] = {}
        self.unread = False
        self._blobs: dict[str, tuple[Fetched, dict[str, Extract]]] = {}

    def why_not(
        self, change: Change, claim: Claim | None, target: Claim | None = None
    ) -> tuple[str, ...]:
        """Why the policy may not accept a change."""
        if claim is None:
            return ("target_missing",)
        source = (
            change.source if change.operation == "revalidate" and change.source else claim.source
        )
        parsed = parse_uri(source.uri)
        if not isinstance(parsed, ParsedUri) or not source.evidence or parsed.ref is None:
            prose = ("not_structured",) if claim.content_kind != "structured_data" else ()
            return (*prose, "not_from_protected_ref")
        uri = repo_uri(parsed.repo_id, parsed.path, self.commit) if self.commit else source.uri
        fetched, extracts = self._blob(uri, parsed)
        self.unread |= fetched.state == "unreadable"
        reading = self._reading(fetched, source.evidence[0])
        if change.operation != "deprecate":
            self.readings[change.id] = reading
        self.commits[change.id] = fetched.commit
        derived = extracts.get(claim.slot)
        return obstacles(Judged(self.policy, change, claim, derived, reading, parsed.ref, target))

    def _reading(self, fetched: Fetched, evidence: Evidence) -> Reading:
        """A blob that could not be looked at proves nothing, least of all that a statement is gone."""
        if fetched.state == "unreadable":
            return Reading("could_not_observe", self.session.now(), detail=fetched.detail)
        return compare(evidence, fetched.data, self.session.now())

    def _blob(self, uri: str, parsed: ParsedUri) -> tuple[Fetched, dict[str, Extract]]:
        if uri not in self._blobs:
            fetched = self.session.sources.fetch(uri)
            data = fetched.data
            found = self.reader(parsed.path, data).extracts if data is not None else ()
            self._blobs[uri] = fetched, {extract.slot: extract for extract in found}
        return self._blobs[uri]

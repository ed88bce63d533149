"""Restore: claims of an export of our own come back exactly as they were, review states included.

- Only a reviewer restores, with its own credential: every claim is signed as it comes back, so an agent cannot bring
  an acceptance in through a file (`E-APPROVER`). Anything that is not proved to be our own export is an import.
- A claim that is there already is left alone; one that says something else is told, and not overwritten.
- A value with a tombstone does not come back (`E-TOMBSTONE`); neither does a secret (`E-SECRET`), nor a claim of a
  scope that is not in force.
- Where the export tells what was recorded before, that comes back too (`restored_past`): every version by itself, each
  signed by who restores, as restored from that export. What reviewers of the export's store decided is recounted, and
  is never a decision of this one.
- All of it in one transaction; the second time changes nothing (`E-IDEMPOTENT`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from muniment.core.access import Scope
from muniment.core.canonical import canonical
from muniment.core.claim import Claim
from muniment.core.diff import (
    RESTORE,
    Application,
    Basis,
    Change,
    Decided,
    Diff,
    Trigger,
    change_digest,
    signed_statement,
)
from muniment.core.encode import encode
from muniment.core.errors import Finding, quoted
from muniment.core.event import Event
from muniment.core.narrowing import Narrowed
from muniment.ports.credential import Signer
from muniment.ports.interchange import Coming
from muniment.ports.store import Transaction
from muniment.usecases.narrow import record_event
from muniment.usecases.pending import change_doc_id
from muniment.usecases.propose import events_of
from muniment.usecases.restored_past import PastRecords, earlier, secrets_of, steps_of
from muniment.usecases.review import require_reviewer
from muniment.usecases.session import Session
from muniment.usecases.tombstones import meets_hidden, refusals
from muniment.usecases.viewing import Viewing, token_of

PRINCIPAL = "process:restore"


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore came to.

    Attributes:
        claims: Claims that came back, by identifier.
        unchanged: Claims that were there already, as they went out.
        held: Claims that another reviewer has to look at.
        findings: What did not come back, and why.
        diffs: The diffs that record it.
        token: Names the state that recorded it.
    """

    claims: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    diffs: tuple[str, ...] = ()
    token: str = ""


def restore(session: Session, coming: Coming, signer: Signer, dry_run: bool = False) -> Restored:
    """Bring claims back.

    Args:
        session: The reviewer's session.
        coming: Proved claims of an export.
        signer: The reviewer's opened credential.
        dry_run: Only say what would come back.

    Raises:
        NotPermitted: No reviewer's role, or a credential that is not this principal's registered one.
    """
    with session.store.transaction(session.tenant) as transaction:
        viewing = session.viewing(transaction)
        require_reviewer(viewing, signer)
        work = _Work(session, viewing, signer)
        versions = earlier(coming.past)
        for claim in coming.claims:
            work.look(claim, versions.get(claim.id, ()))
        found = Restored(
            tuple(one.id for one in work.wanted),
            tuple(work.unchanged),
            tuple(work.held),
            coming.findings + tuple(work.findings),
        )
        there = {*work.unchanged, *work.versions}
        told = PastRecords(transaction, viewing, coming, there, session.scopes, work.now)
        if dry_run or not (work.wanted or told.is_new):
            return found
        revision = work.record(transaction, coming, told)
        return replace(found, diffs=tuple(work.diffs), token=token_of(transaction, revision))


class _Work:
    """Sorts claims out, and puts the events together."""

    def __init__(self, session: Session, viewing: Viewing, signer: Signer) -> None:
        self.session, self.viewing, self.signer = session, viewing, signer
        self.now = session.now()
        self.wanted: list[Claim] = []
        self.versions: dict[str, Sequence[Claim]] = {}
        self.unchanged: list[str] = []
        self.held: list[str] = []
        self.findings: list[Finding] = []
        self.diffs: list[str] = []

    def look(self, claim: Claim, before: Sequence[Claim]) -> None:
        """Decide whether a claim comes back, and which of its earlier versions with it."""
        row = self.viewing.row(claim.id)
        if row is not None and encode(self.viewing.claim(claim.id)) == encode(claim):
            self.unchanged.append(claim.id)
        elif refused := self._refused(claim, row is not None):
            self.findings.append(replace(refused, path=claim.id, severity="warning"))
        elif self.viewing.snapshot.row(claim.id) is not None or any(
            meets_hidden(self.viewing, one) for one in (claim, *before)
        ):
            self.held.append(claim.id)
        else:
            self.wanted.append(claim)
            self.versions[claim.id] = tuple(one for one in before if self._is_let_in(one))

    def _is_let_in(self, version: Claim) -> bool:
        """Whether an earlier version comes back too; told where it does not."""
        refused = self._refused(version, is_here=False)
        if refused:
            self.findings.append(replace(refused, path=version.id, severity="warning"))
        return refused is None

    def _refused(self, claim: Claim, is_here: bool) -> Finding | None:
        """Why a claim does not come back; None where nothing that may be seen is against it."""
        if is_here:
            message, fix = "it says something else here, and is left as it is", "look at both"
            return Finding("restore_differs", message, "", fix)
        if claim.scope not in self.session.scopes:
            message = f"its scope {quoted(claim.scope)} is not in force"
            return Finding("restore_scope", message, "", "add `--scope`", req="E-NOSCOPE")
        if claim.id in self.viewing.erased():
            message, fix = "it was erased here", "nothing brings it back"
            return Finding("restore_erased", message, "", fix, req="A-DELETE")
        return next(iter((*refusals(self.viewing, claim), *secrets_of(claim))), None)

    def record(self, transaction: Transaction, coming: Coming, told: PastRecords) -> int:
        """Append everything, one revision for each state that is told; the last revision."""
        steps = steps_of(coming.past, self.wanted, self.versions)
        diffs = self._proposed(transaction, coming, [one for step in steps for one in step.claims])
        revision = transaction.revision
        for n, step in enumerate(steps):
            if n:
                transaction.further_revision()
            events = (
                [] if n else [e for d in diffs for e in events_of(transaction, self.viewing, d)]
            )
            for claim in step.claims:
                events += self._applied(transaction, *self._changes[id(claim)])
            events += told.events(step)
            if n == len(steps) - 1:
                events += told.conflicts_left()
            revision = transaction.append(events, self.now)
        return revision

    def _proposed(
        self, transaction: Transaction, coming: Coming, claims: Sequence[Claim]
    ) -> list[Diff]:
        """One diff a scope."""
        self._changes: dict[int, tuple[Diff, Change]] = {}
        diffs = []
        for scope in dict.fromkeys(claim.scope for claim in claims):
            diff = self._diff(scope, coming, [one for one in claims if one.scope == scope])
            self.diffs.append(diff.id)
            diffs.append(diff)
            self._changes |= {id(one.item): (diff, one) for one in diff.changes}
        return diffs

    def _diff(self, scope: Scope, coming: Coming, claims: Sequence[Claim]) -> Diff:
        reason = f"restored from export {coming.digest or coming.source}"
        return Diff(
            id=self.session.fresh_id("mdiff"),
            created_at=self.now,
            proposed_by=PRINCIPAL,
            scope=scope,
            trigger=Trigger("restore", coming.source, "completed", self.now),
            basis=(Basis(coming.digest or coming.source),),
            summary=f"{len({claim.id for claim in claims})} restored",
            changes=tuple(
                Change(f"change_{n:02d}", "add", reason, claim, declares=RESTORE)
                for n, claim in enumerate(claims, 1)
            ),
        )

    def _applied(self, transaction: Transaction, diff: Diff, change: Change) -> Iterator[Event]:
        claim = change.item
        assert claim is not None
        plain = Decided(
            diff.id, change.id, "accepted", self.session.principal, self.now, "restored", change_digest(change),
            public_key=self.signer.public_key,
        )  # fmt: skip
        statement = canonical(signed_statement(self.session.tenant, plain))
        decided = replace(plain, signature=self.signer.sign(statement))
        record = Application(diff.id, self.now, decided.by, (change.id,), {change.id: claim.id})
        doc_id = change_doc_id(diff.id, change.id)
        cls = transaction.declare_class(claim.scope, claim.visibility.audience)
        yield Event("decision", doc_id, encode(decided), diff.id, change.subjects)
        yield Event("application", doc_id, encode(record), diff.id, change.subjects)
        before = transaction.row(claim.id)
        if before is not None and before.cls != cls:  # the export tells that it was narrowed
            narrowed = Narrowed(decided.by, self.now, diff.id, change.id)
            yield record_event(claim.id, claim.version, before.cls, narrowed)
        yield Event("claim", claim.id, encode(claim), claim.id, (claim.id,), cls)

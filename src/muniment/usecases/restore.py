"""Restore: claims of an export of our own come back exactly as they were, review states included.

- Only a reviewer restores, with its own credential: every claim is signed as it comes back, so an agent cannot bring
  an acceptance in through a file (`E-APPROVER`). Anything that is not proved to be our own export is an import.
- A claim that is there already is left alone; one that says something else is told, and not overwritten.
- A value with a tombstone does not come back (`E-TOMBSTONE`); neither does a secret (`E-SECRET`), nor a claim of a
  scope that is not in force.
- All of it in one transaction; the second time changes nothing (`E-IDEMPOTENT`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from muniment.core.access import Scope
from muniment.core.canonical import canonical
from muniment.core.check import secrets_in
from muniment.core.check_boundaries import texts_of
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
from muniment.core.errors import Finding, errors_in, quoted
from muniment.core.event import Event
from muniment.ports.credential import Signer
from muniment.ports.interchange import Coming
from muniment.ports.store import Transaction
from muniment.usecases.pending import change_doc_id
from muniment.usecases.propose import events_of
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
        for claim in coming.claims:
            work.look(claim)
        found = Restored(
            tuple(one.id for one in work.wanted),
            tuple(work.unchanged),
            tuple(work.held),
            coming.findings + tuple(work.findings),
        )
        if dry_run or not work.wanted:
            return found
        events = [
            *work.events(transaction, coming),
            *_conflicts(transaction, viewing, coming, work),
        ]
        revision = transaction.append(events, session.now())
        return replace(found, diffs=tuple(work.diffs), token=token_of(transaction, revision))


class _Work:
    """Sorts claims out, and puts the events together."""

    def __init__(self, session: Session, viewing: Viewing, signer: Signer) -> None:
        self.session, self.viewing, self.signer = session, viewing, signer
        self.now = session.now()
        self.wanted: list[Claim] = []
        self.unchanged: list[str] = []
        self.held: list[str] = []
        self.findings: list[Finding] = []
        self.diffs: list[str] = []

    def look(self, claim: Claim) -> None:
        """Decide whether a claim comes back."""
        row = self.viewing.row(claim.id)
        if row is not None and encode(self.viewing.claim(claim.id)) == encode(claim):
            self.unchanged.append(claim.id)
        elif refused := self._refused(claim, row is not None):
            self.findings.append(replace(refused, path=claim.id, severity="warning"))
        elif self.viewing.snapshot.row(claim.id) is not None or meets_hidden(self.viewing, claim):
            self.held.append(claim.id)
        else:
            self.wanted.append(claim)

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
        secrets = errors_in(tuple(secrets_in(texts_of(claim))))
        return next(iter((*refusals(self.viewing, claim), *secrets)), None)

    def events(self, transaction: Transaction, coming: Coming) -> Iterator[Event]:
        """One diff a scope, decided and applied."""
        for scope in dict.fromkeys(claim.scope for claim in self.wanted):
            diff = self._diff(scope, coming)
            self.diffs.append(diff.id)
            yield from events_of(transaction, self.viewing, diff)
            for change in diff.changes:
                yield from self._applied(transaction, diff, change)

    def _diff(self, scope: Scope, coming: Coming) -> Diff:
        claims = [claim for claim in self.wanted if claim.scope == scope]
        reason = "it was in an export of our own"
        return Diff(
            id=self.session.fresh_id("mdiff"),
            created_at=self.now,
            proposed_by=PRINCIPAL,
            scope=scope,
            trigger=Trigger("restore", coming.source, "completed", self.now),
            basis=(Basis(coming.digest or coming.source),),
            summary=f"{len(claims)} restored",
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
        yield Event("claim", claim.id, encode(claim), claim.id, (claim.id,), cls)


def _conflicts(
    transaction: Transaction, viewing: Viewing, coming: Coming, work: _Work
) -> Iterator[Event]:
    """The recorded conflicts between claims that are there now, where they are not recorded yet."""
    there = {claim.id for claim in work.wanted} | set(work.unchanged)
    known = {tuple(sorted(one["between"])) for one in viewing.conflicts()}
    for conflict in coming.conflicts:
        sides = tuple(sorted(str(one) for one in conflict.get("between", ())))
        if len(sides) > 1 and there.issuperset(sides) and sides not in known:
            content: Mapping[str, Any] = {**conflict, "between": list(sides)}
            yield Event("conflict", transaction.key("conflict", *sides), content, subjects=sides)

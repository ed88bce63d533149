"""Look the store over: the chain, what is derived, and whether every acceptance can be accounted for.

- An acceptance is accounted for by a registered reviewer's signature, or by a policy that derives it again.
- A claim's version is accounted for by the accepted change that makes it: planned again, it comes out the same.
- Declarations after the first are signed by a registered credential too.
- Whoever can write the store's file can destroy it or roll it back; what it cannot do unnoticed is forge an acceptance.
- `verify` is given a head that somebody kept elsewhere; without one, truncation cannot be seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from muniment.core.canonical import canonical
from muniment.core.claim import Claim
from muniment.core.codec import trusted
from muniment.core.diff import Change, Decided, change_digest, signed_statement
from muniment.core.errors import StoreError
from muniment.core.event import Envelope, Verification
from muniment.core.lifecycle import Archived, archive_statement
from muniment.core.policy import Policy, policy_digest
from muniment.core.record import claim_from
from muniment.ports.learning import FileReader
from muniment.ports.source import ParsedUri, parse_uri, repo_uri
from muniment.ports.store import Snapshot
from muniment.usecases.accounts import Account, unaccounted
from muniment.usecases.declare import is_bootstrap
from muniment.usecases.governance import Governance, governance
from muniment.usecases.pending import change_doc_id
from muniment.usecases.policy import Judge
from muniment.usecases.session import Session


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What looking a tenant over found.

    Attributes:
        verification: Chain, commitments and derived rows.
        accounts: Every accepted change.
        notices: What the store has to say of itself.
    """

    verification: Verification
    accounts: tuple[Account, ...]
    notices: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return self.verification.ok and all(account.is_good for account in self.accounts)


def require_overseer(session: Session) -> None:
    """Refuse a principal that is no operator, once the tenant has a credential and so somebody who governs it.

    Who opened the store and acts as nobody holds its file anyway.

    Raises:
        NotPermitted: The role is missing.
    """
    if session.principal:
        with session.store.snapshot(session.tenant) as snapshot:
            if not is_bootstrap(snapshot):
                viewing = session.viewing(snapshot)
                viewing.require_role("operator", "look the whole store over")


def verify(session: Session, head: str = "") -> Verification:
    """Check the ledger; what comes out counts what everybody wrote, so it is the operator's.

    Raises:
        NotPermitted: A principal acts that is no operator.
    """
    require_overseer(session)
    return session.store.verify(session.tenant, head)


def rebuild(session: Session) -> None:
    """Drop everything derived and fold the ledger again.

    Raises:
        NotPermitted: A principal acts that is no operator.
    """
    require_overseer(session)
    session.store.rebuild(session.tenant)


def reindex(session: Session) -> None:
    """Drop the index alone and write it again.

    Raises:
        NotPermitted: A principal acts that is no operator.
    """
    require_overseer(session)
    session.store.reindex(session.tenant)


def diagnose(session: Session, reader: FileReader, head: str = "") -> Diagnosis:
    """Look the session's tenant over: only identifiers and states come out.

    Raises:
        NotPermitted: A principal acts that is no operator.
    """
    verification = verify(session, head)
    notices = (*getattr(session.store, "notices", ()), *_tidied(session))
    with session.store.snapshot(session.tenant) as snapshot:
        accounts = (*_accounts(session, snapshot, reader), *unaccounted(snapshot))
    return Diagnosis(verification, accounts, notices)


def _tidied(session: Session) -> Iterator[str]:
    """Remove the bytes of notes that ended; nobody is told of others' notes, only where they cannot be looked at."""
    notes = session.store.notes
    try:
        notes.sweep(session.tenant, session.now())
        notes.settle()
    except StoreError as error:
        yield f"notes cannot be kept: {error.message}"


def _accounts(session: Session, snapshot: Snapshot, reader: FileReader) -> Iterator[Account]:
    governs = governance(snapshot, session.verify)
    for by, detail in governs.refused:
        yield Account("", "", by, "forged", detail)
    yield from _archivings(session, snapshot, governs)
    decisions = [e for e in snapshot.envelopes() if e.kind == "decision"]
    contents = snapshot.contents([e.seq for e in decisions])
    for envelope in decisions:
        content = contents.get(envelope.seq)
        if content is None:
            diff_id, _, change_id = envelope.id.partition("/")
            yield Account(diff_id, change_id, "", "erased")
            continue
        decided = trusted(Decided, content)
        if decided.decision == "accepted":
            change = _change(snapshot, envelope)
            if decided.by.startswith("policy:"):
                case = _Case(session, snapshot, envelope, decided, change)
                yield _by_policy(case, governs, reader)
            else:
                yield _by_person(session, envelope, decided, change, governs)


def _archivings(session: Session, snapshot: Snapshot, governs: Governance) -> Iterator[Account]:
    """Every claim that a rule archived: an operator of that time signed it."""
    envelopes = [e for e in snapshot.envelopes() if e.kind == "archived"]
    contents = snapshot.contents([e.seq for e in envelopes])
    for envelope in (e for e in envelopes if e.seq in contents):
        said = trusted(Archived, contents[envelope.seq])
        where = ("", "", said.by)
        statement = canonical(archive_statement(session.tenant, envelope.id, said))
        if not governs.had_role(said.by, "operator", envelope.seq):
            yield Account(*where, "forged", f"who archived {envelope.id} was no operator")
        elif said.public_key not in governs.keys.get(said.by, ()) or not session.verify(
            said.public_key, statement, said.signature
        ):
            yield Account(
                *where, "forged", f"no registered credential signed that {envelope.id} is archived"
            )
        else:
            yield Account(*where, "signed")


def _change(snapshot: Snapshot, envelope: Envelope) -> Change | None:
    doc = snapshot.doc("change", envelope.id)
    content = snapshot.contents([doc.seq]).get(doc.seq) if doc else None
    return trusted(Change, content) if content else None


def _by_person(
    session: Session,
    envelope: Envelope,
    decided: Decided,
    change: Change | None,
    governs: Governance,
) -> Account:
    where = (decided.diff_id, decided.change_id, decided.by)
    if not decided.signature:
        return Account(*where, "unsigned", "nobody signed this acceptance")
    if decided.public_key not in governs.keys.get(decided.by, ()):
        return Account(
            *where, "forged", "the credential that signed it is not registered for its reviewer"
        )
    if not governs.had_role(decided.by, "reviewer", envelope.seq):
        return Account(*where, "forged", "who signed it was no reviewer")
    statement = canonical(signed_statement(session.tenant, decided))
    if not session.verify(decided.public_key, statement, decided.signature):
        return Account(*where, "forged", "the signature does not fit the decision")
    if change_doc_id(decided.diff_id, decided.change_id) != envelope.id:
        return Account(*where, "forged", "what was signed is another change")
    if change is not None and change_digest(change) != decided.change_digest:
        return Account(*where, "forged", "what was signed is not what is recorded")
    return Account(*where, "signed")


@dataclass(frozen=True, slots=True)
class _Case:
    """An acceptance by a policy, with the ledger before it."""

    session: Session
    snapshot: Snapshot
    envelope: Envelope
    decided: Decided
    change: Change | None

    def target(self) -> Claim | None:
        """The target's version as it stood before."""
        target_id = self.change.target_id if self.change else ""
        rows = self.snapshot.history(target_id) if target_id else ()
        before = [row for row in rows if row.revision < self.envelope.revision]
        content = self.snapshot.contents([before[-1].seq]) if before else {}
        return claim_from(content[before[-1].seq]) if content else None


def _by_policy(case: _Case, governs: Governance, reader: FileReader) -> Account:
    """A policy's acceptance is good where the policy judges the same again, at the commit that it looked at."""
    decided, change, session = case.decided, case.change, case.session
    where = (decided.diff_id, decided.change_id, decided.by)
    policy = governs.policy_at(decided.by.removeprefix("policy:"), case.envelope.seq)
    if policy is None or policy_digest(policy) != decided.policy_digest:
        return Account(*where, "forged", "no policy that a reviewer signed was in force")
    if change is None:
        return Account(*where, "erased")
    target = case.target()
    if change.target_id and target is None:
        return Account(*where, "erased")
    if not decided.commit:
        return Account(*where, "not_derived", "it names no commit to derive it from")
    judge = Judge(session, policy, reader, decided.commit)
    why = judge.why_not(change, change.item or target, target)
    uri = _protected(change, target, policy)
    reached = session.sources.reaches(uri, decided.commit)
    if reached is None or judge.unread:
        return Account(*where, "could_not_observe", f"{uri} cannot be read here")
    if not reached:
        return Account(*where, "not_derived", f"{uri} never held {decided.commit[:12]}")
    if why:
        return Account(*where, "not_derived", f"the policy does not accept it: {', '.join(why)}")
    return Account(*where, "derived")


def _protected(change: Change, target: Claim | None, policy: Policy) -> str:
    """The address of a change's source at the protected ref."""
    claim = change.item or target
    uri = claim.source.uri if claim else ""
    parsed = parse_uri(uri)
    if not isinstance(parsed, ParsedUri) or not policy.protected_ref:
        return uri
    return repo_uri(parsed.repo_id, parsed.path, policy.protected_ref)


def summary(diagnosis: Diagnosis) -> dict[str, Any]:
    """Counts of accounts by state."""
    counts: dict[str, int] = {}
    for account in diagnosis.accounts:
        counts[account.state] = counts.get(account.state, 0) + 1
    return counts

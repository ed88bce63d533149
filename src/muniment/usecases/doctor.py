"""Look the store over: the chain, what is derived, and whether every acceptance can be accounted for.

- An acceptance is accounted for by a registered reviewer's signature, or by a policy that derives it again.
- A claim's version is accounted for by the accepted change that makes it: planned again, it comes out the same.
- Declarations after the first are signed by a registered credential too.
- Whoever can write the store's file can destroy it or roll it back; what it cannot do unnoticed is forge an acceptance.
- `verify` is given a head that somebody kept elsewhere; without one, truncation cannot be seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from muniment.core.canonical import canonical
from muniment.core.codec import trusted
from muniment.core.diff import Change, Decided, change_digest, signed_statement
from muniment.core.event import Envelope, Verification
from muniment.core.extract import Extract
from muniment.core.policy import Policy, policy_digest, says_the_same
from muniment.ports.learning import FileReader
from muniment.ports.source import ParsedUri, parse_uri, repo_uri
from muniment.ports.store import Snapshot
from muniment.usecases.accounts import Account, unaccounted
from muniment.usecases.declare import is_bootstrap
from muniment.usecases.policy import is_signed
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing


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
                viewing = Viewing(snapshot, session.principal)
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


def diagnose(session: Session, reader: FileReader, head: str = "") -> Diagnosis:
    """Look the session's tenant over: only identifiers and states come out.

    Raises:
        NotPermitted: A principal acts that is no operator.
    """
    verification = verify(session, head)
    with session.store.snapshot(session.tenant) as snapshot:
        accounts = (*_accounts(session, snapshot, reader), *unaccounted(snapshot))
    return Diagnosis(verification, accounts, tuple(getattr(session.store, "notices", ())))


def _accounts(session: Session, snapshot: Snapshot, reader: FileReader) -> Iterator[Account]:
    keys = _keys(snapshot)
    known = _policies(session, snapshot)
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
                yield _by_policy(session, decided, change, known, reader)
            else:
                yield _by_person(session, decided, change, keys)


def _keys(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    docs = snapshot.docs("credential")
    contents = snapshot.contents([doc.seq for doc in docs])
    return {c["name"]: tuple(c["public_keys"]) for c in contents.values()}


def _policies(session: Session, snapshot: Snapshot) -> dict[str, Policy]:
    """Every policy that was ever declared and is signed, by digest."""
    viewing = Viewing(snapshot, session.principal)
    events = [e.seq for e in snapshot.envelopes() if e.kind == "policy"]
    found = (trusted(Policy, content) for content in snapshot.contents(events).values())
    return {
        policy_digest(policy): policy for policy in found if is_signed(session, viewing, policy)
    }


def _change(snapshot: Snapshot, envelope: Envelope) -> Change | None:
    doc = snapshot.doc("change", envelope.id)
    content = snapshot.contents([doc.seq]).get(doc.seq) if doc else None
    return trusted(Change, content) if content else None


def _by_person(
    session: Session,
    decided: Decided,
    change: Change | None,
    keys: Mapping[str, tuple[str, ...]],
) -> Account:
    where = (decided.diff_id, decided.change_id, decided.by)
    if not decided.signature:
        return Account(*where, "unsigned", "nobody signed this acceptance")
    if decided.public_key not in keys.get(decided.by, ()):
        return Account(
            *where, "forged", "the credential that signed it is not registered for its reviewer"
        )
    statement = canonical(signed_statement(session.tenant, decided))
    if not session.verify(decided.public_key, statement, decided.signature):
        return Account(*where, "forged", "the signature does not fit the decision")
    if change is not None and change_digest(change) != decided.change_digest:
        return Account(*where, "forged", "what was signed is not what is recorded")
    return Account(*where, "signed")


def _by_policy(
    session: Session,
    decided: Decided,
    change: Change | None,
    known: Mapping[str, Policy],
    reader: FileReader,
) -> Account:
    where = (decided.diff_id, decided.change_id, decided.by)
    if decided.policy_digest not in known:
        return Account(*where, "forged", "no reviewer signed the policy that is named")
    if change is None:
        return Account(*where, "erased")
    if change.item is None:
        return Account(*where, "derived")
    evidence = change.item.source.evidence[0] if change.item.source.evidence else None
    parsed = parse_uri(change.item.source.uri)
    if evidence is None or not isinstance(parsed, ParsedUri) or not evidence.commit:
        return Account(*where, "not_derived", "it names no commit to derive it from")
    uri = repo_uri(parsed.repo_id, parsed.path, evidence.commit)
    data = session.sources.fetch(uri).data
    if data is None:
        return Account(*where, "could_not_observe", f"{uri} cannot be read here")
    derived: dict[str, Extract] = {e.slot: e for e in reader(parsed.path, data).extracts}
    again = derived.get(change.item.slot)
    if again is None or not says_the_same(change.item, again):
        return Account(*where, "not_derived", f"{uri} does not yield this claim")
    return Account(*where, "derived")


def summary(diagnosis: Diagnosis) -> dict[str, Any]:
    """Counts of accounts by state."""
    counts: dict[str, int] = {}
    for account in diagnosis.accounts:
        counts[account.state] = counts.get(account.state, 0) + 1
    return counts

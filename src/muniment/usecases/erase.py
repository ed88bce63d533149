"""Erase: content goes, the record that something was erased stays (`A-DELETE`).

- An operator's act, signed; not a diff.
- What is left refuses the same value again and says nothing of it; the ledger still verifies.
- Whatever was derived from the claim is stale from the same transaction on, and proposed for review.
- The note that a claim was proposed from goes too, if it still says so; its writer finds it gone.
- On disk an erasure is complete after a checkpoint; until then the answer is `pending`, with what holds it up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from muniment.core.claim import Claim
from muniment.core.codec import trusted
from muniment.core.diff import Change
from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput, StoreError
from muniment.core.event import Event
from muniment.core.ids import is_id
from muniment.core.record import WITH_ITEM
from muniment.ports.credential import Signer
from muniment.ports.store import Transaction
from muniment.usecases.declare import require_operator
from muniment.usecases.retract import retraction_events
from muniment.usecases.review import require_reviewer
from muniment.usecases.session import Session
from muniment.usecases.show import resolve
from muniment.usecases.tombstones import family, stone_events
from muniment.usecases.viewing import Viewing, is_name, not_found, token_of


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure came to.

    Attributes:
        claim_id: What was erased.
        contents: How many contents were removed.
        token: Names the state that records it, and tells nothing else.
        disk: `complete`, or `pending: …`.
    """

    claim_id: str
    contents: int
    token: str
    disk: str


def erase(session: Session, claim_id: str, signer: Signer | None) -> Erased:
    """Erase a claim: every version, every proposal of it, every index entry.

    A claim that was only proposed, or was rejected, is erased by its identifier too.

    Raises:
        NotFound: Absent or not visible.
        NotPermitted: No operator with its own credential.
    """
    with session.store.transaction(session.tenant) as transaction:
        viewing = session.viewing(transaction)
        require_operator(viewing, signer)
        claim, cls, supersedes = _found(viewing, claim_id)
        seen_by = viewing.audience_of(cls)
        events = list(retraction_events(session, transaction, viewing, claim_id, "erase", seen_by))
        events.extend(erasing_events(session, transaction, claim, cls, supersedes))
        token = token_of(transaction, transaction.append(events, session.now()))
        removed = transaction.erase(claim_id)
    return Erased(claim_id, removed, token, on_disk(session, (claim,)))


def erasing_events(
    session: Session, transaction: Transaction, claim: Claim, cls: str, supersedes: Sequence[str]
) -> Iterator[Event]:
    """What stays of a claim that is erased in this transaction: its tombstones, and that it was erased."""
    at = encode(session.now())
    stone = {"at": at, "by": session.principal, "why": "erased"}
    yield from stone_events(transaction, claim, cls, stone)
    left = {"at": at, "by": session.principal, "supersedes": list(supersedes)}
    yield Event("erased", claim.id, left, cls=cls)


def on_disk(session: Session, claims: Iterable[Claim]) -> str:
    """Whether the bytes of erased claims are gone; the notes that they came from go too, if they still say so."""
    notes, disk = session.store.notes, session.store.checkpoint()
    sources = ((one.source.uri.partition(":"), one.claim) for one in claims)
    noted = [(id, text) for (scheme, _, id), text in sources if scheme == "note"]
    if not noted:
        return disk
    try:
        for id, text in noted:
            notes.forget(session.tenant, id, text)
        settled = notes.settle()
    except StoreError as error:  # the claims are erased all the same
        settled = f"pending: the note that it came from: {error.message}"
    return settled if disk == "complete" else disk


def to_erase(session: Session, name: str) -> Claim:
    """The claim that `erase` would erase, by identifier or by an alias that only one visible claim has.

    Raises:
        NotFound: Absent or not visible.
    """
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        if is_id(name, "mem"):
            return _found(viewing, name)[0]
        return viewing.claim(resolve(viewing, name).claim_id)


def _found(viewing: Viewing, claim_id: str) -> tuple[Claim, str, tuple[str, ...]]:
    """A visible claim with its class and what it superseded, or one that only stands in a proposal.

    Raises:
        NotFound: Neither.
    """
    row = viewing.row(claim_id)
    if row is not None:
        return viewing.claim(claim_id), row.cls, row.supersedes
    for envelope in viewing.snapshot.envelopes_about(claim_id):
        if envelope.kind in WITH_ITEM and envelope.cls in viewing.classes:
            content = viewing.snapshot.contents([envelope.seq]).get(envelope.seq, {})
            change = trusted(Change, content) if content else None
            item = change.item if change else None
            if change and item and item.id == claim_id and not viewing.loses(change):
                return item, envelope.cls, ()
    raise not_found("claim", claim_id)


def lift(session: Session, prefix: str, reason: str, signer: Signer) -> int:
    """Lift a tombstone by name, on new evidence; a reviewer's act (`E-TOMBSTONE`).

    Args:
        session: The reviewer's session.
        prefix: The first characters of its key, at least eight, as shown in the refusal.
        reason: The new evidence.
        signer: The reviewer's opened credential.

    Returns:
        How many tombstones were lifted: all keys of the one rejected value.

    Raises:
        InvalidInput: No new evidence is named.
        NotFound: No visible tombstone has this name, or the name is shorter than eight characters.
        NotPermitted: No reviewer with its own credential.
    """
    if not is_name(reason) or not reason.strip():
        message = "a tombstone is lifted on new evidence"
        finding = Finding("no_reason", message, "/reason", "say what is new", req="E-TOMBSTONE")
        raise InvalidInput.of((finding,))
    with session.store.transaction(session.tenant) as transaction:
        viewing = session.viewing(transaction)
        require_reviewer(viewing, signer)
        lifted = family(viewing, prefix) if is_name(prefix) else ()
        if not lifted:
            raise not_found("tombstone", prefix)
        content = {"at": encode(session.now()), "by": session.principal, "reason": reason}
        transaction.append(
            [
                Event("lifted", doc.id, content, doc.parent, (claim,), doc.cls)
                for doc, claim in lifted
            ],
            session.now(),
        )
    return len(lifted)

"""Narrow who may see a claim: proposed and reviewed as any change, and what rests on it moves along (`B-TRAVEL`).

- A narrowing only takes sight away. To widen a claim, it is deprecated and added again, declared a declassification.
- Everything that was made from the claim, directly or through others, is narrowed by it in the same transaction,
  whoever sees it; what a reviewer declassified on the record stays, as that reviewer said.
- Who decides on a narrowing has to pass it: nobody narrows a claim out of its own sight, and so for good.
- Who lost sight of a claim finds neither it nor what speaks of it, in any state: as if it had never been.

What others wrote down of it before (exports, packets that were handed over) is beyond any store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from muniment.core.access import Audience, Visibility, intersect
from muniment.core.codec import trusted
from muniment.core.diff import DECLASSIFICATION, NARROWING, Change
from muniment.core.encode import encode
from muniment.core.event import Event
from muniment.core.narrowing import Narrowed, moved
from muniment.core.record import claim_from
from muniment.core.row import Row
from muniment.ports.store import Snapshot, Transaction
from muniment.usecases.pending import change_doc_id
from muniment.usecases.propose import Proposed, propose
from muniment.usecases.session import Session
from muniment.usecases.show import resolve


def narrow(
    session: Session, name: str, visibility: Visibility | Mapping[str, Any], reason: str
) -> Proposed:
    """Propose that fewer may see a claim.

    Args:
        session: Who proposes.
        name: The claim, by identifier or alias.
        visibility: Who may still see it, of those who may now.
        reason: Why.

    Raises:
        NotFound: It is absent or not visible.
        InvalidInput: It would take sight from nobody, or from everybody; nothing was written.
    """
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        row = resolve(viewing, name)
        scope = viewing.scope_of(row.cls)
    change = {
        "id": "change_01",
        "operation": "revalidate",
        "declares": NARROWING,
        "target_id": row.claim_id,
        "visibility": encode(visibility),
        "reason": reason,
    }
    trigger = {
        "kind": "statement",
        "uri": f"principal:{session.principal}",
        "state": "observed",
        "observed_at": encode(session.now()),
    }
    return propose(session, {"scope": encode(scope), "trigger": trigger, "changes": [change]})


# --- what moves along -----------------------------------------------------------------------------


def record_event(claim_id: str, version: int, before: str, record: Narrowed) -> Event:
    """That a claim was narrowed, in the class that it was in; it is no subject's, so that it outlives an erasure."""
    return Event("narrowed", f"{claim_id}/{version}", encode(record), claim_id, cls=before)


def following(transaction: Transaction, claim_id: str, record: Narrowed) -> Sequence[Event]:
    """The new versions of everything that rests on a claim which this transaction narrowed.

    Args:
        transaction: It has written the claim's narrower version.
        claim_id: The claim.
        record: By whom and when; each version names the claim as the reason.
    """
    events: list[Event] = []
    for row, audience in _wider(transaction, claim_id):
        content = transaction.contents([row.seq]).get(row.seq)
        if content is not None:
            made = moved(claim_from(content), audience, record)
            events.append(record_event(made.id, made.version, row.cls, record))
            cls = transaction.declare_class(made.scope, made.visibility.audience)
            events.append(Event("claim", made.id, encode(made), made.id, (made.id,), cls))
    return events


def _wider(snapshot: Snapshot, claim_id: str) -> Iterator[tuple[Row, Audience]]:
    """The latest versions of claims that may be seen by more than what they rest on, with who may see them then."""
    known = {cls.id: cls.audience for cls in snapshot.classes()}
    first = snapshot.row(claim_id)
    narrower: dict[str, Audience] = {claim_id: known[first.cls]} if first else {}
    found: dict[str, Row] = {}
    frontier = list(narrower)
    while frontier:
        current = frontier.pop(0)
        for row in snapshot.pointing_at(current):
            if current not in row.derived_from or row.claim_id == claim_id:
                continue
            own = narrower.get(row.claim_id, known[row.cls])
            both = intersect(own, narrower[current])
            if both != own and not is_declassified(snapshot, row.claim_id):
                found[row.claim_id], narrower[row.claim_id] = row, both
                frontier.append(row.claim_id)
    yield from ((row, narrower[name]) for name, row in found.items())


def is_declassified(snapshot: Snapshot, claim_id: str) -> bool:
    """Whether a reviewer accepted a claim as a declassification of what it was made from."""
    for envelope in snapshot.envelopes_about(claim_id):
        if envelope.kind != "change":
            continue
        content = snapshot.contents([envelope.seq]).get(envelope.seq)
        change = trusted(Change, content) if content else None
        if change and change.item and change.item.id == claim_id:
            doc = snapshot.doc("decision", change_doc_id(envelope.parent, change.id))
            decided = snapshot.contents([doc.seq]).get(doc.seq, {}) if doc else {}
            if decided.get("decision") == "accepted":
                return change.declares == DECLASSIFICATION
    return False

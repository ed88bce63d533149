"""Withdraw: take back one's own proposals that nobody has decided yet; it leaves no tombstone.

- What was decided meanwhile stays decided.
"""

from __future__ import annotations

from collections.abc import Collection

from muniment.core.diff import Change, Decided, change_digest
from muniment.core.encode import encode
from muniment.core.event import Event
from muniment.usecases.pending import change_doc_id, open_changes, waiting
from muniment.usecases.session import Session


def withdraw(
    session: Session, outdated: Collection[tuple[str, Change]], by: str, reason: str
) -> int:
    """Withdraw open changes of one proposer.

    Args:
        session: Whose act it is.
        outdated: Diff and change.
        by: Who proposed them.
        reason: Why, `withdrawn: …`.

    Returns:
        How many were still open.
    """
    if not outdated:
        return 0
    now = session.now()
    with session.store.transaction(session.tenant) as transaction:
        events = []
        for diff_id, change in outdated:
            doc_id = change_doc_id(diff_id, change.id)
            if transaction.doc("decision", doc_id) is not None:
                continue
            word = Decided(diff_id, change.id, "rejected", by, now, reason, change_digest(change))
            events.append(Event("decision", doc_id, encode(word), diff_id, change.subjects))
        transaction.append(events, now)
    return len(events)


def take_back(session: Session, triggers: Collection[str], reason: str) -> int:
    """Withdraw one's own open changes that came from some triggers; how many."""
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        outdated = [
            (pending.diff.id, change)
            for pending in waiting(viewing, session.principal)
            if pending.diff.trigger.uri in triggers
            for change in open_changes(pending)
        ]
    return withdraw(session, outdated, session.principal, reason)

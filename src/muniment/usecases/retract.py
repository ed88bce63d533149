"""When a claim is retracted (superseded, archived, erased, …), what was derived from it is up for review (`E-RETRACT`).

- That it is stale is computed from the same records, so it holds from the same transaction on (`viewing.seen`).
- The proposal comes from `process:retract`, in the derived claim's own scope.
- Whoever acts proposes only for claims that it may see.
- The proposal tells that a source was retracted, so it is shown only to who sees the source and its retraction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from muniment.core.access import NOBODY, Audience, intersect
from muniment.core.diff import Change, Diff, Trigger
from muniment.core.encode import encode
from muniment.core.event import Event
from muniment.core.row import Row
from muniment.core.source import Source
from muniment.ports.store import Transaction
from muniment.usecases.pending import change_doc_id
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing

PRINCIPAL = "process:retract"


_WORDS = {
    "supersede": "superseded",
    "deprecate": "deprecated",
    "dispute": "disputed",
    "erase": "erased",
    "archive": "archived",
}


def dependents(
    viewing: Viewing, claim_id: str, audience: Audience
) -> tuple[tuple[Row, Audience], ...]:
    """Visible accepted claims derived from a claim, directly or through others, nearest first.

    Each comes with who sees it and everything through which it rests on the claim; `audience` sees the beginning.
    """
    found: dict[str, tuple[Row, Audience]] = {}
    frontier = [(claim_id, audience)]
    while frontier:
        current, seen_by = frontier.pop(0)
        for row in viewing.snapshot.pointing_at(current):
            derived = current in row.derived_from and row.review == "accepted"
            if derived and row.cls in viewing.classes and row.claim_id not in found:
                both = intersect(seen_by, viewing.audience_of(row.cls))
                found[row.claim_id] = row, both
                frontier.append((row.claim_id, both))
    return tuple(found.values())


def retraction_events(
    session: Session,
    transaction: Transaction,
    viewing: Viewing,
    claim_id: str,
    cause: str,
    audience: Audience,
    spared: Collection[tuple[str, Audience] | str] = (),
) -> Iterator[Event]:
    """A proposal for every claim that rests on `claim_id`, as events of the transaction that causes it.

    Args:
        session: Whose act it is.
        transaction: The act's.
        viewing: What the actor sees.
        claim_id: The source that is retracted.
        cause: supersede, deprecate, dispute, erase or archive.
        audience: Who sees both the source and what retracts it (`E-BLINDWRITE`).
        spared: Claims that need no proposal, for anybody or for who sees it.
    """
    for row, seen_by in dependents(viewing, claim_id, audience):
        if row.claim_id in spared or (row.claim_id, seen_by) in spared:
            continue
        scope = viewing.scope_of(row.cls)
        diff_id = session.fresh_id("mdiff")
        reason = f"its source {claim_id} was {_WORDS[cause]}"
        source = Source("memory", "inference", derived_from=(claim_id,), uri=f"memory:{claim_id}")
        change = Change("change_01", "deprecate", reason, target_id=row.claim_id, source=source)
        trigger = Trigger(cause, f"memory:{claim_id}", "observed", session.now())
        diff = Diff(diff_id, session.now(), PRINCIPAL, scope, trigger)
        yield Event("diff", diff_id, encode(diff), cls=transaction.declare_class(scope, NOBODY))
        yield Event(
            "change",
            change_doc_id(diff_id, change.id),
            encode(change),
            diff_id,
            (row.claim_id,),
            transaction.declare_class(scope, seen_by),
        )

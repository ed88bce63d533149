"""When a claim is superseded, disputed, deprecated or erased, what was derived from it is up for review (`E-RETRACT`).

- That it is stale is computed from the same records, so it holds from the same transaction on (`viewing.seen`).
- The proposal comes from `process:retract`, in the derived claim's own scope and class.
- Whoever acts proposes only for claims that it may see.
"""

from __future__ import annotations

from collections.abc import Iterator

from muniment.core.access import NOBODY
from muniment.core.codec import encode
from muniment.core.diff import Change, Diff, Trigger
from muniment.core.event import Event
from muniment.core.row import Row
from muniment.core.source import Source
from muniment.ports.store import Transaction
from muniment.usecases.pending import change_doc_id
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing

PRINCIPAL = "process:retract"


def dependents(viewing: Viewing, claim_id: str) -> tuple[Row, ...]:
    """Visible accepted claims derived from a claim, directly or through others, nearest first."""
    found: dict[str, Row] = {}
    frontier = [claim_id]
    while frontier:
        current = frontier.pop(0)
        for row in viewing.snapshot.pointing_at(current):
            derived = current in row.derived_from and row.review == "accepted"
            if derived and row.cls in viewing.classes and row.claim_id not in found:
                found[row.claim_id] = row
                frontier.append(row.claim_id)
    return tuple(found.values())


def retraction_events(
    session: Session, transaction: Transaction, viewing: Viewing, claim_id: str, cause: str
) -> Iterator[Event]:
    """A proposal for every claim that rests on `claim_id`, as events of the transaction that causes it."""
    for row in dependents(viewing, claim_id):
        scope = viewing.scope_of(row.cls)
        diff_id = session.fresh_id("mdiff")
        word = {
            "supersede": "superseded",
            "deprecate": "deprecated",
            "dispute": "disputed",
            "erase": "erased",
        }[cause]
        reason = f"its source {claim_id} was {word}"
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
            row.cls,
        )

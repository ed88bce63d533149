"""Name one state of the ledger, to the store by its own number, to the asker by what the asker may see of it.

- The tenant's own revision counts what others did too; it never leaves a use case.
- What is shown counts the versions of claims that the asker may see, so hidden writes do not move it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from muniment.core.codec import read_time
from muniment.usecases.viewing import Viewing, worked_out


@dataclass(frozen=True, slots=True)
class Revisions:
    """One state of the ledger, named twice.

    Attributes:
        stored: The tenant's own number.
        shown: How many versions of claims the asker may see in it.
    """

    stored: int
    shown: int


def revisions(viewing: Viewing, as_of: int | datetime | None) -> Revisions:
    """The latest state, or the one that was asked for."""
    if as_of is not None:
        return _past(viewing, as_of)
    return worked_out(viewing.snapshot, ("revisions", viewing.state), lambda: _latest(viewing))


def _latest(viewing: Viewing) -> Revisions:
    visible = viewing.classes.values()
    latest = max((row.revision for row in visible), default=0)
    return Revisions(latest, sum(row.count for row in visible))


def _past(viewing: Viewing, as_of: int | datetime) -> Revisions:
    """The last state with so many visible versions of claims, or the state at an instant.

    A transaction is whole: a number that falls inside one names the state after it.
    """
    shown = counted = 0
    for envelope in viewing.snapshot.envelopes():
        visible = envelope.kind == "claim" and envelope.cls in viewing.classes
        if isinstance(as_of, datetime):
            recorded = read_time(envelope.at, "/at", [])
            over = recorded is None or recorded > as_of
        else:
            over = visible and shown >= as_of and envelope.revision != counted
        if over:
            return Revisions(envelope.revision - 1, shown)
        if visible:
            counted, shown = envelope.revision, shown + 1
    return Revisions(viewing.snapshot.revision, shown)

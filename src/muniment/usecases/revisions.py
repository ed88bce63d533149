"""Name one state of the ledger, to the store by its own number, to the asker by what the asker may see of it.

- The tenant's own revision counts what others did too; it never leaves a use case.
- What is shown counts the versions of claims that the asker may see, so hidden writes do not move it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
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


def shown_as(shown: Sequence[int], revision: int) -> int | None:
    """The number under which a revision is told; None where no visible claim changed in it.

    >>> shown_as((3, 3, 7), 3), shown_as((3, 3, 7), 7), shown_as((3, 3, 7), 5)
    (2, 3, None)
    """
    count = bisect_right(shown, revision)
    return count if count and shown[count - 1] == revision else None


def _past(viewing: Viewing, as_of: int | datetime) -> Revisions:
    """The last state with so many visible versions of claims, or the state at an instant.

    A transaction is whole: a number that falls inside one names the state after it.
    """
    shown, latest = viewing.shown_revisions(), viewing.snapshot.revision
    if isinstance(as_of, datetime):
        over = (one for one, at in viewing.snapshot.instants() if _is_after(at, as_of))
        stored = next(over, latest + 1) - 1
        return Revisions(stored, bisect_right(shown, stored))
    count = min(max(as_of, 0), len(shown))
    count = bisect_right(shown, shown[count - 1]) if count else 0
    return Revisions(shown[count] - 1 if count < len(shown) else latest, count)


def _is_after(at: str, instant: datetime) -> bool:
    recorded = read_time(at, "/at", [])
    return recorded is None or recorded > instant

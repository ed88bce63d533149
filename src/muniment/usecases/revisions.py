"""Name one state of the ledger, to the store by its own number, to the asker by what the asker may see of it.

- The tenant's own revision counts what others did too; it never leaves a use case.
- An instant names the last state before it that this store had recorded. What came by a restore counts as of the
  instants at which the export's store had recorded it, for whoever saw nothing here before: what this store answered
  for an instant it goes on answering.
- What is shown counts the versions of claims that the asker may see, so hidden writes do not move it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from muniment.core.codec import read_time
from muniment.ports.store import Snapshot
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
        over = (one for one, at in _instants(viewing, shown) if _is_after(at, as_of))
        stored = next(over, latest + 1) - 1
        return Revisions(stored, bisect_right(shown, stored))
    count = min(max(as_of, 0), len(shown))
    count = bisect_right(shown, shown[count - 1]) if count else 0
    return Revisions(shown[count] - 1 if count < len(shown) else latest, count)


def restored_in(snapshot: Snapshot) -> Mapping[int, Mapping[str, Any]]:
    """Revisions that a restore made, with what it says of each: `at`, when the export's store had recorded it."""

    def found() -> dict[int, Mapping[str, Any]]:
        docs = snapshot.docs("restored")
        contents = snapshot.contents([doc.seq for doc in docs])
        return {doc.revision: contents[doc.seq] for doc in docs if doc.seq in contents}

    return worked_out(snapshot, ("restored",), found)


def recorded_in(snapshot: Snapshot) -> dict[int, str]:
    """Every revision with the instant at which it was first recorded, here or where it was restored from."""
    return dict(snapshot.instants()) | {
        revision: str(told["at"]) for revision, told in restored_in(snapshot).items()
    }


def _instants(viewing: Viewing, shown: Sequence[int]) -> Iterable[tuple[int, str]]:
    """Revisions and the instants that name them, ascending by revision."""
    told = restored_in(viewing.snapshot)
    own = viewing.snapshot.instants()
    if not told:
        return own
    seen = {*shown, *_of_conflicts(viewing)}
    before = min(seen.difference(told), default=viewing.snapshot.revision + 1)
    return [
        (one, str(told[one]["at"]) if one in told and one < before else at)
        for one, at in own
        if one in seen
    ]


def _of_conflicts(viewing: Viewing) -> Iterator[int]:
    """The revisions in which conflicts that are seen began, or were settled."""
    snapshot = viewing.snapshot
    docs = snapshot.docs("conflict")
    contents = snapshot.contents([doc.seq for doc in docs])
    for doc in docs:
        if doc.seq in contents and all(map(viewing.sees, contents[doc.seq]["between"])):
            yield doc.revision
            yield next(snapshot.envelopes(doc.first_seq - 1)).revision


def _is_after(at: str, instant: datetime) -> bool:
    recorded = read_time(at, "/at", [])
    return recorded is None or recorded > instant

"""Re-read: go back to the sources of claims, and propose what follows (`B-REVERIFY`).

- Only a match (or the same words at another place) renews freshness, and it is proposed like any change.
- What the source no longer says is proposed to be deprecated; what cannot be reached proves nothing and is reported.
- By default only claims are read whose verification ran out or whose last reading doubted them.
- The proposals come from `process:reread`; a policy may accept what it can derive again.
- A proposal that waits already is not made twice, not by two at the same moment either: what waits is looked at again
  under the store's lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from muniment.core.access import Scope
from muniment.core.claim import Claim
from muniment.core.codec import micros
from muniment.core.diff import Basis, Change, Diff, Trigger
from muniment.core.row import Row
from muniment.core.source import Reading, renewed
from muniment.core.status import freshness_at
from muniment.usecases.pending import open_changes, waiting
from muniment.usecases.propose import Proposed, record
from muniment.usecases.readings import read_source
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing, is_name, not_found

PRINCIPAL = "process:reread"


@dataclass(frozen=True, slots=True)
class Reread:
    """What going back to the sources found.

    Attributes:
        readings: Claim to what its source says now.
        proposed: The recorded diffs, one a scope.
        without_source: Claims that have nothing that can be read again.
        waiting: Claims for which the same proposal waits already.
    """

    readings: dict[str, Reading]
    proposed: tuple[Proposed, ...] = ()
    without_source: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()


def reread(session: Session, claim_ids: tuple[str, ...] = (), everything: bool = False) -> Reread:
    """Read the sources of claims again.

    Args:
        session: Who asks; claims of its scopes are read.
        claim_ids: These, due or not; none means what is due.
        everything: All current claims in scope, due or not.

    Raises:
        NotFound: A named claim is absent or not visible.
    """
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        chosen = _chosen(session, viewing, claim_ids, everything)
        claims = viewing.claims(chosen)
        asked = _waiting(viewing)
    readings: dict[str, Reading] = {}
    unread: list[str] = []
    changes: dict[Scope, list[Change]] = {}
    again: list[str] = []
    for claim in claims.values():
        reading = read_source(session, claim.source)
        if reading is None:
            unread.append(claim.id)
            continue
        readings[claim.id] = reading
        change = _change(claim, reading)
        if change is not None and (change.operation, claim.id) in asked:
            again.append(claim.id)
        elif change is not None:
            changes.setdefault(claim.scope, []).append(change)
    proposed = (_propose(session, scope, found, again) for scope, found in changes.items())
    made = tuple(one for one in proposed if one is not None)
    return Reread(readings, made, tuple(unread), tuple(again))


def _chosen(
    session: Session, viewing: Viewing, claim_ids: tuple[str, ...], everything: bool
) -> tuple[Row, ...]:
    rows = viewing.seen(viewing.snapshot.rows(viewing.classes_of(session.scopes)))
    current = [r for r in rows if r.review == "accepted" and not r.superseded_by and not r.retired]
    if claim_ids:
        by_id = {row.claim_id: row for row in current}
        for claim_id in claim_ids:
            if not is_name(claim_id) or claim_id not in by_id:
                raise not_found("current claim", claim_id)
        return tuple(by_id[claim_id] for claim_id in dict.fromkeys(claim_ids))
    at = micros(session.now())
    return tuple(r for r in current if everything or freshness_at(r, at) in ("stale", "unknown"))


def _waiting(viewing: Viewing) -> set[tuple[str, str]]:
    pending = (p for p in waiting(viewing) if p.diff.proposed_by == PRINCIPAL)
    return {(c.operation, c.target_id) for p in pending for c in open_changes(p)}


def _change(claim: Claim, reading: Reading) -> Change | None:
    """What a reading asks for; nothing, where nothing could be observed."""
    if reading.state in ("match", "moved"):
        word = "still says so" if reading.state == "match" else "still says so, at another place"
        evidence = tuple(
            renewed(one, reading) if index == 0 else one
            for index, one in enumerate(claim.source.evidence)
        )
        source = replace(claim.source, evidence=evidence, observed_at=reading.at)
        return Change(
            "", "revalidate", f"its source {word}", None, claim.id, (), source, None, reading
        )
    if reading.state in ("changed", "missing"):
        word = "no longer says so" if reading.state == "changed" else "is gone"
        source = replace(claim.source, observed_at=reading.at)
        return Change(
            "", "deprecate", f"its source {word}", None, claim.id, (), source, None, reading
        )
    return None


class _Overtaken(Exception):
    """Another run proposed some of the same meanwhile."""

    def __init__(self, known: set[tuple[str, str]]) -> None:
        super().__init__()
        self.known = known


def _propose(
    session: Session, scope: Scope, changes: list[Change], again: list[str]
) -> Proposed | None:
    """Propose what does not wait by now; None where that is nothing.

    Args:
        session: Who asks.
        scope: The claims' scope.
        changes: What the readings ask for.
        again: Takes in the claims for which the same waits.
    """

    def locked(viewing: Viewing) -> None:
        known = _waiting(viewing)
        if any((one.operation, one.target_id) in known for one in changes):
            raise _Overtaken(known)

    try:
        diff = _diff(session, scope, changes)
        proposer = replace(session, principal=PRINCIPAL)
        return record(proposer, diff, seen_as=session.principal, locked=locked)
    except _Overtaken as since:
        left = [one for one in changes if (one.operation, one.target_id) not in since.known]
        again += [one.target_id for one in changes if one not in left]
        return _propose(session, scope, left, again) if left else None


def _diff(session: Session, scope: Scope, changes: list[Change]) -> Diff:
    numbered = tuple(replace(change, id=f"change_{n:02d}") for n, change in enumerate(changes, 1))
    uris = dict.fromkeys(change.source.uri for change in numbered if change.source)
    return Diff(
        id=session.fresh_id("mdiff"),
        created_at=session.now(),
        proposed_by=PRINCIPAL,
        scope=scope,
        trigger=Trigger("reading", next(iter(uris)), "observed", session.now()),
        basis=tuple(Basis(uri) for uri in uris),
        summary=f"{len(numbered)} claims read again at their sources",
        changes=numbered,
    )


def kinds(result: Reread) -> Iterator[tuple[str, int]]:
    """How many readings came out how, most reassuring first."""
    for state in ("match", "moved", "changed", "missing", "could_not_observe"):
        count = sum(reading.state == state for reading in result.readings.values())
        if count:
            yield state, count

"""Lists for whoever governs memory: the bridges of the scopes in force, and the latest decisions.

- As everywhere, what the asker may not see is in no list and in no count.
- A bridge that would rewrite nothing is listed with what speaks against it.
"""

from __future__ import annotations

from dataclasses import dataclass

from muniment.core.bridge import PREDICATE, reasons_against
from muniment.core.claim import Claim, Fact
from muniment.core.codec import micros, trusted
from muniment.core.diff import Change, Decided
from muniment.core.errors import NotFound
from muniment.core.facts import Wanted, predicate_number
from muniment.core.relations import relation
from muniment.core.row import FOREVER
from muniment.core.status import status_at
from muniment.usecases.pending import load
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing

MOST_BRIDGES = 1_000
MOST_DECIDED = 50
_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class ListedBridge:
    """A bridge that was reviewed.

    Attributes:
        claim: The claim that states it.
        fact: From which phrase to which.
        status: Computed for now.
        against: Why it rewrites nothing, whoever accepted it; empty where it may.
    """

    claim: Claim
    fact: Fact
    status: str
    against: tuple[str, ...]

    @property
    def serves(self) -> bool:
        """Whether a grounded recall may rewrite by it."""
        held = self.status not in ("invalid", "archived", "superseded", "expired")
        return held and self.claim.review.status == "accepted" and not self.against


def bridges(session: Session) -> tuple[ListedBridge, ...]:
    """The bridges of the scopes in force, by phrase; a thousand at most."""
    at = micros(session.now())
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        wanted = Wanted(
            predicate_number(PREDICATE, snapshot.key), viewing.classes_of(session.scopes)
        )
        events = {event for _, _, event, *_ in snapshot.facts(wanted)}
        rows = [r for r in snapshot.rows_at(events).values() if r.until_revision == FOREVER]
        replaced = {row.claim_id: viewing.successor_of(row.claim_id) for row in rows}
        seen = viewing.seen_among(rows, {one: by for one, by in replaced.items() if by})
        claims = viewing.claims(seen)
        found = [
            ListedBridge(
                claim, fact, status_at(row, at, viewing.sees),
                reasons_against(claim) if len(claim.facts) == 1 else ("several_facts",),
            )
            for row in seen
            if (claim := claims.get(row.seq))
            for fact in claim.facts
            if relation(fact.predicate).name == PREDICATE
        ]  # fmt: skip
    found.sort(key=lambda one: (one.fact.subject, one.fact.object, one.claim.id))
    return tuple(found[:MOST_BRIDGES])


@dataclass(frozen=True, slots=True)
class ListedDecision:
    """A decision with what it was about.

    Attributes:
        decided: The decision.
        change: The change, as the asker may see it.
        proposed_by: Who proposed it.
    """

    decided: Decided
    change: Change
    proposed_by: str


def decisions(session: Session, most: int = MOST_DECIDED) -> tuple[ListedDecision, ...]:
    """The latest decisions on visible changes of the scopes in force, the latest first."""
    found: list[ListedDecision] = []
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        docs = sorted(snapshot.docs("decision"), key=lambda doc: -doc.seq)
        for start in range(0, len(docs), _AT_ONCE):
            some = docs[start : start + _AT_ONCE]
            contents = snapshot.contents([doc.seq for doc in some])
            for doc in some:
                if doc.seq in contents and len(found) < most:
                    found += _listed(session, viewing, trusted(Decided, contents[doc.seq]))
            if len(found) >= most:
                break
    return tuple(found)


def _listed(session: Session, viewing: Viewing, decided: Decided) -> list[ListedDecision]:
    try:
        pending = load(viewing, decided.diff_id)
    except NotFound:
        return []
    if pending.diff.scope not in session.scopes:
        return []
    return [
        ListedDecision(decided, change, pending.diff.proposed_by)
        for change in pending.diff.changes
        if change.id == decided.change_id
    ]

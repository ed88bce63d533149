"""Keep retrievals and claims no longer than declared, and of questions no more (`A-RETRIEVAL`, `A-RETENTION`).

- What is over is in no answer from that instant on, whether or not it was removed yet: absent and over have one answer.
- Removing is apart, an operator's act, and can be tried first; what was removed is gone from the disk too, or it is
  said what holds it up.
- Counts of accesses that were last made before go along.
- Claims are looked at by rules of their own, and in the same act (`usecases.lifecycle`).

Which rule holds is declared (`usecases.declare`); it is the latest word.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from muniment.core.codec import trusted
from muniment.core.retention import RETRIEVALS, Retention, cut, known_part
from muniment.ports.credential import Signer
from muniment.ports.store import Snapshot, Trimmed
from muniment.usecases.declare import is_bootstrap
from muniment.usecases.lifecycle import Lived, live, look
from muniment.usecases.session import Session
from muniment.usecases.viewing import worked_out

KIND = "retention"


@dataclass(frozen=True, slots=True)
class Retained:
    """What a rule makes of the log.

    Attributes:
        rule: The rule that is declared; the one that keeps everything where none is.
        before: Retrievals up to this instant are over; None where none is.
        found: What is over, or was removed.
        removed: Whether it was removed.
        claims: What the rules of claims make of those that the asker sees.
    """

    rule: Retention
    before: datetime | None
    found: Trimmed
    removed: bool
    claims: Lived = field(default_factory=Lived)


def retention(snapshot: Snapshot) -> Retention:
    """The rule that holds in a state."""
    return worked_out(snapshot, (KIND,), lambda: _declared(snapshot))


def _declared(snapshot: Snapshot) -> Retention:
    doc = snapshot.doc(KIND, snapshot.key(KIND, RETRIEVALS))
    content = snapshot.contents([doc.seq]).get(doc.seq) if doc else None
    if content is None:
        return Retention()
    return trusted(Retention, known_part(content))


def retain(session: Session, *, apply: bool = False, signer: Signer | None = None) -> Retained:
    """Look for retrievals that are over and claims that are due, and do what is declared where that is asked for.

    Args:
        session: The operator's session.
        apply: Whether to do it; otherwise nothing is changed.
        signer: The operator's opened credential; needed where a claim is to be archived or deleted.

    Raises:
        NotPermitted: Somebody governs, and it is no operator who asks: what is counted is everybody's. Or a claim is
            due and no credential signs; nothing was done then.
    """
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        if not is_bootstrap(snapshot):
            viewing.require_role("operator", "look over everybody's retrievals")
        rule = retention(snapshot)
        claims = look(viewing, session.now())
    if apply and claims.rules:
        claims = live(session, signer)
    before = cut(rule, session.now())
    if before is None:
        return Retained(rule, None, Trimmed(0, 0, "complete"), False, claims)
    found = session.store.trim(session.tenant, before, dry=not apply)
    return Retained(rule, before, found, apply, claims)

"""Consolidate: propose one memory in place of reading several, and find which could be one (`A-CONSOLIDATE`).

- It is a proposal like any other: a reviewer decides. The sources stay, and go on serving.
- What is derived is bound to its sources: visible to no more than they, and stale when one of them is retracted.
- Only what is in force is consolidated: accepted, active, of one scope, and at one with the others.
- What the asker may not see is in no group, and in no count.

How one memory comes of several is `core.consolidation`'s matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from muniment.core.claim import Claim
from muniment.core.codec import micros
from muniment.core.consolidation import FEWEST, MOST, Group, disagreeing, draft_of, groups
from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.core.row import Row
from muniment.core.status import status_at
from muniment.usecases.propose import Proposed, propose
from muniment.usecases.session import Session
from muniment.usecases.show import resolve, seen_row
from muniment.usecases.viewing import Viewing

MOST_GROUPS = 100


def consolidations(session: Session) -> tuple[Group, ...]:
    """The memories of the scopes in force that could be one, the largest groups first; a hundred at most.

    What one memory was made of already is left out (`A-INF-CONSOLIDATE`).
    """
    at = micros(session.now())
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        found: list[Group] = []
        for cls in viewing.classes_of(session.scopes):
            rows = viewing.seen(snapshot.rows((cls,)))
            held = [row for row in rows if _is_in_force(row, at, viewing)]
            made = [set(row.derived_from) for row in held if row.derivation == "consolidated"]
            plain = [row for row in held if row.derivation != "consolidated"]
            several = groups(tuple(viewing.claims(plain).values()))
            found += [g for g in several if not any(set(g.ids) <= sources for sources in made)]
    return tuple(sorted(found, key=lambda group: (-len(group.ids), group.about)))[:MOST_GROUPS]


def consolidate(
    session: Session, ids: Sequence[str], claim: str = "", reason: str = ""
) -> Proposed:
    """Propose one memory that is made of several.

    Args:
        session: Who proposes.
        ids: The memories, by identifier or alias.
        claim: What it says; what they say, one sentence each, where it is empty.
        reason: Why; that they are about one thing where it is empty.

    Raises:
        NotFound: One of them is absent or not visible.
        InvalidInput: They cannot be one memory; nothing was written.
    """
    now = session.now()
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        rows = {row.claim_id: row for row in (resolve(viewing, one) for one in ids)}
        claims = [viewing.claim(one) for one in sorted(rows)]
        findings = [*_unfit(viewing, tuple(rows.values()), micros(now)), *_apart(claims)]
    if findings:
        raise InvalidInput.of(tuple(findings))
    why = reason.strip() or f"{len(claims)} memories about one thing, in one"
    return propose(session, diff_of(claims, claim, session.principal, now, why))


def diff_of(
    claims: Sequence[Claim], text: str, agent: str, at: datetime, reason: str
) -> Mapping[str, Any]:
    """The proposal of one memory in place of several that fit together, in wire form."""
    item = draft_of(claims, text, agent, at)
    change = {"id": "change_01", "operation": "add", "reason": reason, "item": item}
    trigger = {
        "kind": "consolidation",
        "uri": f"principal:{agent}",
        "state": "completed",
        "observed_at": encode(at),
    }
    return {"scope": item["scope"], "trigger": trigger, "changes": [change]}


def _is_in_force(row: Row, at: int, viewing: Viewing) -> bool:
    return row.review == "accepted" and status_at(row, at, viewing.sees) == "active"


def _unfit(viewing: Viewing, rows: Sequence[Row], at: int) -> list[Finding]:
    """What speaks against each of them."""
    found = []
    for row in (seen_row(viewing, one) for one in rows):
        if not _is_in_force(row, at, viewing):
            standing = (
                "not accepted" if row.review != "accepted" else status_at(row, at, viewing.sees)
            )
            message = f"{quoted(row.claim_id)} is {standing}, and a consolidation rests on what is in force"
            fix = "leave it out, or have it decided first"
            found.append(Finding("not_in_force", message, "/ids", fix, req="A-CONSOLIDATE"))
    return found


def _apart(claims: Sequence[Claim]) -> list[Finding]:
    """What speaks against them together."""
    if not FEWEST <= len(claims) <= MOST:
        message = f"a consolidation has {FEWEST} to {MOST} sources; {len(claims)} were named"
        fix = "name the memories that say something about one thing; `muniment consolidate` lists some"
        return [Finding("sources_of_consolidation", message, "/ids", fix, req="A-CONSOLIDATE")]
    scopes = sorted({str(one.scope) for one in claims})
    if len(scopes) > 1:
        message = f"the memories belong to {len(scopes)} scopes: {', '.join(map(quoted, scopes))}"
        fix = "consolidate those of one scope"
        return [Finding("several_scopes", message, "/ids", fix, req="A-CONSOLIDATE")]
    torn = disagreeing(claims)
    if torn is None:
        return []
    message = f"{quoted(torn[0])} and {quoted(torn[1])} contradict one another, or may"
    fix = "resolve that first, or leave one of them out"
    return [Finding("merges_contradiction", message, "/ids", fix, req="A-REJECT-MERGE")]

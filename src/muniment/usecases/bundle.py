"""Bundle: put together all that the asker may see of the scopes in force, for a bundle that can be restored.

- What the asker may not see leaves no trace: no claim, no count, no name in a relation of a visible claim (`B-TRAVEL`).
- Every review state is exported as it is; what only waits for review is no claim yet, and is not.
- The same store and asker give the same export, whatever the time (`E-DETERMINISM`).
"""

from __future__ import annotations

from dataclasses import replace

from muniment.core.access import Audience, within
from muniment.core.claim import Claim
from muniment.core.errors import Finding, InvalidInput
from muniment.ports.interchange import Export, Outgoing, without_names
from muniment.usecases.past import past_of
from muniment.usecases.session import Session


def collect(session: Session, readers: Audience | None = None, history: bool = False) -> Export:
    """What leaves.

    Args:
        session: Who asks, and the scopes in force.
        readers: Who will read what is written; None for the one who asks.
        history: Whether what was recorded before goes along (`usecases.past`).

    Raises:
        InvalidInput: No scope is in force (`E-NOSCOPE`).
    """
    if not session.scopes:
        fix = "run `muniment init`, or name one with `--scope kind:id`"
        finding = Finding("no_scope", "no scope is in force", "--scope", fix, req="E-NOSCOPE")
        raise InvalidInput.of((finding,))
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        rows = viewing.seen(viewing.snapshot.rows(viewing.classes_of(session.scopes)))
        claims = viewing.claims(rows)
        found = [
            Outgoing(
                without_names(claims[row.seq], viewing.sees),
                row.superseded_by,
                tuple(one for one in row.conflicts if viewing.sees(one)),
            )
            for row in sorted(rows, key=lambda row: row.claim_id)
            if row.seq in claims
        ]
        named = {one.claim.id for one in found}
        conflicts = tuple(c for c in viewing.conflicts() if named.issuperset(c["between"]))
        narrow = {c.id for c in (one.claim for one in found) if not _for_all(readers, c)}
        past = None
        if history:
            classes = frozenset(
                name
                for name in viewing.classes_of(session.scopes)
                if readers is None or within(readers, viewing.audience_of(name))
            )
            past = past_of(viewing, classes, frozenset(named - narrow))
    whole = Export(session.scopes, tuple(found), conflicts, past=past)
    why = "not all readers may see it"
    return replace(whole.without(narrow), left_out=tuple((one, why) for one in sorted(narrow)))


def _for_all(readers: Audience | None, claim: Claim) -> bool:
    return readers is None or within(readers, claim.visibility.audience)

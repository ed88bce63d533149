"""Claims as an RDF graph, as far as the asker sees them and what they are related to (`A-RELATIONS`).

- Without a name everything that is accepted in the scopes in force, up to a bound that is refused, never cut.
"""

from __future__ import annotations

from collections.abc import Sequence

from muniment.core.errors import Finding, InvalidInput
from muniment.core.rdf import Known, Triple, triples
from muniment.core.row import Row
from muniment.usecases.session import Session
from muniment.usecases.show import resolve
from muniment.usecases.viewing import Viewing

MOST_CLAIMS = 100_000


def graph(session: Session, names: Sequence[str]) -> tuple[Triple, ...]:
    """The triples of some claims, or of all that are accepted in scope.

    Args:
        session: Who exports.
        names: Claims by identifier or alias; none for all.

    Raises:
        NotFound: A claim is absent or not visible.
        InvalidInput: There are too many.
    """
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        rows = [resolve(viewing, name) for name in names] if names else _in_scope(viewing, session)
        if len(rows) > MOST_CLAIMS:
            message = f"{len(rows)} claims are in scope, over {MOST_CLAIMS}"
            raise InvalidInput.of(
                (Finding("too_many_claims", message, "", "name a scope, or claims"),)
            )
        claims = viewing.claims(rows)
        found: list[Triple] = []
        for row in rows:
            if row.seq in claims:
                found += triples(claims[row.seq], _known(session, viewing, row))
    return tuple(dict.fromkeys(found))


def _in_scope(viewing: Viewing, session: Session) -> list[Row]:
    rows = viewing.snapshot.rows(viewing.classes_of(session.scopes))
    return [row for row in rows if row.review == "accepted"]


def _known(session: Session, viewing: Viewing, row: Row) -> Known:
    pointing = viewing.snapshot.pointing_at(row.claim_id)
    derived = (
        other.claim_id
        for other in pointing
        if other.cls in viewing.classes and row.claim_id in other.derived_from
    )
    sources = tuple(one for one in row.derived_from if viewing.row(one) is not None)
    count, last = session.store.accesses(session.tenant, row.claim_id, session.principal)
    return Known(count, last, tuple(dict.fromkeys(derived)), sources)

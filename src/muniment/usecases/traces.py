"""Look at a logged retrieval: how it came to its answer (`A-RETRIEVAL`).

- Only the principal that made it may look; to everybody else it is not there.
- What is kept no longer, as declared (`retain`), is not there either, removed or not.
- What was erased since is not in it any more: the store removes the logged queries that found it. Those that found what
  was narrowed out of their principal's sight are not there for it either (`B-TRAVEL`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muniment.core.access import Scope
from muniment.core.encode import time_text
from muniment.core.ids import is_id
from muniment.core.retention import is_over
from muniment.ports.store import Access
from muniment.usecases.retain import retention
from muniment.usecases.session import Session
from muniment.usecases.viewing import not_found


def retrieval(session: Session, retrieval_id: str) -> Mapping[str, Any]:
    """The record of one retrieval.

    Raises:
        NotFound: There is none, or somebody else made it.
    """
    known = is_id(retrieval_id, "ret")
    access = session.store.logged(session.tenant, retrieval_id) if known else None
    if (
        access is None
        or access.principal != session.principal
        or _is_outside(session, access)
        or _is_over_or_lost(session, access)
    ):
        raise not_found("retrieval", retrieval_id)
    return {**access.record, "principal": access.principal, "at": time_text(access.at)}


def _is_over_or_lost(session: Session, access: Access) -> bool:
    """Whether it is kept no longer, or found what its principal may not see any more."""
    with session.store.snapshot(session.tenant) as snapshot:
        lost = session.viewing(snapshot).withdrawn()
        found = (*access.claims, *access.selected)
        return not lost.isdisjoint(found) or is_over(retention(snapshot), access.at, session.now())


def _is_outside(session: Session, access: Access) -> bool:
    """Whether it was asked in a scope outside those that the session is bound to."""
    known = {str(scope) for scope in session.scopes}
    asked = [str(Scope(one["kind"], one["id"])) for one in access.record["request"]["scopes"]]
    return session.bound and not known.issuperset(asked)

"""Look at a logged retrieval: how it came to its answer (`A-RETRIEVAL`).

- Only the principal that made it may look; to everybody else it is not there.
- What was erased since is not in it any more: the store removes the logged queries that found it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muniment.core.encode import time_text
from muniment.core.ids import is_id
from muniment.usecases.session import Session
from muniment.usecases.viewing import not_found


def retrieval(session: Session, retrieval_id: str) -> Mapping[str, Any]:
    """The record of one retrieval.

    Raises:
        NotFound: There is none, or somebody else made it.
    """
    known = is_id(retrieval_id, "ret")
    access = session.store.logged(session.tenant, retrieval_id) if known else None
    if access is None or access.principal != session.principal:
        raise not_found("retrieval", retrieval_id)
    return {**access.record, "principal": access.principal, "at": time_text(access.at)}

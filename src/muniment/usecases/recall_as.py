"""Recall as somebody else would be answered, as far as whoever looks sees it too: for an operator who tries things out.

- Only what both may see is there; what the other sees alone changes nothing, and is not hinted at (`B-FILTERFIRST`).
- Who belongs to which group shows in the answer, so it is for operators, who see that anyhow.
- It is not logged, counts for nobody, and shows nobody's own proposals.
"""

from __future__ import annotations

from dataclasses import replace

from muniment.core.packet import Packet
from muniment.core.request import Request
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing


def recall_as(session: Session, principal: str, request: Request, ontology: str = "") -> Packet:
    """What a principal would be handed, as far as the operator sees it.

    Args:
        session: The operator's session.
        principal: As whom.
        request: What is asked.
        ontology: Hash of the vocabulary.

    Raises:
        InvalidInput: Something is wrong with the request.
        NotPermitted: Whoever looks is no operator, or asks for a scope that is not in force.
    """
    from muniment.usecases.answer import Asked
    from muniment.usecases.recall import packet_of, refuse_wrong

    request = replace(request, own_proposals=False, log="off", reread=False)
    refuse_wrong(session, request)
    acting = replace(session, principal=principal, once="", asked="")
    scopes = tuple(sorted(request.scopes or session.scopes))
    at = request.at or session.now()
    asked = Asked(acting, request, session.counter(request.counter), scopes, at, ontology)
    with session.store.snapshot(session.tenant) as snapshot:
        own = session.viewing(snapshot)
        own.require_role("operator", "recall as somebody else")
        viewing = Viewing(snapshot, principal, own)
        return packet_of(asked, viewing)[0] if scopes else asked.no_scope()

"""Answer a question from memory: permitted, current, whole, cited, inside a budget, or say why not.

- The order of work is fixed: who sees what, then what may serve, then what answers, then what contradicts, then
  what fits (`B-FILTERFIRST`, `A-QUERY`). Each step leaves its counts in the trace.
- What may not be seen changes nothing in the packet: no result, score, count, revision or omission.
- Support is absolute: where nothing answers, the outcome says so, and nothing is handed over (`E-ABSTAIN`).
- Contradicting claims come together, with the rule that says which may win; where none does, that is the outcome.
- A prohibited use is lifted only by re-reading the source for this very request (`B-USES`).
- The same store, request and instant give the same packet; the identifier of the retrieval stands beside it.

The record of a retrieval is read in `traces`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from muniment.core.access import Scope
from muniment.core.canonical import digest
from muniment.core.errors import EmbedderUnavailable, InvalidInput, NotPermitted
from muniment.core.packet import Packet
from muniment.core.ranking import FUSED, policy_named
from muniment.core.request import Request, request_findings, scope_findings
from muniment.core.retention import stricter
from muniment.ports.store import Access
from muniment.usecases.retain import retention
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing

if TYPE_CHECKING:
    from muniment.usecases.answer import Asked
    from muniment.usecases.eligible import Gathered
    from muniment.usecases.embedding import Meaning
    from muniment.usecases.hits import Hit

__all__ = ["Recalled", "Request", "recall"]


@dataclass(frozen=True, slots=True)
class Recalled:
    """A packet and the identifier under which its retrieval was logged; empty where it was not."""

    packet: Packet
    retrieval_id: str = ""

    def as_json(self) -> dict[str, Any]:
        """The packet's JSON value with the identifier beside it."""
        return {"retrieval_id": self.retrieval_id or None, **self.packet.as_json()}


def recall(session: Session, request: Request, *, ontology: str = "") -> Recalled:
    """Evidence for a question and a use.

    Args:
        session: Who asks, and where.
        request: What is asked.
        ontology: Hash of the vocabulary, shown in the packet.

    Raises:
        InvalidInput: Something is wrong with the request; all of it is said.
        NotPermitted: It asks for a scope that is not in force.
    """
    from muniment.usecases.answer import Asked

    refuse_wrong(session, request)
    counter = session.counter(request.counter)
    now = session.now()
    scopes = tuple(sorted(request.scopes or session.scopes))
    asked = Asked(session, request, counter, scopes, request.at or now, ontology)
    hits: tuple[Hit, ...] = ()
    kept: str = request.log
    meaning, unembedded = meaning_for(session, request)
    if not scopes:
        packet = asked.no_scope()
    else:
        with session.store.snapshot(session.tenant) as snapshot:
            viewing = session.viewing(snapshot)
            kept = stricter(request.log, retention(snapshot).queries)
            packet, hits = packet_of(asked, viewing, meaning, unembedded)
    if kept == "off":
        return Recalled(packet)
    return Recalled(packet, _log(session, request, packet, hits, now, kept))


def refuse_wrong(session: Session, request: Request) -> None:
    """Refuse a request that cannot be asked, or not here.

    Raises:
        InvalidInput: Something is wrong with it; all of it is said.
        NotPermitted: It asks for a scope that is not in force.
    """
    findings = request_findings(request)
    if findings:
        raise InvalidInput.of(findings)
    widening = scope_findings(request.scopes, session.scopes)
    if widening:
        raise NotPermitted(str(widening[0]), widening)


def packet_of(
    asked: Asked, viewing: Viewing, meaning: Meaning | None = None, unembedded: str = ""
) -> tuple[Packet, tuple[Hit, ...]]:
    """A packet from one principal's view of one snapshot, and all that supports an answer.

    Args:
        asked: What is asked.
        viewing: What the principal sees.
        meaning: The question's vector; None where nothing is compared by one.
        unembedded: Why there is none, where an embedder is declared.
    """
    from muniment.usecases.answer import Answer
    from muniment.usecases.eligible import gather
    from muniment.usecases.scoring import score

    request = asked.request
    absolute = _absolute(asked.session, viewing, asked.scopes) if request.reread else ()
    gathered = gather(viewing, request, asked.scopes, asked.at, absolute)
    if request.grounded:
        packet, hits = _grounded(asked, gathered)
    else:
        scoring, scored = score(gathered, request, meaning)
        covered = scoring.nearby.coverage() if scoring.nearby else None
        asked = replace(asked, policy=scoring.policy, coverage=covered, unembedded=unembedded)
        packet, hits = Answer(asked, gathered, scoring, scored).packet(), scored.supported
    if request.include_passages:
        from muniment.usecases.add_passages import with_passages

        packet = with_passages(asked, packet, viewing, gathered.classes, meaning)
    return packet, hits


def _grounded(asked: Asked, gathered: Gathered) -> tuple[Packet, tuple[Hit, ...]]:
    """A packet of what answers the query or a text that bridges let it be rewritten to (`D-GROUNDED`)."""
    from muniment.usecases.answer import Answer
    from muniment.usecases.bridging import rewritten, score_variants, stopped

    request = asked.request
    expansion = rewritten(gathered, request.query, request.variants, request.steps)
    if expansion.outcome != "expanded":
        return stopped(asked, gathered.revision, expansion), ()
    scoring, scored, rewrites = score_variants(gathered, asked, expansion.variants)
    answer = Answer(asked, gathered, scoring, scored)
    answer.rewrites = rewrites
    return replace(answer.packet(), variants=expansion.variants), scored.supported


def meaning_for(session: Session, request: Request) -> tuple[Meaning | None, str]:
    """The question's vector, where its method compares by one; why there is none, where an embedder is declared.

    Raises:
        InvalidInput: The method needs an embedder, and none is configured.
        EmbedderUnavailable: The method needs the embedder, and it did not answer.
    """
    from muniment.usecases.embedding import meaning_of, needs_embedder

    policy = policy_named(request.ranking) or FUSED
    if not policy.compares(request.method) or not request.query:
        return None, ""
    alone = request.method == "embedding_similarity"
    try:
        meaning = meaning_of(session, request.query)
    except (EmbedderUnavailable, InvalidInput) as error:
        if alone:
            raise
        return None, f"nothing is compared by embedding: {error}"
    if alone and meaning is None:
        raise needs_embedder()
    return meaning, ""


def _absolute(session: Session, viewing: Viewing, scopes: tuple[Scope, ...]) -> tuple[str, ...]:
    """Uses that no re-reading lifts; what policies need is loaded only where a re-reading is asked for."""
    from muniment.usecases.policy import absolute_uses

    return absolute_uses(session, viewing, scopes)


def _log(
    session: Session,
    request: Request,
    packet: Packet,
    hits: tuple[Hit, ...],
    now: datetime,
    kept: str,
) -> str:
    """Keep the retrieval, outside the ledger and for its own principal (`A-RETRIEVAL`, `A-ONACCESS`)."""
    retrieval_id = session.fresh_id("ret")
    selected = tuple(item.claim.id for item in packet.items)
    query: Mapping[str, Any] = {"digest": digest(request.query)}
    if kept == "text":
        query = {**query, "text": request.query}
    echo = {name: value for name, value in packet.request.items() if name != "query"}
    answer = packet.as_json()
    record = {
        "id": retrieval_id,
        "query": query,
        "request": echo,
        "outcome": packet.outcome,
        "candidates": [
            {"id": hit.row.claim_id, "relevance": hit.relevance.value} for hit in hits
        ],
        "selected": [
            {"id": item["id"], "relevance": item["relevance"]} for item in answer["evidence"]
        ],
        "ranking": answer["ranking"],
        "omissions": answer["omissions"],
        "revision": packet.revision,
        "budget": answer["budget"],
        "trace": answer["trace"],
    }  # fmt: skip
    quoted = [one for quote in packet.quotes for one in (quote.id, quote.kept.id)]
    if quoted:
        record["passages"] = [
            {"id": one["id"], "relevance": one["relevance"]} for one in answer["passages"]
        ]
    candidates = tuple(hit.row.claim_id for hit in hits)
    left_out = (omission.id for omission in packet.omissions)
    against = (one for conflict in packet.conflicts for one, _ in conflict.not_served)
    claims = tuple(dict.fromkeys((*candidates, *selected, *left_out, *against, *quoted)))
    session.store.log(
        session.tenant, Access(retrieval_id, session.principal, now, record, claims, selected)
    )
    return retrieval_id

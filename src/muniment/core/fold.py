"""From an event to the rows that reading needs: a pure function, the same for every store.

- Everything current is derived: dropping all rows and folding the ledger again gives the same rows (`E-REBUILD`).
- An event whose content was erased yields nothing.
- The key function comes from the store; lookup keys are its digests.

Which rows an earlier version's end and an index's layout give is the store's matter.

>>> fold(Event("principal", "k1", {"name": "user:a"}), 7, 3, 0, lambda *parts: "k").doc.seq
7
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from muniment.core.claim import Claim
from muniment.core.codec import micros
from muniment.core.differences import frame
from muniment.core.event import Event
from muniment.core.facts import fact_numbers, standing_of
from muniment.core.passage import said_from
from muniment.core.record import claim_from
from muniment.core.relations import relation
from muniment.core.row import FOREVER, Derived, Doc, Row
from muniment.core.text import match_key
from muniment.core.words import words

KeyOf = Callable[..., str]


def claim_keys(claim: Claim, key: KeyOf) -> tuple[str, ...]:
    """The lookup keys of a claim, each within its scope: its slot, text, shape, facts and aliases."""
    where = str(claim.scope)
    keys = [key("text", where, match_key(claim.claim)), key("shape", where, frame(claim.claim))]
    if claim.slot:
        keys.append(key("slot", where, claim.slot))
    keys.extend(fact_key(where, fact.subject, fact.predicate, key) for fact in claim.facts)
    keys.extend(key("alias", match_key(alias)) for alias in claim.aliases)
    return tuple(dict.fromkeys(keys))


def fact_key(scope: str, subject: str, predicate: str, key: KeyOf) -> str:
    """The lookup key of a subject and predicate in a scope; aliases of a predicate share it."""
    return key("fact", scope, match_key(subject), relation(predicate).name)


def value_keys(claim: Claim, key: KeyOf) -> tuple[str, ...]:
    """What a tombstone is kept under: subject, predicate and value, and the text, per scope (`E-TOMBSTONE`)."""
    where = str(claim.scope)
    facts = (
        key("value", where, match_key(f.subject), relation(f.predicate).name, match_key(f.object))
        for f in claim.facts
    )
    return (key("value-text", where, match_key(claim.claim).rstrip(".!")), *facts)


def indexed_text(claim: Claim) -> str:
    """Every word by which a claim should be found."""
    facts = " ".join(f"{f.subject} {f.predicate.replace('_', ' ')} {f.object}" for f in claim.facts)
    entities = " ".join(entity.name for entity in claim.entities)
    parts = (claim.claim, claim.title, claim.body, claim.summary, facts, entities)
    return "\n".join((*parts, *claim.steps, *claim.tags, *claim.aliases))


def fold(event: Event, seq: int, revision: int, recorded_at: int, key: KeyOf) -> Derived:
    """What one event adds to the derived rows.

    Args:
        event: The event, its content whole; a claim's holds its scope and visibility again.
        seq: Its position in the ledger.
        revision: Its commit.
        recorded_at: When it was appended, microseconds.
        key: The store's keyed digest.
    """
    if event.kind == "claim":
        return _fold_claim(event, seq, revision, recorded_at, key)
    doc = Doc(event.kind, event.id, seq, revision, event.parent, event.cls, seq)
    if event.kind == "passage" and event.content:
        said = said_from(event.content)
        began = micros(said.at) if said.at else 0
        return Derived(doc=doc, terms=Counter(words(said.text)), began=began)
    if event.kind == "lifted":
        return Derived(doc=doc, drop=(("tombstone", event.id),))
    return Derived(doc=doc)


def _fold_claim(event: Event, seq: int, revision: int, recorded_at: int, key: KeyOf) -> Derived:
    claim = claim_from(event.content)
    counts = Counter(words(indexed_text(claim)))
    row = row_of(claim, seq, revision, recorded_at, event.cls, sum(counts.values()), key)
    facts = fact_numbers(claim.facts, key)
    return Derived(row, terms=counts, facts=facts, standing=standing_of(row, key) if facts else 0)


def row_of(
    claim: Claim, seq: int, revision: int, recorded_at: int, cls: str, length: int, key: KeyOf
) -> Row:
    """The columns of a claim's version."""
    validity, freshness = claim.validity, claim.freshness
    confidence = claim.confidence.score
    return Row(
        seq=seq,
        revision=revision,
        claim_id=claim.id,
        version=claim.version,
        cls=cls,
        review=claim.review.status,
        retired=claim.retired,
        valid_from=micros(validity.valid_from) if validity.valid_from else -FOREVER,
        valid_until=micros(validity.valid_until) if validity.valid_until else FOREVER,
        expires_at=expiry_of(claim),
        verified_at=micros(freshness.last_verified_at) if freshness.last_verified_at else -FOREVER,
        recorded_at=recorded_at,
        created_at=micros(claim.created_at) if claim.created_at else recorded_at,
        type=claim.type,
        memory_type=claim.memory_type,
        origin=claim.source.origin,
        derivation=claim.source.derivation,
        reading=claim.reading.state if claim.reading else "",
        derived_stale=claim.derived_stale,
        allowed=claim.allowed_uses,
        prohibited=claim.prohibited_uses,
        supersedes=claim.supersedes,
        superseded_by=claim.superseded_by or "",
        conflicts=tuple(note.with_id for note in claim.conflicts if not note.resolved),
        derived_from=claim.source.derived_from,
        length=length,
        confidence=-1 if confidence is None else round(confidence * 10_000),
        importance=round(claim.importance.score * 10_000) if claim.importance else -1,
        keys=claim_keys(claim, key),
    )


def expiry_of(claim: Claim) -> int:
    """When a claim's use ends, microseconds: the earlier of its expiry and its time to live."""
    ends = [FOREVER]
    if claim.freshness.expires_at:
        ends.append(micros(claim.freshness.expires_at))
    if claim.validity.ttl_seconds and claim.created_at:
        ends.append(micros(claim.created_at) + claim.validity.ttl_seconds * 1_000_000)
    return min(ends)

"""From an accepted change to the claim versions that it makes: pure, before anything is written.

- What is applied is what was reviewed; the plan adds only an envelope: review, version, time, reading.
- Confidence is capped by grade and sources; freshness is renewed only by a reading that matched (or moved).
- A supersede leaves the old claim as it is and names it: history is never edited.
- A restored claim comes back exactly as its reviewer signed it, review and version included.
- A narrowing is a new version that fewer may see; nothing else of the claim changes.
- A deprecation and a revalidation are new versions of the same claim; the latter brings back what was archived.

>>> flagged = Change("c", "flag_conflict", target_ids=("mem_a", "mem_b"))
>>> plan(flagged, {}, Applied(datetime(2026, 7, 8, tzinfo=UTC), "user:a"))
()
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from muniment.core.claim import Claim, Freshness, Provenance, Review, Transformation
from muniment.core.confidence import settled
from muniment.core.diff import NARROWING, RESTORE, Change
from muniment.core.narrowing import narrowed
from muniment.core.source import Reading, Source, renewed

_ = UTC  # named by the doctest


@dataclass(frozen=True, slots=True)
class Applied:
    """The envelope of an application.

    Attributes:
        at: When.
        by: Reviewer or policy.
        reading: What was found on re-reading the change's source.
        confidences: Confidence of the claims that the item is derived from, by id.
    """

    at: datetime
    by: str
    reading: Reading | None = None
    confidences: Mapping[str, float] = field(default_factory=dict)


def plan(change: Change, current: Mapping[str, Claim], applied: Applied) -> tuple[Claim, ...]:
    """The claim versions that an accepted change makes.

    Args:
        change: As it was reviewed.
        current: Latest versions of the claims that it names.
        applied: The envelope.
    """
    if change.declares == RESTORE and change.item is not None:
        return (change.item,)
    if change.operation in ("add", "supersede") and change.item is not None:
        return (_new(change.item, change, applied),)
    target = current.get(change.target_id)
    if target is None:
        return ()
    if change.operation == "deprecate":
        return (_deprecated(target, change, applied),)
    if change.declares == NARROWING and change.visibility is not None:
        visibility = change.visibility
        made = narrowed(target, visibility.audience, visibility.level)
        return (replace(made, provenance=_provenance(target.provenance, change, applied)),)
    if change.operation == "revalidate":
        return (_revalidated(target, change, applied),)
    return ()


def _new(item: Claim, change: Change, applied: Applied) -> Claim:
    among = tuple(applied.confidences.get(source, 0.0) for source in item.source.derived_from)
    supersedes = dict.fromkeys(
        (*item.supersedes, *((change.target_id,) if change.operation == "supersede" else ()))
    )
    wanted = item.review.status if item.review.status == "needs_review" else "accepted"
    made = replace(
        item,
        version=1,
        created_at=item.created_at or applied.at,
        review=Review(wanted, applied.by, applied.at),
        supersedes=tuple(supersedes),
        confidence=settled(item, among),
        provenance=_provenance(item.provenance, change, applied),
    )
    return _with_reading(made, item.source, applied.reading)


def _provenance(before: Provenance, change: Change, applied: Applied) -> Provenance:
    step = Transformation(change.operation, applied.by, applied.at, change.reason)
    return replace(before, transformations=(*before.transformations, step))


def _with_reading(claim: Claim, source: Source, reading: Reading | None) -> Claim:
    """The claim with what was found; only a source that still says it renews freshness."""
    if reading is None:
        return claim
    if reading.state not in ("match", "moved"):
        return replace(claim, reading=reading)
    evidence = source.evidence
    if reading.state == "moved" and len(evidence) == 1:
        evidence = (renewed(evidence[0], reading),)
    fresh = replace(
        claim.freshness, status="current", last_verified_at=reading.at, verification_method="reread"
    )
    return replace(
        claim, reading=reading, freshness=fresh, source=replace(source, evidence=evidence)
    )


def _deprecated(target: Claim, change: Change, applied: Applied) -> Claim:
    return replace(
        target,
        version=target.version + 1,
        review=Review("deprecated", applied.by, applied.at),
        retired=change.retire,
        provenance=_provenance(target.provenance, change, applied),
    )


def _revalidated(target: Claim, change: Change, applied: Applied) -> Claim:
    source = change.source or target.source
    reading = applied.reading or change.reading
    made = replace(
        target,
        version=target.version + 1,
        source=replace(
            source, derived_from=target.source.derived_from, derivation=target.source.derivation
        ),
        review=Review("accepted", applied.by, applied.at),
        derived_stale="",
        retired="" if target.retired == "archived" else target.retired,
        provenance=_provenance(target.provenance, change, applied),
    )
    made = _with_reading(made, made.source, reading)
    return replace(made, freshness=_merged(made.freshness, change.freshness))


def _merged(found: Freshness, stated: Freshness | None) -> Freshness:
    """A stated expiry counts; a stated verification time never beats what was read."""
    if stated is None:
        return found
    expires = stated.expires_at or found.expires_at
    verified = found.last_verified_at or stated.last_verified_at
    method = found.verification_method or stated.verification_method
    return Freshness(stated.status or found.status, verified, expires, method)

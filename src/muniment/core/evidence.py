"""One claim as it is handed over: whole, cited, labelled, with its boundaries (`A-OUTPUT`).

- It keeps its identifier, source, scope, validity, versions and provenance; nothing is cut.
- Relevance, importance and confidence stand apart and are never mixed (`A-RELTRUTH`).
- Every key is always there: what is not known is null, never left out and never invented.
- Other claims are named only where the asker may see them.

>>> seen = Seen(lambda claim_id: True, "current")
>>> claim = Claim("mem_x", "It uses pnpm.", Scope("repository", "x"), Source("file"), Visibility("public"))
>>> item = item_of(claim, "active", ("verified",), Relevance(ONE, "keyword"), seen)
>>> json_of_item(item)["relevance"]["value"], json_of_item(item)["importance"]
(1.0, None)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from muniment.core.access import Scope, Visibility
from muniment.core.bridge import Rewrite, RewriteJson, json_of_rewrite
from muniment.core.claim import Claim, Fact, Happening, Importance, Provenance
from muniment.core.encode import encode, time_text
from muniment.core.rank import Relevance, meaning, share
from muniment.core.ranking import ONE
from muniment.core.source import Reading, Source

_ = (ONE, Scope, Source, Visibility)  # named by the doctest


@dataclass(frozen=True, slots=True)
class Seen:
    """How the asker sees a claim.

    Attributes:
        sees: Whether it may see another claim.
        freshness: Freshness for the use that was asked for.
        readings: What was found on re-reading the evidence for this very request, one for each; empty where it
            was not read.
        superseded_by: The visible claim that replaced it; empty for none.
        conflicts: The visible claims with which it is in open conflict.
    """

    sees: Callable[[str], bool]
    freshness: str
    readings: tuple[Reading, ...] = ()
    superseded_by: str = ""
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """Where it says so.

    Attributes:
        uri: Address of the source.
        start: First byte of the span; with `end`, half-open.
        end: Byte after it; equal to `start` where no span is known.
        line: 1-based line, 0 where unknown.
        quote: What stands there.
        reading: What the last reading found; empty where it was never read again.
        digest: Digest of the whole source's bytes.
        pointer: A place in the source's own terms.
        commit: The source's revision, where it has one.
        read_now: Whether the reading was made for this request.
    """

    uri: str
    start: int
    end: int
    line: int
    quote: str
    reading: str
    digest: str
    pointer: str = ""
    commit: str = ""
    read_now: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One claim that is handed over, as the asker may see it.

    Attributes:
        claim: The claim, whole.
        status: Computed for the instant and the asker.
        labels: What must be said beside it.
        relevance: How well it answers.
        citations: Where it comes from.
        freshness: For the use that was asked for.
        related: Supersedes, superseded_by, derived_from and conflicts, cut to what the asker may see.
        alternative: Whether it is here because it contradicts another that was found.
        rewrites: The rewrites of the query by which it was found; none where it answers the query as it was asked.
    """

    claim: Claim
    status: str
    labels: tuple[str, ...]
    relevance: Relevance
    citations: tuple[Citation, ...]
    freshness: str
    related: Mapping[str, Any]
    alternative: bool = False
    rewrites: tuple[Rewrite, ...] = ()


def item_of(
    claim: Claim,
    status: str,
    labels: tuple[str, ...],
    found: Relevance,
    seen: Seen,
    alternative: bool = False,
) -> Item:
    """A claim as the asker may see it."""
    kept = ("alternative",) if alternative else ()
    return Item(
        claim,
        status,
        labels + kept,
        found,
        citations_of(claim, seen.readings),
        seen.freshness,
        _related(claim, seen),
        alternative,
    )


def citations_of(claim: Claim, readings: tuple[Reading, ...] = ()) -> tuple[Citation, ...]:
    """The places that say it; a source without evidence is cited by its address alone.

    Args:
        claim: The claim.
        readings: What was found just now, one for each piece of evidence; empty where nothing was read.
    """
    last = claim.reading.state if claim.reading else ""
    source = claim.source
    if not source.evidence:
        return (Citation(source.uri, 0, 0, 0, "", last, ""),) if source.uri else ()
    now = readings if len(readings) == len(source.evidence) else ()
    return tuple(
        Citation(
            evidence.uri or source.uri,
            evidence.start,
            evidence.end,
            now[i].line if now and now[i].line else evidence.line,
            evidence.quote,
            now[i].state if now else last,
            evidence.digest,
            evidence.pointer,
            evidence.commit,
            bool(now),
        )
        for i, evidence in enumerate(source.evidence)
    )


def _related(claim: Claim, seen: Seen) -> dict[str, Any]:
    return {
        "supersedes": [other for other in claim.supersedes if seen.sees(other)],
        "superseded_by": seen.superseded_by or None,
        "derived_from": [other for other in claim.source.derived_from if seen.sees(other)],
        "conflicts": list(seen.conflicts),
    }


def _time(instant: Any) -> str | None:
    return time_text(instant) if instant else None


class CitationJson(TypedDict):
    """Where it says so."""

    uri: str
    span: list[int] | None
    line: int | None
    quote: str | None
    reading: str | None
    read_now: bool
    digest: str | None
    pointer: str | None
    commit: str | None


class RelevanceJson(TypedDict):
    """How well it answers, with what the number means; never confidence."""

    value: float
    meaning: str
    method: str
    components: dict[str, float]


class ItemConfidenceJson(TypedDict):
    """Strength of belief."""

    score: float | None
    level: str | None
    reason: str | None
    grade: str | None


class ItemUsesJson(TypedDict):
    """What it may be used for, and what not."""

    allowed: list[str]
    prohibited: list[str]


class ItemSourceJson(TypedDict):
    """What is behind it."""

    kind: str
    origin: str | None
    candidate_origins: list[str]
    derivation: str
    derived_from: list[str]
    uri: str | None
    observed_at: str | None


class ItemValidityJson(TypedDict):
    """When it is true in the world."""

    valid_from: str | None
    valid_until: str | None
    conditions: list[str]


class ItemFreshnessJson(TypedDict):
    """How fresh it is for the use that was asked for."""

    status: str
    last_verified_at: str | None
    expires_at: str | None
    verification_method: str | None


class ItemReviewJson(TypedDict):
    """Who let it in."""

    status: str
    reviewed_by: str | None
    reviewed_at: str | None


class ItemJson(TypedDict):
    """One claim as it is handed over, every key always there."""

    id: str
    claim: str
    title: str | None
    body: str | None
    summary: str | None
    steps: list[str]
    event: Happening | None
    facts: list[Fact]
    status: str
    labels: list[str]
    confidence: ItemConfidenceJson
    importance: Importance | None
    relevance: RelevanceJson
    rewrites: list[RewriteJson]
    citations: list[CitationJson]
    uses: ItemUsesJson
    type: str
    memory_type: str
    content_kind: str
    scope: Scope
    visibility: str
    source: ItemSourceJson
    validity: ItemValidityJson
    freshness: ItemFreshnessJson
    review: ItemReviewJson
    version: int
    supersedes: list[str]
    superseded_by: str | None
    conflicts: list[str]
    provenance: Provenance


def json_of_item(item: Item) -> ItemJson:
    """One piece of evidence as a JSON value."""
    claim, confidence, importance = item.claim, item.claim.confidence, item.claim.importance
    return {
        "id": claim.id,
        "claim": claim.claim,
        "title": claim.title or None,
        "body": claim.body or None,
        "summary": claim.summary or None,
        "steps": list(claim.steps),
        "event": encode(claim.event) if claim.event else None,
        "facts": encode(claim.facts),
        "status": item.status,
        "labels": list(item.labels),
        "confidence": {
            "score": confidence.score,
            "level": confidence.level or None,
            "reason": confidence.reason or None,
            "grade": confidence.grade or None,
        },
        "importance": encode(importance) if importance else None,
        "relevance": json_of_relevance(item.relevance),
        "rewrites": [json_of_rewrite(step) for step in item.rewrites],
        "citations": [json_of_citation(citation) for citation in item.citations],
        "uses": {"allowed": list(claim.allowed_uses), "prohibited": list(claim.prohibited_uses)},
        "type": claim.type,
        "memory_type": claim.memory_type,
        "content_kind": claim.content_kind,
        "scope": encode(claim.scope),
        "visibility": claim.visibility.level,
        "source": _json_of_source(item),
        "validity": _json_of_validity(claim),
        "freshness": {
            "status": item.freshness,
            "last_verified_at": _time(claim.freshness.last_verified_at),
            "expires_at": _time(claim.freshness.expires_at),
            "verification_method": claim.freshness.verification_method or None,
        },
        "review": {"status": claim.review.status, "reviewed_by": claim.review.reviewed_by or None,
                   "reviewed_at": _time(claim.review.reviewed_at)},
        "version": claim.version,
        "supersedes": item.related["supersedes"],
        "superseded_by": item.related["superseded_by"],
        "conflicts": item.related["conflicts"],
        "provenance": encode(claim.provenance),
    }  # fmt: skip


def json_of_relevance(found: Relevance) -> RelevanceJson:
    """A relevance with what it means."""
    return {
        "value": found.value,
        "meaning": meaning(found.method, found.policy),
        "method": found.method,
        "components": {name: share(value) for name, value in found.components},
    }


def _json_of_source(item: Item) -> ItemSourceJson:
    source = item.claim.source
    return {
        "kind": source.kind,
        "origin": source.origin or None,
        "candidate_origins": list(source.candidate_origins),
        "derivation": source.derivation,
        "derived_from": item.related["derived_from"],
        "uri": source.uri or None,
        "observed_at": _time(source.observed_at),
    }


def _json_of_validity(claim: Claim) -> ItemValidityJson:
    return {
        "valid_from": _time(claim.validity.valid_from),
        "valid_until": _time(claim.validity.valid_until),
        "conditions": list(claim.validity.conditions),
    }


def json_of_citation(citation: Citation) -> CitationJson:
    """A citation as a JSON value."""
    return {
        "uri": citation.uri,
        "span": [citation.start, citation.end] if citation.end > citation.start else None,
        "line": citation.line or None,
        "quote": citation.quote or None,
        "reading": citation.reading or None,
        "read_now": citation.read_now,
        "digest": citation.digest or None,
        "pointer": citation.pointer or None,
        "commit": citation.commit or None,
    }

"""What a recall hands over: evidence, conflicts, omissions, outcome, and how it came about (`A-OUTPUT`).

- Each piece of evidence keeps its identifier, source, boundaries, versions and provenance.
- Relevance, importance and confidence stand apart and are never mixed (`A-RELTRUTH`).
- Every key is always there: what is not known is null, never left out and never invented.
- Times are UTC; numbers are rounded to four decimals; the same packet is the same bytes (`E-DETERMINISM`).
- Other claims are named only where the asker may see them.

What a packet looks like as text is `render`'s matter; the identifier of the retrieval stands beside it.

>>> seen = Seen(lambda claim_id: True, "current")
>>> claim = Claim("mem_x", "It uses pnpm.", Scope("repository", "x"), Source("file"), Visibility("public"))
>>> item = item_of(claim, "active", ("verified",), Relevance(ONE, "keyword"), seen)
>>> json_of_item(item)["relevance"]["value"], json_of_item(item)["importance"]
(1.0, None)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from muniment.core.access import Scope, Visibility
from muniment.core.claim import Claim
from muniment.core.codec import encode, time_text
from muniment.core.precedence import Ruling
from muniment.core.rank import ONE, Relevance, meaning, share
from muniment.core.source import Reading, Source

_ = (ONE, Scope, Source, Visibility)  # named by the doctest

Outcome = Literal[
    "complete", "partial", "conflict", "no_support", "no_scope", "budget_exceeded"
]  # fmt: skip
OUTCOMES: tuple[tuple[Outcome, str], ...] = (
    ("complete", "everything that supports an answer is here"),
    ("partial", "more supports an answer than the limits let through"),
    ("conflict", "claims here contradict one another, and no rule says which may win"),
    ("no_support", "nothing that you may use supports an answer"),
    ("no_scope", "no scope is in force, so nothing was looked at"),
    ("budget_exceeded", "something supports an answer, and nothing of it fits the limits whole"),
)
LISTED = 20
"""How many omissions are listed; all are counted."""

ENTITY = "AIMemoryMetadata"


@dataclass(frozen=True, slots=True)
class Seen:
    """How the asker sees a claim.

    Attributes:
        sees: Whether it may see another claim.
        freshness: Freshness for the use that was asked for.
        readings: What was found on re-reading the evidence for this very request, one for each; empty where it
            was not read.
    """

    sees: Callable[[str], bool]
    freshness: str
    readings: tuple[Reading, ...] = ()


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
    """

    claim: Claim
    status: str
    labels: tuple[str, ...]
    relevance: Relevance
    citations: tuple[Citation, ...]
    freshness: str
    related: Mapping[str, Any]
    alternative: bool = False


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Claims that contradict one another.

    Attributes:
        ids: The sides that are handed over, sorted.
        notes: What is said of the contradiction.
        ruling: Which may win, and by which rule.
        not_served: Sides that the asker may see but that do not serve here, with the reasons.
    """

    ids: tuple[str, ...]
    notes: tuple[str, ...]
    ruling: Ruling
    not_served: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Omission:
    """A claim that matched and was left out.

    Attributes:
        id: The claim.
        reasons: Names of the rules or limits.
        detail: By which claim, or what was found.
        listed: Whether it may be listed one by one; near misses are only counted.
    """

    id: str
    reasons: tuple[str, ...]
    detail: str = ""
    listed: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """One of the ten steps of the query model, with its counts (`A-QUERY`)."""

    number: int
    name: str
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits and what was used of them, counted on the text as handed over (`E-LIMITS`)."""

    limit: int
    used: int
    counter: str
    k: int


@dataclass(frozen=True, slots=True)
class Packet:
    """Everything that a recall hands over.

    Attributes:
        outcome: One of `OUTCOMES`.
        items: The evidence, best first; conflicting claims stand together.
        conflicts: The contradictions among them.
        omissions: What was left out, most relevant first.
        revision: The last revision that touched anything the asker may see.
        budget: The limits.
        request: What was asked, as it was understood.
        trace: The ten steps.
        policy: Name, version and digest of the ranking policy.
        text: The rendering.
        advice: What to do, where nothing is handed over.
        ontology: Hash of the vocabulary.
    """

    outcome: Outcome
    items: tuple[Item, ...]
    conflicts: tuple[Disagreement, ...]
    omissions: tuple[Omission, ...]
    revision: int
    budget: Budget
    request: Mapping[str, Any]
    trace: tuple[Step, ...]
    policy: tuple[tuple[str, str], ...]
    text: str = ""
    advice: str = ""
    ontology: str = ""

    def as_json(self) -> dict[str, Any]:
        """The packet as a JSON value."""
        return {
            "ontology_entity": ENTITY,
            "outcome": self.outcome,
            "advice": self.advice or None,
            "evidence": [json_of_item(item) for item in self.items],
            "conflicts": [json_of_conflict(conflict) for conflict in self.conflicts],
            "omissions": json_of_omissions(self.omissions),
            "revision": self.revision,
            "budget": {
                "limit": self.budget.limit,
                "used": self.budget.used,
                "counter": self.budget.counter,
                "counted": "text",
                "k": self.budget.k,
            },
            "request": dict(self.request),
            "ranking": dict(self.policy),
            "trace": [
                {"step": step.number, "name": step.name, "counts": dict(step.counts)}
                for step in self.trace
            ],
            "ontology": self.ontology or None,
            "text": self.text,
        }


# --- one claim ------------------------------------------------------------------------------------


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
        _related(claim, seen.sees),
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


def _related(claim: Claim, sees: Callable[[str], bool]) -> dict[str, Any]:
    successor = claim.superseded_by or ""
    return {
        "supersedes": [other for other in claim.supersedes if sees(other)],
        "superseded_by": successor if successor and sees(successor) else None,
        "derived_from": [other for other in claim.source.derived_from if sees(other)],
        "conflicts": [
            {"with_id": note.with_id, "note": note.note, "resolved": note.resolved or None}
            for note in claim.conflicts
            if sees(note.with_id)
        ],
    }


def _time(instant: Any) -> str | None:
    return time_text(instant) if instant else None


def json_of_item(item: Item) -> dict[str, Any]:
    """One piece of evidence as a JSON value."""
    claim, confidence, importance = item.claim, item.claim.confidence, item.claim.importance
    return {
        "id": claim.id,
        "claim": claim.claim,
        "title": claim.title or None,
        "body": claim.body or None,
        "steps": list(claim.steps),
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
        "citations": [_json_of_citation(citation) for citation in item.citations],
        "uses": {"allowed": list(claim.allowed_uses), "prohibited": list(claim.prohibited_uses)},
        "type": claim.type,
        "memory_type": claim.memory_type,
        "content_kind": claim.content_kind,
        "scope": encode(claim.scope),
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


def json_of_relevance(found: Relevance) -> dict[str, Any]:
    """A relevance with what it means."""
    return {
        "value": found.value,
        "meaning": meaning(found.method),
        "method": found.method,
        "components": {name: share(value) for name, value in found.components},
    }


def _json_of_source(item: Item) -> dict[str, Any]:
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


def _json_of_validity(claim: Claim) -> dict[str, Any]:
    return {
        "valid_from": _time(claim.validity.valid_from),
        "valid_until": _time(claim.validity.valid_until),
        "conditions": list(claim.validity.conditions),
    }


def _json_of_citation(citation: Citation) -> dict[str, Any]:
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


# --- conflicts and omissions ----------------------------------------------------------------------


def json_of_conflict(conflict: Disagreement) -> dict[str, Any]:
    """A contradiction as a JSON value."""
    ruling = conflict.ruling
    return {
        "ids": list(conflict.ids),
        "notes": list(conflict.notes),
        "decided": ruling.decided,
        "winner": ruling.winner or None,
        "decided_by": ruling.decided_by or None,
        "may_win": list(ruling.may_win),
        "losers": [{"id": name, "rule": rule} for name, rule in ruling.losers],
        "not_served": [
            {"id": name, "reasons": list(reasons)} for name, reasons in conflict.not_served
        ],
    }


def json_of_omissions(omissions: tuple[Omission, ...]) -> dict[str, Any]:
    """All omissions counted, the first of them listed.

    >>> found = json_of_omissions((Omission("mem_a", ("expired",)), Omission("mem_b", ("below_support",), "", False)))
    >>> found["total"], found["by_reason"], len(found["items"])
    (2, {'below_support': 1, 'expired': 1}, 1)
    """
    listed = [omission for omission in omissions if omission.listed][:LISTED]
    return {
        "total": len(omissions),
        "by_reason": dict(reasons_of(omissions)),
        "items": [
            {"id": o.id, "reasons": list(o.reasons), "detail": o.detail or None} for o in listed
        ],
    }


def reasons_of(omissions: tuple[Omission, ...]) -> tuple[tuple[str, int], ...]:
    """How many claims each reason left out; a claim with two reasons counts under both."""
    counts: dict[str, int] = {}
    for omission in omissions:
        for reason in omission.reasons:
            counts[reason] = counts.get(reason, 0) + 1
    return tuple(sorted(counts.items()))

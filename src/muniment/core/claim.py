"""The claim: the smallest statement that may be reused, with its boundaries (DESIGN section 2).

- Identity is an identifier, never the text.
- Values only: what is computed from them (status, freshness, confidence caps) is computed elsewhere, for an instant.
- Times are aware and half-open: `valid_from <= t < valid_until`.
- Keys that the vocabulary does not know are kept in `extensions`.

>>> claim = Claim(
...     id="mem_x",
...     claim="The shop uses pnpm.",
...     scope=Scope("repository", "local:shop"),
...     source=Source("file", uri="file:///shop/package.json"),
...     visibility=Visibility("public"),
... )
>>> claim.review.status
'proposed'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from muniment.core.access import Scope, Visibility
from muniment.core.source import Reading, Source


@dataclass(frozen=True, slots=True)
class Fact:
    """A claim's joinable form."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Happening:
    """An episodic claim's event (`A-EPISODIC`)."""

    what: str
    time: datetime | None = None
    participants: tuple[str, ...] = ()
    location: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that a claim is about, with its semantic identifier where there is one (`A-SEMANTIC`)."""

    name: str
    id: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True)
class Validity:
    """When a claim is true in the world.

    Attributes:
        valid_from: Inclusive; None is unbounded.
        valid_until: Exclusive; None is unbounded.
        conditions: What must hold besides (a branch, a version).
        ttl_seconds: Time to live from `created_at`; 0 is none.
        decay: A decay model's name and parameters, kept as given.
    """

    valid_from: datetime | None = None
    valid_until: datetime | None = None
    conditions: tuple[str, ...] = ()
    ttl_seconds: int = 0
    decay: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Freshness:
    """When it was last checked, as recorded; freshness itself is computed for an instant and a use.

    Attributes:
        status: What was declared by whoever proposed it; never trusted above what is computed.
        last_verified_at: When the source last agreed.
        expires_at: Exclusive end of use.
        verification_method: How it was checked.
    """

    status: str = "unknown"
    last_verified_at: datetime | None = None
    expires_at: datetime | None = None
    verification_method: str = ""


@dataclass(frozen=True, slots=True)
class Confidence:
    """Strength of belief; from evidence, never from a model's tone (`B-CONFIDENCE`).

    Attributes:
        score: In [0, 1], four decimals; None where it is not known.
        level: high, medium or low.
        reason: Why.
        grade: One of the seven grades; empty means computed from the source.
    """

    score: float | None = None
    level: str = ""
    reason: str = ""
    grade: str = ""


@dataclass(frozen=True, slots=True)
class Importance:
    """Priority; never confidence (`A-IMPORTANCE`)."""

    score: float
    reason: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """Who let it in, and when."""

    status: str = "proposed"
    reviewed_by: str = ""
    reviewed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ConflictNote:
    """One known contradiction: with which claim, and what is to be said of it (`B-CONFLICTS`)."""

    with_id: str
    note: str = ""
    since: datetime | None = None
    resolved: str = ""


@dataclass(frozen=True, slots=True)
class Relationship:
    """A typed relation to another claim or concept."""

    type: str
    target: str
    strength: float | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingReference:
    """Which vector space a claim was put into; never the vector (`A-EMBEDDING`)."""

    model: str
    version: str
    dimension: int
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Transformation:
    """One step between source and claim (W3C PROV activity)."""

    activity: str
    agent: str
    at: datetime | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who or what made the record, and how it got here (`A-PROVENANCE`)."""

    activity: str = ""
    agent: str = ""
    created_at: datetime | None = None
    transformations: tuple[Transformation, ...] = ()
    foreign_review: str = ""
    foreign_id: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A memory (`B-CLAIM`). See the module's rules; the fields follow the table of DESIGN section 2."""

    id: str
    claim: str
    scope: Scope
    source: Source
    visibility: Visibility
    type: str = "project_fact"
    memory_type: str = "semantic"
    content_kind: str = "text"
    concept_type: str = ""
    body: str = ""
    title: str = ""
    summary: str = ""
    facts: tuple[Fact, ...] = ()
    entities: tuple[Entity, ...] = ()
    steps: tuple[str, ...] = ()
    event: Happening | None = None
    validity: Validity = Validity()
    freshness: Freshness = Freshness()
    confidence: Confidence = Confidence()
    importance: Importance | None = None
    review: Review = Review()
    retired: str = ""
    conflicts: tuple[ConflictNote, ...] = ()
    conflict_notes: str = ""
    allowed_uses: tuple[str, ...] = ()
    prohibited_uses: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    relationships: tuple[Relationship, ...] = ()
    embedding: EmbeddingReference | None = None
    provenance: Provenance = Provenance()
    reading: Reading | None = None
    derived_stale: str = ""
    slot: str = ""
    created_at: datetime | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    namespace: str = ""
    ontology: str = ""
    properties: Mapping[str, Any] = field(default_factory=dict)
    extensions: Mapping[str, Any] = field(default_factory=dict)
    version: int = 0

    @property
    def is_transformed(self) -> bool:
        """Whether it is not what a source says word for word (`A-INF-SUMMARY`)."""
        derived = self.source.derivation in ("inferred", "summarised", "consolidated")
        return (
            derived
            or self.source.origin in ("inference", "summarisation")
            or self.content_kind == "summary"
        )

    @property
    def is_inferred(self) -> bool:
        """Whether it was inferred rather than supplied (`A-INFERRED`)."""
        return self.source.derivation == "inferred" or self.source.origin == "inference"

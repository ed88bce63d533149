"""How the two vocabularies meet: types, source types, trust, in both directions (`C-PROVENANCE`, `C-TRUST`).

- Every name of either side has its row; what a row cannot say stays in the originals that travel along.
- Coming in, trust is never raised: a foreign confidence and trust level are kept as foreign, and count for nothing.
- Going out, what came from outside is `external_import`, whatever it was called before; its confidence is at most the
  0.70 of that source type. Nothing is called `verified`.

>>> source_type_of("user_input", "direct"), source_type_of("user_input", "imported")
('user_explicit', 'external_import')
"""

from __future__ import annotations

COMING: tuple[tuple[str, str, str], ...] = (
    ("user_explicit", "user_input", "imported"),
    ("user_implicit", "conversation", "inferred"),
    ("agent_inferred", "inference", "inferred"),
    ("external_import", "external_data", "imported"),
    ("system_generated", "system_process", "imported"),
)
"""MIF's source type; the origin and the derivation of a claim that comes in with it."""
GOING: tuple[tuple[str, str], ...] = (
    ("user_input", "user_explicit"), ("conversation", "user_implicit"), ("observation", "system_generated"),
    ("tool_result", "system_generated"), ("retrieval", "external_import"), ("external_data", "external_import"),
    ("inference", "agent_inferred"), ("summarisation", "agent_inferred"), ("human_annotation", "user_explicit"),
    ("system_process", "system_generated"),
)  # fmt: skip
"""A source's origin; the MIF source type of a claim that goes out with it."""
TRUST: tuple[tuple[str, str], ...] = (
    ("high", "high_confidence"), ("medium", "moderate_confidence"), ("low", "low_confidence"), ("", "uncertain"),
)  # fmt: skip
"""A confidence's level; MIF's trust level. What a user said is `user_stated`; nothing is `verified`."""
HIGHEST_IMPORTED = 0.7
RANGES: tuple[tuple[str, float, float], ...] = (
    ("user_explicit", 0.9, 1.0), ("user_implicit", 0.7, 0.89), ("agent_inferred", 0.5, 0.69),
    ("external_import", 0.3, 0.7), ("system_generated", 0.2, 0.5),
)  # fmt: skip
"""The confidence that goes with each source type (section 12.1), both ends inclusive."""
CONCEPT_TYPES: tuple[tuple[str, str], ...] = (
    ("episodic", "episodic"), ("conversational", "episodic"), ("procedural", "procedural"),
)  # fmt: skip
"""Memory types that are not semantic in MIF's taxonomy; all others are."""
LEAVES: tuple[tuple[str, str], ...] = (
    ("decisions", "decision"), ("preferences", "user_preference"), ("incidents", "incident_lesson"),
    ("runbooks", "runbook_step"), ("procedures", "runbook_step"), ("patterns", "domain_rule"), ("rules", "domain_rule"),
    ("policies", "domain_rule"), ("blockers", "known_failure_mode"), ("failures", "known_failure_mode"),
    ("integrations", "integration_capability"),
)  # fmt: skip
"""The last step of a namespace; the claim type that it stands for. Others are project facts."""


def coming_source(source_type: str) -> tuple[str, str]:
    """Origin and derivation for a MIF source type.

    >>> coming_source("agent_inferred"), coming_source("")
    (('inference', 'inferred'), ('external_data', 'imported'))
    """
    found = {name: (origin, derivation) for name, origin, derivation in COMING}
    return found.get(source_type, ("external_data", "imported"))


def source_type_of(origin: str, derivation: str) -> str:
    """MIF's source type for a claim."""
    if derivation in ("inferred", "summarised", "consolidated"):
        return "agent_inferred"
    if derivation == "imported":
        return "external_import"
    return dict(GOING).get(origin, "system_generated")


def confidence_for(score: float | None, source_type: str) -> float | None:
    """A claim's confidence as MIF may state it beside a source type: no higher than its range, and never raised.

    What lies below the range is not stated; the claim's own score travels with the claim.

    >>> [confidence_for(score, "system_generated") for score in (0.98, 0.4, 0.1)]
    [0.5, 0.4, None]
    """
    for name, low, high in RANGES:
        if name == source_type and score is not None:
            return min(score, high) if score >= low else None
    return score


def trust_of(level: str, source_type: str) -> str:
    """MIF's trust level.

    >>> trust_of("high", "user_explicit"), trust_of("high", "agent_inferred"), trust_of("", "external_import")
    ('user_stated', 'high_confidence', 'uncertain')
    """
    if source_type == "user_explicit" and level == "high":
        return "user_stated"
    return dict(TRUST).get(level, "uncertain")


def concept_type_of(concept_type: str, memory_type: str) -> str:
    """MIF's type for a claim.

    >>> concept_type_of("", "conversational"), concept_type_of("", "user_specific")
    ('episodic', 'semantic')
    """
    return concept_type or dict(CONCEPT_TYPES).get(memory_type, "semantic")


def claim_type_of(namespace: str) -> str:
    """The claim type for a namespace.

    >>> claim_type_of("_semantic/decisions"), claim_type_of("acme/x")
    ('decision', 'project_fact')
    """
    return dict(LEAVES).get(namespace.rpartition("/")[2], "project_fact")

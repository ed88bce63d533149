"""What a verb answers, as far as a schema says it: the outer keys; what they hold is in the reference.

- Answers are written by `wire`; these models describe them, and are never run over them.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

Json = dict[str, Any]


class Acting(BaseModel):
    """Who acts, where, and where that is declared."""

    principal: str | None
    scopes: list[str]
    tenant: str
    declared: str | None


class Answer(BaseModel):
    """An answer, with who acted."""

    acting: Acting


class FindingShape(BaseModel):
    """One thing that is wrong or noteworthy at one place."""

    code: str
    severity: Literal["error", "warning", "notice"]
    path: str
    message: str
    fix: str | None
    req: str | None


class Recalled(Answer):
    """A packet: evidence whole and cited, what was left out and why."""

    outcome: str
    evidence: list[Json]
    conflicts: list[Json]
    passages: list[Json]
    omissions: Json
    budget: Json
    request: Json
    ranking: Json
    revision: int
    text: str
    retrieval_id: str | None = None
    certificate: Json | None = None


class Answered(Answer):
    """Rows with their proofs, or why there is none."""

    outcome: str
    query: Json
    rows: list[Json]
    conflicts: list[Json]
    claims: Json
    revision: int
    request: Json
    work: Json
    packing: Json | None
    certificate: Json | None = None


class Verdict(Answer):
    """What revalidating came to."""

    verdict: Literal["valid", "changed", "not_permitted", "unknown"]
    reasons: list[str]
    records: list[Json]
    evidence_equal: bool | None
    asked_at: str | None


class Shown(Answer):
    """A claim with its six questions answered."""

    claim: Json
    status: str
    freshness: str
    labels: list[str]
    superseded_by: str | None
    conflicts: list[Any]
    questions: list[Json]


class ManyClaims(Answer):
    """Claims by identifier; what is absent or not visible is left out."""

    claims: dict[str, Json]


class History(Answer):
    """Every version of a claim and of those it superseded, oldest first."""

    versions: list[Json]


class Why(Answer):
    """Why a claim is there, what became of a diff, or how a retrieval came to its answer."""

    why: Json


class Conflicts(Answer):
    """Recorded conflicts in scope of which every side is visible."""

    conflicts: list[Json]


class Survey(Answer):
    """Counts of what is remembered, what ends, what is in doubt, growth, backlog and sources."""

    at: str
    claims: int
    holding: int
    counts: dict[str, dict[str, int]]
    expiring: list[Json]
    expiring_count: int
    doubtful: list[Json]
    doubtful_count: int
    period: Literal["day", "week"]
    growth: list[Json]
    waiting: list[Json]
    waiting_count: int
    backlog: dict[str, dict[str, int]]
    places: list[Json]
    places_of: int


class Graph(Answer):
    """Claims as RDF, in JSON-LD."""

    graph: Any


class Waiting(Answer):
    """A page of what waits, oldest first."""

    diffs: list[Json]
    next: str | None = Field(description="Give it as `after` for the next page; null at the end.")


class OneDiff(Answer):
    """A diff with where its changes stand, and what the checks notice."""

    id: str
    changes: list[Json]
    decisions: Json


class Proposed(Answer):
    """What was proposed; it waits for review."""

    diff: str
    changes: list[Json]
    findings: list[FindingShape]
    token: str


class Outcome(Answer):
    """What a review came to."""

    diff: str
    decisions: Json
    resulting: Json
    conflicts: list[Json]
    held: list[Any]
    token: str


class Heard(Answer):
    """What keeping a conversation came to."""

    source: str | None
    messages: int
    kept: int
    passages: int
    known: int
    findings: list[FindingShape]


class Verified(Answer):
    """What checking the ledger found."""

    ok: bool
    events: int
    head: str
    problems: list[str]

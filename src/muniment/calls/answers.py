"""What a verb answers, whole: from the types of what it answers with, by `described`.

- Answers are written by `wire`; these models describe them, and are never run over them.
- What `wire` adds to a value, or writes instead of a part of it, is said here.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from muniment.calls.described import OPTIONAL, JsonOf, extended
from muniment.core.access import Scope
from muniment.core.answered import AnsweredJson
from muniment.core.certificate import CertificateJson, VerdictJson
from muniment.core.claim import Claim, Provenance
from muniment.core.conflict import Conflict
from muniment.core.diff import Application, Change, Decided, Decision, Diff
from muniment.core.event import Verification
from muniment.core.packet import BudgetJson, OmissionsJson, PacketJson, StepJson
from muniment.core.quote import SaidJson
from muniment.core.source import Reading, Source
from muniment.core.survey import Survey as Survey_

Json = dict[str, Any]
ClaimForm = Annotated[Json, JsonOf(Claim)]
DecidedForm = Annotated[Json, JsonOf(Decided)]
ApplicationForm = Annotated[Json, JsonOf(Application)]
ConflictForm = Annotated[Json, JsonOf(Conflict)]
CertificateForm = Annotated[Json, JsonOf(CertificateJson)]


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


# --- reading --------------------------------------------------------------------------------------

CERTIFIED = (CertificateForm, OPTIONAL)
Recalled = extended(
    "Recalled", PacketJson, base=Answer, retrieval_id=(str | None, OPTIONAL), certificate=CERTIFIED
)
Answered = extended("Answered", AnsweredJson, base=Answer, certificate=CERTIFIED)
Verdict = extended("Verdict", VerdictJson, base=Answer)
Survey = extended("Survey", Survey_, base=Answer, whole=True)
Verified = extended("Verified", Verification, base=Answer, whole=True)


class Asked(BaseModel):
    """One of the six questions, with its answer."""

    question: str
    answer: str


class Accesses(BaseModel):
    """How often the asker was handed it, and when last."""

    count: int
    last: str | None


class Shown(Answer):
    """A claim with its six questions answered."""

    claim: ClaimForm
    status: str
    freshness: str
    labels: list[str]
    superseded_by: str | None
    conflicts: list[str]
    stale_because: str | None
    accesses: Accesses
    questions: list[Asked]


class SourceKept(BaseModel):
    """A source that was kept word for word."""

    id: str
    kind: str
    name: str
    digest: str
    size: int
    messages: int
    passages: int
    kept_by: str
    kept_at: str


class ShownSource(Answer):
    """A source with how it begins, or a passage with what stands around it; nobody has reviewed it."""

    source: SourceKept
    scope: Annotated[Json, JsonOf(Scope)]
    standing: Literal["unreviewed"]
    asked: str | None
    passages: list[Annotated[Json, JsonOf(SaidJson)]]


class ManyClaims(Answer):
    """Claims by identifier; what is absent or not visible is left out."""

    claims: dict[str, ClaimForm]


class Version(BaseModel):
    """A version of a claim, and the revisions in which it held."""

    claim: ClaimForm
    revision: int
    until_revision: int | None
    recorded_at: str
    restored: str | None


class History(Answer):
    """Every version of a claim and of those it superseded, oldest first."""

    versions: list[Version]


class DecisionAbout(BaseModel):
    """A change that was proposed of a claim, and what was decided."""

    diff: str
    change: str | None
    operation: str | None
    reason: str | None
    decision: DecidedForm | None
    restored: str | None


class WhyClaim(BaseModel):
    """Why a claim is there."""

    claim: ClaimForm
    status: str
    questions: dict[str, str]
    provenance: Annotated[Json, JsonOf(Provenance)]
    source: Annotated[Json, JsonOf(Source)]
    reading: Annotated[Json, JsonOf(Reading)] | None
    decisions: list[DecisionAbout]
    derived_from: list[str]
    derived: list[str]
    supersedes: list[str]
    superseded_by: str | None
    conflicts: list[str]
    accesses: Accesses


class WhyDiff(BaseModel):
    """What became of a diff."""

    diff: Annotated[Json, JsonOf(Diff)]
    states: dict[str, Decision]
    decisions: dict[str, DecidedForm]
    application: ApplicationForm | None
    restored: str | None


class WhyRetrieval(BaseModel):
    """How a retrieval came to its answer."""

    id: str
    query: dict[str, str]
    request: Json
    outcome: str
    candidates: list[Json]
    selected: list[Json]
    ranking: dict[str, str]
    omissions: Annotated[Json, JsonOf(OmissionsJson)]
    revision: int
    budget: Annotated[Json, JsonOf(BudgetJson)]
    trace: list[Annotated[Json, JsonOf(StepJson)]]
    principal: str
    at: str
    passages: list[Json] = OPTIONAL


class Why(Answer):
    """Why a claim is there, what became of a diff, or how a retrieval came to its answer."""

    why: WhyClaim | WhyDiff | WhyRetrieval


class RecordedConflict(BaseModel):
    """A recorded contradiction, with its sides."""

    between: list[str]
    note: str
    kind: str
    since: str
    resolved: str
    resolved_at: str = OPTIONAL
    claims: list[ClaimForm]


class Conflicts(Answer):
    """Recorded conflicts in scope of which every side is visible."""

    conflicts: list[RecordedConflict]


class Graph(Answer):
    """Claims as RDF, in JSON-LD."""

    graph: Any


# --- proposals and reviews ------------------------------------------------------------------------

PendingChange = extended("PendingChange", Change, state=(Decision, Field()))
STANDING: dict[str, Any] = {
    "changes": (list[PendingChange], Field()),  # type: ignore[valid-type]
    "decisions": (dict[str, DecidedForm], Field()),
    "application": (ApplicationForm | None, Field()),
}
PendingDiff = extended("PendingDiff", Diff, **STANDING)
OneDiff = extended(
    "OneDiff", Diff, base=Answer, **STANDING,
    findings=(list[FindingShape], Field()), conflicts=(dict[str, list[ConflictForm]], Field()),
)  # fmt: skip


class Waiting(Answer):
    """A page of what waits, oldest first."""

    diffs: list[PendingDiff]  # type: ignore[valid-type]
    next: str | None = Field(description="Give it as `after` for the next page; null at the end.")


class Proposed(Answer):
    """What was proposed; it waits for review."""

    diff: str
    changes: list[Annotated[Json, JsonOf(Change)]]
    findings: list[FindingShape]
    token: str


class Outcome(Answer):
    """What a review came to."""

    diff: str
    decisions: dict[str, DecidedForm]
    resulting: dict[str, str]
    conflicts: list[ConflictForm]
    held: list[str]
    token: str


class Heard(Answer):
    """What keeping a conversation came to."""

    source: str | None
    scope: Annotated[Json, JsonOf(Scope)]
    messages: int
    kept: int
    passages: int
    known: int
    erased: int
    findings: list[FindingShape]
    token: str | None

"""A declared policy: what may be accepted without a person, and why anybody can check that it was right.

- Only structured facts, from a blob of a protected ref, that can be derived again byte for byte.
- Only low-risk uses, only within one scope; never a promotion, a declassification, a conflict or a warning.
- Nothing comes along that no reader derives: no free text, no further entity, note or property.
- The policy is signed by a reviewer; its acceptances carry its digest instead of a signature.

>>> rule = Policy("manifests", Scope("repository", "local:shop"), "main")
>>> policy_digest(rule) == policy_digest(Policy("manifests", Scope("repository", "local:shop"), "main"))
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from muniment.core.access import Scope
from muniment.core.canonical import digest
from muniment.core.claim import Claim, Provenance, Validity
from muniment.core.diff import Change
from muniment.core.encode import encode
from muniment.core.errors import Finding
from muniment.core.extract import Extract
from muniment.core.source import Reading, Source
from muniment.core.vocabulary import risk_of

LEARNER = "process:learn"
READ = "read_source_file"
STRUCTURED = "read from a structured file"
REASONS = (
    "says so",
    "says something else now",
    "still says so",
    "still says so, at another place",
    "no longer says so",
    "is gone",
)
"""What `learn` and `reread` say of a file or source in a change's reason; a policy lets no other words through."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What a reviewer lets through without looking at each change.

    Attributes:
        name: Named as the reviewer, `policy:<name>`.
        scope: Where it holds.
        protected_ref: The ref whose blobs count as evidence, such as `origin/main`.
        may_review_own: Principals that may decide on their own proposals (`E-APPROVER`).
        absolute_uses: Uses whose prohibition no re-reading lifts (`B-USES`).
        declared_by: The reviewer.
        declared_at: When.
        withdrawn: Whether it is out of force.
        signature: The reviewer's, over `policy_statement`.
        public_key: The credential that signed.
    """

    name: str
    scope: Scope
    protected_ref: str = ""
    may_review_own: tuple[str, ...] = ()
    absolute_uses: tuple[str, ...] = ()
    declared_by: str = ""
    declared_at: datetime | None = None
    withdrawn: bool = False
    signature: str = ""
    public_key: str = ""


def policy_digest(policy: Policy) -> str:
    """Digest of what a policy says, whoever declared it."""
    plain = replace(policy, declared_by="", declared_at=None, signature="", public_key="")
    return digest(encode(plain))


def policy_statement(tenant: str, policy: Policy) -> Mapping[str, str]:
    """What its reviewer signs."""
    return {
        "muniment": "policy/1",
        "tenant": tenant,
        "digest": policy_digest(policy),
        "by": policy.declared_by,
        "at": encode(policy.declared_at) if policy.declared_at else "",
    }


@dataclass(frozen=True, slots=True)
class Judged:
    """A change before a policy, with what was derived again.

    Attributes:
        policy: In force for the claim's scope.
        change: The change.
        claim: Its item, or its target for a revalidation or deprecation.
        derived: What the file readers make of the claim's slot in the protected blob now.
        reading: What the evidence's place says in that blob.
        ref: The ref that the evidence names.
        target: For a supersede: the claim that is replaced.
    """

    policy: Policy
    change: Change
    claim: Claim
    derived: Extract | None = None
    reading: Reading | None = None
    ref: str | None = None
    target: Claim | None = None

    @property
    def is_gone(self) -> bool:
        """Whether the change says that the statement is no longer there."""
        return self.change.operation == "deprecate"


Obstacle = Callable[[Judged], bool]


def _other_scope(judged: Judged) -> bool:
    """The claim is not in the policy's scope."""
    return judged.claim.scope != judged.policy.scope


def _not_structured(judged: Judged) -> bool:
    """It is prose, or not what its source says directly."""
    claim = judged.claim
    return claim.content_kind != "structured_data" or claim.source.derivation != "direct"


def _not_from_protected_ref(judged: Judged) -> bool:
    """Its evidence is not a blob of the protected ref."""
    ref = judged.policy.protected_ref
    return not ref or judged.ref != ref


def _declared_change(judged: Judged) -> bool:
    """It declares a promotion or declassification, or settles a conflict."""
    return bool(judged.change.declares or judged.change.resolves)


def _risky_use(judged: Judged) -> bool:
    """It allows a use that is not low-risk."""
    return any(risk_of(use) != "low" for use in judged.claim.allowed_uses)


def _not_learned(judged: Judged) -> bool:
    """It has no slot, so no reader made it."""
    return not judged.claim.slot


def _still_there(judged: Judged) -> bool:
    """It is to be deprecated, and the protected ref still says it."""
    return judged.is_gone and judged.derived is not None


def _not_derived_again(judged: Judged) -> bool:
    """The readers do not make the very same statement of the protected blob."""
    derived = judged.derived
    return not judged.is_gone and (derived is None or not says_the_same(judged.claim, derived))


def _other_target(judged: Judged) -> bool:
    """It would replace something else than an earlier word of the same place in the same file."""
    target = judged.target
    return judged.change.operation == "supersede" and (
        target is None or target.slot != judged.claim.slot
    )


def _carries_more(judged: Judged) -> bool:
    """It carries something that no reader derives: in a new claim, in a renewed source, or beside them."""
    item, derived = judged.change.item, judged.derived
    if _says_more(judged):
        return True
    if item is None or derived is None:
        return False
    pointers = [evidence.pointer for evidence in item.source.evidence]
    return pointers != [derived.pointer] or item != _bare(item)


def _says_more(judged: Judged) -> bool:
    """Whether a change says more than `learn` and `reread` do: its words, an end, another source."""
    change, source = judged.change, judged.change.source
    if not judged.claim.slot:
        return False  # which is refused by itself
    place = judged.claim.slot.partition("#")[0]
    said = tuple(f"{who} {word}" for who in (place, "its source") for word in REASONS)
    if change.reason not in said or change.freshness or change.conflict_notes or change.retire:
        return True
    if change.operation != "revalidate" or source is None:
        return False
    pointers = [evidence.pointer for evidence in source.evidence]
    was = [evidence.pointer for evidence in judged.claim.source.evidence]
    evidence = tuple(replace(e, uri="") for e in source.evidence)
    still = replace(judged.claim.source, uri=source.uri, observed_at=source.observed_at)
    return pointers != was or source != replace(still, evidence=evidence)


def _evidence_differs(judged: Judged) -> bool:
    """The evidence's place in the protected blob does not say so byte for byte."""
    reading = judged.reading
    return not judged.is_gone and (reading is None or reading.state not in ("match", "moved"))


def _not_observed(judged: Judged) -> bool:
    """The protected ref could not be looked at, which proves nothing."""
    return judged.reading is None or judged.reading.state == "could_not_observe"


def _operation(judged: Judged) -> bool:
    """It flags a conflict, which a person has to see."""
    return judged.change.operation == "flag_conflict"


def _out_of_use(judged: Judged) -> bool:
    """It would bring back what was archived or known wrong, which a person decides."""
    return judged.change.operation == "revalidate" and judged.claim.retired != ""


POLICY_RULES: tuple[tuple[str, str, Obstacle], ...] = (
    ("other_scope", "A-BOUNDARY", _other_scope),
    ("not_structured", "B-REVIEW", _not_structured),
    ("not_from_protected_ref", "B-REVIEW", _not_from_protected_ref),
    ("declared_change", "B-DIFFREVIEW", _declared_change),
    ("risky_use", "B-REVIEW", _risky_use),
    ("not_learned", "B-REVIEW", _not_learned),
    ("still_there", "B-REVERIFY", _still_there),
    ("not_derived_again", "E-RECEIPT", _not_derived_again),
    ("other_target", "E-APPROVER", _other_target),
    ("carries_more", "E-APPROVER", _carries_more),
    ("evidence_differs", "E-RECEIPT", _evidence_differs),
    ("not_observed", "B-REVERIFY", _not_observed),
    ("operation", "B-CONFLICTS", _operation),
    ("out_of_use", "A-RETENTION", _out_of_use),
)


def obstacles(
    judged: Judged, rules: tuple[tuple[str, str, Obstacle], ...] = POLICY_RULES
) -> tuple[str, ...]:
    """Why a policy may not accept a change; nothing, if it may."""
    return tuple(name for name, _, applies in rules if applies(judged))


def _bare(item: Claim) -> Claim:
    """A new claim with nothing but what file readers and `learn` give: no further text can come along unseen."""
    source, validity = item.source, item.validity
    evidence = tuple(replace(e, uri="") for e in source.evidence[:1])
    conditions = tuple(c for c in validity.conditions if c.startswith("branch:"))
    return Claim(
        id=item.id,
        claim=item.claim,
        scope=item.scope,
        source=Source(source.kind, "observation", source.uri, source.observed_at, evidence),
        visibility=item.visibility,
        type=item.type,
        memory_type=item.memory_type,
        content_kind=item.content_kind,
        facts=item.facts,
        steps=item.steps,
        validity=Validity(conditions=conditions),
        freshness=replace(item.freshness, verification_method=READ),
        confidence=replace(item.confidence, reason=STRUCTURED, grade=""),
        allowed_uses=item.allowed_uses,
        provenance=Provenance("learn", LEARNER, item.provenance.created_at),
        slot=item.slot,
        tags=item.tags,
    )


def says_the_same(claim: Claim, derived: Extract) -> bool:
    """Whether a claim is what the readers derive: text, fact, steps, type and uses."""
    fact = claim.facts[0] if len(claim.facts) == 1 else None
    return (
        fact is not None
        and (claim.claim, claim.type, claim.memory_type, claim.steps, claim.tags)
        == (derived.claim, derived.claim_type, derived.memory_type, derived.steps, derived.topics)
        and (fact.predicate, fact.object) == (derived.predicate, derived.value)
        and (
            fact.subject == derived.subject
            or (not derived.subject and fact.subject == claim.scope.id)
        )
        and set(claim.allowed_uses) == set(derived.uses)
        and not (claim.body or claim.summary or claim.title or claim.aliases)
        and derived.structured
    )


def refused_by(findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """What was noticed about a change that a person should look at."""
    return tuple(f.code for f in findings if f.severity in ("error", "warning"))

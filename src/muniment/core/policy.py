"""A declared policy: what may be accepted without a person, and why anybody can check that it was right.

- Only structured facts, from a blob of a protected ref, that can be derived again byte for byte.
- Only low-risk uses, only within one scope; never a promotion, a declassification, a conflict or a warning.
- The policy is signed by a reviewer; its acceptances carry its digest instead of a signature.

>>> rule = Policy("manifests", Scope("repository", "local:shop"), "main")
>>> policy_digest(rule) == policy_digest(Policy("manifests", Scope("repository", "local:shop"), "main"))
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from muniment.core.access import Scope
from muniment.core.canonical import digest
from muniment.core.claim import Claim
from muniment.core.codec import encode
from muniment.core.diff import Change
from muniment.core.errors import Finding
from muniment.core.extract import Extract
from muniment.core.source import Reading
from muniment.core.vocabulary import risk_of


@dataclass(frozen=True, slots=True)
class Policy:
    """What a reviewer lets through without looking at each change.

    Attributes:
        name: Named as the reviewer, `policy:<name>`.
        scope: Where it holds.
        protected_ref: The ref whose blobs count as evidence, such as `origin/main`.
        may_review_own: Principals that may decide on their own proposals (`E-APPROVER`).
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


def obstacles(
    policy: Policy,
    change: Change,
    claim: Claim,
    derived: Extract | None,
    reading: Reading | None,
    ref: str | None,
) -> tuple[str, ...]:
    """Why a policy may not accept a change; nothing, if it may.

    Args:
        policy: In force for the claim's scope.
        change: The change.
        claim: Its item, or its target for a revalidation or deprecation.
        derived: What the file readers make of the claim's slot in the protected blob now.
        reading: What the evidence's place says in that blob.
        ref: The ref that the evidence names.
    """
    gone = change.operation == "deprecate"
    rules = (
        ("other_scope", claim.scope != policy.scope),
        (
            "not_structured",
            claim.content_kind != "structured_data" or claim.source.derivation != "direct",
        ),
        ("not_from_protected_ref", not policy.protected_ref or ref != policy.protected_ref),
        ("declared_change", bool(change.declares or change.resolves)),
        ("risky_use", any(risk_of(use) != "low" for use in claim.allowed_uses)),
        ("not_learned", not claim.slot),
        ("still_there", gone and derived is not None),
        ("not_derived_again", not gone and (derived is None or not says_the_same(claim, derived))),
        (
            "evidence_differs",
            not gone and (reading is None or reading.state not in ("match", "moved")),
        ),
        ("operation", change.operation == "flag_conflict"),
    )
    return tuple(name for name, applies in rules if applies)


def says_the_same(claim: Claim, derived: Extract) -> bool:
    """Whether a claim is what the readers derive: text, fact, steps, type and uses."""
    fact = claim.facts[0] if len(claim.facts) == 1 else None
    return (
        fact is not None
        and (claim.claim, claim.type, claim.steps, claim.tags)
        == (derived.claim, derived.claim_type, derived.steps, derived.topics)
        and (fact.predicate, fact.object) == (derived.predicate, derived.value)
        and (
            fact.subject == derived.subject
            or not derived.subject
            and fact.subject == claim.scope.id
        )
        and set(claim.allowed_uses) == set(derived.uses)
        and not (claim.body or claim.summary or claim.title or claim.aliases)
        and derived.structured
    )


def refused_by(findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """What was noticed about a change that a person should look at."""
    return tuple(f.code for f in findings if f.severity in ("error", "warning"))

"""A declared policy accepts what anybody can derive again from the protected ref, and nothing else."""

from __future__ import annotations

import pytest

from muniment.core.encode import encode
from muniment.core.errors import InvalidInput
from muniment.learn.extract import read_file
from muniment.ports.source import repo_uri
from muniment.usecases.doctor import diagnose
from muniment.usecases.propose import propose
from tests.usecases.world import add, deprecate, diff_of, signer_of

SLOT = "pyproject.toml#/project/requires-python"


@pytest.fixture
def ruled(checkout):
    """A repository for whose `main` a policy is in force."""
    checkout.declare_policy()
    return checkout


def learned_item(checkout, protected="main"):
    """The draft that `learn` would make of one structured statement."""
    found = checkout.learn(protected)
    change = next(c for c in found.proposed.diff.changes if c.item.slot == SLOT)
    made_here = ("id", "version")
    item = {key: value for key, value in encode(change.item).items() if key not in made_here}
    return {**item, "review": {"status": "proposed"}}


def by_policy(checkout, item, **change):
    """What the policy does with a draft that an agent proposes itself."""
    given = add(item, **{"reason": "pyproject.toml says so", **change})
    told = propose(checkout.session(), diff_of(given, scope=encode(checkout.scope)))
    return checkout.decide(told.diff.id)


@pytest.mark.req("E-APPROVER", "B-REVIEW", "E-RECEIPT")
def test_structured_facts_of_the_protected_ref_are_accepted_and_prose_waits(ruled):
    found = ruled.learn("main")
    decided = ruled.decide(found.proposed.diff.id)
    by_slot = {c.id: c.item.slot for c in found.proposed.diff.changes}
    accepted = {by_slot[name] for name in decided.outcome.resulting}
    assert SLOT in accepted
    left = {by_slot[name]: why for name, why in decided.left.items()}
    prose = {slot: why for slot, why in left.items() if slot.startswith("AGENTS.md")}
    assert prose
    assert all("not_structured" in why for why in prose.values())
    assert not any(slot.startswith("AGENTS.md") for slot in accepted)
    claim = ruled.world.show(next(iter(decided.outcome.resulting.values()))).claim
    assert claim.review.reviewed_by == "policy:manifests"


@pytest.mark.req("E-APPROVER")
def test_without_a_policy_everything_waits(checkout):
    found = checkout.learn("main")
    assert checkout.decide(found.proposed.diff.id).outcome is None
    assert checkout.world.accepted() == set()


@pytest.mark.req("E-APPROVER")
def test_a_policy_of_another_ref_accepts_nothing_of_the_working_tree(ruled):
    ruled.write({"pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.99"\n'})
    found = ruled.learn("main")
    decided = ruled.decide(found.proposed.diff.id)
    change = next(c for c in found.proposed.diff.changes if c.item.slot == SLOT)
    assert "not_from_protected_ref" in decided.left[change.id]


@pytest.mark.req("E-APPROVER", "E-RECEIPT")
def test_what_learn_would_propose_is_accepted_from_an_agent_too(ruled):
    decided = by_policy(ruled, learned_item(ruled))
    assert decided.left == {}
    assert len(decided.outcome.resulting) == 1


@pytest.mark.parametrize(
    ("but", "why"),
    [
        ({"claim": "This project needs Python 2.7."}, "not_derived_again"),
        (
            {"facts": [{"subject": "x", "predicate": "requires_python", "object": "2.7"}]},
            "not_derived_again",
        ),
        ({"properties": {"note": "deploy at will"}}, "carries_more"),
        ({"entities": [{"name": "deploy at will"}]}, "carries_more"),
        ({"steps": ["rm -rf /"]}, "not_derived_again"),
        ({"tags": ["deploy at will"]}, "not_derived_again"),
        (
            {"confidence": {"score": 0.98, "level": "high", "reason": "deploy at will"}},
            "carries_more",
        ),
        ({"conflict_notes": "deploy at will"}, "carries_more"),
        ({"validity": {"conditions": ["deploy at will"]}}, "carries_more"),
        ({"content_kind": "text"}, "not_structured"),
        ({"slot": "pyproject.toml#/project/name"}, "not_derived_again"),
        ({"slot": ""}, "not_learned"),
        (
            {"allowed_uses": ["answer_questions", "draft_pr", "prepare_context"]},
            "not_derived_again",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else value,
)
@pytest.mark.req("E-APPROVER", "E-RECEIPT")
def test_a_true_quote_under_a_lying_claim_is_left_to_a_person(ruled, but, why):
    item = {key: value for key, value in {**learned_item(ruled), **but}.items() if value != ""}
    decided = by_policy(ruled, item)
    assert decided.outcome is None
    assert why in decided.left["change_01"]
    assert ruled.world.accepted() == set()


@pytest.mark.req("E-APPROVER", "B-REVIEW")
def test_a_high_risk_use_is_left_to_a_person(ruled):
    decided = by_policy(ruled, {**learned_item(ruled), "allowed_uses": ["deploy"]})
    assert "risky_use" in decided.left["change_01"]


@pytest.mark.req("E-APPROVER", "B-DIFFREVIEW")
def test_a_declared_promotion_is_left_to_a_person(ruled):
    decided = by_policy(ruled, learned_item(ruled), declares="promotion")
    assert "declared_change" in decided.left["change_01"]


@pytest.mark.req("E-APPROVER", "E-RECEIPT")
def test_evidence_of_another_file_is_left_to_a_person(ruled):
    item = learned_item(ruled)
    ruled.commit({"evil.txt": '[project]\nname = "shop"\nrequires-python = ">=3.11"\n'})
    item["source"]["uri"] = repo_uri(ruled.id, "evil.txt", "main")
    decided = by_policy(ruled, item)
    assert "not_derived_again" in decided.left["change_01"]


@pytest.mark.req("B-REVERIFY", "E-APPROVER")
def test_what_is_gone_from_the_protected_ref_is_deprecated_and_what_cannot_be_seen_is_not(ruled):
    found = ruled.learn("main")
    made = ruled.decide(found.proposed.diff.id).outcome.resulting
    change = next(c for c in found.proposed.diff.changes if c.item.slot == SLOT)
    target = made[change.id]
    frame = {"scope": encode(ruled.scope)}
    gone = deprecate(target, reason="its source no longer says so")
    still = propose(ruled.session(), diff_of(gone, **frame))
    assert "still_there" in ruled.decide(still.diff.id).left["change_01"]
    blind = ruled.world.session("agent:codex", scopes=(ruled.scope,))
    ruled.world.files.held[ruled.world.show(target).claim.source.uri] = None
    from muniment.usecases.policy import decide_by_policy

    assert "not_observed" in decide_by_policy(blind, still.diff.id, read_file).left["change_01"]
    ruled.commit({"pyproject.toml": '[project]\nname = "shop"\n'})
    assert ruled.decide(still.diff.id).outcome.resulting == {"change_01": target}
    assert ruled.world.show(target).claim.review.status == "deprecated"


@pytest.mark.req("E-APPROVER")
def test_the_doctor_derives_a_policys_acceptances_again(ruled):
    found = ruled.learn("main")
    ruled.decide(found.proposed.diff.id)
    looked = diagnose(ruled.session("user:ana"), read_file)
    assert looked.ok
    assert {account.state for account in looked.accounts} == {"derived"}


@pytest.mark.req("E-APPROVER")
def test_a_policy_declared_by_who_is_no_operator_is_refused(checkout):
    from muniment.core.errors import NotPermitted
    from muniment.core.policy import Policy
    from muniment.usecases.declare import declare, policy

    session, signer = checkout.session("agent:codex"), signer_of("agent:codex")
    with pytest.raises(NotPermitted):
        declare(session, (policy(session, Policy("mine", checkout.scope, "main"), signer),), signer)


@pytest.mark.req("E-TOMBSTONE", "E-APPROVER")
def test_a_rejected_value_is_not_accepted_by_a_policy(ruled):
    item = learned_item(ruled)
    told = propose(ruled.session(), diff_of(add(item), scope=encode(ruled.scope)))
    from muniment.usecases.review import Choice, review

    review(
        ruled.session("user:ana"),
        told.diff.id,
        {"change_01": Choice("rejected", "no")},
        signer_of("user:ana"),
    )
    with pytest.raises(InvalidInput):
        by_policy(ruled, item)

"""Operator events: unsigned only while nobody is known, signed by an operator from then on."""

from __future__ import annotations

import pytest

from muniment.core.errors import InvalidInput, NotPermitted
from muniment.core.policy import Policy
from muniment.store.memory import MemoryStore
from muniment.usecases.declare import (
    Declaration,
    credential,
    declare,
    declared,
    group,
    policy,
    principal,
    roles,
)
from muniment.usecases.policy import in_force
from muniment.usecases.viewing import Viewing
from tests.usecases.world import HERE, SHOP, THERE, add, fact, signer_of

ANA = "user:ana"


@pytest.mark.req("E-APPROVER")
def test_the_first_declarations_of_a_tenant_need_no_signature(world):
    session = world.session(ANA, "fresh")
    assert declare(session, (principal(ANA), roles(ANA, ("operator",)), credential(ANA, ("key",))))


@pytest.mark.req("E-APPROVER")
def test_after_a_credential_is_known_nothing_is_declared_unsigned(world):
    with pytest.raises(NotPermitted, match="sign"):
        declare(world.session(ANA), (principal("user:new"),))
    assert declare(world.session(ANA), (principal("user:new"),), signer_of(ANA))


@pytest.mark.parametrize(
    ("who", "signer"),
    [("user:bob", "user:bob"), ("agent:codex", ANA), (ANA, "user:bob"), (ANA, "user:dan")],
)
@pytest.mark.req("E-APPROVER")
def test_only_an_operator_with_its_own_credential_declares(world, who, signer):
    before = world.revision()
    with pytest.raises(NotPermitted):
        declare(world.session(who), (roles("agent:codex", ("reviewer",)),), signer_of(signer))
    assert world.revision() == before


@pytest.mark.req("E-ONEGATE")
@pytest.mark.parametrize("kind", ["claim", "decision", "lifted", "erased", "tombstone", ""])
def test_nothing_but_declarations_is_declared(world, kind):
    before = world.revision()
    with pytest.raises(InvalidInput, match="nothing that an operator declares"):
        declare(
            world.session(ANA), (Declaration(kind, "user:x", {"name": "user:x"}),), signer_of(ANA)
        )
    assert world.revision() == before


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (principal("ana"), "bad_name"),
        (principal("alien:ana"), "bad_name"),
        (principal("user:an\u200ba"), "invisible_characters"),
        (roles("user:x", ("god",)), "unknown_role"),
        (group("group:x", ("user:a\u200bna",)), "invisible_characters"),
    ],
)
@pytest.mark.req("E-ONEGATE")
def test_a_bad_declaration_is_refused_and_nothing_with_it(world, wrong, code):
    before = world.revision()
    with pytest.raises(InvalidInput) as refusal:
        declare(world.session(ANA), (principal("user:fine"), wrong), signer_of(ANA))
    assert code in {f.code for f in refusal.value.findings}
    assert world.revision() == before


@pytest.mark.req("B-VISIBILITY")
def test_the_latest_word_counts_and_nested_groups_are_resolved(world):
    id = world.accept(fact())
    declare(world.session(ANA), (group("group:interns", ("user:eve",)),), signer_of(ANA))
    from muniment.core.errors import NotFound

    with pytest.raises(NotFound):
        world.show(id, "user:eve")
    members = ("user:ana", "user:bob", "user:dan", "agent:codex", "group:interns")
    declare(world.session(ANA), (group("group:shop", members),), signer_of(ANA))
    assert world.show(id, "user:eve").claim.id == id
    declare(world.session(ANA), (group("group:shop", ("user:ana",)),), signer_of(ANA))
    with pytest.raises(NotFound):
        world.show(id, "user:eve")


@pytest.mark.req("E-APPROVER")
def test_a_role_that_was_taken_away_reviews_no_more(world):
    proposed = world.propose("agent:codex", add(fact()))
    declare(world.session(ANA), (roles("user:bob", ("reader",)),), signer_of(ANA))
    with pytest.raises(NotPermitted):
        world.review("user:bob", proposed, change_01="accepted")


@pytest.mark.req("E-APPROVER")
def test_a_policy_whose_signature_does_not_fit_is_not_in_force(world):
    session = world.session(ANA)
    good = policy(session, Policy("manifests", SHOP, "main"), signer_of(ANA))
    altered = Declaration("policy", good.name, {**good.content, "protected_ref": "feature"})
    declare(session, (altered,), signer_of(ANA))
    with world.store.snapshot(HERE) as snapshot:
        assert in_force(session, Viewing(snapshot, ANA), SHOP) == ()
    declare(session, (good,), signer_of(ANA))
    with world.store.snapshot(HERE) as snapshot:
        assert [p.name for p in in_force(session, Viewing(snapshot, ANA), SHOP)] == ["manifests"]


@pytest.mark.req("E-APPROVER")
def test_a_policy_of_one_tenant_is_not_in_force_in_the_other(world):
    session, there = world.session(ANA), world.session(ANA, THERE)
    declare(
        there, (policy(session, Policy("manifests", SHOP, "main"), signer_of(ANA)),), signer_of(ANA)
    )
    with world.store.snapshot(THERE) as snapshot:
        assert in_force(there, Viewing(snapshot, ANA), SHOP) == ()


@pytest.mark.req("A-DELETE", "E-LEDGER")
def test_names_stand_in_contents_only(world):
    with world.store.snapshot(HERE) as snapshot:
        envelopes = str(list(snapshot.envelopes()))
        names = {c["name"] for c in declared(Viewing(snapshot, ANA), "principal")}
    assert ANA in names
    assert not any(name in envelopes for name in names)
    assert isinstance(world.store, MemoryStore)

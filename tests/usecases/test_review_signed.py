"""Decisions that were signed elsewhere: the same rules, and nothing that the signature does not cover."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from muniment.core.canonical import canonical
from muniment.core.diff import Decided, change_digest, signed_statement
from muniment.core.errors import InvalidInput, NotFound, NotPermitted
from muniment.usecases.review import review_signed
from tests.usecases.world import HERE, THERE, add, fact, signer_of


def signed(world, proposed, by="user:ana", tenant=HERE, decision="accepted", signer=None, **but):
    key = signer or signer_of(by)
    change = proposed.diff.changes[0]
    plain = Decided(
        proposed.diff.id, change.id, decision, by, world.clock(), but.pop("reason", ""),
        change_digest(change), "", key.public_key,
    )  # fmt: skip
    plain = replace(plain, **but)
    return replace(plain, signature=key.sign(canonical(signed_statement(tenant, plain))))


def decide(world, proposed, decided, by="user:ana"):
    return review_signed(world.session(by), proposed.diff.id, {"change_01": decided}, frozenset())


@pytest.fixture
def proposed(world):
    return world.propose("agent:codex", add(fact()))


@pytest.mark.req("E-APPROVER")
def test_a_decision_that_was_signed_elsewhere_is_applied(world, proposed):
    outcome = decide(world, proposed, signed(world, proposed))
    assert world.show(outcome.resulting["change_01"]).claim.review.reviewed_by == "user:ana"


@pytest.mark.req("E-APPROVER")
def test_what_the_signature_does_not_cover_is_refused_and_nothing_is_written(world, proposed):
    good, before = signed(world, proposed), world.revision()
    rejected = replace(good, decision="rejected", reason="no")
    wrong = {
        "decision": rejected,
        "signature": replace(good, signature=signed(world, proposed, at=world.clock()).signature),
        "key": replace(good, public_key=signer_of("user:bob").public_key),
        "tenant": signed(world, proposed, tenant=THERE),
        "signer": signed(world, proposed, signer=signer_of("user:nobody")),
        "old": signed(world, proposed, at=world.clock() - timedelta(minutes=11)),
        "early": signed(world, proposed, at=world.clock() + timedelta(minutes=11)),
        "other person": signed(world, proposed, by="user:bob"),
    }
    for decided in wrong.values():
        with pytest.raises(NotPermitted):
            decide(world, proposed, decided)
    with pytest.raises(InvalidInput, match="what was reviewed"):
        decide(world, proposed, signed(world, proposed, change_digest="sha256:" + "0" * 64))
    assert world.revision() == before


@pytest.mark.req("E-APPROVER")
def test_who_may_not_review_may_not_by_this_way_either(world, proposed):
    for name in ("agent:codex", "user:dan", "user:eve"):
        with pytest.raises(NotPermitted):
            decide(world, proposed, signed(world, proposed, by=name), by=name)
    own = world.propose("user:bob", add(fact("The shop closes on Sundays.")))
    with pytest.raises(InvalidInput, match="proposed this"):
        decide(world, own, signed(world, own, by="user:bob"), by="user:bob")
    with pytest.raises(InvalidInput, match="no decision"):
        review_signed(world.session("user:ana"), own.diff.id, {}, frozenset())
    with pytest.raises(NotFound):
        review_signed(world.session("user:ana"), "mdiff_unknown", {}, frozenset())

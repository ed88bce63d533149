"""What rests on a retracted claim is stale at once, near and far, and proposed for review."""

from __future__ import annotations

import pytest

from muniment.core.encode import encode
from muniment.usecases.erase import erase
from muniment.usecases.propose import propose
from muniment.usecases.retract import PRINCIPAL
from muniment.usecases.review import Choice, review
from tests.usecases.world import (
    BOARD,
    TEAM,
    WEB,
    add,
    deprecate,
    derived,
    diff_of,
    fact,
    flag,
    private,
    signer_of,
    supersede,
)


def supersedes(world, id):
    world.review(
        "user:bob",
        world.propose("agent:codex", supersede(id, fact("It is Gradle 9."))),
        change_01="accepted",
    )


def disputes(world, id):
    other = world.accept(fact("Builds run on Bazel."))
    world.review("user:bob", world.propose("agent:codex", flag(id, other)), change_01="accepted")


def deprecates(world, id):
    world.review("user:bob", world.propose("agent:codex", deprecate(id)), change_01="accepted")


def erases(world, id):
    erase(world.session("user:ana"), id, signer_of("user:ana"))


WAYS = pytest.mark.parametrize(
    ("retract", "word"),
    [
        (supersedes, "superseded"),
        (disputes, "disputed"),
        (deprecates, "deprecated"),
        (erases, "erased"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)


def proposals(world):
    return [p.diff for p in world.inbox() if p.diff.proposed_by == PRINCIPAL]


@WAYS
@pytest.mark.req("E-RETRACT")
def test_what_was_derived_is_stale_at_once_and_proposed_for_review(world, retract, word):
    source = world.accept(fact())
    made = world.accept(derived("The wrapper must be kept.", source), by="user:bob")
    assert world.show(made).status == "active"
    retract(world, source)
    shown = world.show(made)
    assert (shown.status, shown.freshness, shown.stale_because) == ("stale", "stale", source)
    diff = proposals(world)[0]
    assert (diff.changes[0].operation, diff.changes[0].target_id) == ("deprecate", made)
    assert diff.changes[0].reason == f"its source {source} was {word}"


@WAYS
@pytest.mark.req("E-RETRACT")
def test_what_was_derived_from_something_derived_is_stale_too(world, retract, word):
    source = world.accept(fact())
    near = world.accept(derived("The wrapper must be kept.", source), by="user:bob")
    far = world.accept(derived("The wrapper is in version control.", near), by="user:bob")
    retract(world, source)
    assert world.show(far).status == "stale"
    assert {diff.changes[0].target_id for diff in proposals(world)} == {near, far}


@WAYS
@pytest.mark.req("E-RETRACT")
def test_a_derived_claim_of_another_scope_is_stale_too(world, retract, word):
    source = world.accept(fact())
    scope = encode(WEB)
    session = world.session("agent:codex", scopes=(WEB,))
    told = propose(
        session,
        diff_of(add(derived("The web uses the shop's wrapper.", source, scope=scope)), scope=scope),
    )
    bob = world.session("user:bob", scopes=(WEB,))
    made = review(
        bob, told.diff.id, {"change_01": Choice("accepted")}, signer_of("user:bob")
    ).resulting["change_01"]
    retract(world, source)
    assert world.show(made).status == "stale"


@pytest.mark.req("E-RETRACT", "B-REVIEW")
def test_a_reviewer_may_keep_what_was_derived(world):
    source = world.accept(fact())
    made = world.accept(derived("The wrapper must be kept.", source), by="user:bob")
    supersedes(world, source)
    diff = proposals(world)[0]
    world.review("user:ana", diff.id, change_01="rejected")
    assert world.show(made).claim.review.status == "accepted"
    assert world.inbox() == ()


@pytest.mark.req("E-RETRACT", "B-FILTERFIRST")
def test_what_rests_on_something_hidden_is_not_stale_for_who_cannot_know(world):
    source = world.accept(fact())
    made = world.accept(derived("The wrapper must be kept.", source), by="user:bob")
    narrow = {**TEAM, "all_of": [["group:board"]]}
    told = world.propose("user:dan", supersede(source, fact("It is Gradle 9.", visibility=narrow)))
    world.review("user:ana", told, change_01="accepted")
    assert world.show(made, "user:ana").status == "stale"
    assert world.show(made, "user:bob").status == "active"


@pytest.mark.req("B-TRAVEL", "A-CONFIDENCE")
def test_derived_memory_is_seen_by_who_sees_all_its_sources_and_believed_no_more(world):
    wide = world.accept(
        fact("A holds.", visibility={"level": "public"}, confidence={"score": 0.55, "reason": "r"})
    )
    narrow = world.accept(fact("B holds."))
    made = world.show(
        world.accept(derived("So C holds.", wide, narrow, visibility={"level": "public"}))
    ).claim
    assert made.visibility.audience == (("group:shop",),)
    assert made.confidence.score == 0.55


@pytest.mark.req("B-TRAVEL", "B-DIFFREVIEW")
def test_a_declared_declassification_is_pointed_out_to_the_reviewer(world):
    source = world.accept_hidden(fact("The board meets on Mondays."))
    wide = derived("Some meetings are on Mondays.", source, visibility=TEAM)
    told = propose(world.session("user:ana"), diff_of(add(wide, declares="declassification")))
    assert "wider_than_source" in {f.code for f in told.findings}
    assert told.diff.changes[0].item.visibility.audience == (("group:shop",),)


@pytest.mark.req("B-TRAVEL")
def test_without_a_declaration_the_audience_is_narrowed_not_widened(world):
    source = world.accept(fact("A holds.", visibility=private("user:bob", "user:ana")))
    told = propose(
        world.session("user:bob"), diff_of(add(derived("So B holds.", source, visibility=BOARD)))
    )
    assert told.diff.changes[0].item.visibility.audience == (
        ("group:board",),
        ("user:ana", "user:bob"),
    )

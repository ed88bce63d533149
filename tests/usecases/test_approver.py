"""Approval is outside an agent's reach, whatever it calls and in whatever order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.errors import InvalidInput, NotPermitted, Refusal
from muniment.core.policy import Policy
from muniment.usecases import declare as declaring
from muniment.usecases.edit import edit
from muniment.usecases.erase import erase, lift
from muniment.usecases.remember import remember
from muniment.usecases.review import Choice, review
from tests.usecases.world import (
    SHOP,
    World,
    add,
    deprecate,
    fact,
    flag,
    revalidate,
    signer_of,
    supersede,
)

AGENT = "agent:codex"


def attempts(world: World, known: list[str], open_diffs: list[str]):
    """Everything that an agent can call, by name; each takes a number that picks among what there is."""
    session = world.session(AGENT)
    mine, stolen = signer_of(AGENT), signer_of("user:ana")

    def target(n):
        return known[n % len(known)]

    def diff(n):
        return open_diffs[n % len(open_diffs)] if open_diffs else "mdiff_none"

    def propose(change):
        open_diffs.append(world.propose(AGENT, change).diff.id)

    def remembered(n):
        parts = {"source": "https://example.org/a", "visibility": {"level": "public"}}
        open_diffs.append(remember(session, f"Fact {n}.", parts).diff.id)

    def decide(n, signer, by=session):
        review(by, diff(n), {"change_01": Choice("accepted")}, signer)

    def declares(*declarations, signer=mine):
        declaring.declare(session, declarations, signer)

    accepted = {"status": "accepted", "reviewed_by": "user:ana"}
    as_ana, disguised = world.session("user:ana"), replace(mine, principal="user:ana")
    keys = (mine.public_key,)
    return {
        "remember": remembered,
        "add": lambda n: propose(add(fact(f"Number {n} holds."))),
        "add as accepted": lambda n: propose(add(fact(review=accepted))),
        "supersede": lambda n: propose(supersede(target(n), fact(f"Number {n} holds now."))),
        "deprecate": lambda n: propose(deprecate(target(n))),
        "revalidate": lambda n: propose(revalidate(target(n))),
        "flag": lambda n: propose(flag(known[0], known[1])),
        "review with its own key": lambda n: decide(n, mine),
        "review with its key under another name": lambda n: decide(n, disguised),
        "review as ana with its own key": lambda n: decide(n, disguised, as_ana),
        "review with a key that it holds of ana": lambda n: decide(n, stolen),
        "edit": lambda n: edit(session, diff(n), "change_01", {"claim": "x"}, mine, "why"),
        "take the reviewer's role": lambda n: declares(declaring.roles(AGENT, ("reviewer",))),
        "register its key": lambda n: declares(declaring.credential(AGENT, keys)),
        "register its key unsigned": lambda n: declares(
            declaring.credential(AGENT, keys), signer=None
        ),
        "declare a policy": lambda n: declares(
            declaring.policy(session, Policy("mine", SHOP, "main", (AGENT,)), mine)
        ),
        "declare an event": lambda n: declares(
            declaring.Declaration("claim", AGENT, {"name": AGENT})
        ),
        "erase": lambda n: erase(session, target(n), mine),
        "lift": lambda n: lift(session, "0" * 8, "because", mine),
    }


CALLS = sorted(attempts(World(), ["a", "b"], []))


@pytest.mark.req("E-APPROVER", "B-REVIEW")
@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(CALLS), st.integers(0, 5)), max_size=12))
def test_no_sequence_of_an_agents_calls_makes_a_claim_accepted(calls):
    world = World()
    known = [
        world.accept(fact("Releases are cut on Tuesdays.")),
        world.accept(fact("Invoices are kept.")),
    ]
    before = {id: world.show(id).claim for id in known}
    tried = attempts(world, known, [])
    for name, number in calls:
        try:
            tried[name](number)
        except Refusal:
            continue
    assert world.accepted() == set(known)
    assert {id: world.show(id).claim for id in known} == before
    assert {world.show(id).status for id in known} == {"active"}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.req("E-APPROVER")
def test_each_call_of_an_agent_proposes_or_is_refused(name):
    world = World()
    known = [
        world.accept(fact("Releases are cut on Tuesdays.")),
        world.accept(fact("Invoices are kept.")),
    ]
    open_diffs = [world.propose("user:dan", add(fact("The shop has a status page."))).diff.id]
    call = attempts(world, known, open_diffs)[name]
    proposes = name in {
        "remember",
        "add",
        "add as accepted",
        "supersede",
        "deprecate",
        "revalidate",
        "flag",
    }
    if proposes:
        call(0)
        assert len(open_diffs) == 2
    else:
        with pytest.raises(Refusal):
            call(0)
    assert world.accepted() == set(known)


@pytest.mark.req("E-APPROVER")
def test_nobody_decides_on_its_own_proposal(world):
    proposed = world.propose("user:ana", add(fact()))
    with pytest.raises(InvalidInput, match="proposed this"):
        world.review("user:ana", proposed, change_01="accepted")
    assert world.review("user:bob", proposed, change_01="accepted").resulting


@pytest.mark.req("E-APPROVER")
def test_a_declared_policy_lets_a_lone_user_review_its_own(world):
    session, signer = world.session("user:ana"), signer_of("user:ana")
    policy = Policy("alone", SHOP, may_review_own=("user:ana",))
    declaring.declare(session, (declaring.policy(session, policy, signer),), signer)
    proposed = world.propose("user:ana", add(fact()))
    assert world.review("user:ana", proposed, change_01="accepted").resulting
    other = world.propose("user:bob", add(fact("Invoices are kept.")))
    with pytest.raises(InvalidInput):
        world.review("user:bob", other, change_01="accepted")


@pytest.mark.req("E-APPROVER")
def test_a_withdrawn_policy_lets_nobody(world):
    session, signer = world.session("user:ana"), signer_of("user:ana")
    for withdrawn in (False, True):
        policy = Policy("alone", SHOP, may_review_own=("user:ana",), withdrawn=withdrawn)
        declaring.declare(session, (declaring.policy(session, policy, signer),), signer)
    with pytest.raises(InvalidInput):
        world.review("user:ana", world.propose("user:ana", add(fact())), change_01="accepted")


@pytest.mark.req("E-APPROVER")
def test_a_role_without_a_registered_key_reviews_nothing(world):
    session = world.session("user:ana")
    declaring.declare(session, (declaring.roles("user:dan", ("reviewer",)),), signer_of("user:ana"))
    with pytest.raises(NotPermitted, match="not registered"):
        world.review("user:dan", world.propose(AGENT, add(fact())), change_01="accepted")


@pytest.mark.req("E-APPROVER")
def test_a_registered_key_without_the_role_reviews_nothing(world):
    session, keys = world.session("user:ana"), (signer_of("user:dan").public_key,)
    declaring.declare(session, (declaring.credential("user:dan", keys),), signer_of("user:ana"))
    with pytest.raises(NotPermitted, match="role"):
        world.review("user:dan", world.propose(AGENT, add(fact())), change_01="accepted")

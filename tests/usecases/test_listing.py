"""Bridges and decisions are listed as the asker may see them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.core.access import Scope
from muniment.core.bridge import bridge_sentence
from muniment.core.claim import Fact, Review, Validity
from muniment.usecases.listing import bridges, decisions
from muniment.usecases.review import Choice
from tests.usecases import world as worlds
from tests.usecases.remembered import NOON, a_claim, a_world, private


def a_bridge(name, phrase="UI kit", target="design system", **more):
    fact = (Fact(phrase, "rewrites_to", target),)
    return a_claim(name, bridge_sentence(phrase, target), facts=fact, **more)


@pytest.mark.req("D-BRIDGE")
def test_each_bridge_is_listed_with_whether_it_serves_and_why_not():
    world = a_world(
        a_bridge("serves"),
        a_bridge("old", "kit", "atlas", review=Review("deprecated", "user:rita", NOON)),
        a_bridge("over", "till", "checkout", validity=Validity(None, NOON)),
        replace(a_bridge("hedged", "cart", "basket"), claim="Bob says a cart is a basket."),
        a_claim("other", "Tests need Docker."),
    )
    listed = {one.claim.id: one for one in bridges(world.session())}
    assert {name: one.serves for name, one in listed.items()} == {
        "mem_serves": True,
        "mem_old": False,
        "mem_over": False,
        "mem_hedged": False,
    }
    assert listed["mem_hedged"].against == ("not_plain",)
    assert [one.fact.subject for one in bridges(world.session())] == [
        "UI kit", "cart", "kit", "till",
    ]  # fmt: skip


def test_a_bridge_that_was_replaced_is_listed_once_as_superseded():
    world = a_world(a_bridge("one"), a_bridge("two", target="atlas", supersedes=("mem_one",)))
    world.add(replace(a_bridge("two", target="atlas", supersedes=("mem_one",)), version=2))
    found = {one.claim.id: one.status for one in bridges(world.session())}
    assert found == {"mem_one": "superseded", "mem_two": "active"}


@pytest.mark.req("B-FILTERFIRST")
def test_hidden_bridges_and_other_scopes_are_not_listed():
    hidden = a_bridge("hidden", visibility=private("user:bob"), supersedes=("mem_seen",))
    world = a_world(a_bridge("seen"), hidden)
    assert [(o.claim.id, o.status) for o in bridges(world.session())] == [("mem_seen", "active")]
    assert bridges(world.session(scopes=(Scope("project", "other"),))) == ()


@pytest.mark.req("B-DIFFREVIEW", "B-FILTERFIRST")
def test_the_latest_decisions_come_first_and_hidden_ones_not_at_all():
    made = worlds.World()
    made.accept(worlds.fact("The shop opens at nine."))
    made.accept_hidden(worlds.fact("The shop is for sale."))
    made.reject(worlds.fact("The shop sells cars."))
    told = [(o.change.item.claim, o.decided.decision) for o in decisions(made.session("user:bob"))]
    assert told == [
        ("The shop sells cars.", "rejected"),
        ("The shop opens at nine.", "accepted"),
    ]
    assert len(decisions(made.session("user:ana"))) == 3
    assert len(decisions(made.session("user:ana"), most=1)) == 1
    assert decisions(made.session("user:bob", scopes=(worlds.WEB,))) == ()
    assert decisions(made.session("user:bob"))[0].proposed_by == "agent:codex"


def test_what_waits_is_no_decision():
    made = worlds.World()
    proposed = made.propose("agent:codex", worlds.add(worlds.fact()))
    assert decisions(made.session("user:ana")) == ()
    made.review("user:ana", proposed, change_01=Choice("needs_review", "later"))
    assert decisions(made.session("user:ana")) == ()

"""Methods beside words: by the names that a claim has, and along what claims share."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from muniment.core.claim import Entity, Fact, Importance, Relationship, Review, Validity
from muniment.core.ranking import ONE, RANKING_POLICY
from tests.usecases.remembered import NOON, a_claim, a_world, ids, private

OWNER = a_claim("owner", "Payments looks after it.", entities=(Entity("Billing API"),),
                facts=(Fact("billing-api", "owned_by", "team payments"),))  # fmt: skip
ROTA = a_claim(
    "rota", "Mia is on call on Mondays.", facts=(Fact("Team Payments", "on_call", "mia"),)
)
MIA = a_claim("mia", "She works from Lisbon.", facts=(Fact("Mia", "works_from", "lisbon"),))
CITY = a_claim("city", "It is an hour behind Berlin.", entities=(Entity("Lisbon"),))
LUNCH = a_claim("lunch", "The canteen opens at noon.", entities=(Entity("canteen"),))
CHAIN = (OWNER, ROTA, MIA, CITY, LUNCH)


def far(recalled):
    return {i.claim.id: dict(i.relevance.components)["graph"] / ONE for i in recalled.packet.items}


def step(recalled, name):
    return {one.name: dict(one.counts) for one in recalled.packet.trace}[name]


# --- by names -------------------------------------------------------------------------------------


@pytest.mark.req("A-METHOD")
@pytest.mark.parametrize("query", ["billing api", "billing-api", "who owns the Billing API?"])
def test_a_claim_is_found_by_the_name_of_what_it_is_about_however_it_is_joined(query):
    recalled = a_world(*CHAIN).recall(query, method="semantic_similarity")
    assert ids(recalled) == ["mem_owner"]


@pytest.mark.req("A-METHOD")
def test_a_whole_name_says_more_than_its_words_apart():
    whole = a_claim("whole", "One.", aliases=("release train",))
    apart = a_claim("apart", "Two.", entities=(Entity("train"), Entity("release")))
    mixed = a_claim("mixed", "Three.", aliases=("train of every release",))
    recalled = a_world(whole, mixed, apart).recall("release train", method="semantic_similarity")
    values = {item.claim.id: item.relevance.value for item in recalled.packet.items}
    assert values == {"mem_whole": 1.0, "mem_apart": 1.0}


@pytest.mark.req("A-METHOD", "E-ABSTAIN")
def test_by_names_alone_words_in_the_text_are_no_support():
    recalled = a_world(*CHAIN).recall("on call on Mondays", method="semantic_similarity")
    assert recalled.packet.outcome == "no_support"


# --- along a graph --------------------------------------------------------------------------------


@pytest.mark.req("A-METHOD")
def test_a_walk_goes_from_fact_to_fact_two_steps_far_and_the_nearest_is_first():
    recalled = a_world(*CHAIN).recall("billing-api", method="graph_traversal")
    assert far(recalled) == {"mem_owner": 1.0, "mem_rota": 0.75, "mem_mia": 0.5}


@pytest.mark.req("A-METHOD")
def test_a_walk_follows_relationships_derivations_and_successions():
    start = a_claim(
        "start", "A start.", aliases=("start",), relationships=(Relationship("uses", "mem_used"),)
    )
    used = a_claim("used", "What is used.")
    derived = a_claim("derived", "A summary.")
    derived = replace(
        derived, source=replace(derived.source, derived_from=("mem_used",), derivation="summarised")
    )
    old = a_claim("old", "The old word.")
    new = a_claim("new", "The new word.", supersedes=("mem_old",))
    world = a_world(start, used, derived, old, new)
    assert far(world.recall("start", method="graph_traversal")) == {
        "mem_start": 1.0, "mem_used": 0.75, "mem_derived": 0.5}  # fmt: skip
    past = world.recall("", ids=("mem_new", "mem_old"), method="graph_traversal", history=True)
    assert ids(past) == ["mem_new", "mem_old"]


@pytest.mark.req("B-FILTERFIRST")
@pytest.mark.parametrize(
    "but",
    [{"visibility": private("user:bob")}, {"review": Review("deprecated", "user:rita", NOON)}],
)
def test_a_walk_does_not_pass_through_what_may_not_serve(but):
    world = a_world(OWNER, replace(ROTA, **but), MIA)
    assert ids(world.recall("billing-api", method="graph_traversal")) == ["mem_owner"]


@pytest.mark.req("E-LIMITS")
def test_a_walk_that_meets_a_bound_says_which():
    many = [a_claim(f"m{n:03d}", f"Word {n}.", entities=(Entity("ledger"),)) for n in range(60)]
    recalled = a_world(*many).recall("ledger", method="graph_traversal", k=100)
    assert len(ids(recalled)) == RANKING_POLICY.graph_reached
    counts = step(recalled, "relevance")
    assert (counts["graph_reached"], counts["graph_bound_reached"]) == (50, 1)


@pytest.mark.req("E-LIMITS")
def test_reading_for_a_walk_is_bounded_together_with_the_search_for_its_start():
    chaff = [a_claim(f"c{n:03d}", f"A ledger of kind {n}.") for n in range(150)]
    many = [a_claim(f"m{n:03d}", "Word.", aliases=(f"ledger {n}",), tags=("kind",),
                    facts=tuple(Fact(f"part {n * 9 + m}", "of", f"part {n * 9 + m + 9}") for m in range(9)))
            for n in range(150)]  # fmt: skip
    world = a_world(*chaff, *many)
    counts = step(world.recall("ledger 7 kind", method="graph_traversal", k=100), "relevance")
    assert counts["graph_examined"] <= RANKING_POLICY.graph_examined
    assert counts["graph_bound_examined"] == 1


@pytest.mark.req("E-LIMITS")
def test_a_name_that_very_many_claims_hold_joins_none_of_them():
    many = [a_claim(f"m{n:03d}", f"Word {n}.", entities=(Entity("ledger"),)) for n in range(60)]
    one = replace(many[0], aliases=("zeroth",))
    recalled = a_world(one, *many[1:]).recall("zeroth", method="graph_traversal", k=100)
    assert ids(recalled) == ["mem_m000"]
    assert step(recalled, "relevance")["graph_bound_general_name"] == 1


# --- beside words ---------------------------------------------------------------------------------


@pytest.mark.req("E-ABSTAIN")
def test_beside_words_no_name_and_no_walk_makes_support_of_what_has_none():
    linked = a_claim(
        "linked", "Something else entirely.", facts=(Fact("ruff", "finds", "dead code"),)
    )
    lint = a_claim(
        "lint", "`make lint` runs `ruff check .`.", facts=(Fact("make lint", "runs", "ruff"),)
    )
    recalled = a_world(lint, linked, *CHAIN).recall("what does make lint run?")
    assert ids(recalled) == ["mem_lint"]


def test_of_two_claims_with_the_same_words_the_one_that_is_named_is_first():
    plain = a_claim("a_plain", "The release train leaves on Friday.")
    named = a_claim("b_named", "The release train leaves on Friday.", tags=("x",))
    named = replace(named, entities=(Entity("release train"),))
    plain = replace(plain, tags=("x", "release", "train"))
    assert ids(a_world(plain, named).recall("release train on Friday"))[0] == "mem_b_named"


# --- ranking policies -----------------------------------------------------------------------------


@pytest.mark.req("D-POLICIES", "A-RELTRUTH")
def test_recency_and_importance_order_what_has_support_and_make_none():
    text = "Invoices are sent as PDF."
    old = a_claim("old", text, created_at=NOON - timedelta(days=300))
    new = a_claim("new", text, created_at=NOON)
    weighty = a_claim("weighty", text, created_at=NOON - timedelta(days=300),
                      importance=Importance(1.0))  # fmt: skip
    world = a_world(old, new, weighty)
    plain = world.recall("how are invoices sent")
    assert len({item.relevance.fixed for item in plain.packet.items}) == 1
    recent = world.recall("how are invoices sent", ranking="recent")
    assert ids(recent) == ["mem_new", "mem_weighty", "mem_old"]
    parts = dict(recent.packet.items[1].relevance.components)
    assert (parts["importance"], parts["freshness"]) == (ONE, ONE)
    assert dict(recent.packet.policy)["policy"] == "recent/2"
    assert {item.claim.confidence.score for item in recent.packet.items} == {0.9}
    assert ids(world.recall("who eats lunch at noon", ranking="recent")) == []


@pytest.mark.req("D-POLICIES", "A-RELTRUTH", "A-OUTPUT")
def test_decay_orders_what_has_support_where_it_is_asked_for_and_is_shown():
    text, month = "Invoices are sent as PDF.", NOON - timedelta(days=30)
    fading = {"model": "exponential", "halfLife": "P30D"}
    lasting = a_claim("a_lasting", text, created_at=month)
    faded = a_claim("b_faded", text, created_at=month, validity=Validity(decay=fading))
    kept = {**fading, "lastReinforced": "2026-07-08T12:00:00Z"}
    reinforced = a_claim("c_kept", text, created_at=month, validity=Validity(decay=kept))
    world = a_world(faded, lasting, reinforced)
    plain = world.recall("how are invoices sent")
    assert len({item.relevance.fixed for item in plain.packet.items}) == 1
    recent = world.recall("how are invoices sent", ranking="recent")
    assert ids(recent) == ["mem_a_lasting", "mem_c_kept", "mem_b_faded"]
    shown = [
        item["relevance"]["components"]["decay"] for item in recent.packet.as_json()["evidence"]
    ]
    assert shown == [1.0, 1.0, 0.3679]
    assert {item.claim.confidence.score for item in recent.packet.items} == {0.9}
    assert ids(world.recall("who eats lunch at noon", ranking="recent")) == []

"""One memory out of several: their links, their bounds, who may see it, and what could be one."""

from __future__ import annotations

import pytest

from muniment.core.encode import encode
from muniment.core.errors import InvalidInput, NotFound
from muniment.usecases.consolidate import consolidate, consolidations
from muniment.usecases.show import why
from tests.usecases.world import WEB, add, deprecate, fact, flag, private, uses_tool


def about_the_gate(text, **but):
    one = {"subject": "gate", "predicate": "has_part", "object": text.split()[-1].strip(".")}
    return fact(text, facts=[one], **but)


def accept_two(world, **but):
    return (
        world.accept(about_the_gate("The gate has a latch.")),
        world.accept(about_the_gate("The gate has a bell.", **but)),
    )


def proposed_by(world, *ids, name="agent:codex", **parts):
    return consolidate(world.session(name), ids, **parts)


def accepted(world, proposed):
    outcome = world.review("user:bob", proposed, change_01="accepted")
    return outcome.resulting["change_01"]


def refused(world, *ids, **parts):
    before = world.revision()
    with pytest.raises(InvalidInput) as caught:
        proposed_by(world, *ids, **parts)
    assert world.revision() == before
    return {finding.code for finding in caught.value.findings}


@pytest.mark.req("A-CONSOLIDATE", "A-ONCONSOLIDATE")
def test_a_consolidated_memory_links_its_sources_and_says_how_and_when_it_was_made(world):
    latch, bell = accept_two(world)
    made = accepted(world, proposed_by(world, bell, latch))
    claim = world.show(made).claim
    assert claim.claim == "The gate has a latch. The gate has a bell."
    assert claim.source.derivation == "consolidated"
    assert claim.source.derived_from == tuple(sorted((latch, bell)))
    step = claim.provenance.transformations[0]
    assert (step.activity, step.agent, bool(step.at)) == ("consolidate", "agent:codex", True)
    assert step.note == "method joined_statements, of 2 memories"
    assert why(world.session("user:ana"), latch)["derived"] == [made]


@pytest.mark.req("A-CONSOLIDATE", "A-ONCONSOLIDATE")
def test_the_sources_stay_as_they_were(world):
    latch, bell = accept_two(world)
    before = [world.show(one) for one in (latch, bell)]
    accepted(world, proposed_by(world, latch, bell))
    assert [world.show(one) for one in (latch, bell)] == before


@pytest.mark.req("A-CONSOLIDATE")
def test_a_text_in_their_place_is_told_as_another_method(world):
    text = "The gate has a latch and a bell."
    made = accepted(world, proposed_by(world, *accept_two(world), claim=text))
    claim = world.show(made).claim
    assert claim.claim == text
    assert claim.provenance.transformations[0].note.startswith("method rewritten_statements")


@pytest.mark.req("A-CONSOLIDATE", "B-TRAVEL")
def test_it_claims_no_more_than_its_sources(world):
    narrow = {
        "visibility": private("user:ana", "user:bob"),
        "confidence": {"score": 0.5, "reason": "heard once"},
        "validity": {"valid_until": "2026-09-01T00:00:00Z"},
        "freshness": {"status": "current", "last_verified_at": "2026-07-01T12:00:00Z", "verification_method": "read"},
        "allowed_uses": ["answer_questions", "draft_pr"],
    }  # fmt: skip
    latch, bell = accept_two(world, **narrow)
    made = accepted(world, proposed_by(world, latch, bell, name="user:ana"))
    claim = world.show(made).claim
    assert set(claim.visibility.audience) == {("group:shop",), ("user:ana", "user:bob")}
    assert claim.confidence.score == 0.5
    assert claim.validity.valid_until.isoformat() == "2026-09-01T00:00:00+00:00"
    assert claim.freshness.last_verified_at.isoformat() == "2026-07-01T12:00:00+00:00"
    assert claim.allowed_uses == ("answer_questions",)
    with pytest.raises(NotFound):
        world.show(made, "user:dan")


@pytest.mark.req("A-CONSOLIDATE", "E-RETRACT")
def test_it_is_stale_when_a_source_is_retracted(world):
    latch, bell = accept_two(world)
    made = accepted(world, proposed_by(world, latch, bell))
    world.review("user:bob", world.propose("agent:codex", deprecate(latch)), change_01="accepted")
    assert (world.show(made).status, world.show(made).stale_because) == ("stale", latch)


@pytest.mark.req("A-REJECT-MERGE")
def test_what_contradicts_itself_or_may_is_not_made_one(world):
    early, late = (world.accept(fact(f"The gate opens at {hour} o'clock.")) for hour in (8, 9))
    assert refused(world, early, late) == {"merges_contradiction"}
    world.review("user:bob", world.propose("agent:codex", flag(early, late)), change_01="accepted")
    assert "not_in_force" in refused(world, early, late)


def test_what_cannot_be_one_memory_is_refused_and_nothing_is_written(world):
    latch, bell = accept_two(world)
    assert refused(world, latch) == {"sources_of_consolidation"}
    assert refused(world, latch, latch) == {"sources_of_consolidation"}
    world.review("user:bob", world.propose("agent:codex", deprecate(bell)), change_01="accepted")
    assert refused(world, latch, bell) == {"not_in_force"}


def test_memories_of_two_scopes_are_refused(world):
    elsewhere = add(fact("The board meets.", scope=encode(WEB)))
    told = world.propose("agent:codex", elsewhere, scope=encode(WEB))
    there = world.review("user:bob", told, change_01="accepted").resulting["change_01"]
    assert refused(world, world.accept(fact()), there) == {"several_scopes"}


def test_what_is_hidden_is_absent(world):
    latch, _ = accept_two(world)
    hidden = world.accept_hidden(about_the_gate("The gate has a spring."))
    for name in (hidden, "mem_01kx0sjsg0e008000000000000"):
        with pytest.raises(NotFound):
            proposed_by(world, latch, name)


@pytest.mark.req("A-INF-CONSOLIDATE")
def test_compatible_memories_about_one_thing_are_found(world):
    latch, bell = accept_two(world)
    world.accept(fact("The shop sells lamps."))
    (group,) = consolidations(world.session("user:ana"))
    assert (group.about, group.ids) == ("gate", tuple(sorted((latch, bell))))
    assert group.text == "The gate has a latch. The gate has a bell."


@pytest.mark.req("A-INF-CONSOLIDATE")
def test_what_is_one_already_or_contradicts_itself_is_not_found_again(world):
    latch, bell = accept_two(world)
    accepted(world, proposed_by(world, latch, bell))
    assert consolidations(world.session("user:ana")) == ()
    world.accept(uses_tool("npm"))
    like = {"subject": "shop", "predicate": "uses", "object": "lamps"}
    world.accept(fact("The shop is lit by lamps.", facts=[like]))
    assert [g.about for g in consolidations(world.session("user:ana"))] == ["shop"]


@pytest.mark.req("A-INF-CONSOLIDATE", "B-FILTERFIRST")
def test_hidden_memories_are_in_no_group(world):
    accept_two(world)
    before = consolidations(world.session("user:ana"))
    world.accept_hidden(about_the_gate("The gate has a spring."))
    assert consolidations(world.session("user:ana")) == before

"""Contradictions are found, kept and shown to who sees both sides; nothing is merged or picked in silence."""

from __future__ import annotations

import pytest

from muniment.core.codec import micros
from muniment.core.errors import InvalidInput
from muniment.usecases.examine import examine
from muniment.usecases.show import conflicts
from tests.usecases.world import TEAM, THERE, add, deprecate, fact, flag, supersede, uses_tool


def listed(world, who="user:ana", tenant="acme"):
    return [set(one["between"]) for one in conflicts(world.session(who, tenant))]


@pytest.mark.req("A-CONTRADICTION", "B-CONFLICTS", "A-REJECT-MERGE")
def test_an_accepted_contradiction_is_kept_as_a_conflict_and_both_sides_stay(world):
    npm = world.accept(uses_tool("npm"))
    proposed = world.propose("agent:codex", add(uses_tool("pnpm")))
    assert [f.code for f in proposed.findings] == ["contradiction"]
    outcome = world.review("user:bob", proposed, change_01="accepted")
    pnpm = outcome.resulting["change_01"]
    assert [c.kind for c in outcome.conflicts] == ["contradiction"]
    assert listed(world) == [{npm, pnpm}]
    assert {world.show(id).status for id in (npm, pnpm)} == {"disputed"}
    assert world.show(npm).conflicts == (pnpm,)
    assert listed(world, "user:ana", THERE) == []


@pytest.mark.req("A-CONTRADICTION")
def test_a_reviewer_is_shown_four_views_of_a_contradiction(world):
    npm = world.accept(uses_tool("npm"))
    proposed = world.propose("agent:codex", add(uses_tool("pnpm")))
    with world.store.snapshot("acme") as snapshot:
        from muniment.usecases.viewing import Viewing

        found = examine(Viewing(snapshot, "user:bob"), proposed.diff, micros(world.clock()))
    conflict = found.conflicts["change_01"][0]
    assert conflict.right == npm
    assert [view.name for view in conflict.views] == [
        "conflict_detection", "provenance_comparison", "validity_review", "confidence_reassessment",
    ]  # fmt: skip


@pytest.mark.req("A-CONTRADICTION", "B-CONFLICTS")
def test_a_diff_that_contradicts_itself_is_told_so_and_leaves_a_conflict(world):
    proposed = world.propose("agent:codex", add(uses_tool("npm"), "a"), add(uses_tool("pnpm"), "b"))
    assert [(f.code, f.path) for f in proposed.findings] == [
        ("contradiction", "/changes/1/item/claim")
    ]
    outcome = world.review("user:ana", proposed, a="accepted", b="accepted")
    assert listed(world) == [set(outcome.resulting.values())]


@pytest.mark.req("B-CONFLICTS")
def test_a_diff_that_contradicts_itself_can_be_accepted_in_part(world):
    proposed = world.propose("agent:codex", add(uses_tool("npm"), "a"), add(uses_tool("pnpm"), "b"))
    world.review("user:ana", proposed, a="rejected", b="accepted")
    assert listed(world) == []


@pytest.mark.req("B-CONFLICTS")
def test_a_conflict_that_a_claim_states_is_shown_on_both_sides(world):
    one = world.accept(fact("Releases are cut on Tuesdays."))
    stated = [{"with_id": one, "note": "the calendar says Fridays"}]
    two = world.accept(
        fact("The calendar shows releases in green.", conflicts=stated), by="user:bob"
    )
    assert {world.show(id).status for id in (one, two)} == {"disputed"}
    assert conflicts(world.session("user:ana"))[0]["note"] == "the calendar says Fridays"


@pytest.mark.req("B-CONFLICTS", "B-DIFF")
def test_a_flagged_conflict_is_recorded_with_its_note(world):
    one, two = (
        world.accept(fact("Deploys are manual.")),
        world.accept(fact("Releases go out by themselves.")),
    )
    world.review("user:bob", world.propose("agent:codex", flag(one, two)), change_01="accepted")
    assert conflicts(world.session("user:ana"))[0]["note"] == "one of the two is wrong"
    assert world.show(one).status == "disputed"


@pytest.mark.req("B-CONFLICTS", "B-DIFFREJECT")
def test_a_conflict_is_settled_by_evidence_and_stays_on_record(world):
    npm = world.accept(uses_tool("npm"))
    pnpm = world.accept(uses_tool("pnpm"))
    source = {"kind": "file", "uri": "repo:github:acme/shop!/package.json"}
    settle = deprecate(npm, resolves=[pnpm], source=source, reason="the manifest names pnpm")
    world.review("user:bob", world.propose("agent:codex", settle), change_01="accepted")
    assert world.show(pnpm).status == "active"
    kept = conflicts(world.session("user:ana"))[0]
    assert (set(kept["between"]), kept["resolved"]) == ({npm, pnpm}, "the manifest names pnpm")


@pytest.mark.req("B-DIFFREJECT")
def test_a_conflict_is_not_settled_without_evidence(world):
    npm, pnpm = world.accept(uses_tool("npm")), world.accept(uses_tool("pnpm"))
    with pytest.raises(InvalidInput) as refusal:
        world.propose("agent:codex", deprecate(npm, resolves=[pnpm]))
    assert [f.code for f in refusal.value.findings] == ["resolved_without_evidence"]


@pytest.mark.req("B-CONFLICTS", "B-FILTERFIRST", "E-BLINDWRITE")
def test_a_conflict_is_visible_only_to_who_sees_both_sides(world):
    hidden = world.accept_hidden(uses_tool("npm"))
    told = world.propose("agent:codex", add(uses_tool("pnpm")))
    assert told.findings == ()
    seen = world.review("user:ana", told, change_01="accepted").resulting["change_01"]
    assert listed(world) == [{hidden, seen}]
    assert world.show(seen).status == "disputed"
    assert listed(world, "user:bob") == []
    assert (world.show(seen, "user:bob").status, world.show(seen, "user:bob").conflicts) == (
        "active",
        (),
    )


@pytest.mark.req("B-HISTORY", "B-FILTERFIRST", "E-BLINDWRITE")
def test_a_hidden_successor_supersedes_only_for_who_sees_it(world):
    old = world.accept(fact("The shop has two owners."))
    narrow = {**TEAM, "all_of": [["group:board"]]}
    told = world.propose(
        "user:dan", supersede(old, fact("The shop has one owner.", visibility=narrow))
    )
    made = world.review("user:ana", told, change_01="accepted").resulting["change_01"]
    assert (world.show(old).status, world.show(old).superseded_by) == ("superseded", made)
    assert (world.show(old, "user:bob").status, world.show(old, "user:bob").superseded_by) == (
        "active",
        "",
    )


@pytest.mark.req("B-CONFLICTS")
def test_a_superseded_value_no_longer_contradicts(world):
    npm = world.accept(uses_tool("npm"))
    world.review(
        "user:bob",
        world.propose("agent:codex", supersede(npm, uses_tool("pnpm"))),
        change_01="accepted",
    )
    assert listed(world) == []
    assert world.propose("agent:codex", add(uses_tool("pnpm"))).findings[0].code == "duplicate"

"""Looking at what is remembered: the six questions, the history, and why."""

from __future__ import annotations

import pytest

from muniment.core.errors import NotFound
from muniment.store.memory_snapshot import MemorySnapshot
from muniment.usecases.show import history, why
from tests.usecases.world import add, deprecate, derived, fact, revalidate, supersede, uses_tool

QUESTIONS = (
    "What is claimed?",
    "Where did it come from?",
    "Who may use it?",
    "When was it last checked?",
    "What can override it?",
    "Who accepted it?",
)


@pytest.mark.req("B-SIX")
def test_a_claim_answers_the_six_questions(world):
    answers = dict(world.show(world.accept(fact(), by="user:bob")).questions())
    assert tuple(answers) == QUESTIONS
    assert answers["What is claimed?"] == "The shop builds with Gradle 8."
    assert answers["Where did it come from?"] == "https://example.org/handbook (external_data)"
    assert answers["Who may use it?"] == "group:shop; for answer_questions"
    assert answers["When was it last checked?"] == "2026-07-08T12:00:00Z (current)"
    assert "a reviewed change on new evidence" in answers["What can override it?"]
    assert answers["Who accepted it?"].startswith("user:bob 2026-07-08T12:00:")


@pytest.mark.req("B-SIX")
def test_what_is_not_known_is_said_to_be_unknown(world):
    id = world.accept(
        fact(freshness={"status": "unknown"}, allowed_uses=[], visibility={"level": "public"})
    )
    answers = dict(world.show(id).questions())
    assert answers["Who may use it?"] == "everybody of the tenant; for no use"
    assert answers["When was it last checked?"] == "never (unknown)"


@pytest.mark.req("B-SIX", "B-CONFLICTS")
def test_what_overrides_a_claim_is_its_successor_or_what_contradicts_it(world):
    npm = world.accept(uses_tool("npm"))
    pnpm = world.accept(uses_tool("pnpm"))
    assert dict(world.show(npm).questions())["What can override it?"] == pnpm
    told = world.propose("agent:codex", supersede(npm, uses_tool("yarn")))
    yarn = world.review("user:bob", told, change_01="accepted").resulting["change_01"]
    assert dict(world.show(npm).questions())["What can override it?"] == yarn


@pytest.mark.req("B-SIX")
def test_everybody_is_the_tenants_everybody_only_where_nothing_narrows_it(world):
    narrow = world.accept(fact("A holds."))
    wide = world.accept(derived("So B holds.", narrow, visibility={"level": "public"}))
    assert (
        dict(world.show(wide).questions())["Who may use it?"] == "group:shop; for answer_questions"
    )


@pytest.mark.req("A-PROVENANCE", "A-ONUPDATE")
def test_a_history_lists_each_version_with_when_it_was_recorded(world):
    id = world.accept(fact())
    for change in (revalidate(id), deprecate(id)):
        world.review("user:bob", world.propose("agent:codex", change), change_01="accepted")
    versions = history(world.session("user:ana"), id)
    assert [v.claim.version for v in versions] == [1, 2, 3]
    assert [v.claim.review.status for v in versions] == ["accepted", "accepted", "deprecated"]
    assert [v.until for v in versions] == [versions[1].revision, versions[2].revision, None]
    assert sorted(v.recorded_at for v in versions) == [v.recorded_at for v in versions]


@pytest.mark.req("A-PROVENANCE")
def test_why_tells_who_proposed_and_decided_and_what_rests_on_it(world):
    proposed = world.propose("agent:codex", add(fact(), reason="it came up in review"))
    id = world.review("user:bob", proposed, change_01="accepted").resulting["change_01"]
    made = world.accept(derived("The wrapper must be kept.", id))
    told = why(world.session("user:ana"), id)
    decision = told["decisions"][0]
    assert (decision["diff"], decision["reason"], decision["decision"]["by"]) == (
        proposed.diff.id, "it came up in review", "user:bob",
    )  # fmt: skip
    assert told["derived"] == [made]
    assert why(world.session("user:ana"), made)["derived_from"] == [id]


@pytest.mark.req("A-PROVENANCE", "B-DIFFREVIEW")
def test_why_of_a_diff_tells_what_became_of_each_change(world):
    proposed = world.propose(
        "agent:codex",
        add(fact("A holds."), "a"),
        add(fact("B holds."), "b"),
        add(fact("C holds."), "c"),
    )
    world.review("user:ana", proposed, a="accepted", b="rejected")
    told = why(world.session("user:ana"), proposed.diff.id)
    assert told["states"] == {"a": "accepted", "b": "rejected", "c": "pending"}
    assert list(told["application"]["resulting"]) == ["a"]


@pytest.mark.req("A-PROVENANCE", "B-FILTERFIRST")
def test_why_names_nothing_that_is_hidden_from_the_asker(world):
    from tests.usecases.world import TEAM

    id = world.accept(fact())
    narrow = {**TEAM, "all_of": [["group:board"]]}
    told = world.propose("user:dan", add(derived("A secret plan.", id, visibility=narrow)))
    made = world.review("user:ana", told, change_01="accepted").resulting["change_01"]
    assert why(world.session("user:ana"), id)["derived"] == [made]
    assert why(world.session("user:bob"), id)["derived"] == []


@pytest.mark.req("A-EXPIRED", "A-ONEXPIRY", "A-STATUS")
def test_status_is_computed_for_the_instant_asked(world):
    id = world.accept(
        fact(
            freshness={
                "last_verified_at": "2026-07-08T12:00:00Z",
                "expires_at": "2026-08-01T00:00:00Z",
            }
        )
    )
    assert world.show(id).status == "active"
    world.clock.ahead(days=30)
    shown = world.show(id)
    assert (shown.status, shown.claim.review.reviewed_by) == ("expired", "user:ana")


@pytest.mark.req("A-SHORT", "A-STATUS")
def test_a_time_to_live_runs_from_the_acceptance(world):
    id = world.accept(fact(memory_type="short_term", validity={"ttl_seconds": 3600}))
    world.clock.ahead(minutes=59)
    assert world.show(id).status == "active"
    world.clock.ahead(minutes=2)
    assert world.show(id).status == "expired"


@pytest.mark.req("A-PROCEDURAL", "A-SEMANTIC", "A-EPISODIC")
def test_steps_keep_their_order_and_entities_and_events_their_parts(world):
    steps = ["tag", "build", "announce", "build"]
    entities = [{"name": "Gradle", "id": "https://gradle.org", "type": "tool"}]
    event = {
        "what": "a release",
        "time": "2026-07-08T09:00:00Z",
        "participants": ["user:ana"],
        "location": "CI",
    }
    claim = world.show(
        world.accept(fact(memory_type="procedural", steps=steps, entities=entities, event=event))
    ).claim
    assert claim.steps == tuple(steps)
    assert (claim.entities[0].id, claim.event.participants, claim.event.location) == (
        "https://gradle.org", ("user:ana",), "CI",
    )  # fmt: skip


@pytest.mark.req("B-FILTERFIRST")
def test_an_alias_finds_the_one_claim_that_the_asker_sees(world):
    id = world.accept(fact(aliases=["build-tool"]))
    world.accept_hidden(fact("The board builds too.", aliases=["build-tool"]))
    assert world.show("Build-Tool", "user:bob").claim.id == id
    with pytest.raises(NotFound):
        world.show("build-tool", "user:ana")


def test_looking_at_one_claim_reads_neither_all_claims_nor_the_whole_ledger(world, monkeypatch):
    old = world.accept(uses_tool("npm"))
    told = world.propose("agent:codex", supersede(old, uses_tool("pnpm")))
    new = world.review("user:bob", told, change_01="accepted").resulting["change_01"]

    def everything(*_):
        raise AssertionError("everything was read")

    monkeypatch.setattr(MemorySnapshot, "rows", everything)
    monkeypatch.setattr(MemorySnapshot, "envelopes", everything)
    assert world.show(old).superseded_by == new
    assert [one.claim.id for one in history(world.session("user:ana"), new)] == [old, new]
    assert why(world.session("user:ana"), new)["decisions"][0]["decision"]["decision"] == "accepted"

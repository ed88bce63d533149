"""Propose, review, apply: change by change, all of it or nothing, with the state before kept."""

from __future__ import annotations

import pytest

from muniment.core.diff import change_digest
from muniment.core.draft import draft_digest
from muniment.core.encode import encode
from muniment.core.errors import Conflicted, InvalidInput, NotFound, NotPermitted
from muniment.core.ids import is_id
from muniment.core.source import evidence_of
from muniment.usecases.edit import edit
from muniment.usecases.propose import propose
from muniment.usecases.review import Choice, review
from muniment.usecases.show import history
from tests.usecases.world import (
    HERE,
    NOON,
    THERE,
    add,
    deprecate,
    diff_of,
    fact,
    revalidate,
    signer_of,
    supersede,
)

HANDBOOK = "file:///handbook.md"


def quoting(text: str, data: bytes, quote: bytes, **but):
    """A draft with byte-exact evidence."""
    start = data.index(quote)
    evidence = encode(evidence_of(data, start, start + len(quote)))
    source = {"kind": "file", "uri": HANDBOOK, "observed_at": encode(NOON), "evidence": [evidence]}
    return fact(text, source=source, **but)


@pytest.mark.req("B-DIFFREVIEW", "B-REVIEW")
def test_a_diff_is_decided_change_by_change(world):
    proposed = world.propose(
        "agent:codex",
        add(fact("Releases are cut on Tuesdays."), "change_01"),
        add(fact("The shop has a status page."), "change_02"),
        add(fact("Invoices are kept for ten years."), "change_03"),
    )
    outcome = world.review("user:ana", proposed, change_01="accepted", change_02="rejected")
    pending = world.pending(proposed.diff.id)
    states = [pending.state_of(f"change_0{n}") for n in (1, 2, 3)]
    assert states == ["accepted", "rejected", "pending"]
    assert world.show(outcome.resulting["change_01"]).claim.claim == "Releases are cut on Tuesdays."
    assert len(world.accepted()) == 1


@pytest.mark.req("B-DIFFREVIEW")
def test_an_application_records_reviewer_time_accepted_changes_and_resulting_claims(world):
    proposed = world.propose("agent:codex", add(fact()))
    outcome = world.review("user:ana", proposed, change_01="accepted")
    applied = world.pending(proposed.diff.id).applied
    assert (applied.by, applied.accepted, applied.resulting) == (
        "user:ana", ("change_01",), outcome.resulting,
    )  # fmt: skip
    assert applied.at > NOON


@pytest.mark.req("B-DIFFREVIEW")
def test_later_decisions_on_one_diff_add_to_its_application(world):
    proposed = world.propose(
        "agent:codex", add(fact("A is a service."), "a"), add(fact("B is a queue."), "b")
    )
    world.review("user:ana", proposed, a="accepted")
    world.review("user:bob", proposed, b="accepted")
    assert set(world.pending(proposed.diff.id).applied.resulting) == {"a", "b"}


@pytest.mark.req("A-ONCREATE", "A-IDENTITY", "B-REVIEW")
def test_what_is_accepted_has_identifier_type_scope_source_validity_and_provenance(world):
    claim = world.show(world.accept(fact(type="runbook_step"))).claim
    assert is_id(claim.id, "mem")
    assert (claim.type, str(claim.scope), claim.source.kind) == (
        "runbook_step", "repository:github:acme/shop", "document",
    )  # fmt: skip
    assert (claim.review.status, claim.review.reviewed_by) == ("accepted", "user:ana")
    assert claim.created_at is not None
    assert [(step.activity, step.agent) for step in claim.provenance.transformations] == [
        ("add", "user:ana")
    ]


@pytest.mark.req("A-IDENTITY", "A-INSTANCE")
def test_two_claims_with_one_text_stay_two_records(world):
    one, two = world.accept(fact()), world.accept(fact())
    assert one != two
    assert world.show(one).claim.claim == world.show(two).claim.claim
    assert "Gradle" not in one


@pytest.mark.req("A-INSTANCE", "A-CONTRADICTION")
def test_a_second_record_of_the_same_text_is_pointed_out_to_who_sees_the_first(world):
    world.accept(fact())
    proposed = world.propose("agent:codex", add(fact("the shop builds with  GRADLE 8")))
    assert [f.code for f in proposed.findings] == ["duplicate"]


@pytest.mark.req("B-EXAMPLES", "E-MISSING")
def test_a_foreign_id_becomes_an_alias_and_a_foreign_acceptance_is_only_evidence(world):
    review_elsewhere = {"status": "accepted", "reviewed_by": "human", "reviewed_at": encode(NOON)}
    proposed = world.propose(
        "agent:codex", add(fact(id="mem_01KQ_example", review=review_elsewhere))
    )
    item = proposed.diff.changes[0].item
    assert item.review.status == "proposed"
    assert item.aliases == ("mem_01KQ_example",)
    assert "accepted human" in item.provenance.foreign_review
    assert world.accepted() == set()


@pytest.mark.req("B-DIFFREJECT", "E-ONEGATE")
def test_a_bad_diff_is_refused_whole_with_all_findings_and_writes_nothing(world):
    before = world.revision()
    with pytest.raises(InvalidInput) as refusal:
        world.propose("agent:codex", add(fact()), {"operation": "add"}, trigger={"kind": ""})
    codes = {finding.code for finding in refusal.value.findings}
    assert codes >= {"no_trigger", "no_item", "no_reason"}
    assert world.revision() == before


@pytest.mark.req("B-EXAMPLES")
def test_the_bad_example_is_refused_with_everything_that_is_wrong_with_it(world):
    with pytest.raises(InvalidInput) as refusal:
        world.propose("agent:codex", add({"claim": "Use uv here.", "source": "an earlier chat"}))
    codes = [finding.code for finding in refusal.value.findings]
    assert sorted(codes) == [
        "no_freshness", "no_review_status", "no_scope", "no_uses", "no_visibility", "source_not_checkable",
    ]  # fmt: skip


@pytest.mark.parametrize("given", [[], "diff", None, 7])
@pytest.mark.req("B-DIFF")
def test_what_is_no_object_is_a_finding_and_not_a_traceback(world, given):
    with pytest.raises(InvalidInput):
        propose(world.session("agent:codex"), given)


@pytest.mark.req("B-DIFFEMPTY")
def test_an_empty_diff_keeps_what_was_left_out_and_why(world):
    left = [{"claim": "The build is fast.", "reason": "an opinion"}]
    proposed = world.propose(
        "agent:codex", ignored_candidates=left, summary="nothing worth keeping"
    )
    kept = world.pending(proposed.diff.id, "agent:codex").diff
    assert kept.changes == ()
    assert [(one.claim, one.reason) for one in kept.ignored_candidates] == [
        ("The build is fast.", "an opinion")
    ]


@pytest.mark.req("B-HISTORY", "A-UPDATE", "A-ONUPDATE", "A-LONG")
def test_a_successor_keeps_the_old_claim_and_why_it_existed(world):
    old = world.accept(fact("The shop builds with Gradle 7."))
    proposed = world.propose("agent:codex", supersede(old, fact("The shop builds with Gradle 8.")))
    new = world.review("user:bob", proposed, change_01="accepted").resulting["change_01"]
    before = world.show(old)
    assert (before.status, before.superseded_by) == ("superseded", new)
    assert before.claim.claim == "The shop builds with Gradle 7."
    assert before.claim.provenance.transformations[0].note == "worth knowing"
    after = world.show(new).claim
    assert after.supersedes == (old,)
    step = after.provenance.transformations[-1]
    assert (step.activity, step.agent, step.note) == ("supersede", "user:bob", "it changed")
    assert step.at is not None
    texts = [version.claim.claim for version in history(world.session("user:ana"), new)]
    assert texts == ["The shop builds with Gradle 7.", "The shop builds with Gradle 8."]


@pytest.mark.req("B-HISTORY")
def test_what_was_superseded_is_not_superseded_a_second_time(world):
    old = world.accept(fact("The shop builds with Gradle 7."))
    first = world.propose("agent:codex", supersede(old, fact("The shop builds with Gradle 8.")))
    second = world.propose("agent:codex", supersede(old, fact("The shop builds with Maven.")))
    world.review("user:ana", first, change_01="accepted")
    with pytest.raises(Conflicted):
        world.review("user:ana", second, change_01="accepted")
    with pytest.raises(InvalidInput) as refusal:
        world.propose("agent:codex", supersede(old, fact("The shop builds with Bazel.")))
    assert [f.code for f in refusal.value.findings] == ["superseded_already"]


@pytest.mark.req("B-HISTORY", "B-DIFFREVIEW")
def test_a_draft_cannot_name_a_claim_as_replaced_past_the_checks(world):
    hidden = world.accept_hidden(fact("The board meets on Mondays."))
    proposed = world.propose("agent:codex", add(fact("The shop is closed.", supersedes=[hidden])))
    made = world.review("user:ana", proposed, change_01="accepted").resulting["change_01"]
    assert world.show(made).claim.supersedes == ()
    assert world.show(hidden).status == "active"


@pytest.mark.req("B-REVIEW", "B-HISTORY")
def test_a_deprecated_claim_is_history_and_its_versions_are_kept(world):
    id = world.accept(fact())
    world.review(
        "user:ana",
        world.propose("agent:codex", deprecate(id, retire="invalid")),
        change_01="accepted",
    )
    assert world.show(id).status == "invalid"
    assert [v.claim.review.status for v in history(world.session("user:ana"), id)] == [
        "accepted",
        "deprecated",
    ]


@pytest.mark.req("B-HISTORY")
def test_a_deprecated_claim_does_not_come_back_by_being_checked_again(world):
    id = world.accept(fact())
    again = world.propose("agent:codex", revalidate(id))
    world.review("user:ana", world.propose("agent:codex", deprecate(id)), change_01="accepted")
    with pytest.raises(Conflicted):
        world.review("user:ana", again, change_01="accepted")
    with pytest.raises(InvalidInput):
        world.propose("agent:codex", revalidate(id))


@pytest.mark.req("B-DIFFREVIEW", "B-REVERIFY", "E-RECEIPT")
def test_the_source_is_read_again_when_a_change_is_applied(world):
    data = b"# Build\nUse Gradle 8.\n"
    world.files.held[HANDBOOK] = data
    proposed = world.propose(
        "agent:codex", add(quoting("The shop uses Gradle 8.", data, b"Use Gradle 8."))
    )
    world.clock.ahead(days=3)
    claim = world.show(
        world.review("user:ana", proposed, change_01="accepted").resulting["change_01"]
    ).claim
    assert claim.reading.state == "match"
    assert claim.freshness.last_verified_at > proposed.diff.created_at
    assert claim.freshness.verification_method == "reread"


@pytest.mark.parametrize(
    ("now", "message"), [(b"# Build\nUse Maven.\n", "no longer says this"), (None, "is gone")]
)
@pytest.mark.req("B-DIFFREVIEW", "B-REVERIFY")
def test_what_the_source_no_longer_says_is_not_applied(world, now, message):
    data = b"# Build\nUse Gradle 8.\n"
    world.files.held[HANDBOOK] = data
    proposed = world.propose(
        "agent:codex", add(quoting("The shop uses Gradle 8.", data, b"Use Gradle 8."))
    )
    world.files.held.pop(HANDBOOK)
    if now is not None:
        world.files.held[HANDBOOK] = now
    before = world.revision()
    with pytest.raises(Conflicted, match=message):
        world.review("user:ana", proposed, change_01="accepted")
    assert (world.revision(), world.accepted()) == (before, set())


@pytest.mark.req("B-REVERIFY")
def test_a_source_that_cannot_be_looked_at_renews_nothing_and_proves_nothing(world):
    data = b"# Build\nUse Gradle 8.\n"
    world.files.held[HANDBOOK] = data
    proposed = world.propose(
        "agent:codex", add(quoting("The shop uses Gradle 8.", data, b"Use Gradle 8."))
    )
    world.files.held[HANDBOOK] = None
    claim = world.show(
        world.review("user:ana", proposed, change_01="accepted").resulting["change_01"]
    ).claim
    assert claim.reading.state == "could_not_observe"
    assert claim.freshness.last_verified_at == NOON


@pytest.mark.req("B-REVERIFY", "B-DIFF")
def test_a_revalidation_renews_by_what_was_read_and_follows_a_quote_that_moved(world):
    data = b"Use Gradle 8.\n"
    world.files.held[HANDBOOK] = data
    id = world.accept(quoting("The shop uses Gradle 8.", data, b"Use Gradle 8."))
    moved = b"# Build\n\nUse Gradle 8.\n"
    world.files.held[HANDBOOK] = moved
    world.clock.ahead(days=100)
    assert world.show(id).status == "stale"
    source = quoting("", data, b"Use Gradle 8.")["source"]
    world.review(
        "user:bob",
        world.propose("agent:codex", revalidate(id, source=source)),
        change_01="accepted",
    )
    shown = world.show(id)
    assert (shown.status, shown.claim.version, shown.claim.reading.state) == ("active", 2, "moved")
    evidence = shown.claim.source.evidence[0]
    assert moved[evidence.start : evidence.end] == b"Use Gradle 8."


@pytest.mark.req("B-DIFFREVIEW", "E-APPROVER")
def test_the_reviewed_bytes_are_the_applied_bytes(world):
    proposed = world.propose(
        "agent:codex", add(fact(tags=["build"], entities=[{"name": "Gradle"}]))
    )
    outcome = world.review("user:ana", proposed, change_01="accepted")
    shown, decided = proposed.diff.changes[0], outcome.decisions["change_01"]
    assert decided.change_digest == change_digest(shown)
    applied = world.show(outcome.resulting["change_01"]).claim
    same = (
        "id",
        "claim",
        "scope",
        "visibility",
        "type",
        "source",
        "tags",
        "entities",
        "allowed_uses",
    )
    assert [getattr(applied, n) for n in same] == [getattr(shown.item, n) for n in same]


@pytest.mark.req("B-DIFFREVIEW")
def test_two_reviewers_do_not_decide_twice(world):
    proposed = world.propose("agent:codex", add(fact()))
    world.review("user:ana", proposed, change_01="accepted")
    with pytest.raises(InvalidInput, match="cannot become"):
        world.review("user:bob", proposed, change_01="rejected")
    assert len(world.accepted()) == 1


@pytest.mark.req("B-DIFFREVIEW", "A-CONTRADICTION")
def test_a_conflict_that_came_up_meanwhile_returns_the_diff_to_review(world, monkeypatch):
    from tests.usecases.world import uses_tool

    proposed = world.propose("agent:codex", add(uses_tool("npm")))
    import muniment.usecases.review as module

    kept = module.refuse_unsupported

    def meanwhile(pending, readings):
        monkeypatch.setattr(module, "refuse_unsupported", kept)
        world.accept(uses_tool("pnpm"))

    monkeypatch.setattr(module, "refuse_unsupported", meanwhile)
    with pytest.raises(Conflicted) as refusal:
        world.review("user:bob", proposed, change_01="accepted")
    assert refusal.value.findings[0].code == "contradiction"
    assert world.pending(proposed.diff.id).state_of("change_01") == "pending"


@pytest.mark.req("B-DIFFREVIEW")
def test_all_accepted_changes_are_applied_or_none(world):
    data = b"Use Gradle 8.\n"
    world.files.held[HANDBOOK] = data
    proposed = world.propose(
        "agent:codex",
        add(fact("Releases are cut on Tuesdays."), "good"),
        add(quoting("The shop uses Gradle 8.", data, b"Use Gradle 8."), "bad"),
    )
    world.files.held[HANDBOOK] = b"Use Bazel.\n"
    with pytest.raises(Conflicted):
        world.review("user:ana", proposed, good="accepted", bad="accepted")
    assert world.accepted() == set()


@pytest.mark.req("B-REVIEW")
def test_a_draft_that_asks_for_review_is_accepted_as_visible_and_blocked(world):
    shown = world.show(world.accept(fact(review={"status": "needs_review"})))
    assert (shown.claim.review.status, shown.freshness) == ("needs_review", "needs_review")


@pytest.mark.req("B-DIFFREVIEW")
def test_a_deferred_change_waits_and_can_still_be_decided(world):
    proposed = world.propose("agent:codex", add(fact()))
    world.review("user:ana", proposed, change_01="needs_review")
    assert [p.diff.id for p in world.inbox()] == [proposed.diff.id]
    assert world.review("user:ana", proposed, change_01="accepted").resulting
    assert world.inbox() == ()


@pytest.mark.req("B-DIFFREVIEW")
def test_an_edited_change_is_a_proposal_of_its_own_and_leaves_no_tombstone(world):
    proposed = world.propose("agent:codex", add(fact("The shop builds with Gradel 8.")))
    session = world.session("user:ana")
    item = {"claim": "The shop builds with Gradle 8."}
    successor, outcome = edit(
        session, proposed.diff.id, "change_01", item, signer_of("user:ana"), "a typo"
    )
    assert outcome.decisions["change_01"].decision == "rejected"
    assert successor.diff.proposed_by == "user:ana"
    claim = world.show(
        world.review("user:bob", successor, change_01="accepted").resulting["change_01"]
    ).claim
    assert claim.claim == "The shop builds with Gradle 8."
    world.propose("agent:codex", add(fact("The shop builds with Gradel 8.")))


@pytest.mark.parametrize("who", ["agent:codex", "user:dan"])
@pytest.mark.req("E-APPROVER", "B-DIFFREVIEW")
def test_who_may_not_review_edits_nothing_at_all(world, who):
    proposed = world.propose("agent:codex", add(fact()))
    before = world.revision()
    with pytest.raises(NotPermitted):
        edit(
            world.session(who),
            proposed.diff.id,
            "change_01",
            {"claim": "x"},
            signer_of(who),
            "why not",
        )
    assert world.revision() == before


@pytest.mark.req("B-DIFFREVIEW")
def test_a_change_that_was_decided_is_not_edited(world):
    proposed = world.propose("agent:codex", add(fact()))
    world.review("user:bob", proposed, change_01="accepted")
    before = world.revision()
    with pytest.raises(InvalidInput):
        edit(
            world.session("user:ana"),
            proposed.diff.id,
            "change_01",
            {"claim": "x"},
            signer_of("user:ana"),
            "late",
        )
    assert world.revision() == before


@pytest.mark.req("E-NOSCOPE")
def test_an_omitted_scope_is_the_only_one_in_force_and_never_all(world):
    given = diff_of(add(fact()))
    del given["scope"]
    assert propose(world.session("agent:codex"), given).diff.scope == fact_scope()
    with pytest.raises(InvalidInput):
        propose(world.session("agent:codex", scopes=()), given)


def fact_scope():
    from tests.usecases.world import SHOP

    return SHOP


@pytest.mark.req("E-ONEGATE")
def test_nothing_of_one_tenant_is_seen_from_the_other(world):
    proposed = world.propose("agent:codex", add(fact()))
    id = world.review("user:ana", proposed, change_01="accepted").resulting["change_01"]
    with pytest.raises(NotFound):
        world.show(id, "user:ana", THERE)
    with pytest.raises(NotFound):
        review(
            world.session("user:ana", THERE), proposed.diff.id, {"change_01": Choice("accepted")},
            signer_of("user:ana"),
        )  # fmt: skip
    assert (world.accepted(THERE), len(world.accepted(HERE))) == (set(), 1)
    assert "Gradle" not in world.texts(THERE)


@pytest.mark.parametrize("relevance", [1.5, -0.1, "high", True])
@pytest.mark.req("A-REJECT-RELEVANCE", "A-RELEVANCE")
def test_a_relevance_out_of_range_is_refused_on_its_way_in(world, relevance):
    with pytest.raises(InvalidInput) as refusal:
        world.propose("agent:codex", add(fact(relevance=relevance)))
    assert [(f.code, f.path) for f in refusal.value.findings] == [
        ("out_of_range", "/changes/0/item/relevance")
    ]


@pytest.mark.req("A-RELTRUTH", "A-RELEVANCE")
def test_a_relevance_in_range_is_not_kept_with_the_claim(world):
    plain, relevant = (
        world.propose("agent:codex", add(fact(**more))) for more in ({}, {"relevance": 1})
    )
    assert draft_digest(plain.diff.changes[0].item) == draft_digest(relevant.diff.changes[0].item)


@pytest.mark.req("A-CONSOLIDATE", "A-ONCONSOLIDATE", "A-SRCKEEP")
def test_a_consolidation_keeps_its_sources_and_links_them(world):
    one, two = (
        world.accept(fact("Releases are cut on Tuesdays.")),
        world.accept(fact("Releases are tagged.")),
    )
    source = {
        "kind": "memory",
        "origin": "system_process",
        "derivation": "consolidated",
        "derived_from": [one, two],
    }
    step = {
        "activity": "consolidate",
        "agent": "process:consolidate",
        "at": encode(NOON),
        "note": "joined",
    }
    item = fact(
        "Releases are cut and tagged on Tuesdays.",
        source=source,
        provenance={"transformations": [step]},
    )
    shown = world.show(world.accept(item, by="user:bob"))
    assert shown.claim.source.derived_from == (one, two)
    assert [t.activity for t in shown.claim.provenance.transformations] == ["consolidate", "add"]
    assert "consolidated" in shown.labels
    assert {world.show(id).status for id in (one, two)} == {"active"}


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (2**60, "integer_too_large"),
        (4.2e16, "integer_too_large"),
        (float("nan"), "not_finite"),
        (float("-inf"), "not_finite"),
        ({1: "a"}, "key_not_text"),
        ({"deep": [{2, 3}]}, "not_json"),
        (b"bytes", "not_json"),
        ("\ud800", "lone_surrogate"),
    ],
)
@pytest.mark.req("B-DIFF", "E-ONEGATE")
def test_what_would_not_be_read_back_as_it_was_written_is_refused(world, value, code):
    before = world.revision()
    for change in (add(fact(properties={"x": value})), add(fact(nobody_knows_this=value))):
        with pytest.raises(InvalidInput) as refusal:
            world.propose("agent:codex", change)
        assert code in {f.code for f in refusal.value.findings}
    assert world.revision() == before


@pytest.mark.parametrize("value", [2**53 - 1, 1e21, 1e300, 0.1, -0.0, True, None, "x", [], {}])
@pytest.mark.req("E-APPROVER")
def test_what_can_be_kept_is_reviewed_as_it_was_proposed(world, value):
    proposed = world.propose("agent:codex", add(fact(properties={"x": value})))
    id = world.review("user:ana", proposed, change_01="accepted").resulting["change_01"]
    assert world.show(id).claim.properties == {"x": value}

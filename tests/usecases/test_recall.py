"""Recall from question to packet: what is served, what is not, and what is said of it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from muniment.core.access import Scope
from muniment.core.claim import Freshness, Importance, Review, Validity
from muniment.core.encode import time_text
from muniment.core.errors import InvalidInput, NotFound, NotPermitted
from muniment.core.packet import LISTED
from muniment.core.source import Reading, Source
from muniment.usecases.remember import remember
from muniment.usecases.traces import retrieval
from tests.usecases.remembered import (
    EVERYBODY,
    NOON,
    OTHER,
    SHOP,
    a_claim,
    a_world,
    ids,
    private,
    reasons,
)

DAY = timedelta(days=1)
TESTS = a_claim("tests", "`make test` runs `pytest -q`.")
LINT = a_claim("lint", "`make lint` runs `ruff check .`.")
ASK = "how do I run the tests?"


# --- outcomes -------------------------------------------------------------------------------------


def test_a_question_is_answered_by_the_claim_that_answers_it():
    recalled = a_world(TESTS, LINT).recall(ASK)
    assert (recalled.packet.outcome, ids(recalled)) == ("complete", ["mem_tests"])


@pytest.mark.req("E-ABSTAIN")
@pytest.mark.parametrize(
    "query", ["what is the capital of France?", "kubernetes ingress timeout", "???"]
)
def test_where_nothing_answers_nothing_is_handed_over(query):
    packet = a_world(TESTS, LINT).recall(query).packet
    assert (packet.outcome, packet.items, packet.advice != "") == ("no_support", (), True)


@pytest.mark.req("E-ABSTAIN")
def test_a_store_with_one_poor_match_abstains_like_a_store_with_many():
    many = [a_claim(f"t{n}", f"Suite {n} has a timeout of {n} seconds.") for n in range(20)]
    for world in (a_world(many[0]), a_world(*many)):
        assert world.recall("kubernetes ingress timeout").packet.outcome == "no_support"


@pytest.mark.req("E-NOSCOPE")
def test_without_a_scope_nothing_is_looked_at_and_the_way_out_is_named():
    world = a_world(TESTS)
    packet = world.recall(ASK, session=world.session(scopes=())).packet
    assert (packet.outcome, packet.items, packet.revision) == ("no_scope", (), 0)
    assert "--scope" in packet.advice


@pytest.mark.req("E-LIMITS")
def test_more_support_than_fits_is_partial_and_says_what_was_left_out():
    recalled = a_world(TESTS, a_claim("suite", "Run the tests with `tox`.")).recall(ASK, k=1)
    assert recalled.packet.outcome == "partial"
    assert list(reasons(recalled).values()) == [("over_k",)]


@pytest.mark.req("E-LIMITS")
def test_support_of_which_nothing_fits_whole_is_not_cut():
    recalled = a_world(a_claim("tests", "Run the tests: " + "x " * 500)).recall(ASK, budget=300)
    assert (recalled.packet.outcome, ids(recalled)) == ("budget_exceeded", [])
    assert reasons(recalled) == {"mem_tests": ("over_budget",)}


# --- scope, tenant, visibility --------------------------------------------------------------------


@pytest.mark.req("A-BOUNDARY")
def test_a_claim_of_another_scope_is_never_applied():
    recalled = a_world(replace(TESTS, scope=OTHER)).recall(ASK)
    assert (recalled.packet.outcome, recalled.packet.omissions) == ("no_support", ())


@pytest.mark.req("A-BOUNDARY", "E-NOSCOPE")
def test_a_request_narrows_the_scopes_in_force_and_never_widens_them():
    world = a_world(TESTS, replace(TESTS, id="mem_other", scope=OTHER))
    both = world.session(scopes=(SHOP, OTHER))
    assert ids(world.recall(ASK, session=both, scopes=(OTHER,))) == ["mem_other"]
    with pytest.raises(NotPermitted, match="is not in force"):
        world.recall(ASK, scopes=(OTHER,))


@pytest.mark.req("B-FILTERFIRST")
def test_what_only_others_may_see_is_not_there():
    world = a_world(replace(TESTS, visibility=private("user:bob")))
    assert world.recall(ASK).packet.omissions == ()
    assert ids(world.recall(ASK, session=world.session("user:bob"))) == ["mem_tests"]


def test_a_member_of_a_group_in_a_group_sees_what_the_group_may_see():
    world = a_world(replace(TESTS, visibility=private("group:all")))
    world.group("group:all", "group:devs")
    world.group("group:devs", "user:ada")
    assert ids(world.recall(ASK)) == ["mem_tests"]


def test_another_tenant_is_another_world():
    world = a_world(LINT)
    world.add(TESTS, tenant="rival")
    assert world.recall(ASK).packet.outcome == "no_support"


@pytest.mark.req("E-NOSCOPE")
def test_the_packet_says_who_asked_where_for_what_and_when():
    world = a_world(TESTS)
    asked = world.recall(
        ASK, session=world.session(declared="profile ./muniment.yaml")
    ).packet.request
    assert (asked["principal"], asked["scopes"], asked["use"], asked["at"], asked["declared"]) == (
        "user:ada",
        [{"kind": "repository", "id": "github:acme/shop"}],
        "answer_questions",
        time_text(NOON),
        "profile ./muniment.yaml",
    )


# --- review, status, time -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"review": Review("proposed")}, "not_reviewed"),
        ({"review": Review("rejected")}, "rejected"),
        ({"review": Review("needs_review")}, "needs_review"),
        ({"review": Review("deprecated")}, "deprecated"),
        ({"retired": "archived"}, "retired"),
        ({"validity": Validity(NOON + DAY)}, "not_yet_valid"),
        ({"validity": Validity(None, NOON)}, "expired"),
        ({"freshness": Freshness("current", NOON, NOON)}, "expired"),
        ({"allowed_uses": ("plan_changes",)}, "use_not_allowed"),
        ({"prohibited_uses": ("answer_questions",)}, "prohibited_use"),
    ],
)
@pytest.mark.req("A-EXPIRED", "B-USES", "B-REVIEW")
def test_what_may_not_serve_is_left_out_with_the_rule_that_refused_it(values, reason):
    recalled = a_world(replace(TESTS, **values)).recall(ASK)
    assert recalled.packet.outcome == "no_support"
    assert reasons(recalled) == {"mem_tests": (reason,)}


@pytest.mark.req("A-EXPIRED")
def test_an_end_is_exclusive():
    world = a_world(replace(TESTS, validity=Validity(None, NOON)))
    before = NOON - timedelta(microseconds=1)
    assert (ids(world.recall(ASK, at=before)), ids(world.recall(ASK, at=NOON))) == (
        ["mem_tests"],
        [],
    )


@pytest.mark.req("A-EXPIRED")
def test_expired_memory_is_served_as_history_and_marked():
    recalled = a_world(replace(TESTS, validity=Validity(None, NOON))).recall(ASK, history=True)
    item = recalled.packet.items[0]
    assert (item.status, "expired" in item.labels) == ("expired", True)
    assert "expired" in recalled.packet.text


@pytest.mark.req("A-STALE")
def test_stale_memory_is_served_with_a_warning():
    old = replace(TESTS, freshness=Freshness("current", NOON - 400 * DAY))
    item = a_world(old).recall(ASK).packet.items[0]
    assert (item.status, "stale" in item.labels, "verified" in item.labels) == (
        "stale",
        True,
        False,
    )


@pytest.mark.req("A-INFERRED", "A-SUMMARY", "A-NOTFACT")
@pytest.mark.parametrize(
    ("source", "label"),
    [
        (Source("file", "inference", "file:///x", derivation="inferred"), "inferred"),
        (Source("memory", "summarisation", derivation="summarised"), "summary"),
        (Source("import", "external_data", "https://x", derivation="imported"), "imported"),
    ],
)
def test_how_a_claim_follows_from_its_source_is_said_in_json_and_text(source, label):
    packet = a_world(replace(TESTS, source=source, reading=None)).recall(ASK).packet
    assert label in packet.as_json()["evidence"][0]["labels"]
    assert label in packet.text


@pytest.mark.req("A-NOTFACT")
def test_only_what_was_read_again_and_matched_is_called_verified():
    read = a_world(TESTS).recall(ASK).packet.items[0]
    unread = a_world(replace(TESTS, reading=None)).recall(ASK).packet.items[0]
    assert ("verified" in read.labels, "verified" in unread.labels) == (True, False)


@pytest.mark.req("B-REVIEW")
def test_what_needs_review_is_visible_to_who_only_looks_and_says_so():
    packet = a_world(replace(TESTS, review=Review("needs_review"))).recall(ASK, use="").packet
    assert (packet.request["use"], "needs_review" in packet.items[0].labels) == (None, True)


def test_a_superseded_claim_is_left_out_and_its_successor_named():
    new = replace(TESTS, id="mem_new", claim="`make test` runs `tox`.", supersedes=("mem_tests",))
    recalled = a_world(TESTS, new).recall(ASK)
    omission = recalled.packet.omissions[0]
    assert ids(recalled) == ["mem_new"]
    assert (omission.reasons, omission.detail) == (("superseded",), "superseded by mem_new")


@pytest.mark.req("B-FILTERFIRST")
def test_a_hidden_successor_changes_nothing():
    hidden = replace(TESTS, id="mem_new", supersedes=("mem_tests",), visibility=private("user:bob"))
    item = a_world(TESTS, hidden).recall(ASK).packet.items[0]
    assert (item.status, item.related["superseded_by"]) == ("active", None)


def test_history_shows_what_was_superseded_with_its_label():
    new = replace(TESTS, id="mem_new", claim="`make test` runs `tox`.", supersedes=("mem_tests",))
    recalled = a_world(TESTS, new).recall(ASK, history=True)
    old = next(item for item in recalled.packet.items if item.claim.id == "mem_tests")
    assert (old.status, old.related["superseded_by"]) == ("superseded", "mem_new")


@pytest.mark.req("B-FILTERFIRST", "A-RANKING")
def test_what_may_not_serve_moves_no_score_of_what_may():
    refused = [
        a_claim(f"old{n}", "Tests ran long ago.", validity=Validity(None, NOON)) for n in range(90)
    ]
    alone, among = a_world(TESTS).recall(ASK), a_world(TESTS, *refused).recall(ASK)
    assert among.packet.items == alone.packet.items


# --- uses -----------------------------------------------------------------------------------------


@pytest.mark.req("B-USES")
def test_an_undeclared_use_is_high_risk_and_needs_a_verification_of_the_last_day():
    world = a_world(replace(TESTS, allowed_uses=("launch",)))
    assert ids(world.recall(ASK, use="launch", at=NOON + DAY)) == ["mem_tests"]
    late = world.recall(ASK, use="launch", at=NOON + DAY + timedelta(microseconds=1))
    assert reasons(late) == {"mem_tests": ("not_verified_for_risk",)}


@pytest.mark.req("B-USES")
def test_a_prohibited_use_is_lifted_only_by_reading_the_source_again_for_this_request():
    world = a_world(replace(TESTS, allowed_uses=("deploy",), prohibited_uses=("deploy",)))
    assert ids(world.recall(ASK, use="deploy")) == []
    world.files.held[TESTS.source.uri] = f"{TESTS.claim}\n".encode()
    recalled = world.recall(ASK, use="deploy", reread=True)
    assert ids(recalled) == ["mem_tests"]
    assert recalled.packet.items[0].citations[0].read_now
    assert "match now" in recalled.packet.text
    assert ids(world.recall(ASK, use="deploy")) == []


@pytest.mark.req("B-USES")
@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"other words\n", "changed"),
        (None, "missing"),
        (f"# new\n{TESTS.claim}\n".encode(), "moved"),
    ],
)
def test_a_source_that_does_not_say_it_there_any_more_lifts_nothing(data, found):
    world = a_world(replace(TESTS, allowed_uses=("deploy",), prohibited_uses=("deploy",)))
    if data is not None:
        world.files.held[TESTS.source.uri] = data
    recalled = world.recall(ASK, use="deploy", reread=True)
    omission = recalled.packet.omissions[0]
    assert (ids(recalled), "prohibited_use" in omission.reasons) == ([], True)
    assert omission.detail == f"its source, read again: {found}"


@pytest.mark.req("B-USES", "A-STALE")
def test_a_permitted_claim_whose_source_changed_is_served_as_stale():
    world = a_world(TESTS)
    world.files.held[TESTS.source.uri] = b"other words\n"
    item = world.recall(ASK, reread=True).packet.items[0]
    assert (item.status, item.citations[0].reading) == ("stale", "changed")


def test_sources_are_read_only_where_that_was_asked_for():
    world = a_world(TESTS)
    world.recall(ASK)
    assert world.files.fetched == []


# --- conflicts ------------------------------------------------------------------------------------

PNPM = a_claim("pnpm", "The package manager is pnpm.")
NPM = a_claim(
    "npm", "Install with npm.", source=Source("user_statement", "user_input"), reading=None
)
WHICH = "which package manager?"


def disputed(*claims):
    world = a_world(*claims)
    world.dispute("mem_pnpm", "mem_npm", note="two package managers")
    return world


@pytest.mark.req("B-CONFLICTS", "B-PRECEDENCE", "A-INF-CONFLICT")
def test_the_other_side_of_a_conflict_comes_along_though_it_does_not_match():
    recalled = disputed(PNPM, NPM).recall(WHICH)
    conflict = recalled.packet.conflicts[0]
    assert ids(recalled) == ["mem_pnpm", "mem_npm"]
    assert (conflict.ruling.winner, conflict.ruling.decided_by) == ("mem_pnpm", "source_strength")
    assert conflict.notes == ("two package managers",)
    assert recalled.packet.outcome == "complete"
    assert [item.status for item in recalled.packet.items] == ["disputed", "disputed"]


@pytest.mark.req("B-PRECEDENCE")
def test_a_conflict_that_no_rule_decides_is_the_outcome():
    twin = replace(PNPM, id="mem_npm", claim="The package manager is npm.")
    recalled = disputed(PNPM, twin).recall(WHICH)
    assert recalled.packet.outcome == "conflict"
    assert recalled.packet.conflicts[0].ruling.may_win == ("mem_npm", "mem_pnpm")


@pytest.mark.req("E-LIMITS", "B-CONFLICTS")
def test_a_conflict_is_packed_whole_or_not_at_all():
    recalled = disputed(PNPM, NPM).recall(WHICH, k=1)
    assert (ids(recalled), recalled.packet.outcome) == ([], "budget_exceeded")
    assert set(reasons(recalled).values()) == {("over_k",)}


@pytest.mark.req("B-CONFLICTS")
def test_a_side_that_may_not_serve_is_named_with_the_reason_and_not_shown():
    over = replace(NPM, validity=Validity(None, NOON))
    recalled = disputed(PNPM, over).recall(WHICH)
    conflict = recalled.packet.conflicts[0]
    assert (ids(recalled), conflict.not_served) == (["mem_pnpm"], (("mem_npm", ("expired",)),))
    assert "Install with npm" not in recalled.packet.text


@pytest.mark.req("B-FILTERFIRST", "B-CONFLICTS")
def test_a_conflict_with_a_hidden_claim_changes_nothing():
    recalled = disputed(PNPM, replace(NPM, visibility=private("user:bob"))).recall(WHICH)
    assert (recalled.packet.conflicts, recalled.packet.items[0].status) == ((), "active")


def test_a_settled_conflict_is_no_conflict():
    world = a_world(PNPM, NPM)
    world.dispute("mem_pnpm", "mem_npm", resolved="pnpm it is")
    assert world.recall(WHICH).packet.conflicts == ()


@pytest.mark.req("B-CONFLICTS")
def test_a_filter_does_not_hide_the_other_side():
    assert ids(disputed(PNPM, NPM).recall(WHICH, origins=("observation",))) == [
        "mem_pnpm",
        "mem_npm",
    ]


# --- the nine inputs ------------------------------------------------------------------------------


@pytest.mark.req("A-QUERY")
@pytest.mark.parametrize(
    "values",
    [
        {"ids": ("mem_b",)},
        {"memory_types": ("procedural",)},
        {"types": ("runbook_step",)},
        {"origins": ("user_input",)},
        {"uri_prefix": "https://wiki"},
        {"statuses": ("stale",)},
        {"version": 2},
    ],
)
def test_each_filter_narrows_and_leaves_the_scores_as_they_are(values):
    a = a_claim("a", "Run the tests with tox.")
    b = a_claim("b", "Run the tests with nox.", memory_type="procedural", type="runbook_step", version=2,
                source=Source("user_statement", "user_input", "https://wiki/1"), reading=None,
                freshness=Freshness("current", NOON - 900 * DAY))  # fmt: skip
    world = a_world(a, b)
    narrowed, plain = world.recall(ASK, **values), world.recall(ASK)
    assert ids(narrowed) == ["mem_b"]
    relevance = {item.claim.id: item.relevance for item in plain.packet.items}
    assert narrowed.packet.items[0].relevance == relevance["mem_b"]


@pytest.mark.req("A-QUERY", "A-RELEVANCE")
def test_what_is_below_the_askers_threshold_is_left_out_and_said_so():
    world = a_world(
        TESTS, a_claim("long", "Before you push, run all of the slow and fast tests again.")
    )
    values = {i.claim.id: i.relevance.value for i in world.recall(ASK).packet.items}
    recalled = world.recall(ASK, relevance_threshold=max(values.values()))
    assert len(values) == 2
    assert (len(ids(recalled)), list(reasons(recalled).values())) == (1, [("below_threshold",)])


@pytest.mark.req("A-RELEVANCE")
def test_a_relevance_outside_the_unit_interval_is_refused():
    with pytest.raises(InvalidInput, match="out_of_range"):
        a_world(TESTS).recall(ASK, relevance_threshold=1.5)


def test_a_claim_is_found_by_its_identifier_and_by_its_alias():
    from muniment.core.ids import new_id

    name = new_id("mem", 1, bytes(10))
    world = a_world(replace(TESTS, id=name, aliases=("MEM-42",)))
    for query in (f"what does {name} say?", "MEM-42", "mem-42"):
        item = world.recall(query, method="exact_identifier").packet.items[0]
        assert (item.claim.id, item.relevance.value) == (name, 1.0)


def test_ids_without_words_give_these_claims():
    assert ids(a_world(TESTS, LINT).recall(ids=("mem_lint",))) == ["mem_lint"]


def test_without_words_the_claims_closest_in_time_come_first():
    claims = [
        a_claim(f"d{n}", f"Sprint {n}.", validity=Validity(NOON - n * DAY)) for n in (40, 0, 3)
    ]
    recalled = a_world(*claims).recall(method="temporal_retrieval", relevance_threshold=0.5)
    assert ids(recalled) == ["mem_d0", "mem_d3"]


# --- system time ----------------------------------------------------------------------------------


def test_an_earlier_revision_shows_what_was_recorded_then():
    world = a_world(TESTS)
    world.add(replace(TESTS, claim="`make test` runs `tox`.", version=2), at=NOON + DAY)
    assert [world.recall(ASK, as_of=r).packet.items[0].claim.version for r in (1, 2)] == [1, 2]
    assert world.recall(ASK, as_of=0).packet.outcome == "no_support"


def test_an_earlier_instant_shows_what_was_recorded_until_then():
    world = a_world(TESTS)
    world.add(replace(TESTS, claim="`make test` runs `tox`.", version=2), at=NOON + DAY)
    versions = [
        [item.claim.version for item in world.recall(ASK, as_of=instant).packet.items]
        for instant in (NOON - DAY, NOON, NOON + DAY - timedelta(microseconds=1), NOON + DAY)
    ]
    assert versions == [[], [1], [1], [2]]


def test_an_earlier_instant_shows_conflicts_as_they_stood_then():
    other = a_claim("other", "`make test` runs `tox`.")
    world = a_world(TESTS, other)
    world.dispute(TESTS.id, other.id, at=NOON + DAY)
    world.dispute(TESTS.id, other.id, resolved="asked", at=NOON + 2 * DAY)
    open_then = [
        len(world.recall(ASK, as_of=instant).packet.conflicts)
        for instant in (NOON, NOON + DAY, NOON + 2 * DAY)
    ]
    assert open_then == [0, 1, 0]


@pytest.mark.req("B-FILTERFIRST")
def test_an_earlier_revision_is_not_a_way_around_a_narrowed_audience():
    world = a_world(TESTS)
    world.add(replace(TESTS, version=2, visibility=private("user:bob")))
    assert world.recall(ASK, as_of=1).packet.omissions == ()
    assert ids(world.recall(ASK, as_of=1)) == []


# --- what is said ---------------------------------------------------------------------------------


@pytest.mark.req("A-OUTPUT", "A-RELTRUTH")
def test_the_json_form_keeps_every_boundary_of_the_evidence():
    claim = replace(TESTS, importance=Importance(0.3, "used daily"))
    packet = json.loads(json.dumps(a_world(claim).recall(ASK).as_json()))
    evidence = packet["evidence"][0]
    assert {"outcome", "evidence", "conflicts", "omissions", "revision", "budget", "request", "trace",
            "ranking", "retrieval_id", "text", "ontology_entity"} <= packet.keys()  # fmt: skip
    assert {"id", "claim", "status", "labels", "confidence", "importance", "relevance", "citations", "uses",
            "type", "memory_type", "scope", "source", "validity", "freshness", "version", "supersedes",
            "superseded_by", "conflicts", "provenance", "review"} <= evidence.keys()  # fmt: skip
    assert evidence["citations"][0]["span"] == [0, len(TESTS.claim)]
    assert evidence["citations"][0]["quote"] == TESTS.claim
    values = (
        evidence["relevance"]["value"],
        evidence["importance"]["score"],
        evidence["confidence"]["score"],
    )
    assert len(set(values)) == 3


@pytest.mark.req("A-RANKING", "A-RETRIEVAL")
def test_a_relevance_says_its_components_and_what_it_means():
    relevance = a_world(TESTS).recall(ASK).as_json()["evidence"][0]["relevance"]
    assert relevance["meaning"].startswith("share in [0, 1] of what a perfect match")
    assert set(relevance["components"]) == {
        "coverage",
        "saturation",
        "sentence",
        "phrase",
        "subject",
        "named",
        "graph",
    }
    assert all(0.0 <= value <= 1.0 for value in relevance["components"].values())


@pytest.mark.req("A-QUERY")
def test_the_ten_steps_leave_their_counts():
    expired = replace(LINT, validity=Validity(None, NOON))
    trace = {s.name: dict(s.counts) for s in a_world(TESTS, expired).recall(ASK).packet.trace}
    assert list(trace) == ["identify", "scope", "validity_status_use", "source", "relevance", "embeddings",
                           "rank", "conflicts", "versions", "select"]  # fmt: skip
    assert trace["scope"]["claims"] == 2
    assert trace["validity_status_use"] == {"eligible": 1, "refused": 1}
    assert trace["select"]["selected"] == 1


def test_at_most_twenty_omissions_are_listed_and_all_are_counted():
    claims = [a_claim(f"t{n:02d}", "Run the tests.") for n in range(LISTED + 7)]
    omissions = a_world(*claims).recall(ASK, k=1).packet.as_json()["omissions"]
    assert (omissions["total"], len(omissions["items"])) == (LISTED + 6, LISTED)
    assert omissions["by_reason"] == {"over_k": LISTED + 6}


def test_near_misses_are_counted_and_not_listed():
    omissions = a_world(LINT, TESTS).recall("make test with valgrind").packet.as_json()["omissions"]
    assert omissions["by_reason"].get("below_support", 0) >= 1
    assert all(item["reasons"] != ["below_support"] for item in omissions["items"])


def test_a_related_claim_is_named_only_where_it_may_be_seen():
    made = Source(
        "memory", "inference", derivation="inferred", derived_from=("mem_lint", "mem_hidden")
    )
    hidden = a_claim("hidden", "x", visibility=private("user:bob"))
    derived = replace(TESTS, source=made, reading=None)
    evidence = a_world(derived, LINT, hidden).recall(ASK).as_json()["evidence"][0]
    assert evidence["source"]["derived_from"] == ["mem_lint"]
    assert "mem_hidden" not in json.dumps(evidence)


# --- the record -----------------------------------------------------------------------------------


@pytest.mark.req("A-RETRIEVAL")
def test_a_retrieval_is_recorded_with_query_candidates_scores_selection_and_time():
    world = a_world(TESTS, LINT)
    recalled = world.recall(ASK)
    record = retrieval(world.session(), recalled.retrieval_id)
    assert record["query"]["text"] == ASK
    assert record["selected"][0]["id"] == "mem_tests"
    assert record["candidates"][0]["relevance"] == recalled.packet.items[0].relevance.value
    assert (record["at"], record["request"]["method"]) == (time_text(NOON), "hybrid_retrieval")
    assert record["ranking"] == dict(recalled.packet.policy)


@pytest.mark.req("E-BLINDWRITE", "A-RETRIEVAL")
@pytest.mark.parametrize("principal", ["user:bob", "user:eve"])
def test_only_who_made_a_retrieval_can_look_at_it(principal):
    world = a_world(TESTS)
    made = world.recall(ASK).retrieval_id
    with pytest.raises(NotFound):
        retrieval(world.session(principal), made)


@pytest.mark.req("A-ONACCESS")
def test_being_handed_over_counts_as_an_access_of_this_principal_alone():
    world = a_world(TESTS, LINT)
    world.recall(ASK)
    world.recall(ASK)
    count = world.store.accesses
    assert count("acme", "mem_tests", "user:ada") == (2, NOON)
    assert count("acme", "mem_tests", "user:bob") == (0, None)
    assert count("acme", "mem_lint", "user:ada") == (0, None)


@pytest.mark.req("A-ONACCESS")
def test_accesses_change_no_ranking():
    world = a_world(TESTS, a_claim("suite", "Run the tests with `tox`."))
    before = world.recall(ASK).packet
    for _ in range(3):
        world.recall(ids=("mem_suite",))
    assert world.recall(ASK).packet == before


def test_a_query_can_be_kept_as_its_digest_alone():
    world = a_world(TESTS)
    made = world.recall(ASK, log="digest").retrieval_id
    record = json.dumps(dict(retrieval(world.session(), made)))
    assert "sha256:" in record
    assert ASK not in record


def test_a_retrieval_can_go_unrecorded():
    world = a_world(TESTS)
    assert world.recall(ASK, log="off").retrieval_id == ""
    assert world.store.accesses("acme", "mem_tests", "user:ada") == (0, None)


def test_the_identifier_of_a_retrieval_is_not_part_of_the_packet():
    world = a_world(TESTS)
    first, second = world.recall(ASK), world.recall(ASK)
    assert first.retrieval_id != second.retrieval_id
    assert first.packet.as_json() == second.packet.as_json()


def test_an_unknown_scope_kind_finds_nothing_and_breaks_nothing():
    world = a_world(TESTS)
    session = world.session(scopes=(Scope("team", "x"),))
    assert world.recall(ASK, session=session).packet.outcome == "no_support"


def test_a_reading_that_changed_makes_a_claim_stale_and_says_so_in_the_citation():
    changed = replace(TESTS, reading=Reading("changed", NOON))
    packet = a_world(changed).recall(ASK).packet
    assert (packet.items[0].status, "changed when last read" in packet.text) == ("stale", True)


# --- the asker's own proposals --------------------------------------------------------------------


def proposing(world, text="Run the tests with `nox`.", **values):
    session = world.session(visibility=EVERYBODY, uses=("answer_questions",))
    return remember(session, text, {"freshness": {"last_verified_at": time_text(NOON)}, **values})


@pytest.mark.req("B-REVIEW")
def test_a_proposal_is_not_served_until_it_is_asked_for_by_who_made_it():
    world = a_world(LINT)
    proposing(world)
    assert world.recall(ASK).packet.outcome == "no_support"
    item = world.recall(ASK, own_proposals=True).packet.items[0]
    assert (item.claim.claim, "proposed" in item.labels) == ("Run the tests with `nox`.", True)


@pytest.mark.req("B-REVIEW", "E-BLINDWRITE")
def test_a_proposal_of_somebody_else_is_never_served():
    world = a_world(LINT)
    proposing(world)
    other = world.session("user:bob")
    assert world.recall(ASK, session=other, own_proposals=True).packet.outcome == "no_support"


@pytest.mark.req("B-REVIEW")
def test_a_proposal_serves_no_action_of_high_risk():
    world = a_world(LINT)
    proposing(world, allowed_uses=["deploy"])
    recalled = world.recall(ASK, use="deploy", own_proposals=True)
    assert ids(recalled) == []
    assert ["proposal_for_action" in why for why in reasons(recalled).values()] == [True]

"""The words of the record: complete, refused with the list of known ones, and read under their conditions."""

from __future__ import annotations

import pytest

from muniment.core import vocabulary
from muniment.core.claim import Claim
from muniment.core.draft import read_claim, read_diff
from muniment.core.vocabulary import (
    DISTINCTIONS,
    EQUIVALENTS,
    GRADES,
    USES,
    VOCABULARIES,
    canonical_name,
    equivalent,
    is_closed,
    names,
    risk_of,
    unknown_name,
)
from tests.core.conformance import patched, templates

COMPLETE = {
    "memory_type": "working short_term long_term episodic semantic procedural conversational user_specific "
    "agent_specific external",
    "scope_kind": "current_turn conversation task user agent project domain global_system repository organization "
    "channel team service customer environment incident",
    "origin": "user_input conversation observation tool_result retrieval external_data inference summarisation "
    "human_annotation system_process",
    "content_kind": "text structured_data entity_reference relationship event preference task_state summary "
    "embedding_reference",
    "retrieval_method": "exact_identifier keyword semantic_similarity embedding_similarity graph_traversal "
    "temporal_retrieval hybrid_retrieval",
    "status": "active stale expired superseded disputed invalid archived",
    "claim_type": "project_fact team_preference user_preference decision incident_lesson runbook_step domain_rule "
    "integration_capability known_failure_mode",
    "visibility_level": "public user-private team-private customer-specific production-only security-sensitive",
    "freshness": "current stale expired unknown needs_review",
    "review_status": "proposed accepted needs_review deprecated rejected",
    "operation": "add supersede deprecate revalidate flag_conflict",
}
REQS = {
    "memory_type": "A-TYPE", "scope_kind": "A-SCOPEKIND", "origin": "A-SOURCEKIND", "content_kind": "A-CONTENTKIND",
    "retrieval_method": "A-METHOD", "status": "A-STATUS", "claim_type": "B-TYPES", "visibility_level": "B-VISIBILITY",
    "freshness": "B-FRESHNESS", "review_status": "B-REVIEW", "operation": "B-DIFF",
}  # fmt: skip
CLOSED = [
    pytest.param(name, marks=pytest.mark.req(REQS[name]))
    for name in COMPLETE
    if name != "claim_type"
]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.req(REQS[name])) for name in COMPLETE]
)
def test_a_vocabulary_has_exactly_its_names(name):
    assert names(name) == tuple(COMPLETE[name].split())


@pytest.mark.parametrize("name", CLOSED)
def test_an_unknown_name_is_refused_with_the_list_of_known_ones(name):
    assert is_closed(name)
    finding = unknown_name(name, "no-such-thing")
    assert finding.severity == "error"
    assert all(known in finding.fix for known in names(name))


@pytest.mark.parametrize("name", [name for name, _, _ in VOCABULARIES])
def test_every_term_has_a_meaning_of_its_own(name):
    terms = next(terms for key, terms, _ in VOCABULARIES if key == name)
    assert all(term.meaning for term in terms)
    assert len({term.meaning for term in terms}) == len(terms)


def test_a_near_miss_is_offered():
    assert unknown_name("memory_type", "episodc").fix.startswith("did you mean episodic?")


@pytest.mark.req("B-USES")
def test_the_twelve_example_uses_have_a_risk():
    risks = {use.name: use.risk for use in USES}
    low = "answer_questions prepare_context plan_changes draft_pr choose_test_commands explain_decisions".split()
    high = (
        "deploy change_permissions delete_data modify_billing skip_tests claim_compliance".split()
    )
    assert {risks[use] for use in low} == {"low"}
    assert {risks[use] for use in high} == {"high"}


@pytest.mark.req("B-USES")
@pytest.mark.parametrize("use", ["launch_rocket", "", "Deploy", "answer-questions"])
def test_a_use_that_nobody_declared_is_high_risk(use):
    assert risk_of(use) == "high"


@pytest.mark.req("A-CONFIDENCE")
def test_the_seven_grades_and_their_caps():
    assert [grade.cap for grade in GRADES] == [1.0, 1.0, 0.98, 0.95, 0.9, 0.8, 0.6]


@pytest.mark.req("B-TYPES")
@pytest.mark.parametrize("given", ["rate_limit", "acme:rate_limit", "sla/uptime"])
def test_a_claim_type_of_ones_own_is_kept_as_it_is(given):
    claim, findings = read_claim(patched(templates()["fact"], {"type": given}), "mem_x")
    assert (claim.type, findings) == (given, ())


# --- equivalent names ----------------------------------------------------------------------------

SIX = [
    ("AI memory metadata", "metadata about AI memory", "claim"),
    ("memory item", "AI memory record", "claim"),
    ("long-term memory", "persistent AI memory", "long_term"),
    ("conversation memory", "dialogue memory", "conversational"),
    ("semantic memory", "conceptual AI memory", "semantic"),
    ("memory retrieval", "AI memory lookup", "recall"),
]


@pytest.mark.req("A-EQUIVALENCE")
@pytest.mark.parametrize(("name", "same", "stands_for"), SIX)
def test_both_names_of_a_pair_stand_for_one_thing(name, same, stands_for):
    assert {
        equivalent(one).stands_for for one in (name, same, same.upper(), same.replace(" ", "_"))
    } == {stands_for}


@pytest.mark.req("A-EQUIVALENCE")
def test_there_are_six_pairs_and_three_of_them_have_a_condition():
    assert [(pair.name, pair.same_as, pair.stands_for) for pair in EQUIVALENTS] == SIX
    assert [bool(pair.condition) for pair in EQUIVALENTS] == [False, False, False, True, True, True]


@pytest.mark.req("A-EQUIVALENCE")
@pytest.mark.parametrize(
    ("given", "understood"),
    [
        ("persistent AI memory", "long_term"),
        ("Long-Term Memory", "long_term"),
        ("conceptual AI memory", "semantic"),
    ],
)
def test_an_equivalent_memory_type_is_read_as_its_own(given, understood):
    claim, findings = read_claim(patched(templates()["fact"], {"memory_type": given}), "mem_x")
    assert (claim.memory_type, findings) == (understood, ())


@pytest.mark.req("A-EQUIVALENCE")
@pytest.mark.parametrize(
    "key", ["memory item", "memory_item", "AI memory record", "metadata about AI memory"]
)
def test_a_change_may_call_its_claim_by_an_equivalent_name(key):
    change = {"id": "a", "operation": "add", "reason": "why", key: templates()["fact"]}
    given = {
        **templates()["diff"],
        "created_at": "2026-07-08T12:00:00Z",
        "proposed_by": "user:x",
        "changes": [change],
    }
    diff, findings = read_diff(given, {"diff": "mdiff_x", "item:0": "mem_x"})
    assert findings == ()
    assert isinstance(diff.changes[0].item, Claim)


def test_what_is_no_equivalent_stays_as_it_was_given():
    assert equivalent("note") is None
    assert canonical_name("memory_type", "note") == "note"


@pytest.mark.req("A-DISTINCT")
def test_the_eleven_distinctions_are_declared():
    assert len(DISTINCTIONS) == len(set(DISTINCTIONS)) == 11
    assert vocabulary.NOT_MEMORY[:2] == ("model_parameters", "training_data")

"""What a recall is asked for: everything that is wrong with it, at once."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from muniment.core.request import REQUEST_RULES, Request, request_findings

NOON = datetime(2026, 7, 8, 12, tzinfo=UTC)


def codes(**values):
    return [(f.code, f.path) for f in request_findings(Request(**{"query": "run tests", **values}))]


@pytest.mark.req("A-RELEVANCE")
@pytest.mark.parametrize("threshold", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_threshold_outside_the_unit_interval_is_refused(threshold):
    assert codes(relevance_threshold=threshold) == [("out_of_range", "/relevance_threshold")]


@pytest.mark.req("A-RELEVANCE")
@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_the_ends_of_the_unit_interval_are_thresholds(threshold):
    assert codes(relevance_threshold=threshold) == []


@pytest.mark.req("E-LIMITS")
@pytest.mark.parametrize("k", [0, 101, -1])
def test_a_number_of_claims_outside_its_range_is_refused(k):
    assert codes(k=k) == [("out_of_range", "/k")]


@pytest.mark.req("E-LIMITS")
def test_a_budget_without_a_token_is_refused():
    assert codes(budget=0) == [("out_of_range", "/budget")]


@pytest.mark.req("A-METHOD")
def test_an_unknown_method_is_refused_with_the_known_ones():
    finding = request_findings(Request("x y", method="keywrd"))[0]
    assert finding.code == "unknown_retrieval_method"
    assert "did you mean keyword?" in finding.fix


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"query": "  "}, "empty_query"),
        ({"query": "a\x00b"}, "nul_character"),
        ({"query": "x" * 10_001}, "too_long"),
        ({"query": "\udcff"}, "lone_surrogate"),
        ({"ids": ("mem_\udcff",)}, "lone_surrogate"),
        ({"types": ("a\x00",)}, "nul_character"),
        ({"uri_prefix": "x" * 2_001}, "too_long"),
        ({"k": 2.5}, "out_of_range"),
        ({"budget": True}, "out_of_range"),
        ({"version": "1"}, "out_of_range"),
        ({"relevance_threshold": "0.5"}, "out_of_range"),
        ({"use": "de\u200bploy"}, "invisible_characters"),
        ({"at": datetime(2026, 7, 8)}, "naive_time"),
        ({"as_of": datetime(2026, 7, 8)}, "naive_time"),
        ({"as_of": -1}, "out_of_range"),
        ({"version": -1}, "out_of_range"),
        ({"memory_types": ("semantc",)}, "unknown_memory_type"),
        ({"origins": ("hearsay",)}, "unknown_origin"),
        ({"statuses": ("fine",)}, "unknown_status"),
        ({"statuses": ("expired",)}, "history_needed"),
        ({"log": "loud"}, "unknown_value"),
        ({"include_passages": True, "use": "deploy"}, "passages_serve_no_action"),
        ({"include_passages": True, "grounded": True}, "grounded_in_claims"),
        ({"reread": True, "at": NOON}, "reread_is_now"),
    ],
)
def test_what_is_wrong_is_named(values, code):
    assert [found for found, _ in codes(**values)] == [code]


@pytest.mark.parametrize(
    "values",
    [
        {"query": "", "ids": ("mem_a",)},
        {"query": "", "method": "temporal_retrieval"},
        {"statuses": ("expired",), "history": True},
        {"use": "launch_rocket"},
        {"as_of": 0},
    ],
)
def test_what_can_be_answered_is_not_refused(values):
    assert codes(**values) == []


def test_everything_that_is_wrong_is_said_at_once():
    assert len(codes(k=0, budget=0, method="x", query="")) == 4


@pytest.mark.parametrize("rule", [rule for _, rule in REQUEST_RULES], ids=lambda r: r.__name__)
def test_every_rule_lets_a_plain_request_through(rule):
    assert rule(Request("how do I run the tests?", "answer_questions")) == ()


@pytest.mark.req("D-POLICIES")
def test_a_ranking_policy_is_one_of_the_bank_and_knows_the_method():
    assert codes(ranking="recent") == codes(ranking="lexical") == []
    assert codes(ranking="newest") == [("unknown_value", "/ranking")]
    assert codes(ranking="lexical", method="embedding_similarity") == [
        ("method_not_available", "/ranking")
    ]

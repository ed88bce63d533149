"""What the protocol's own tools say is judged rightly, and is what is expected."""

from __future__ import annotations

import json

import pytest

from bench import mcp_conformance as conformance

REASON = "it is not there"


def check(status, said=""):
    return {"status": status, "errorMessage": said}


def judged(checks, expected=(), **options):
    found = conformance.judged({"ping": checks}, dict.fromkeys(expected, REASON), **options)
    return found["passed"], found["unexpected"]


def test_a_scenario_whose_checks_succeed_passes():
    assert judged([check("SUCCESS"), check("SKIPPED"), check("WARNING")]) == (1, 0)


def test_a_failure_that_nobody_expected_is_unexpected():
    assert judged([check("SUCCESS"), check("FAILURE")]) == (0, 1)


def test_a_failure_that_is_expected_is_not():
    assert judged([check("FAILURE")], ["ping"]) == (0, 0)


def test_a_scenario_that_passes_although_it_should_fail_is_unexpected():
    assert judged([check("SUCCESS")], ["ping"]) == (1, 1)


def test_an_expected_failure_that_is_no_scenario_is_unexpected():
    assert judged([check("SUCCESS")], ["pong"]) == (1, 1)


@pytest.mark.parametrize("checks", [[], [check("SKIPPED")], [check("WARNING")]])
def test_a_scenario_that_tried_nothing_has_not_passed(checks):
    assert judged(checks) == (0, 1)


def test_a_check_for_a_tool_of_the_suites_own_is_left_aside_on_our_own_server_alone():
    said = "Not testable: server does not list the diagnostic tool 'test_x' in tools/list"
    checks = [check("SUCCESS"), check("FAILURE", said)]
    assert (judged(checks, own=True), judged(checks)) == ((1, 0), (0, 1))


def test_every_expected_failure_has_its_reason():
    reasons = [one for of in conformance.EXPECTED.values() for one in of.values()]
    assert reasons
    assert all(len(one.split()) > 5 for one in reasons)


@pytest.mark.skipif(
    not conformance.are_there(conformance.default_tools()),
    reason="node and the protocol's tools are not where `MCP_TOOLS` says",
)
def test_the_official_suite_and_inspector_find_nothing_unexpected(capsys):
    code = conformance.main(["--json"])
    found = json.loads(capsys.readouterr().out)
    assert (code, found["unexpected"], found["inspector_refused"]) == (0, 0, 0)
    assert found["passed"] > 70

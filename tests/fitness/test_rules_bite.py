"""Each rule of the registry is needed: switched off, some conformance case of its requirement comes out differently."""

from __future__ import annotations

import pytest

from muniment.core.rules import KINDS, RULES
from tests.core.conformance import cases, outcome


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_switching_a_rule_off_changes_a_case_of_its_requirement(rule):
    carrying = [case for case in cases() if rule.req in case.req]
    assert any(outcome(case, off=rule.id) != case.expect for case in carrying)


def test_switching_off_what_is_no_rule_changes_nothing():
    assert [
        case.id for case in cases() if outcome(case, off="claim/no_such_rule") != case.expect
    ] == []


def test_every_rule_has_a_known_kind_an_id_of_its_own_and_a_sentence():
    assert {rule.kind for rule in RULES} == {kind for kind, _ in KINDS}
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert all(rule.summary.endswith(".") for rule in RULES)

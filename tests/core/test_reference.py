"""What the reference lists is complete: every rule, and every finding that a case expects."""

from __future__ import annotations

import pytest

from muniment.core.rules import RULES
from tests.core.conformance import cases
from tools.generators import operations
from tools.generators.errors import collected
from tools.generators.rules import rules

EXPECTED = sorted(
    {
        said.partition(" ")[0]
        for case in cases()
        if case.kind in ("claim", "diff", "review")
        for found in case.expect.values()
        for said in found
    }
)


@pytest.fixture(scope="module")
def listed(project):
    return {made.code for made in collected(project)}


@pytest.mark.parametrize("code", EXPECTED)
def test_a_finding_that_a_case_expects_is_listed(listed, code):
    assert code in listed


def test_every_rule_is_listed_with_its_requirement(project):
    page = rules(project)
    assert [rule.id for rule in RULES if f"| `{rule.id}` | {rule.req} |" not in page] == []


@pytest.mark.req("A-OPERATIONS")
def test_the_thirteen_operations_are_methods_and_commands_that_exist(project):
    assert len(operations.OPERATIONS) == 13
    assert operations.operations(project).count("\n") == 14


@pytest.mark.req("A-OPERATIONS")
def test_an_operation_that_names_what_does_not_exist_is_an_error(project, monkeypatch):
    monkeypatch.setattr(operations, "OPERATIONS", (("dream", ("dream",), (), ""),))
    with pytest.raises(ValueError, match="`dream`, which does not exist"):
        operations.operations(project)

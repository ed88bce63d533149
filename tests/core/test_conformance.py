"""Every conformance case comes out as it says; see `tests/conformance/README.md`."""

from __future__ import annotations

import pytest

from tests.core.conformance import KINDS, cases, outcome

as_parameters = [
    pytest.param(case, marks=pytest.mark.req(*case.req), id=case.id) for case in cases()
]


@pytest.mark.parametrize("case", as_parameters)
def test_a_case_comes_out_as_it_says(case):
    assert outcome(case) == case.expect


def test_no_two_cases_have_one_description():
    ids = [case.id for case in cases()]
    assert len(set(ids)) == len(ids)


def test_every_kind_of_case_is_used():
    assert {case.kind for case in cases()} == set(KINDS)

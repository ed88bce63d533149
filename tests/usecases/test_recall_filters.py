"""Filters choose among all that is eligible, not among the best of it (`A-QUERY`)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.core.ranking import RANKING_POLICY
from tests.usecases.remembered import NOON, a_claim, a_world, ids

MANY = RANKING_POLICY.pool + 20
LONG = "Tests run with tox, sometimes and at night and with many further words after them."


def crowded(**odd):
    """More claims that answer better than the pool holds, and one that answers worse and is told apart."""
    world = a_world(*(a_claim(f"c{n:03}", "Tests run with pytest.") for n in range(MANY)))
    world.add(a_claim("odd", LONG, **odd))
    return world


@pytest.mark.req("A-QUERY")
@pytest.mark.parametrize(
    ("odd", "asked"),
    [
        ({}, {"ids": ("mem_odd",)}),
        ({"type": "decision"}, {"types": ("decision",)}),
        ({"memory_type": "semantic"}, {"memory_types": ("semantic",)}),
        ({"version": 3}, {"version": 3}),
        ({"type": "decision", "version": 3}, {"types": ("decision",), "ids": ("mem_odd", "mem_x")}),
    ],
)
@pytest.mark.parametrize("method", ["keyword", "hybrid_retrieval"])
def test_a_filter_finds_what_ranks_below_the_pool(odd, asked, method):
    found = crowded(**odd).recall("tests tox night", method=method, **asked)
    assert ids(found) == ["mem_odd"]


@pytest.mark.req("A-QUERY", "A-STATUS")
def test_a_status_that_other_claims_give_finds_what_ranks_below_the_pool():
    world = crowded()
    world.dispute("mem_odd", "mem_c000")
    found = world.recall("tests run", statuses=("disputed",))
    assert set(ids(found)) == {"mem_c000", "mem_odd"}


@pytest.mark.req("A-QUERY", "A-STATUS")
def test_a_replaced_claim_is_found_by_its_status_below_the_pool():
    world = crowded()
    world.add(a_claim("new", "Tests run with nox.", supersedes=("mem_odd",)))
    found = world.recall("tests tox", statuses=("superseded",), history=True)
    assert ids(found) == ["mem_odd"]


@pytest.mark.req("A-QUERY")
def test_versions_are_told_apart_among_claims_that_are_alike_otherwise():
    one = a_claim("a", "Tests run with pytest.")
    world = a_world(one, a_claim("b", "Tests run with tox."), replace(one, version=2))
    assert ids(world.recall("tests", version=1)) == ["mem_b"]
    assert ids(world.recall("tests", version=2)) == ["mem_a"]


@pytest.mark.req("A-QUERY")
def test_a_filter_narrows_a_search_by_time_too():
    world = crowded(version=3)
    found = world.recall(method="temporal_retrieval", version=3, at=NOON)
    assert ids(found) == ["mem_odd"]

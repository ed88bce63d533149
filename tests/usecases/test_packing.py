"""The packet of a query: one complete proof a row, whole claims, inside the budget, and no row left out in silence."""

from __future__ import annotations

import pytest

from muniment.core.errors import InvalidInput
from muniment.usecases.query import Question, query
from tests.usecases.remembered import a_world
from tests.usecases.test_query import says

ASKED = "?repo uses ?tool"
LONG = {"body": "A long story of how this came about. " * 20}


def packed(world, text=ASKED, **more):
    return query(world.session(), Question(text, "answer_questions", **{"budget": 100_000, **more}))


def shared():
    """Both rows can be proven by one short claim together, or by a short one each."""
    return a_world(
        says("a1", "shop", "uses", "pnpm"),
        says("a2", "shop", "uses", "pnpm", **LONG),
        says("b1", "web", "uses", "npm"),
    )


@pytest.mark.req("D-PACK")
def test_the_packet_takes_the_smallest_whole_proofs_and_says_that_it_is_optimal():
    found = packed(shared())
    assert found.outcome == "rows"
    assert (found.packing.optimal, found.packing.examined, found.packing.combinations) == (
        True,
        2,
        2,
    )
    assert [row.proofs[0] for row in found.rows] == [("mem_a1",), ("mem_b1",)]
    assert found.packing.used == len(found.packing.text.encode())
    assert "| shop uses pnpm (a1)." in found.packing.text
    assert "A long story" not in found.packing.text


@pytest.mark.req("D-PACK")
def test_a_claim_that_two_rows_need_stands_once():
    world = a_world(
        says("m", "ana", "maintains", "shop"),
        says("u", "shop", "uses", "pnpm"),
        says("v", "shop", "uses", "node"),
    )
    text = packed(world, "select ?tool where ana maintains ?repo, ?repo uses ?tool").packing.text
    assert text.count("| ana maintains shop (m).") == 1
    assert "?tool = node: claims 1, 2" in text
    assert "?tool = pnpm: claims 1, 3" in text


@pytest.mark.req("D-PACK", "D-BOUNDS")
def test_a_budget_that_nothing_fits_is_an_outcome_with_its_stage_and_no_rows():
    exact = packed(shared()).packing.used
    assert packed(shared(), budget=exact).outcome == "rows"
    found = packed(shared(), budget=exact - 1)
    assert (found.outcome, found.stage, found.rows, found.packing.text) == (
        "budget_exceeded",
        "packing",
        (),
        "",
    )


@pytest.mark.req("D-PACK")
def test_a_search_that_ends_before_anything_fits_says_so():
    exact = packed(shared()).packing.used
    found = packed(shared(), budget=exact - 1, combinations=1)
    assert (found.outcome, found.bound) == ("search_exhausted", "combinations")
    assert "proves nothing of the rest" in found.advice


@pytest.mark.req("D-PACK")
def test_proofs_beyond_those_listed_are_never_called_searched():
    found = packed(shared(), proofs=1)
    assert (found.outcome, found.packing.optimal) == ("rows", False)


@pytest.mark.req("D-PACK")
def test_as_many_rows_as_fit_are_stated_as_such():
    exact = packed(shared()).packing.used
    found = packed(shared(), budget=exact - 1, as_many=True)
    assert (found.outcome, len(found.rows), found.packing.left, found.packing.optimal) == (
        "rows",
        1,
        1,
        False,
    )
    assert "left out: limits 1" in found.packing.text
    assert found.packing.used <= exact - 1
    assert packed(shared(), budget=9, as_many=True).stage == "packing"


def test_without_rows_there_is_nothing_to_pack():
    assert packed(a_world()).packing is None


@pytest.mark.parametrize("more", [{"budget": -1}, {"combinations": 65_537}, {"combinations": 0}])
def test_limits_outside_their_range_are_refused(more):
    with pytest.raises(InvalidInput, match="out_of_range"):
        packed(shared(), **more)

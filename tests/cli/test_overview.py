"""`overview` on a real store: the same numbers in words and in JSON, and nothing of other scopes."""

from __future__ import annotations

import pytest


@pytest.mark.req("B-FRESHNESS")
def test_overview_tells_what_is_remembered_and_what_it_rests_on(learned):
    told = learned.run("overview", "--json").json
    assert told["claims"] == told["holding"] == sum(told["counts"]["status"].values()) > 0
    assert told["places_of"] == sum(one["claims"] for one in told["places"]) == told["holding"]
    assert any(one["uri"].endswith("Makefile") for one in told["places"])
    shown = learned.run("overview")
    assert (shown.code, f"{told['holding']} of {told['claims']} claims hold" in shown.out) == (
        0,
        True,
    )


def test_overview_of_no_scope_of_yours_is_empty(learned):
    told = learned.run("overview", "--scope", "project:elsewhere", "--json").json
    assert (told["claims"], told["growth"], told["places"]) == (0, [], [])


def test_overview_refuses_a_number_out_of_range(learned):
    assert learned.run("overview", "--sources", "-1").code == 64

"""Erasing what was only proposed: a proposal holds a person's words as an accepted claim does."""

from __future__ import annotations

import pytest


@pytest.mark.req("A-DELETE")
def test_a_claim_that_waits_for_review_is_erased_by_its_identifier(machine):
    made = machine.run("remember", "The shop ships on Fridays.", "--json").json
    claim_id = made["changes"][0]["item"]["id"]
    ran = machine.signed("erase", claim_id, "--yes", "--json")
    assert (ran.code, ran.json["claim"]) == (0, claim_id)
    assert machine.run("inbox", "--json").json["inbox"] == []

"""`reread` on a real store: what is due, what changed, and what it proposes."""

from __future__ import annotations

import pytest


@pytest.mark.req("B-REVERIFY")
def test_reread_says_what_the_sources_say_now(learned):
    (learned.repository / "Makefile").write_text("test:\n\tpytest -x\n", encoding="utf-8")
    ran = learned.run("reread", "--all", "--json")
    states = {reading["state"] for reading in ran.json["readings"].values()}
    proposed = {c["operation"] for one in ran.json["proposed"] for c in one["changes"]}
    assert ("changed" in states, "deprecate" in proposed) == (True, True)


def test_reread_of_nothing_due_has_nothing_to_review(learned):
    ran = learned.run("reread")
    assert (ran.code, "0  due" in ran.out) == (0, True)


def test_reread_of_an_unknown_claim_is_not_found(learned):
    ran = learned.run("reread", "mem_00000000000000000000000000", "--json")
    assert (ran.code, ran.error_codes) == (3, ["not_found"])
